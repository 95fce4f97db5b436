"""Tests of the report on phones, for assistive technology, and of filters in its address."""

import pytest

from qsquared.report.page import gather, render
from qsquared.report.scope import ReportOptions
from qsquared.report.templates import grade
from qsquared.storage.records.indexes.store_index import open_index
from qsquared.storage.store import Store
from tests.report.conftest import make
from tests.report.test_report_in_browser import WIDTHS, shown

PHONE = WIDTHS["phone"]


@pytest.fixture(scope="module")
def library(desk, tmp_path_factory):
    """The report of the log of a help desk, whose knowledge has titles."""
    made = make(desk, tmp_path_factory.mktemp("library") / "report.html")
    assert made.outcome.code == 0, made.outcome.err
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "scheme"), [*((width, "light") for width in WIDTHS.values()), (PHONE, "dark")]
)
@pytest.mark.parametrize("name", ["example", "hostile", "library"])
def test_axe_finds_no_violation(opened, request, name, width, scheme):
    """The rules of axe-core hold at each width, and in both schemes, whose colours are those of all widths."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = opened(request.getfixturevalue(name).page, width=width, color_scheme=scheme).page
    page.get_by_role("button", name="Open all shown").click()
    found = axe.Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


@pytest.mark.slow
def test_on_a_phone_each_cell_can_be_seen(opened, example):
    """Verdicts, rates and intervals stand within the window, each with the head of its column."""
    page = opened(example.page, width=PHONE).page
    page.get_by_role("button", name="Open all shown").click()
    outside = page.evaluate(
        "(width) => [...document.querySelectorAll('td')].filter((cell) => cell.checkVisibility())"
        ".filter((cell) => cell.getBoundingClientRect().right > width).length",
        PHONE,
    )
    assert outside == 0
    cell = page.locator("td[data-label=Verdict]:visible").first
    assert cell.evaluate("node => getComputedStyle(node, '::before').content") == '"Verdict"'
    interval = page.locator(".field:visible td[data-label=Interval] .ends").first
    assert " to " in interval.inner_text()


@pytest.mark.slow
def test_on_a_narrow_window_no_column_of_the_groups_is_cut(opened, example):
    """At 800 points the table of groups is no wider than its frame, and no short word breaks."""
    page = opened(example.page, width=800).page
    page.get_by_label("Group by").select_option(label="bot_version")
    frame = page.locator(".field:visible .scroll")
    assert frame.evaluate("node => node.scrollWidth - node.clientWidth") <= 0
    page.get_by_role("button", name="Open all shown").click()
    kinds = page.locator("td[data-label=Kind]:visible")
    assert kinds.count() > 0
    assert kinds.first.evaluate("node => getComputedStyle(node).whiteSpace") == "nowrap"


@pytest.mark.slow
def test_filters_survive_a_reload(opened, example):
    """Words, verdict, group and field stand in the address, and a link to a section keeps them."""
    page = opened(example.page).page
    every = len(shown(page))
    page.get_by_label("Group by").select_option(label="bot_version")
    page.locator(".field:visible").get_by_role("button", name="1.5").click()
    page.get_by_label("Search").fill("museum")
    page.get_by_label("With").select_option("contradicted")
    page.wait_for_url("**/*q=museum*")
    before = page.locator(".case:visible").all_text_contents()
    assert 0 < len(before) < every
    page.get_by_role("link", name="By day").click()
    page.wait_for_url("**/*#trend?*")
    page.reload()
    assert page.locator(".case:visible").all_text_contents() == before
    assert page.get_by_label("Search").input_value() == "museum"
    assert page.locator(".field:visible caption").inner_text().startswith("bot_version")
    page.get_by_role("button", name="Remove the filter bot_version=1.5").click()
    page.get_by_label("Search").fill("")
    page.get_by_label("With").select_option("")
    page.get_by_label("Group by").select_option(index=0)
    page.wait_for_url("**/*#trend")


@pytest.mark.slow
def test_the_contents_lead_to_every_section(opened, example):
    """Each section with a heading is in the table of contents, in order."""
    page = opened(example.page).page
    linked = page.locator("nav a").evaluate_all("all => all.map((a) => a.hash.slice(1))")
    assert linked == page.locator("main section").evaluate_all("all => all.map((s) => s.id)")


@pytest.mark.slow
def test_an_article_leads_to_its_cases(opened, library):
    """A reply that was given an article is among its cases."""
    page = opened(library.page).page
    page.get_by_label("Group by").select_option(label="article")
    row = page.locator(".field:visible button:enabled").first
    title = row.inner_text()
    row.click()
    found = page.locator(".case:visible").all_text_contents()
    assert found
    assert all(f"article: {title}" in text for text in found)


def figures_of(store):
    """The figures of a report on a store."""
    opened = Store.open(store)
    return gather(opened, open_index(opened), ReportOptions())


def test_articles_are_groups(desk):
    """A turn counts once for each title that it was given; of several, for those that answered it."""
    (articles,) = [field for field in figures_of(desk)["fields"] if field["name"] == "article"]
    turns = {row["value"]: row["turns"] for row in articles["rows"]}
    # Each was given in six and in four turns, two of which another article answered.
    assert turns["Loans and renewals"] == 4
    assert turns["Late fees"] == 2
    assert turns["Printing"] == 2


def test_the_worst_sentence_of_a_case_stands_first(scored):
    """Sentences that claim nothing come last, whatever their place in the reply."""
    found = [case.explanation for case in figures_of(scored.store)["cases"]]
    several = [one.sentences_worst_first for one in found if len(one.sentences) > 1]
    assert several
    for sentences in several:
        scores = [2 if one.support is None else one.support for one in sentences]
        assert scores == sorted(scores)


@pytest.mark.parametrize(
    ("coverage", "word"),
    [(1.0, "good"), (0.95, "good"), (0.94, "fair"), (0.79, "poor"), (None, "poor")],
)
def test_a_coverage_is_graded(coverage, word):
    """By the same two bounds everywhere."""
    assert grade(coverage) == word


def test_a_chart_without_data_says_why(scored, tmp_path):
    """No axes are drawn where no turn has a score; the page names the most frequent reason."""
    figures = figures_of(scored.store)
    figures["total"] |= {"scored": 0, "rate": None}
    figures["trend"]["points"].clear()
    figures["statuses"] = [{"status": "no_knowledge", "turns": 7, "reason": "None was given."}]
    page = render(figures)
    assert "so there is no trend to draw" in page
    assert page.count("not scored: no knowledge (7 turns). None was given.") == 1
    assert 'class="chart"' not in page
