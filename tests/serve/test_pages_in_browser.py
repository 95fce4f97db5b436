"""The pages of ``q2 serve``, used in a real browser."""

import pytest

pytestmark = pytest.mark.slow

PATHS = ("/", "/search?q=museum", "/run", "/nothing")


@pytest.fixture
def visited(browser):
    """A function that opens a page at a width, and what the page asked for and complained of."""
    contexts = []

    def visit(url, width=1100, **more):
        context = browser.new_context(viewport={"width": width, "height": 900}, **more)
        contexts.append(context)
        page = context.new_page()
        asked, complaints = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(url)
        return page, asked, complaints

    yield visit
    for context in contexts:
        context.close()


def test_a_colleague_gets_the_address_of_a_reply(visited, address):
    """From the overview by a search to a reply, whose address shows the same to others."""
    page, asked, complaints = visited(address, java_script_enabled=False)
    page.get_by_role("link", name="Search", exact=True).click()
    page.get_by_label("All of").fill("1116-024")
    page.get_by_role("button", name="Search").click()
    page.locator("td a").first.click()
    page.wait_for_url("**/reply/*")
    shown = page.locator("main").inner_text().split()
    assert "may weigh up to 23 kilograms" in " ".join(shown)
    other, *_ = visited(page.url)
    assert other.locator("main").inner_text().split() == shown
    assert all(url.startswith(address) for url in asked)
    assert complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
@pytest.mark.parametrize("path", PATHS)
def test_axe_finds_no_violation_on_a_page(visited, address, path, width, scheme):
    """The rules of axe-core hold, and the page does not scroll sideways."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page, *_ = visited(address + path, width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = axe.Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_a_reply_can_be_read_on_a_phone(visited, address):
    """Its page too has no violation and fits."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page, *_ = visited(f"{address}/search?q=1116-024", 360)
    page.locator("td a").first.click()
    page.wait_for_url("**/reply/*")  # with its style, without which the page is wider
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert axe.Axe().run(page).response["violations"] == []
