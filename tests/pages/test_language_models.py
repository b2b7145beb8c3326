"""Language models: the example at once, a click that opens two values' texts, setting up, a folder that opens again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from psa_core import jobs
from psa_core.audits.generation import AUDIT
from psa_core.folders import results
from psa_core.registry import ASSETS
from psa_core.trust import Origin
from tests.audits.generation.test_rewriting import write
from tests.jobs.waiting import waiting_run

OpenPage = Callable[..., AppTest]
Words = Callable[[AppTest], str]
Run = Callable[[AppTest], AppTest]
EXAMPLE = ASSETS / "examples" / "occupations"


def test_the_first_screen_shows_a_finished_example(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("language_models")
    assert not page.exception
    said = words_of(page)
    example = AUDIT.read(EXAMPLE)
    assert "Each value against chance" in said
    assert f"{example.cube.texts.size:,}" in said
    first, second = (page.selectbox(key=f"generate_{part}").value for part in ("first", "second"))
    assert first != second and {first, second} <= set(example.cube.values["value"])


def test_two_values_are_read_side_by_side(open_page: OpenPage, run: Run, words_of: Words) -> None:
    page = open_page("language_models")
    values = AUDIT.read(EXAMPLE).cube.values["value"].tolist()
    page.selectbox(key="generate_first").set_value(values[0])
    page.selectbox(key="generate_second").set_value(values[-1])
    said = words_of(run(page))
    assert not page.exception and "pairs generated with the same random seed" in said
    page.selectbox(key="generate_second").set_value(values[0])
    assert "Choose two different values" in run(page).info[0].value


def test_a_link_shows_the_same_pair_on_the_same_template_in_the_same_table(open_page: OpenPage, run: Run) -> None:
    cube = AUDIT.read(EXAMPLE).cube
    values, template = cube.values["value"].tolist(), cube.templates["template"].iloc[1]
    looked_at = {"first": values[0], "second": values[-1], "template": template, "score": cube.scorers[-1]}
    page = open_page("language_models", **{f"generate_{part}": value for part, value in looked_at.items()})
    assert {part: page.selectbox(key=f"generate_{part}").value for part in looked_at} == looked_at
    page.selectbox(key="generate_second").set_value(values[1])
    run(page)
    assert page.query_params["generate_first"] == values[0] and page.query_params["generate_second"] == values[1]


def test_setting_up_says_what_it_will_take(open_page: OpenPage, run: Run, words_of: Words) -> None:
    page = open_page("language_models")
    page.segmented_control(key="generate_view").set_value("Your own audit")
    page = run(page)
    assert not page.exception
    metrics = {metric.label: metric.value for metric in page.metric}
    assert metrics["Continuations"] == f"{10 * 8 * 20:,}"
    page.segmented_control(key="generate_templates").set_value("Your own templates")
    page = run(page)
    page.text_area(key="generate_own_templates").set_value("no slot here")
    page = run(page)
    assert not page.metric


def test_a_file_of_continuations_takes_no_tokens_and_no_time(
    open_page: OpenPage, run: Run, words_of: Words, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.ui.frame.visitor.origin", lambda: Origin.OWN_MACHINE)
    page = open_page("language_models")
    page.segmented_control(key="generate_view").set_value("Your own audit")
    page = run(page)
    assert {"Tokens, at most", "On two processor cores"} <= {metric.label for metric in page.metric}
    page.selectbox(key="generate_lm").set_value("continuations:")
    page = run(page)
    (tmp_path / "made.csv").write_text("prompt,k,continuation\nA,0,b.\n", encoding="utf-8")
    page.text_input(key="generate_lm_continuations:").set_value(str(tmp_path / "made.csv"))
    page = run(page)
    assert not page.exception and [metric.label for metric in page.metric] == ["Continuations"]
    said = words_of(page)
    assert "The first 20 continuations of each prompt in the file are used." in said and "stand out" not in said


def test_fewer_of_the_packaged_templates_can_be_run(
    open_page: OpenPage, run: Run, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []

    def submit(command: str, arguments: Any, files: Any, **_: Any) -> str:
        started.extend([dict(zip(arguments[::2], arguments[1::2], strict=True)), files])
        return "x" * 20

    monkeypatch.setattr(jobs, "submit_audit", submit)
    page = open_page("language_models", generate_view="Your own audit")
    chosen = page.multiselect(key="generate_lines_country")
    chosen.set_value(chosen.options[:2])
    page = run(page)
    assert {metric.label: metric.value for metric in page.metric}["Continuations"] == f"{2 * 8 * 20:,}"
    page.button(key="generate_start").click().run()
    arguments, files = started
    assert arguments["--templates"] == "templates.txt"
    assert files["templates.txt"].decode().splitlines() == chosen.options[:2]
    page = open_page("language_models", generate_view="Your own audit")
    page.multiselect(key="generate_lines_country").set_value([])
    assert "Choose a template" in words_of(run(page)) and not page.metric


def test_a_run_that_is_not_finished_shows_texts_and_claims_nothing_of_few(
    open_page: OpenPage, words_of: Words, tmp_path: Path
) -> None:
    write(tmp_path / "part", k=8, total=60)
    run_id = waiting_run("generate")
    jobs.write_status(jobs.root() / run_id, state="cancelled")
    (jobs.root() / run_id / jobs.SO_FAR).symlink_to(tmp_path / "part")
    page = open_page("language_models", generate=run_id)
    said = words_of(page)
    assert not page.exception and "So far, 8 of 60 continuations of each prompt: too few" in said
    assert "pairs generated with the same random seed" in said and "Each pair of values" not in said
    assert "differs most" not in said
    write(tmp_path / "part", k=30, total=60)
    said = words_of(open_page("language_models", generate=run_id))
    assert "So far, 30 of 60" in said and "differs most" in said and "Each pair of values" in said


def test_a_finished_run_shows_its_result_and_opens_again_from_its_zip(
    open_page: OpenPage, run: Run, words_of: Words, tmp_path: Path
) -> None:
    write(tmp_path / "result")
    run_id = waiting_run("generate")
    (jobs.root() / run_id / jobs.RESULT).symlink_to(tmp_path / "result")
    jobs.write_status(jobs.root() / run_id, state="finished")
    page = open_page("language_models", generate=run_id)
    assert not page.exception and "nurse" in words_of(page)
    page = open_page("language_models")
    page.segmented_control(key="generate_view").set_value("Your own audit")
    page = run(page)
    page.file_uploader(key="generate_zip").upload("result.zip", results.to_zip(tmp_path / "result"))
    page = run(page)
    assert not page.exception and "nurse" in words_of(page)


def test_finished_audits_stand_side_by_side(open_page: OpenPage, run: Run, tmp_path: Path) -> None:
    write(tmp_path / "result")
    run_id = jobs.adopt("generate", tmp_path / "result")
    page = open_page("language_models")
    page.segmented_control(key="generate_view").set_value("Models side by side")
    page = run(page)
    assert not page.exception and "Choose two finished audits" in page.info[0].value
    page.text_input(key="generate_link").set_value(f"http://localhost/language_models?generate={run_id}")
    page.button(key="generate_add").click()
    page = run(page)
    assert not page.exception and "different templates or values" in page.warning[0].value
    assert len(page.dataframe[0].value) == 3


def test_comparable_audits_show_fairness_against_relevance(
    open_page: OpenPage, run: Run, words_of: Words, tmp_path: Path
) -> None:
    runs = []
    for share in (0.3, 0.4):
        copy = Path(shutil.copytree(EXAMPLE, tmp_path / str(share)))
        summary = json.loads((copy / "summary.json").read_text("utf-8"))
        (copy / "summary.json").write_text(json.dumps(summary | {"quality": {"semantic_similarity": share}}))
        runs.append(jobs.adopt("generate", copy))
    page = open_page("language_models")
    page.session_state["generate_seen"] = runs
    page.segmented_control(key="generate_view").set_value("Models side by side")
    page = run(page)
    assert not page.warning and len(page.dataframe[0].value) == 6
    assert page.segmented_control(key="generate_relevance").options == ["MiniLM sentiment", "Opinion words"]
    assert "ignores the value" in words_of(page)
