"""One threshold on every page: at c=0.8 each page shows the numbers of 0.8, computed here apart from the pages."""

from __future__ import annotations

import base64
import io
import json
import re
import zipfile
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from pages.ui.results.mitigate_view import TEXTS
from psa_core import anchors, jobs, mitigate, tables
from psa_core.claims import findings
from psa_core.cube import ScoreCube
from psa_core.study import perturbation_of
from tests.browser.steps import download, drawings_drawn, open_address

pytestmark = [pytest.mark.browser, pytest.mark.slow]
Studies = tuple[str, str]
CHOSEN, OWN = 0.8, 0.5


@pytest.fixture
def cube(place, studies: Studies, monkeypatch: pytest.MonkeyPatch) -> ScoreCube:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("PSA_RUNS_DIR", str(place / "runs"))
    return jobs.open_cube(studies[0])


@pytest.fixture
def show(page: Page, studies: Studies) -> Callable[..., str]:
    def shown(stem: str, more: str = "") -> str:
        open_address(page, f"/{stem}?run={studies[0]}&c={CHOSEN}{more}")
        drawings_drawn(page)
        expect(page.get_by_test_id("stMain")).to_contain_text(f"toxicity ≥ {CHOSEN:.2f}")
        return page.get_by_test_id("stMain").inner_text()

    return shown


def rows(page: Page, place: str) -> list[list[str]]:
    """What the first table of a place says, row by row; its cells are drawn, so only their shadow has words."""
    page.wait_for_selector(f"{place} [role=gridcell]", state="attached")
    cells = "row => [...row.querySelectorAll('[role=gridcell]')].map(cell => cell.textContent)"
    found: list[list[str]] = page.locator(f"{place} [role=row]").evaluate_all(f"rows => rows.map({cells})")
    return [row for row in found if row]


def summary(study: ScoreCube, threshold: float) -> dict[str, dict[str, float]]:
    return tables.target_summary(study, "toxicity", threshold=threshold)


def test_thresholds_and_sentences(cube: ScoreCube, show: Callable[..., str], page: Page) -> None:
    row = tables.label_dist_table(cube, "toxicity", thresholds=[CHOSEN])
    assert findings.threshold_finding(row, "toxicity", threshold=CHOSEN).headline in show("thresholds")
    flips = tables.find_flips(cube, "toxicity", threshold=CHOSEN)
    assert len(flips) != len(tables.find_flips(cube, "toxicity", threshold=OWN))
    show("sentences")
    body = page.get_by_test_id("stMain")
    expect(body).to_contain_text(f"{len(flips):,} changed labels; the largest for each of ")
    expect(body).to_contain_text(f"flagged at {CHOSEN:g} and above")


def test_names(cube: ScoreCube, show: Callable[..., str], page: Page) -> None:
    show("names")
    table = tables.name_table(cube, "toxicity", threshold=CHOSEN).sort_values("score_sens", ascending=False)
    other = tables.name_table(cube, "toxicity", threshold=OWN).set_index("name")["label_dist"]
    assert not table.set_index("name")["label_dist"].equals(other)
    place = "[class*='st-key-names_table']"
    found = rows(page, place)
    at = page.locator(f"{place} [role=columnheader]").all_text_contents().index("LabelDist")
    shown = [float(row[at]) for row in found]
    assert shown[:3] == pytest.approx(table["label_dist"][:3].tolist())


def test_mitigate(cube: ScoreCube, show: Callable[..., str], page: Page) -> None:
    show("mitigate")
    names, sentences = mitigate.halves_of_names(cube.names), mitigate.split_sentences(cube)
    measured = cube.rows(sentences.measured[: TEXTS // len(names.measured)])
    every = np.arange(measured.shape[0])
    perturbation = perturbation_of(measured.rows(every, names.measured))
    seen = mitigate.recognised(perturbation, anchors.finder("entities:PERSON"))
    trial = mitigate.trial(measured, used=names.used, measured=names.measured, seen=seen)
    cards = page.get_by_test_id("stMetric").all_inner_texts()
    for metric, title in (("label_dist", "LabelDist"), ("flips", "Flips")):
        (card,) = [text for text in cards if text.startswith(f"{title} at {CHOSEN:g}")]
        numbers = [float(number) for number in re.findall(r"\d+\.\d+", card.partition("\n")[2])]
        scale, digits = (100, 1) if metric == "flips" else (1, 3)
        expected = [summary(study, CHOSEN)[metric]["value"] for study in (trial.as_people, trial.before)]
        assert numbers == [round(scale * value, digits) for value in expected]


def test_compare(cube: ScoreCube, show: Callable[..., str], page: Page, studies: Studies) -> None:
    show("compare", f"&with={studies[1]}")
    number = summary(cube, CHOSEN)["label_dist"]["value"]
    assert f"{number:.3f}" != f"{summary(cube, OWN)['label_dist']['value']:.3f}"
    shown = rows(page, "[data-testid=stDataFrame]")[0]
    assert shown[1] == "toxicity" and shown[6].startswith(f"{number:.3f} (") and float(shown[-1]) == CHOSEN
    page.get_by_role("radio", name="LabelDist").click()
    expect(page.get_by_test_id("stMain")).to_contain_text(f"{number:.2f}")


def test_report(cube: ScoreCube, show: Callable[..., str], page: Page) -> None:
    said = show("report")
    assert f"Zip and report are as you see the study: toxicity flagged at {CHOSEN:g} and above." in said
    address = page.locator("iframe[src^='data:text/html']").get_attribute("src")
    assert address is not None
    report = base64.b64decode(address.partition(",")[2]).decode()
    flips = tables.find_flips(cube, "toxicity", threshold=CHOSEN)
    with zipfile.ZipFile(io.BytesIO(download(page, "report_zip"))) as folder:
        files = {name: folder.read(name) for name in folder.namelist()}
    for written in (report, files["report.html"].decode()):
        assert f"flagged at {CHOSEN:g} and above" in written and f"flagged at {OWN:g} and above" not in written
        assert f"The largest changes of a label ({len(flips):,} in all)" in written
    zipped = pd.read_csv(io.BytesIO(files["flips.csv"]))
    assert len(zipped) == len(flips) != len(tables.find_flips(cube, "toxicity", threshold=OWN))
    assert set(zipped["threshold"]) == set(pd.read_csv(io.BytesIO(files["names.csv"]))["threshold"]) == {CHOSEN}
    measured = json.loads(files["summary.json"])["toxicity"]
    for metric in ("score_dev", "score_range", "label_dist", "flips"):
        assert measured[metric]["value"] == pytest.approx(summary(cube, CHOSEN)[metric]["value"]), metric
    assert json.loads(files["manifest.json"])["view"]["own_thresholds"] == {"toxicity": OWN}
