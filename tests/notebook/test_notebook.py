"""A cube in a notebook: it shows itself, and says in short calls what the tables and charts say."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from psa_core import study, tables
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError, OptionError
from psa_core.notebook import Finding
from psa_core.study import _bar

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def cube() -> ScoreCube:
    return study.run(sentences="sample", names="demo", model="keyword:Rihanna=0.4", sample=12)


def test_names_is_the_list_and_called_what_each_name_does(cube: ScoreCube) -> None:
    assert cube.names.columns[0] == "name" and len(cube.names) == 20
    table = cube.names()
    assert table["name"][0] == "Rihanna"
    expected = tables.name_table(cube, "toxicity")
    assert table.sort_values("name")["score_sens"].tolist() == expected.sort_values("name")["score_sens"].tolist()
    assert cube.names("sentiment", baseline="names")["score_sens"][0] == pytest.approx(-0.4, abs=0.05)


def test_the_list_stays_a_plain_table_in_what_is_made_of_it(cube: ScoreCube) -> None:
    assert type(cube.names[["name"]]) is pd.DataFrame and type(cube.names.copy()) is pd.DataFrame
    given = pd.DataFrame({"name": [f"N{n}" for n in range(20)]})
    again = replace(cube, names=given)
    pd.testing.assert_frame_equal(again.names, given)
    assert again.names()["name"][0] == f"N{cube.names['name'].tolist().index('Rihanna')}"
    assert pickle.loads(pickle.dumps(cube)).names()["name"][0] == "Rihanna"


def test_flips_have_their_texts(cube: ScoreCube) -> None:
    table = cube.flips(limit=3)
    assert len(table) == 3 and "Rihanna" in table["text"][0]
    assert cube.flips(direction="up", names=["Rihanna"])["direction"].unique().tolist() == ["up"]


@pytest.mark.parametrize("kind", ["names", "thresholds"])
def test_a_chart_shows_itself_with_its_finding(cube: ScoreCube, kind: str, tmp_path: Path) -> None:
    chart = cube.chart(kind)
    bundle = chart._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg") and bundle["text/plain"] == cube.finding(kind)
    chart.save(tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8") == chart.svg


@pytest.mark.parametrize("kind", ["names", "thresholds", "sentences", "corpus"])
def test_a_finding_is_a_sentence(cube: ScoreCube, kind: str) -> None:
    finding = cube.finding(kind, "sentiment")
    assert isinstance(finding, Finding) and finding.endswith(".")
    assert finding._repr_html_().startswith("<p>")


def test_a_cube_shows_its_size_and_what_it_found(cube: ScoreCube) -> None:
    shown = cube._repr_html_()
    assert "12 sentences × 20 names" in shown and "ScoreDev" in shown and "toxicity" in shown


def test_texts_are_never_markup(cube: ScoreCube) -> None:
    named = cube.names.assign(name=[HOSTILE, *cube.names["name"][1:]])
    hostile = replace(cube, names=named, provenance={"study": {"model": HOSTILE}})
    shown = [hostile._repr_html_(), Finding(HOSTILE)._repr_html_(), hostile.chart("names").svg]
    shown += [hostile.names()._repr_html_(), hostile.flips()._repr_html_()]
    assert [html for html in shown if "<img" in html] == []


def test_what_is_unknown_is_named(cube: ScoreCube) -> None:
    with pytest.raises(OptionError, match="names, thresholds"):
        cube.chart("pie")
    with pytest.raises(OptionError, match="corpus"):
        cube.finding("pie")
    with pytest.raises(CubeError, match="toxicity, sentiment"):
        cube.names("charm")


def test_a_saved_study_opens_again(cube: ScoreCube, tmp_path: Path) -> None:
    cube.save(tmp_path / "results")
    again = study.open(tmp_path / "results")
    assert (again.perturbed == cube.perturbed).all()
    assert (tmp_path / "results" / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_bar_is_shown_where_somebody_asks_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    with _bar.sentence_bar(4, None) as tell:
        assert tell is None
    study.run(sentences="sample", names="demo", model="keyword", sample=4, progress=True)
    assert "4/4" in capsys.readouterr().err
