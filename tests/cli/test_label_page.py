"""The form of ``q2 label draw`` in a real browser: mouse, keyboard, phone and screen reader."""

import csv
import shutil

import pytest

from tests.calling import q2

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def drawn(scored, tmp_path_factory):
    """A store with a draw of forty replies, and its page."""
    folder = tmp_path_factory.mktemp("form")
    store = shutil.copytree(scored.store, folder / "store")
    page = folder / "form.html"
    outcome = q2("label", "draw", "--n", 40, "--out", page, "--store", store)
    assert outcome.code == 0, outcome.err
    return store, page


@pytest.fixture
def page(browser, drawn):
    """The form in a fresh browser; afterwards nothing was asked of another machine."""
    context = browser.new_context(viewport={"width": 390, "height": 800}, color_scheme="dark")
    opened = context.new_page()
    wrong = []
    opened.on("request", lambda request: wrong.append(request.url))
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.goto(drawn[1].as_uri())
    yield opened
    context.close()
    assert [url for url in wrong if not url.startswith(("file:", "blob:"))] == []


def saved(page, path):
    """The rows of the CSV that the page saves."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    download.value.save_as(path)
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def test_the_keyboard_alone_judges_and_marks_and_the_judgements_are_read(page, drawn, tmp_path):
    """Keys give verdicts, words are marked as spans, the saved file is read, and a rate follows."""
    page.get_by_label("Your name").fill("Ann")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    for place in range(40):
        page.keyboard.press("i" if place % 3 == 0 else "c")
        if place == 0:
            page.keyboard.press("m")
            page.keyboard.press("Space")
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Space")
            page.keyboard.press("Escape")
        page.keyboard.press("n")
    assert "40 judged" in page.locator("#progress").inner_text()
    rows = saved(page, tmp_path / "ann.csv")
    assert rows[0]["verdict"] == "inconsistent"
    assert rows[0]["spans"].startswith("[[0,")
    assert rows[0]["spans"].count("[") == 2
    outcome = q2("label", "read", tmp_path / "ann.csv", "--store", drawn[0])
    assert "40 judgements taken" in outcome.out, outcome.err
    assert "by 40 labels" in q2("rate", "--store", drawn[0]).out


def test_the_mouse_marks_words_by_a_click_and_by_drawing_over_them(page, tmp_path):
    """Words that the pressed mouse crosses are one span; a second click takes a word off."""
    words = page.get_by_role("group", name="Words of the reply").get_by_role("button")
    words.nth(0).hover()
    page.mouse.down()
    words.nth(2).hover()
    page.mouse.up()
    words.nth(4).click()
    words.nth(4).click()
    page.get_by_role("button", name="Inconsistent").click()
    row = saved(page, tmp_path / "mouse.csv")[0]
    crossed = " ".join(words.nth(number).inner_text() for number in range(3))
    assert row["spans"] == f"[[0,{len(crossed)}]]"


def test_the_verdict_of_the_model_is_hidden_until_the_judgement(page):
    """A person is not swayed by the score."""
    assert page.locator("#model").inner_text() == ""
    page.get_by_role("button", name="Inconsistent").click()
    assert "The model says" in page.locator("#model").inner_text()
    page.get_by_role("button", name="Next").click()
    assert page.locator("#model").inner_text() == ""


def test_answers_stay_in_the_browser(page, tmp_path):
    """A page that is opened again goes on where it was; an unjudged reply has no verdict."""
    page.get_by_label("Your name").fill("Bob")
    page.get_by_role("button", name="Consistent", exact=True).click()
    page.get_by_role("button", name="Next").click()
    page.reload()
    assert "Reply 2 of 40, 1 judged" in page.locator("#progress").inner_text()
    rows = saved(page, tmp_path / "bob.csv")
    assert [row["verdict"] for row in rows[:2]] == ["consistent", ""]
    assert {row["annotator"] for row in rows} == {"Bob"}


def test_a_screen_reader_finds_names_and_states(page):
    """The verdicts are buttons with a state in a named group, and nothing is wider than a phone."""
    page.get_by_role("button", name="Inconsistent").click()
    group = page.get_by_role("group", name="Your verdict")
    assert group.get_by_role("button", pressed=True).inner_text() == "Inconsistent"
    assert page.get_by_role("group", name="Words of the reply").get_by_role("button").count() > 0
    assert page.get_by_role("heading", name="Knowledge").count() == 1
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390


def test_on_a_phone_the_reply_stands_on_the_first_screen(page):
    """Above the knowledge, and not below the guidelines, which stay closed there."""
    reply, knowledge = (page.locator(name).bounding_box() for name in ("#reply", "#knowledge"))
    assert reply["y"] < knowledge["y"]
    assert reply["y"] < 400
