"""Mitigate → Retrain: what is asked, what is started, what is said of the result, both classifiers as studies."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from psa_core import jobs
from psa_core.folders import cube_file
from psa_core.study import StudySpec
from tests.pages import result_studies

TRAINED = {"names_trained": 5, "sentences_trained": 1234}
OpenPage = Callable[..., AppTest]
Run = Callable[[AppTest], AppTest]
Words = Callable[[AppTest], str]


def number(value: float) -> dict[str, float | None]:
    return {"value": value, "low": None, "high": None}


def measured(dev: float, kept: float) -> dict[str, Any]:
    sizes = {"before": number(0.2), "after": number(dev), "fall": number(1 - dev / 0.2)}
    return {"score_dev": sizes, "name_effect": sizes, "score_change": number(0.01), "labels_kept": number(kept)}


@pytest.fixture
def result(tmp_path: Path) -> str:
    """The run of a finished retraining with two strengths."""
    folder = tmp_path / "result"
    for strength, size in ((1, 0.1), (3, 0.05)):
        (folder / f"strength-{strength}").mkdir(parents=True)
        cube = result_studies.cube()
        cube_file.save(cube, folder / f"strength-{strength}" / "before.npz")
        after = replace(cube, perturbed=(cube.perturbed * np.float32(size)))
        cube_file.save(after, folder / f"strength-{strength}" / "after.npz")
    content = {
        "study": {"model": "minilm-sentiment"},
        "recipe": {"method": "pair", "steps": 80},
        "strengths": [
            {"strength": 1.0, "targets": {"toxicity": measured(0.1, 0.98)}, "task": None},
            {"strength": 3.0, "targets": {"toxicity": measured(0.05, 0.9)}, "task": None},
        ],
        "runs": [{"material": {"names_held_out": 6, "sentences_held_out": 20} | TRAINED}],
    }
    (folder / "retraining.json").write_text(json.dumps(content))
    return jobs.adopt("retrain", folder)


def retrain_page(open_page: OpenPage, run: Run, **more: Any) -> AppTest:
    return open_page("compare", compare_part="retrain", run=result_studies.keep(), **more)


def test_what_is_asked_is_started(
    open_page: OpenPage, run: Run, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []

    def submit(command: str, arguments: Any, files: Any, **_: Any) -> str:
        *paired, last = arguments
        assert last == "--no-balance"
        started.extend([command, dict(zip(paired[::2], paired[1::2], strict=True)), files])
        return "x" * 20

    monkeypatch.setattr(jobs, "submit_audit", submit)
    cube = result_studies.cube()
    spec = replace(
        result_studies.SPEC, mentions="all", switched=(("s3", 5), ("gone", 0)), subjects={"s2": "Tom", "gone": "Al"}
    )
    page = open_page(
        "compare",
        compare_part="retrain",
        run=result_studies.keep(replace(cube, provenance={**cube.provenance, "study": asdict(spec)})),
    )
    assert "keyword) is no neural classifier" in words_of(page)
    assert [metric.value for metric in page.metric][:2] == ["20", "20"]
    page.multiselect(key="retrain_strengths").set_value([1.0, 0.1])
    page.selectbox(key="retrain_model").set_value("minilm-hate")
    page.file_uploader(key="retrain_labelled_0").upload("Mine.xlsx", b"PK")
    assert "File: a workbook, Mine.xlsx." in words_of(run(page))
    page.file_uploader(key="retrain_labelled_0").upload("Mine.csv", b"text,label\nGood.,hate\n")
    run(page).button(key="retrain_start").click()
    page.run()
    command, arguments, files = started
    assert command == "retrain"
    assert arguments == {
        "--model": "minilm-hate",
        "--sentences": "sentences.csv",
        "--names": "names.csv",
        "--anchors": "pronouns",
        "--method": "pair",
        "--strength": "0.1,1",
        "--steps": "80",
        "--max-words": "5",
        "--sample": "40",
        "--mentions": "all",
        "--labelled": "labelled.csv",
        "--switched": "switched.csv",
        "--subjects": "subjects.csv",
    }
    assert files["subjects.csv"].decode().splitlines() == ["sentence_id,person", "s2,Tom"]
    assert files["switched.csv"].decode().splitlines() == ["sentence_id,start", "s3,5"]
    assert files["labelled.csv"].startswith(b"text,label")
    assert files["sentences.csv"].decode().splitlines()[2] == "s1,He counted to 1."
    assert files["names.csv"].decode().splitlines()[0] == "name,gender,career"


def test_a_slot_goes_to_the_worker_as_a_slot() -> None:
    from pages.ui.results.context import StudyContext
    from pages.ui.results.retrain_setup import sentences_of

    cube = result_studies.cube()
    spec = {"study": {"anchors": "slot", "sentences": "x", "names": "y", "model": "keyword"}}
    study = StudyContext("run", cube, replace(cube, provenance=spec), None)  # type: ignore[arg-type]
    assert sentences_of(study)["text"].iloc[1] == "{name} counted to 1."
    every = cube.sentences.assign(text="He saw him.", mentions="0:2:subject 7:10:object")
    both = replace(study, cube=replace(study.cube, sentences=every))
    assert sentences_of(both)["text"].iloc[0] == "{name} saw {name}."
    assert StudySpec.from_mapping(spec["study"]).anchors == "slot"


def test_the_result_says_what_is_gained_and_what_it_costs(
    open_page: OpenPage, run: Run, words_of: Words, result: str
) -> None:
    page = open_page("compare", run=result_studies.keep(), retrain=result)
    said = words_of(page)
    assert "with strength 3, toxicity moves 75 % less with names that training never saw; 90 % of the sentences" in said
    assert "minilm-sentiment · method pair · 80 steps · trained on 1,234 sentences with 5 names" in said
    assert "It falls by 0." in said and "over sentences. Without a change of name" in said
    assert "minilm:FOLDER/strength-3/adapter" in said
    page.segmented_control(key="retrain_strength").set_value(1.0)
    said = words_of(run(page))
    assert "with strength 1, toxicity moves 50 % less" in said
    assert [metric.value for metric in page.metric] == ["0.1000", "0.1000", "98 %"]


def test_what_a_few_sentences_do_not_show_is_not_said(
    open_page: OpenPage, run: Run, words_of: Words, result: str
) -> None:
    place = jobs.result_folder(result) / "strength-3"
    cube = cube_file.load(place / "before.npz")
    cube_file.save(replace(cube, perturbed=cube.perturbed[:, ::-1]), place / "after.npz")
    assert "toxicity is not shown to move less with names" in words_of(
        open_page("compare", run=result_studies.keep(), retrain=result)
    )


def test_its_owner_is_told_the_retrained_classifiers_id(
    open_page: OpenPage, result: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = jobs.result_folder(result) / "strength-3"
    cube = cube_file.load(place / "after.npz")
    own = f"minilm:{place.resolve()}/adapter"
    cube_file.save(replace(cube, provenance={"study": {**cube.provenance["study"], "model": own}}), place / "after.npz")
    monkeypatch.delenv("PSA_HISTORY", raising=False)
    assert not open_page("compare", run=result_studies.keep(), retrain=result).code
    monkeypatch.setenv("PSA_HISTORY", "1")
    assert [code.value for code in open_page("compare", run=result_studies.keep(), retrain=result).code] == [own]


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("Names", "on average against the other names as it was, and by"),
        ("Thresholds", "LabelDist is"),
        ("Sentences", "Of 480 held-out cells"),
    ],
)
def test_each_part_stands_side_by_side(
    open_page: OpenPage, run: Run, words_of: Words, result: str, part: str, words: str
) -> None:
    page = open_page("compare", run=result_studies.keep(), retrain=result)
    page.segmented_control(key="retrain_part").set_value(part)
    assert words in words_of(run(page))


def test_both_classifiers_open_as_studies(open_page: OpenPage, run: Run, result: str) -> None:
    page = open_page("compare", run=result_studies.keep(), retrain=result)
    page.button(key="retrain_open").click()
    run(page)
    old, new = page.session_state[f"retrain_studies {result} 3"]
    assert page.session_state["view"].run == new and page.session_state["view"].target == "toxicity"
    assert jobs.title(old) == "as it was" and jobs.title(new) == "retrained, strength 3"
    kept = result_studies.cube()
    np.testing.assert_allclose(jobs.open_cube(new).perturbed, kept.perturbed * np.float32(0.05), rtol=1e-5)
    page.segmented_control(key="retrain_which 3").set_value("The classifier as it was")
    assert run(page).session_state["view"].run == old


def test_a_damaged_result_is_told(open_page: OpenPage, words_of: Words, tmp_path: Path) -> None:
    (tmp_path / "result").mkdir()
    (tmp_path / "result" / "retraining.json").write_text('{"strengths": []}')
    page = open_page("compare", run=result_studies.keep(), retrain=jobs.adopt("retrain", tmp_path / "result"))
    assert "damaged result" in words_of(page)


@pytest.mark.parametrize("damage", [Path.unlink, lambda file: file.write_bytes(b"no cells")])
def test_damaged_cells_are_told(
    open_page: OpenPage, words_of: Words, result: str, damage: Callable[[Path], object]
) -> None:
    damage(jobs.result_folder(result) / "strength-3" / "after.npz")
    page = open_page("compare", run=result_studies.keep(), retrain=result)
    assert "This retraining cannot be opened" in words_of(page)


def test_the_curve_has_the_tasks_score_where_there_is_one() -> None:
    from pages.ui.results.retrain_results import _table

    row = {"strength": 1.0, "targets": {"toxicity": measured(0.1, 0.98)}}
    row["task"] = {"macro_f1": {"before": number(0.7), "after": number(0.69)}}
    table = _table({"strengths": [row]}, "toxicity")
    assert table[["strength", "cost", "score_dev"]].to_numpy().tolist() == [[0.0, 0.7, 0.2], [1.0, 0.69, 0.1]]
