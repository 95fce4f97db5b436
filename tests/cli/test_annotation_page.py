"""The page of ``q2 annotate form``, filled in a real browser."""

import csv
import json
import re

import pytest

from tests.calling import q2

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def form(tmp_path_factory):
    """The page of one reply with two sentences, of which one tries to be markup."""
    folder = tmp_path_factory.mktemp("page")
    row = {"id": "a", "history": ["Tell me."], "knowledge": "Tea is old.",
           "response": "Tea is old. <b>I love it</b>!"}  # fmt: skip
    (folder / "log.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    for command in (
        ("ingest", folder / "log.jsonl", "--store", folder / "store"),
        ("annotate", "form", "--store", folder / "store", "--out", folder / "form.html"),
    ):
        done = q2(*command)
        assert done.code == 0, done.err
    return folder / "form.html"


class Sentence:
    """One sentence of the page, with its questions by their place in the paper."""

    def __init__(self, page, place):
        self.article = page.locator("article").nth(place)

    def give(self, question, answer):
        """Choose an answer."""
        asked = self.article.get_by_role("group", name=re.compile(rf"^{re.escape(question)}\. "))
        asked.get_by_label(answer, exact=True).check()

    def asked(self):
        """The places of the questions that are shown."""
        shown = self.article.locator("fieldset:visible legend").all_inner_texts()
        return [text.partition(". ")[0] for text in shown]


def save(page, folder):
    """Save the form, and return the file."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def rows_of(path):
    """The rows of a saved form."""
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def test_questions_appear_and_go_with_the_answers_before_them(opened, form):
    """A yes to 3a asks two more, a yes to 3 asks none of them, a no to 1 asks 1a."""
    sentence = Sentence(opened(form).page, 0)
    assert sentence.asked() == ["1", "2", "3"]
    sentence.give("1", "3")
    assert sentence.asked() == ["1", "1a", "2", "3"]
    sentence.give("1", "4")
    sentence.give("3", "1")
    assert sentence.asked() == ["1", "2", "3", "3a"]
    sentence.give("3a", "5")
    assert sentence.asked() == ["1", "2", "3", "3a", "3a.i", "3a.ii"]
    sentence.give("3", "5")
    assert sentence.asked() == ["1", "2", "3"]


def test_a_filled_page_is_saved_as_a_form_that_gives_labels(opened, form, tmp_path):
    """Both sentences; an answer off its branch is not saved, and nothing of the log runs."""
    visit = opened(form)
    page = visit.page
    page.get_by_label("Your name").fill("Ann B.")
    first, second = Sentence(page, 0), Sentence(page, 1)
    for question, answer in (
        ("1", "5"), ("2", "5"), ("3", "1"), ("3a", "5"), ("3a.i", "1"), ("3a.ii", "5"),
    ):  # fmt: skip
        first.give(question, answer)
    assert page.get_by_role("status").inner_text() == "1 of 2 sentences"
    for question, answer in (("1", "1"), ("1a", "both"), ("1", "5"), ("2", "4"), ("3", "5")):
        second.give(question, answer)
    assert second.article.locator("mark").inner_text() == "<b>I love it</b>!"
    path = save(page, tmp_path)
    assert path.name == "Ann-B-.csv"
    assert [row["kind"] for row in rows_of(path)] == ["", ""]
    out = tmp_path / "labels.csv"
    done = q2("annotate", "read", path, "--out", out)
    assert done.code == 0, done.err
    labels = [(row["annotator"], row["label"]) for row in rows_of(out)]
    assert labels == [("Ann B.", "entailment"), ("Ann B.", "hallucination")]
    assert all(url.startswith(("file:", "blob:")) for url in visit.requests)
    assert not visit.complaints


def test_answers_stay_and_an_unfinished_sentence_is_left_out_with_a_question(
    opened, form, tmp_path
):
    """After a reload they are there; saving asks, and writes the sentence without answers."""
    page = opened(form).page
    for question, answer in (("1", "5"), ("2", "5"), ("3", "5")):
        Sentence(page, 0).give(question, answer)
    Sentence(page, 1).give("1", "2")
    page.reload()
    assert Sentence(page, 1).asked() == ["1", "1a", "2", "3"]
    told = []
    page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.accept()))
    saved = rows_of(save(page, tmp_path))
    assert told == ["1 sentence is begun and not complete, and left out. Save?"]
    assert [row["same_topic"] for row in saved] == ["5", ""]
