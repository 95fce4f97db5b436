"""Tests of ``q2 annotate``: forms, labels and the agreement of annotators."""

import csv
import json

import pytest

from qsquared.method.begin.agreement import majority_label
from tests.calling import q2

QUESTIONS = (
    "same_topic", "kind", "cooperative", "personal", "informative", "contradicting", "supported",
)  # fmt: skip
ENTAILED = ("5", "", "5", "1", "5", "1", "5")
GENERIC = ("1", "generic", "2", "1", "1", "", "")
AGAINST = ("5", "", "5", "1", "5", "5", "5")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with an ingested log, of which two turns are one situation."""
    folder = tmp_path_factory.mktemp("annotated")
    rows = [
        {"id": "a", "history": ["Hi", "Who?"], "knowledge": "Bob paints.", "response": "=Bob()"},
        {"id": "b", "history": ["Who?"], "knowledge": "Bob paints.", "response": "=Bob()"},
        {"id": "c", "history": ["What?"], "knowledge": "Bob paints.", "response": "=Bob()"},
        {"id": "d", "knowledge": ["Tea.", "Rome."], "response": "Yes. <b>Tea</b>!"},
        {"id": "e", "knowledge": "", "response": "no knowledge"},
    ]
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = q2("ingest", log, "--store", folder / "store")
    assert done.code == 0, done.err
    return folder / "store"


def form_of(store, out, *more):
    """The rows of a fresh form."""
    done = q2("annotate", "form", "--store", store, "--out", out, *more)
    assert done.code == 0, done.err
    with out.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def fill(path, rows, answers, annotator=""):
    """Write a form with these answers, in the order of the questions."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        for row, given in zip(rows, answers, strict=True):
            named = dict(zip(QUESTIONS, given or [""] * 7, strict=True))
            writer.writerow({**row, **named, "annotator": annotator})
    return path


def test_a_form_that_cannot_be_written_is_refused_in_a_sentence(store, tmp_path):
    """A file in the place of the folder is an error with a sentence."""
    (tmp_path / "file").touch()
    done = q2("annotate", "form", "--store", store, "--out", tmp_path / "file" / "form.csv")
    assert done.code == 2
    assert "form.csv cannot be written" in done.err


def test_a_form_has_each_sentence_of_a_situation_once_and_runs_no_formula(store, tmp_path):
    """With the last turn before it; what a spreadsheet would run is guarded."""
    rows = form_of(store, tmp_path / "form.csv")
    assert sorted((row["previous"], row["sentence"], row["text"]) for row in rows) == [
        ("", "1", "Yes."), ("", "2", "<b>Tea</b>!"),
        ("What?", "1", "'=Bob()"), ("Who?", "1", "'=Bob()"),
    ]  # fmt: skip
    assert {row["knowledge"] for row in rows} == {"Bob paints.", "Tea.\nRome."}
    assert all(row[name] == "" for row in rows for name in (*QUESTIONS, "annotator"))


def test_a_page_holds_the_form_and_runs_no_text_of_the_log(store, tmp_path):
    """The rows and questions are data of the page, which loads nothing."""
    out = tmp_path / "form.html"
    done = q2("annotate", "form", "--store", store, "--out", out)
    assert done.code == 0, done.err
    page = out.read_text(encoding="utf-8")
    assert "<b>" not in page
    data = page.partition('id="form">')[2].partition("</script>")[0]
    form = json.loads(data)
    assert [one["name"] for one in form["questions"]] == list(QUESTIONS)
    assert {row["text"] for row in form["rows"]} == {"Yes.", "<b>Tea</b>!", "=Bob()"}
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_part_is_drawn_by_seed(store, tmp_path):
    """The same one each time."""
    one, same, *others = (
        [row["item"] for row in form_of(store, tmp_path / f"{n}.csv", "--limit", 1, "--seed", seed)]
        for n, seed in enumerate((0, 0, 1, 2, 3, 4))
    )
    assert one == same
    assert len(set(one)) == 1
    assert any(other != one for other in others)


def test_a_form_is_never_written_over(store, tmp_path):
    """It may be filled already."""
    out = tmp_path / "form.csv"
    form_of(store, out)
    done = q2("annotate", "form", "--store", store, "--out", out)
    assert done.code == 2
    assert "is there already" in done.err


def test_filled_forms_give_labels_and_agreement(store, tmp_path):
    """Each annotator's, the majority's, and alpha; a row without answers is left out."""
    rows = form_of(store, tmp_path / "form.csv")
    ann = fill(tmp_path / "ann.csv", rows, [ENTAILED, GENERIC, AGAINST, None])
    bob = fill(tmp_path / "other.csv", rows, [ENTAILED, ENTAILED, None, None], "bob")
    out = tmp_path / "labels.csv"
    done = q2("annotate", "read", ann, bob, "--out", out)
    assert done.code == 0, done.err
    # Two sentences with two labels each: one disagrees, of 3 entailment and 1 generic.
    assert "alpha, five-way: 0.000" in done.out
    assert "alpha, question 1, same_topic: " in done.out
    assert "alpha, mean of the questions: " in done.out
    with out.open(encoding="utf-8", newline="") as handle:
        found = [(r["annotator"], r["label"], r["majority"]) for r in csv.DictReader(handle)]
    assert found == [
        ("ann", "entailment", "entailment"),
        ("ann", "generic", ""),
        ("ann", "contradiction", "contradiction"),
        ("bob", "entailment", "entailment"),
        ("bob", "entailment", ""),
    ]


def test_one_annotator_alone_has_no_agreement(store, tmp_path):
    """The sentence says why."""
    rows = form_of(store, tmp_path / "form.csv")
    ann = fill(tmp_path / "ann.csv", rows, [ENTAILED] * 4)
    done = q2("annotate", "read", ann)
    assert done.code == 0
    assert "not defined, as no sentence has two annotators" in done.out


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (("5", "", "5", "6", "", "", ""), "line 2: personal is '6'."),
        (("3", "", "5", "1", "1", "", ""), "kind is '', which same_topic = 3 asks for."),
        (None, "No row of the forms is filled."),
    ],
)
def test_an_answer_that_is_none_is_reported_with_its_line(store, tmp_path, answers, told):
    """So that the annotator can mend it."""
    rows = form_of(store, tmp_path / "form.csv")
    done = q2("annotate", "read", fill(tmp_path / "ann.csv", rows, [answers, None, None, None]))
    assert done.code == 1
    assert told in done.err


def test_a_file_that_is_no_form_and_a_second_answer_are_refused(store, tmp_path):
    """Both by the file's name."""
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n", encoding="utf-8")
    assert "has no column item" in q2("annotate", "read", other).err
    rows = form_of(store, tmp_path / "form.csv")
    ann = fill(tmp_path / "ann.csv", rows, [ENTAILED] * 4, "ann")
    assert "a second time" in q2("annotate", "read", ann, ann).err


def test_a_majority_needs_more_than_any_other():
    """A tie has none."""
    assert majority_label(["a", "b", "a"]) == "a"
    assert majority_label(["a", "b"]) is None
    assert majority_label([]) is None
