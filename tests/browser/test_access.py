"""No violation of WCAG 2 A or AA that axe-core can see, in both modes; and the keyboard reaches what a mouse does."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.steps import drawings_drawn, open_address, settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
    "rules": {"heading-order": {"enabled": True}, "page-has-heading-one": {"enabled": True}},
}

# axe reads no text of a drawing.
CHART_CONTRASTS = """() => {
  const paper = getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor;
  const numbers = colour => colour.match(/[0-9.]+/g).slice(0, 3).map(Number);
  const light = colour => numbers(colour).map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0.05);
  const ratio = (a, b) => Math.max(a, b) / Math.min(a, b);
  return [...document.querySelectorAll("[data-testid=stVegaLiteChart] text, .js-plotly-plot :is(text, tspan)")]
    .filter(text => [...text.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()))
    .map(text => [text.textContent, ratio(light(getComputedStyle(text).fill), light(paper))]);
}"""

FILLED = ("study", "names", "why", "thresholds", "sentences", "matrix", "compare", "mitigate", "report", "present")
CHARTS = ("names", "why", "thresholds", "sentences", "compare", "mitigate", "present")
AUDITS = ("equity", "nationality", "language_models", "answers")
PHONE: ViewportSize = {"width": 390, "height": 844}


def axe_finds_nothing(page: Page) -> None:
    """On the page as it is wide, and on a phone, whose menu is folded."""
    desk = page.viewport_size
    assert desk
    for size in (PHONE, desk):
        page.set_viewport_size(size)
        settle(page)
        found = Axe().run(page, options=RULES).response["violations"]
        assert [(rule["id"], [node["target"] for node in rule["nodes"]][:3]) for rule in found] == [], page.url


def letters_are_seen(page: Page) -> None:
    contrasts = page.evaluate(CHART_CONTRASTS)
    assert len(contrasts) > 6, page.url
    assert {text: found for text, found in contrasts if found < 4.5} == {}, page.url


@pytest.mark.parametrize("context", ["light", "dark"], indirect=True)
def test_axe_finds_nothing_before_a_study_is_open(page: Page) -> None:
    for address in ("/", "/study", "/new_study", "/names", "/audit", *(f"/{stem}" for stem in AUDITS)):
        open_address(page, address)
        drawings_drawn(page)
        axe_finds_nothing(page)
        if address == "/":
            letters_are_seen(page)


@pytest.mark.parametrize("context", ["light", "dark"], indirect=True)
def test_axe_finds_nothing_on_pages_of_a_study_and_every_letter_is_seen(page: Page, studies: tuple[str, str]) -> None:
    run, other = studies
    for stem in FILLED:
        view = "&view_on=3" if stem == "present" else ""
        open_address(page, f"/{stem}?run={run}&with={other}&names=Rihanna&s=2{view}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        if stem in CHARTS:
            page.wait_for_selector(".js-plotly-plot .xtick, [data-testid=stVegaLiteChart] .mark-group")
        drawings_drawn(page)
        axe_finds_nothing(page)
        if stem in CHARTS:
            letters_are_seen(page)


def test_try_it_works_by_keyboard_alone(page: Page) -> None:
    open_address(page, "/")
    finding = page.get_by_text("Nothing but the name changed.")
    expect(finding).to_contain_text("the toxicity score is 0.99 with Dick Cheney")
    page.get_by_role("link", name="Skip to main content").focus()
    page.keyboard.press("Enter")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('.st-key-try_sentence') !== null"):
            break
    page.keyboard.press("Control+A")
    page.keyboard.type("{name} is a friend of mine.", delay=20)
    expect(finding).to_contain_text("the toxicity score is 0.91 with Dick Cheney")
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('.st-key-try_example') !== null"):
            break
    page.keyboard.press("Enter")
    settle(page)
    expect(page.locator(".st-key-try_sentence input")).to_have_value("I hate {name}.")
