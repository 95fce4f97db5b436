"""Texts of passages, without what a program writes above them, and notes that are none."""

import json
import os
import re
import subprocess
import sys

from qsquared.storage.logs.fields.emptiness import says_nothing
from qsquared.storage.logs.fields.field_paths import value_at
from qsquared.storage.logs.fields.hits import found_nothing, given_of
from qsquared.storage.logs.fields.reshaped import below_source, counted_parts, cut
from qsquared.storage.logs.prompts.divide_passages import split_passages, split_result
from qsquared.storage.logs.surveys.shapes.templates import counting
from tests.storage.logs.adapter_logs import FACT, OTHER
from tests.storage.logs.test_proposals import FACTS, hits


def test_titles_on_the_lines_of_numbers_are_no_part_of_passages():
    """All passages have one; a number may also stand between rules."""
    text = "\n\n".join(f"[{n}] Page {n} | Shop\n{fact}" for n, (*_, fact) in enumerate(FACTS, 1))
    assert [one["text"] for one in split_passages(text)] == [one[2] for one in FACTS]
    assert split_passages(text)[0]["title"] == "Page 1 | Shop"
    text = "\n".join(f"=== EXCERPT {n} | a.pdf ===\n{one[2]}" for n, one in enumerate(FACTS, 1))
    assert [one["text"] for one in split_passages(text)] == [one[2] for one in FACTS]
    lone = "[1] Wrapped lines have\nno title at all.\n\n[2] Nor has this one."
    assert split_passages(lone)[0]["text"] == "Wrapped lines have\nno title at all."


def test_a_note_in_italics_that_nothing_was_found_is_no_knowledge():
    """A program may write it in Markdown."""
    assert says_nothing("_no documents found_")
    assert not says_nothing("_No documents_ are required")
    assert says_nothing("(geen resultaten)")
    assert says_nothing("(none found)")
    assert says_nothing("NO_RESULTS")
    assert says_nothing("Keine Treffer gefunden.")
    assert not says_nothing("Keine Dokumente sind nötig.")


def test_a_file_in_brackets_before_a_passage_is_its_title():
    """Programs write where each passage is from before its text."""
    text = "\n---\n".join(f"(page-{n}.md) {fact}" for n, (*_, fact) in enumerate(FACTS))
    assert [one["text"] for one in split_passages(text)] == [fact for *_, fact in FACTS]


def test_a_line_that_names_a_source_is_no_part_of_the_passage_below_it():
    """It has the name of a file, or stands in brackets as a whole; a sentence before a list stays."""
    for n, line in enumerate(("prices 2026.docx, p. 3:", "(Meyer 2015 p. 95)", "[visit/hours.md]")):
        text = f"Source 1 - {line}\n{FACTS[n][2]}\n\nSource 2 - {line}\n{FACTS[0][2]}"
        found = counted_parts(text, "Source {n} -")
        assert [one["text"] for one in found] == [FACTS[n][2], FACTS[0][2]]
        assert found[0]["title"] in line
    text = "1. You need:\n- a pass\n- a photo\n\n2. It takes a week, as a rule."
    assert split_passages(text)[0]["text"].startswith("You need:")


def test_a_passage_without_a_title_is_read_beside_others_that_have_one():
    """A passage that is cut at a mark has a title, or is a text alone."""
    texts = [f"[1] (Meyer2015)\n{FACTS[0][2]}\n\n[2] {FACTS[1][2]}", f"[1] {FACTS[2][2]}"]
    rows = [cut({"ctx": text}, {"ctx": ["[{n}]"]}) for text in texts]
    read = [value_at(row, "ctx[].text") for row in rows]
    assert read == [[FACTS[0][2], FACTS[1][2]], [FACTS[2][2]]]


def test_a_title_on_the_line_of_each_mark_is_no_part_of_its_passage():
    """A passage of one line has none; a survey finds the titles where nearly all passages have one."""
    text = f"[1] Returns, 4.2\n{FACTS[0][2]}\n\n[2] {FACTS[1][2]}"
    assert counted_parts(text, "[{n}] {title}") == [
        {"title": "Returns, 4.2", "text": FACTS[0][2]},
        FACTS[1][2],
    ]
    titled = [
        "\n\n".join(f"[{n}] Part {n}\n{fact}" for n, (*_, fact) in enumerate(FACTS[at:], start=1))
        for at in range(3)
    ]
    assert counting(titled) == "[{n}] {title}"
    assert counting([re.sub(r"(Part \d)\n", r"\1 ", text) for text in titled]) == "[{n}]"


def test_a_mark_with_an_open_bracket_ends_where_it_closes():
    """The title of the passage stands in between."""
    text = f"【資料1｜KR-550】{FACT}\n【資料2｜店頭】{OTHER}"  # noqa: RUF001 - marks of Japanese texts
    assert counted_parts(text, "【資料{n}｜") == [  # noqa: RUF001
        {"title": "KR-550", "text": FACT},
        {"title": "店頭", "text": OTHER},
    ]


def test_numbers_between_rules_or_double_brackets_begin_passages():
    """Beside a number stands what the passage is from."""
    for mark in ("--- Extract {} (inv. 19{}, Room 6) ---", "<<{} | manual 3.{} | 0.84>>"):
        text = "\n".join(f"{mark.format(n, n)}\n{one}" for n, one in enumerate((FACT, OTHER), 1))
        assert [one["text"] for one in split_passages(text)] == [FACT, OTHER]


def test_a_line_with_a_score_in_brackets_is_no_part_of_the_passage_below_it():
    """A sentence with a number in brackets is."""
    assert below_source(f"KB-7 (0.88) Returns\n{FACT}") == ("KB-7 (0.88) Returns", FACT)
    text = f"The share is small (0.88).\n{FACT}"
    assert below_source(text) == ("", text)


def test_a_hit_whose_state_is_that_it_was_discarded_is_not_given():
    """A title of the same word says nothing of the prompt."""
    found = [{"t": "a", "state": "used"}, {"t": "b", "state": "discarded"}, {"title": "Drop"}]
    assert given_of(found) == [found[0], found[2]]
    tickets = [{"t": "a", "status": "rejected"}, {"t": "b", "status": "open"}]
    assert given_of(tickets) == tickets


def test_flags_that_tell_nothing_of_the_prompt_drop_no_hit():
    """Results of a tool may be marked as passed or included, and a person may have selected none."""
    brakes = [{"content": "Brakes: pads at 1 mm, below the limit.", "passed": False}]
    picked = [{"text": one["body"], "selected": False} for one in hits(0)]
    assert given_of(brakes) == brakes
    assert given_of(picked) == picked
    assert given_of([{"text": "a", "in_prompt": 0}, {"text": "b", "in_prompt": 1}]) == [
        {"text": "b", "in_prompt": 1}
    ]


def test_a_path_in_brackets_names_the_passage_after_it():
    """So does a heading with a file in brackets; a link and a remark in brackets do not."""
    text = f"[refunds/delay] {FACT}\n\n[refunds/how.md] {OTHER}"
    assert [one["text"] for one in split_result(text) or ()] == [FACT, OTHER]
    text = (
        f"## Prices [prices.html]\n{FACT}\n\n## Rules (faq/rules.html)\n{OTHER}\nIts second line."
    )
    found = split_result(text) or []
    assert [one["text"] for one in found] == [FACT, f"{OTHER}\nIts second line."]
    assert [one["title"] for one in found] == ["Prices [prices.html]", "Rules (faq/rules.html)"]
    assert split_result(f"[see a.md] {FACT}") is None
    assert split_result(f"[faq](https://a.example/b) {FACT}") is None


def test_the_rest_of_a_counted_heading_is_a_title():
    """Its text is on the lines below."""
    text = f"### Document 1: Wrong and right\n{FACT}\n\n### Document 2:\n{OTHER}"
    assert counted_parts(text, "### Document {n}:") == [
        {"title": "Wrong and right", "text": FACT},
        OTHER,
    ]


def test_a_condition_or_a_sentence_above_a_text_stays_a_part_of_it():
    """It tells when the text holds, and not where it is from."""
    for line in ("(Only for customers in the EU)", "(Updated on 3 May 2024)", "You need Node.js:"):
        assert below_source(f"{line}\n{FACT}") == ("", f"{line}\n{FACT}")
    text = f"### Passage 1: {FACT}\n### Passage 2: {OTHER}"
    assert counted_parts(text, "### Passage {n}:") == [FACT, OTHER]
    text = f"## Prices (EU/EEA)\n{FACT}\n\n## Prices (US/Canada)\n{OTHER}"
    assert split_result(text) is None
    assert split_result(f"[required.param] {FACT}\n\n[app.billing] {OTHER}") is None


def test_a_heading_of_many_blanks_is_looked_at_once():
    """Else a hostile text of some thousand characters would take minutes."""
    assert split_result(f"# {' ' * 50_000}x\n{FACT}") is None


def test_fields_that_are_empty_beside_the_hits_do_not_say_that_nothing_was_found():
    """A tool may have no warnings; and a reason why a claim was rejected is data of the claim."""
    assert not found_nothing({"status": "ok", "warnings": []})
    assert found_nothing({"documents": []})
    assert found_nothing([])
    claims = [{"text": FACT, "rejection_reason": "late"}, {"text": OTHER, "rejection_reason": None}]
    assert given_of(claims) == claims
    passed = [{"text": FACT, "filter_reason": "passed"}]
    assert given_of(passed) == passed


OF_EQUAL_NUMBER = """
from qsquared.storage.logs.surveys.shapes.templates import marks_of
things = ["pool", "shop", "park", "bank", "library", "museum", "zoo", "station", "hall", "inn", "baths"]
marks = ["<a>\\n<b>", *["<a>"] * 5, *["<b>"] * 5]
print(marks_of([f"{mark}\\nThe {one} is open." for mark, one in zip(marks, things)]))
"""
"""Two marks stand in as many texts, and first in the same one."""


def test_every_process_finds_the_same_marks():
    """Python hashes words anew in each process, and the marks of a text were a set."""
    seeds = ({**os.environ, "PYTHONHASHSEED": str(seed)} for seed in range(6))
    command = [sys.executable, "-c", OF_EQUAL_NUMBER]
    ran = [subprocess.run(command, env=env, capture_output=True, check=True) for env in seeds]
    assert len({one.stdout for one in ran}) == 1


def test_a_list_of_objects_below_a_line_that_introduces_it_has_the_passages():
    """A tool may say whose results follow; a text that goes on after a list is one passage."""
    listed = json.dumps([{"source": "a.pdf", "text": FACT}, {"source": "b.pdf", "text": OTHER}])
    told = f"Below are the documents of your query.\n\n{listed}"
    assert [one["text"] for one in split_result(told)] == [FACT, OTHER]
    assert not split_result(f"{told}\n\nUse them.")


def test_a_file_before_the_text_of_each_line_divides_it():
    """Programs join what they found so; a text of whose lines one has no file is one passage."""
    told = f"returns.pdf#page=2: {FACT}\n refunds-2026.md: {OTHER}\n"
    assert [one["text"] for one in split_result(told)] == [FACT, OTHER]
    assert [one["text"] for one in split_passages(told)] == [FACT, OTHER]
    assert not split_result(f"{told}Use them.")
