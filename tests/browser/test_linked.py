"""One selection on every page and in the link; judgements that count at once and travel; comparison; pictures."""

from __future__ import annotations

import io
import json
import re
import time
import zipfile

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from tests.browser.steps import (
    CHIPS,
    IDLE,
    charts_drawn,
    chips,
    choose,
    click_bar,
    download,
    drawings_drawn,
    go_to,
    open_address,
    settle,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]
Studies = tuple[str, str]


def seen(page: Page) -> dict[str, object]:
    """What a visitor sees of the selection on Sentences."""
    drawings_drawn(page)
    body = page.get_by_test_id("stMain")
    expect(page.locator(CHIPS)).not_to_have_count(0)
    return {
        "chips": chips(page),
        "study": body.locator(".st-key-looked_at").get_by_text("280 sentences × 20 names").inner_text(),
        "sources": body.get_by_text(re.compile(r" · 280 sentences × 20 names · .* flagged at ")).all_inner_texts(),
        "finding": body.get_by_text("with at least one name").first.inner_text(),
        "count": body.get_by_text(re.compile(r"^[\d,]+ changed labels?.*; showing ")).first.inner_text(),
        "cards": body.locator("[class*='st-key-flip'] p del").all_inner_texts(),
        "sentence": body.get_by_text("One sentence, every name").locator("xpath=following::p[1]").inner_text(),
        "dots": page.locator(".st-key-sentences_dots path[aria-roledescription='point']").count(),
    }


def test_a_bar_is_followed_and_the_link_shows_the_same_view(page: Page, browser: Browser, studies: Studies) -> None:
    open_address(page, f"/names?run={studies[0]}")
    charts_drawn(page)
    click_bar(page, 0)
    first = chips(page)
    assert len(first) == 1
    click_bar(page, 2)
    both = chips(page)
    assert both[0] == first[0] and len(both) == 2
    click_bar(page, 0)
    assert chips(page) == both[1:]

    go_to(page, "Thresholds")
    assert chips(page) == both[1:]
    page.get_by_role("radio", name="Selected names").click()
    settle(page)
    expect(page.locator(".st-key-thresholds_figure .legend")).to_contain_text(both[1])
    legend, panel = (
        page.locator(f".st-key-thresholds_figure {part}").first.bounding_box() for part in (".legend", "rect.nsewdrag")
    )
    assert legend is not None and panel is not None and legend["y"] + legend["height"] <= panel["y"], "upon the curves"
    slider = page.locator(".st-key-threshold_slider [role=slider], .st-key-threshold_slider input").first
    slider.focus()
    for _ in range(4):
        slider.press("ArrowLeft")
        settle(page)
    expect(page.get_by_test_id("stMain")).to_contain_text("(flagged at 0.48 and above)")

    go_to(page, "Sentences")
    page.get_by_role("button", name="All names in this sentence").nth(1).click()
    settle(page)
    mine = seen(page)
    assert mine["chips"][0] == both[1] and mine["chips"][1].startswith("sentence ")  # type: ignore[index]
    assert "toxicity ≥ 0.48" in str(mine["study"]) and mine["dots"] == 20
    sources = list(mine["sources"])  # type: ignore[call-overload]
    assert sources and all(line.endswith("toxicity flagged at 0.48 and above") for line in sources)

    stranger = browser.new_context(viewport={"width": 1440, "height": 900})
    other = stranger.new_page()
    open_address(other, page.url)
    assert seen(other) == mine
    stranger.close()


def test_chips_are_taken_away_everywhere(page: Page, studies: Studies) -> None:
    open_address(page, f"/sentences?run={studies[0]}&names=Rihanna&names=Bill+Gates")
    expect(page.locator(CHIPS)).to_have_text(["Rihanna", "Bill Gates"])
    page.locator(".st-key-chips [data-tag-index] button, .st-key-chips [data-tag-index] svg").first.click()
    expect(page.locator(CHIPS)).to_have_text(["Bill Gates"])
    settle(page)
    assert "Rihanna" not in page.url
    go_to(page, "Names")
    expect(page.locator(CHIPS)).to_have_text(["Bill Gates"])


def test_a_judgement_counts_at_once_and_travels(page: Page, studies: Studies) -> None:
    open_address(page, f"/sentences?run={studies[1]}&each=all")
    expect(page.get_by_test_id("stMain")).to_contain_text("of 280 sentences")
    cards = page.locator("[class*='st-key-flip']")
    cards.nth(4).get_by_text("Defect", exact=True).click()
    settle(page)
    cards.first.get_by_text("Meaning changes", exact=True).click()
    expect(page.get_by_text("Left out: 1 sentence whose meaning changes")).to_be_visible()
    expect(page.get_by_test_id("stMain")).to_contain_text("of 279 sentences")
    go_to(page, "Names")
    expect(page.get_by_test_id("stMain")).to_contain_text("279 sentences")

    go_to(page, "Report")
    rows = [json.loads(line) for line in download(page, "flips_jsonl").splitlines()]
    assert [row["judgements"] for row in rows if row["judgements"]] == ["reader: defect"]
    content = download(page, "report_zip")
    with zipfile.ZipFile(io.BytesIO(content)) as folder:
        assert folder.read("judgements.csv").count(b"reader") == 3

    open_address(page, "/study")
    page.locator(".st-key-study_zip input[type=file]").set_input_files(
        {"name": "study.zip", "mimeType": "application/zip", "buffer": content}
    )
    expect(page.get_by_text("279 sentences × 20 names")).to_be_visible()
    go_to(page, "Sentences")
    expect(page.get_by_text("Left out: 1 sentence whose meaning changes")).to_be_visible()


def test_two_models_are_compared_on_the_same_cells(page: Page, studies: Studies) -> None:
    open_address(page, f"/compare?run={studies[0]}&with={studies[1]}")
    drawings_drawn(page)
    body = page.get_by_test_id("stMain")
    # The file is named where another study of the same model has made the titles longer.
    expect(body).to_contain_text(re.compile("is largest for profanity-check( · sample.csv)? · toxicity"))
    expect(body).to_contain_text("No other study here has the target toxicity.")
    settle(page)
    choose(page, "compare_second", "sentiment")
    expect(body).to_contain_text("toxicity and sentiment are different targets")
    expect(body).to_contain_text("sentences and 20 names in common")
    marks = page.locator(".st-key-compare_scatter path[aria-roledescription='point']")
    expect(marks).to_have_count(20)
    marks.first.click(force=True)
    page.wait_for_selector(IDLE)
    expect(page.locator(".st-key-chips [data-tag-index]")).to_have_count(1)


def test_pictures_are_made_without_the_network(page: Page, studies: Studies) -> None:
    open_address(page, f"/names?run={studies[0]}")
    svg = download(page, "names_picture_svg").decode()
    assert svg.startswith("<svg") and "Dick Cheney" in svg and "href=" not in svg
    assert download(page, "names_picture_png").startswith(b"\x89PNG")
    go_to(page, "Thresholds")
    assert download(page, "thresholds_picture_svg").startswith(b"<svg")
    go_to(page, "Sentences")
    assert b"toxicity" in download(page, "dots_picture_svg")
    assert download(page, "scatter_picture_png").startswith(b"\x89PNG")


def test_a_change_of_the_page_is_one_step_however_slowly_it_comes(page: Page, studies: Studies) -> None:
    page.route_web_socket(re.compile("_stcore/stream"), slowly)
    open_address(page, f"/names?run={studies[0]}")
    go_to(page, "Thresholds")
    expect(page).to_have_url(re.compile(r"/thresholds\?run="))
    back(page)
    expect(page).to_have_url(re.compile(r"/names\?run="))


def test_one_press_of_back_undoes_one_change(page: Page, studies: Studies) -> None:
    open_address(page, f"/names?run={studies[0]}")
    charts_drawn(page)
    click_bar(page, 0)
    first = chips(page)
    page.get_by_role("radio", name="The typical name").click()
    expect(page).to_have_url(re.compile("baseline=names"))
    settle(page)
    go_to(page, "Sentences")
    expect(page).to_have_url(re.compile("/sentences.*baseline=names"))
    choose(page, "cards", "10")
    expect(page).to_have_url(re.compile("cards=10"))
    settle(page)

    back(page)
    assert "/sentences" in page.url and "cards=" not in page.url
    back(page)
    assert "/names" in page.url and "baseline=names" in page.url
    back(page)
    assert "baseline" not in page.url and chips(page) == first
    back(page)
    assert chips(page) == [] and studies[0] in page.url


def back(page: Page) -> None:
    """Press Back once."""
    page.go_back()
    settle(page)


def slowly(socket: WebSocketRoute) -> None:
    """A server whose messages come one by one, as they do under load: the browser acts on each before the next."""
    server = socket.connect_to_server()
    socket.on_message(server.send)
    server.on_message(lambda message: (time.sleep(0.03), socket.send(message)))


def test_what_is_typed_on_try_it_survives_a_reload(page: Page) -> None:
    open_address(page, "/try_it")
    expect(page.get_by_text("Page not found")).to_have_count(0)
    page.locator(".st-key-try_own_names input").fill("Ada Lovelace")
    expect(page).to_have_url(re.compile(r"try_own_names=Ada\+Lovelace"))
    page.get_by_role("radio", name="By name").click()
    expect(page).to_have_url(re.compile("try_sort=By"))
    settle(page)
    page.locator(".st-key-try_filler input").fill("somebody")
    expect(page).to_have_url(re.compile("try_filler=somebody"))
    page.reload()
    settle(page)
    expect(page.locator(".st-key-try_own_names input")).to_have_value("Ada Lovelace")
    expect(page.locator(".st-key-try_filler input")).to_have_value("somebody")
    expect(page.get_by_role("radio", name="By name")).to_be_checked()
