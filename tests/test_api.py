"""The library in a few names: run, open, compare, review, and a Study that answers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import psa_core as psa
from psa_core import study, tables
from psa_core.api import Finding
from psa_core.errors import CubeError, OptionError, PsaError
from psa_core.folders import results
from psa_core.inputs.groups import grouping

HOSTILE = "<img src=x onerror=alert(1)>"
SENTENCES = ["He left early.", "She is late again.", "I saw him there.", "Her dog barked."]


@pytest.fixture(scope="module")
def found() -> psa.Study:
    return psa.run(sentences="sample", names="demo", model="keyword:Rihanna=0.4", sample=12, cache=False)


def number_in(texts: Sequence[str]) -> list[float]:
    """The number of a name such as Q17, 0 for others."""
    return [int(f"0{text[1:3]}") if text[0] == "Q" else 0 for text in texts]


def lengths(texts: Sequence[str]) -> list[float]:
    return [len(text) / 100 for text in texts]


def test_importing_it_loads_nothing_heavy() -> None:
    code = "import sys, psa_core as psa; dir(psa); print([m for m in ('torch', 'spacy', 'pandas') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there_and_no_other() -> None:
    assert all(getattr(psa, name) is not None for name in psa.__all__) and set(psa.__all__) <= set(dir(psa))
    with pytest.raises(AttributeError, match="charm"):
        psa.charm  # noqa: B018


def test_name_effects_are_the_table_furthest_first(found: psa.Study) -> None:
    table = found.name_effects()
    assert table["name"][0] == "Rihanna" and len(table) == len(found.names) == 20
    expected = tables.name_table(found.cube, "toxicity")
    assert list(table) == list(expected)
    assert table.sort_values("name")["score_sens"].tolist() == expected.sort_values("name")["score_sens"].tolist()
    assert found.name_effects("sentiment", baseline="names")["score_sens"][0] == pytest.approx(-0.4, abs=0.05)


def test_flips_have_their_texts(found: psa.Study) -> None:
    table = found.flips(limit=3)
    assert len(table) == 3 and "Rihanna" in table["text"][0]
    assert found.flips(direction="up", names=["Rihanna"])["direction"].unique().tolist() == ["up"]


def test_a_frame_has_a_row_for_each_sentence_with_each_name(found: psa.Study) -> None:
    frame = found.to_frame("toxicity")
    assert len(frame) == 12 * 20
    row = frame[(frame["name"] == "Rihanna") & (frame["sentence_id"] == found.sentences["sentence_id"][3])].iloc[0]
    original, perturbed = found.cube.scores("toxicity")
    assert row["original"] == original[3]
    assert row["perturbed"] == perturbed[3, found.names["name"].tolist().index("Rihanna")]
    assert row["difference"] == pytest.approx(0.4, abs=1e-6)


def test_groups_take_the_first_column_that_sorts_names(found: psa.Study) -> None:
    column = grouping(found.cube.names)[0]
    pd.testing.assert_frame_equal(found.groups(), tables.group_table(found.cube, "toxicity", column))
    for given in ("gender", "gender*career"):
        pd.testing.assert_frame_equal(found.groups(given), tables.group_table(found.cube, "toxicity", given))
    for unknown in ("charm", "name"):
        with pytest.raises(CubeError, match=f"'{unknown}'.*gender"):
            found.groups(unknown)
    bare = psa.Study(replace(found.cube, names=found.names[["name"]]))
    with pytest.raises(CubeError, match="names without groups"):
        bare.groups()


def test_thresholds_and_conditions_are_those_of_the_tables(found: psa.Study) -> None:
    levels = [0.2, 0.7]
    expected = tables.label_dist_table(found.cube, "sentiment", thresholds=levels)
    pd.testing.assert_frame_equal(found.thresholds("sentiment", thresholds=levels), expected)
    people = pd.DataFrame({"name": ["Ann Lee", "Bo Ray", "Cy Poe", "Di Fox"], "born": ["here", "here", "away", "away"]})
    told = psa.run(["{name} left."], people, lengths, conditions="none,initials-only", cache=False)
    for given in ((), ("born",), ("born", "score")):
        pd.testing.assert_frame_equal(told.conditions(*given), tables.condition_table(told.cube, "score", "born"))
    with pytest.raises(CubeError, match="--conditions"):
        psa.run(["{name} left."], people, lengths, cache=False).conditions()


@pytest.mark.parametrize("kind", ["names", "thresholds", "groups"])
def test_a_chart_shows_itself_with_its_finding(found: psa.Study, kind: str, tmp_path: Path) -> None:
    chart = found.chart(kind)
    bundle = chart._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg") and bundle["text/plain"] == found.finding(kind)
    chart.save(tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8") == chart.svg
    assert repr(chart) == f"Chart(finding={chart.finding!r})"


@pytest.mark.parametrize(("names", "bars"), [(60, 60), (61, 30)])
def test_of_more_names_than_a_picture_holds_the_furthest_are_drawn(names: int, bars: int) -> None:
    people = [f"Q{n}" for n in range(10, 10 + names)]
    svg = psa.run(["{name} left."], people, number_in, cache=False).chart("names").svg
    shown = [name for name in people if f">{name}<" in svg]
    assert shown == (people if bars == names else [*people[:15], *people[-15:]])


def test_no_axis_goes_beyond_what_a_score_can_change(found: psa.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    monkeypatch.setattr("psa_core.api.name_figure", lambda _, options: given.append(options) or "<svg/>")
    for target in ("toxicity", "sentiment"):
        found.chart("names", target)
    assert [options.score_range for options in given] == [1.0, 2.0]  # of 0 to 1 and of -1 to 1


def test_a_chart_says_what_it_draws(found: psa.Study) -> None:
    chart = found.chart("thresholds", threshold=0.237)
    assert "flagged at 0.237" in chart.finding and "at 0.237" in chart.svg
    flips = found.flips(threshold=0.237)
    assert f"changes {len(flips):,} of " in chart.finding or (not len(flips) and "no label" in chart.finding)
    against_names = found.chart("names", "sentiment", baseline="names")
    assert "typical name" in against_names.finding and "typical name" in against_names.svg
    original = found.chart("names", "sentiment", baseline="original", correction="bonferroni")
    assert "the original" in original.finding and "Bonferroni" in original.finding


@pytest.mark.parametrize("kind", ["names", "thresholds", "sentences", "corpus", "groups"])
def test_a_finding_is_a_sentence(found: psa.Study, kind: str) -> None:
    finding = found.finding(kind, "sentiment")
    assert isinstance(finding, Finding) and finding.endswith(".")
    assert finding._repr_html_().startswith("<p>")


def test_a_study_shows_its_size_and_what_it_found(found: psa.Study) -> None:
    shown = found._repr_html_()
    assert "12 sentences × 20 names" in shown and "ScoreDev" in shown and "toxicity" in shown
    assert repr(found) == "Study(12 sentences × 20 names, keyword:Rihanna=0.4)"
    assert repr(found.cube) == "ScoreCube(12 sentences × 20 names × 2 targets)"


def test_texts_are_never_markup(found: psa.Study) -> None:
    named = found.names.assign(name=[HOSTILE, *found.names["name"][1:]])
    hostile = psa.Study(replace(found.cube, names=named, provenance={"study": {"model": HOSTILE}}))
    shown = [hostile._repr_html_(), Finding(HOSTILE)._repr_html_(), hostile.chart("names").svg]
    shown += [hostile.name_effects()._repr_html_(), hostile.flips()._repr_html_()]
    assert [html for html in shown if "<img" in html] == []


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda found: found.chart("pie"), "names, thresholds"),
        (lambda found: found.finding("pie"), "corpus"),
        (lambda found: found.finding("corpus", threshold=0.2), "'threshold'"),
        (lambda found: found.chart("names", threshold=0.2), "does not have .threshold"),
        (lambda found: found.chart("names", colour_by="charm"), "charm"),
        (lambda found: found.chart("thresholds", threshold="high"), "'high'"),
        (lambda found: found.name_effects("charm"), "toxicity, sentiment"),
        (lambda found: found.to_frame("charm"), "toxicity, sentiment"),
    ],
)
def test_what_is_unknown_is_named(found: psa.Study, ask: Any, words: str) -> None:
    with pytest.raises(PsaError, match=words):
        ask(found)


@pytest.mark.slow
def test_a_saved_study_opens_again(found: psa.Study, tmp_path: Path) -> None:
    found.save(tmp_path / "results")
    again = psa.open(tmp_path / "results")
    assert (again.cube.perturbed == found.cube.perturbed).all()
    assert (tmp_path / "results" / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    with pytest.raises(PsaError, match="nowhere"):
        psa.open(tmp_path / "nowhere")


def test_studies_are_compared(tmp_path: Path) -> None:
    long = psa.run(SENTENCES, names=["Ann", "Bartholomew"], model=lengths, cache=False)
    short = psa.run(SENTENCES, names=["Ann", "Anna"], model=lengths, cache=False)
    results.write(short.cube, tmp_path / "before", lambda _: "")
    table = psa.compare(long, long.cube, tmp_path / "before").set_index("study")
    model = f"python:{__name__}:lengths"
    assert table.index.tolist() == [model, f"{model} (2)", "before"]
    assert table["target"].unique().tolist() == ["score"] and table["sentences"].tolist() == [4, 4, 4]
    for label, apart in ((model, 0.08), (f"{model} (2)", 0.08), ("before", 0.01)):  # eight letters, or one
        assert table.loc[label, ["score_range", "score_range_low", "score_range_high"]].tolist() == pytest.approx(
            [apart] * 3, abs=1e-7
        )
        assert table.loc[label, "score_dev"] == pytest.approx(apart / 2, abs=1e-7)
    named = psa.compare(long, short, labels=["long", "short"])
    assert named["study"].tolist() == ["long", "short"]


def test_an_interval_stands_beside_each_metric_of_a_comparison(found: psa.Study) -> None:
    summary = found.summary("sentiment")
    row = psa.compare(found).set_index("target").loc["sentiment"]
    for metric in ("score_dev", "score_range", "label_dist"):
        assert row[metric] == summary[metric]["value"]
        assert [row[f"{metric}_low"], row[f"{metric}_high"]] == [summary[metric]["low"], summary[metric]["high"]]
    correlation = summary["sensitivity_correlation"]
    ends = [row[f"sensitivity_correlation{end}"] for end in ("", "_low", "_high")]
    assert ends == [correlation["r"], correlation["low"], correlation["high"]]


def test_nothing_and_too_few_labels_are_no_comparison(found: psa.Study) -> None:
    with pytest.raises(OptionError, match="studies or result folders"):
        psa.compare()
    with pytest.raises(OptionError, match="2, one a study"):
        psa.compare(found, found, labels=["mine"])


def test_sentences_names_and_the_model_may_be_in_memory(tmp_path: Path) -> None:
    ours = psa.run(SENTENCES, names=["Ann", "Bartholomew"], model=lengths, cache=False)
    frame = pd.DataFrame({"remark": SENTENCES, "stars": [1, 2, 3, 4]})
    people = pd.DataFrame({"who": ["Ann", "Bartholomew"], "gender": ["f", "m"]})
    theirs = psa.run(frame, people, lengths, text_column="remark", name_column="who", cache=False)
    assert (ours.cube.perturbed == theirs.cube.perturbed).all()
    assert theirs.sentences["stars"].tolist() == ["1", "2", "3", "4"] and theirs.names["gender"].tolist() == ["f", "m"]
    assert ours.name_effects()["name"][0] == "Bartholomew"
    assert [(t.name, t.low, t.high) for t in ours.targets] == [("score", 0.0, 1.0)]
    assert ours.manifest["study"]["model"] == f"python:{__name__}:lengths"
    ours.save(tmp_path / "out")
    assert psa.open(tmp_path / "out").targets == ours.targets


def test_a_range_that_nobody_declares_is_found() -> None:
    plain = psa.run(SENTENCES, names=["Ann", "Bo"], model=lambda texts: [len(t) - 15 for t in texts], cache=False)
    (target,) = plain.targets
    scores = np.concatenate([plain.cube.original.ravel(), plain.cube.perturbed.ravel()])
    assert target.low <= scores.min() < 0 < scores.max() <= target.high < 40 and target.default_threshold == 0.0
    assert plain.manifest["targets"][0]["high"] == target.high


def test_scores_of_a_function_are_remembered_while_it_is_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path))

    def longer(more: float) -> Any:
        return lambda texts: [len(text) / 100 + more for text in texts]

    state = {"calls": object()}
    runs = [psa.run(SENTENCES, names=["Ann", "Bo"], model=longer(more)) for more in (0.1, 0.1, 0.2)]
    assert [run.manifest["cache_hits"] for run in runs] == [0, runs[0].manifest["unique_texts"], 0]
    unseen = lambda texts: [len(text) / 100 + 0 * len(state) for text in texts]  # noqa: E731
    again = [psa.run(SENTENCES, names=["Ann", "Bo"], model=unseen) for _ in range(2)]
    assert [run.manifest["cache_hits"] for run in again] == [0, 0]


def test_slots_are_chosen_where_every_sentence_has_one() -> None:
    slots = psa.run(["I met {name}.", "{name} left."], ["Ann", "Bo"], lengths, cache=False)
    assert slots.manifest["study"]["anchors"] == "slot" and slots.cube.shape == (2, 2, 1)
    mixed = psa.run(["I met {name}.", "He left."], ["Ann", "Bo"], lengths, cache=False)
    assert mixed.manifest["study"]["anchors"] == "pronouns" and mixed.cube.shape[0] == 1


@pytest.mark.parametrize(
    "bad",
    [
        {"sentences": [1, 2]},
        {"sentences": []},
        {"sentences": "He left."},
        {"sentences": 3},
        {"sentences": None},
        {"sentences": ["Nobody came."]},
        {"sentences": pd.DataFrame({"x": [1]})},
        {"sentences": pd.DataFrame({"text": SENTENCES}), "text_column": "body"},
        {"names": []},
        {"names": ["Ann"]},
        {"names": ["Ann", 3]},
        {"names": {"Ann": 1}},
        {"names": 3},
        {"names": pd.DataFrame({"who": ["Ann", "Bo"]})},
        {"names": "charm"},
        {"model": "charm"},
        {"model": 3},
        {"model": lambda texts: "x"},
        {"model": lambda texts: [float("nan")] * len(texts)},
        {"model": lambda texts: texts[99]},
        {"model": "keyword", "targets": ["x"]},
        {"anchors": "charm"},
        {"max_words": "many"},
        {"charm": 1},
    ],
)
def test_bad_input_is_one_sentence(bad: dict[str, Any]) -> None:
    given = {"sentences": SENTENCES, "names": ["Ann", "Bo"], "model": lengths, "cache": False} | bad
    with pytest.raises(PsaError) as caught:
        psa.run(**given)
    assert "\n" not in str(caught.value)


def test_a_cube_of_the_older_call_is_the_same(found: psa.Study) -> None:
    cube = study.run(sentences="sample", names="demo", model="keyword:Rihanna=0.4", sample=12)
    assert isinstance(cube, psa.ScoreCube) and (cube.perturbed == found.cube.perturbed).all()
