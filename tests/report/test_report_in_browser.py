"""The report, used in a real browser."""

import http.server
import re
import threading

import pytest

from tests.calling import q2

pytestmark = pytest.mark.slow

WIDTHS = {"phone": 360, "tablet": 768, "desktop": 1280}


def shown(page):
    """The replies of the cases that are shown."""
    return page.locator(".case:visible").all_inner_texts()


def test_the_rate_is_that_of_the_store(opened, example):
    """Rate, numerator, denominator, coverage and interval stand on the page as SQL gives them."""
    row = q2(
        "sql", "--csv", "--store", example.store,
        "SELECT sum(inconsistent)::INT, sum(scored)::INT, sum(turns - no_claim)::INT FROM daily",
    ).out.splitlines()[1]  # fmt: skip
    wrong, scored, claiming = map(int, row.split(","))
    text = opened(example.page).page.locator("#rate").inner_text()
    assert f"{wrong / scored:.1%}" in text
    assert f"{wrong} of {scored} scored turns" in text
    assert f"{scored} of {claiming} turns that claim something have a score" in text
    assert "interval" in text


def test_searching_and_filtering_leave_the_cases_that_fit(opened, example):
    """Words narrow the list, a verdict narrows it, nothing found says so, and all come back."""
    page = opened(example.page).page
    every = len(shown(page))
    assert page.locator("#shown").inner_text() == f"{every} of {every} cases shown"
    page.get_by_label("Search").fill("KILOGRAMS bag")
    page.locator("#shown", has_text=" cases shown").filter(has_not_text=f"{every} of").wait_for()
    found = page.locator(".case:visible").all_text_contents()
    assert 0 < len(found) < every
    assert all("kilograms" in text.lower() and "bag" in text.lower() for text in found)
    page.get_by_label("Search").fill("")
    page.get_by_label("With").select_option("contradicted")
    page.locator("#shown").filter(has_not_text=f"{every} of").wait_for()
    marked = page.locator(".case:visible mark.contradicted")
    assert marked.count() >= len(shown(page)) > 0
    page.get_by_label("Search").fill("no such words anywhere")
    page.get_by_text("No case fits.").wait_for()
    assert shown(page) == []
    page.get_by_role("button", name="Show all", exact=True).click()
    assert len(shown(page)) == every


def test_a_case_opens_by_keyboard_and_shows_why(opened, example):
    """Enter on a case shows its knowledge and its questions with both answers and a verdict."""
    page = opened(example.page).page
    page.get_by_label("Search").fill("1116-024")
    page.locator("#shown", has_text=re.compile("^1 of")).wait_for()
    case = page.locator(".case:visible")
    assert not case.get_by_text("Knowledge", exact=True).is_visible()
    page.get_by_label("Search").focus()
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    page.keyboard.press("Enter")
    case.get_by_text("Knowledge", exact=True).wait_for()
    text = case.inner_text()
    assert "may weigh up to 23 kilograms" in text
    assert "How many kilograms may a checked bag weigh?" in text
    assert "up to 28 kilograms" in text
    assert "the knowledge says otherwise" in text


def test_a_group_leads_to_its_cases(opened, example):
    """Choosing another field shows its table; a click on a value filters the cases to it."""
    page = opened(example.page).page
    page.get_by_label("Group by").select_option(label="bot_version")
    table = page.locator(".field:visible")
    assert table.count() == 1
    assert "bot_version" in table.inner_text()
    every = len(shown(page))
    table.get_by_role("button", name="1.5").click()
    found = page.locator(".case:visible").all_text_contents()
    assert 0 < len(found) < every
    assert all("bot_version: 1.5" in text for text in found)
    page.get_by_role("button", name="Remove the filter bot_version=1.5").click()
    assert len(shown(page)) == every


def test_no_text_of_a_log_becomes_markup(opened, hostile):
    """Scripts in replies, ids, fields, knowledge and file names do nothing and are shown as text."""
    found = opened(hostile.page)
    page = found.page
    page.get_by_role("button", name="Open all shown").click()
    page.get_by_label("Search").fill("Hale 1901")
    page.locator("#shown", has_text="1 of 5").wait_for()
    for button in page.locator(".pick:enabled").all():
        if button.is_visible():
            button.click()
    assert page.evaluate("typeof window.ran") == "undefined"
    assert page.locator("script").count() == 1
    assert (
        page.locator("img, iframe, object, link, base, [onload], [onerror], [onclick]").count() == 0
    )
    assert found.complaints == []
    text = page.locator("body").text_content()
    assert "<script>window.ran = 'reply'</script>" in text
    assert re.search(r"\{\{ 7( [^*]*)? \* 7 }}", text)
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert "Against the baseline" in text


def test_nothing_leaves_the_page(opened, hostile):
    """The file itself is the only request, and its policy lets no script fetch or load anything."""
    asked = []

    class Listening(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Listening) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found = opened(hostile.page)
        url = f"http://127.0.0.1:{server.server_port}/"
        page = found.page
        assert (
            page.evaluate(f"fetch('{url}fetch').then(() => 'sent', () => 'refused')") == "refused"
        )
        page.evaluate(
            f"""() => new Promise((done) => {{
              const image = new Image();
              image.onload = image.onerror = done;
              image.src = '{url}image';
              document.body.append(image);
            }})"""
        )
        inline = (
            "document.body.insertAdjacentHTML('beforeend', '<b onclick=\"window.ran=1\">x</b>')"
        )
        page.evaluate(inline)
        page.locator("b[onclick]").click()
        assert page.evaluate("typeof window.ran") == "undefined"
        server.shutdown()
    assert asked == []
    assert [url for url in found.requests if not url.startswith("http://127.0.0.1")] == [
        hostile.page.as_uri()
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_it_fits_its_window_and_can_be_read(opened, example, width, scheme):
    """The page does not scroll sideways, and each text has enough contrast (WCAG AA)."""
    page = opened(example.page, width=width, color_scheme=scheme).page
    page.get_by_role("button", name="Open all shown").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 20
    assert [found for found in contrasts if found["ratio"] < 4.5] == []


CONTRASTS = """() => {
  const channels = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const colour = channels(getComputedStyle(node).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = new Map();
  for (const node of document.querySelectorAll('main *, header *')) {
    if (node.closest('svg') || ![...node.childNodes].some((c) => c.nodeType === 3 && c.data.trim())) continue;
    const front = channels(getComputedStyle(node).color), back = behind(node);
    const [high, low] = [light(front), light(back)].sort((a, b) => b - a);
    const name = `${front} on ${back}`;
    found.set(name + node.className, {name, tag: node.tagName, ratio: (high + 0.05) / (low + 0.05)});
  }
  return [...found.values()];
}"""


def test_a_screen_reader_can_read_it(opened, example):
    """Charts and marks have words, controls have names, and tables have headers."""
    page = opened(example.page).page
    assert page.locator("svg[role=img]").count() >= 2
    for svg in page.locator("svg[role=img]").all():
        named = svg.get_attribute("aria-label") or svg.locator("title").first.text_content()
        assert named.strip()
    assert page.locator("main table:not(:has(th))").count() == 0
    unnamed = page.evaluate(
        "[...document.querySelectorAll('input, select, button:not([hidden])')]"
        ".filter((n) => !(n.labels?.length || n.textContent.trim() || n.ariaLabel)).length"
    )
    assert unnamed == 0
    levels = page.locator("h1, h2").evaluate_all("all => all.map((n) => n.tagName)")
    assert levels[0] == "H1"
    assert levels.count("H1") == 1
    first = page.locator(".case mark").first
    assert "(" in first.text_content()
    assert page.locator("html").get_attribute("lang") == "en"


def test_it_can_be_read_without_its_script(opened, example):
    """Every table and case is there; only what needs the script is not shown."""
    page = opened(example.page, java_script_enabled=False).page
    assert page.locator(".field:visible").count() > 1
    assert page.locator(".case:visible").count() > 20
    assert page.locator("#search:visible").count() == 0


def test_on_paper_the_controls_are_left_out(opened, example):
    """Printing gives the figures and the cases as they are, without what can only be clicked."""
    page = opened(example.page, color_scheme="dark").page
    page.emulate_media(media="print")
    colour = page.locator("body").evaluate("node => getComputedStyle(node).backgroundColor")
    assert colour == "rgb(255, 255, 255)"
    assert (
        page.locator(".figure").evaluate("node => getComputedStyle(node).color")
        == "rgb(179, 38, 30)"
    )
    assert page.locator("nav:visible, form:visible").count() == 0
    assert page.locator(".case:visible").count() > 20
    assert len(page.pdf()) > 10_000
