"""Report: downloads are offered, and the preview cannot reach into the app."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.frame import exports
from pages.ui.results import report_view
from psa_core import jobs, report, tables
from psa_core.cube import Target
from psa_core.folders import judgements, results
from psa_core.folders.judgements import Judgement
from psa_core.report.flips_file import flip_rows, json_lines
from tests.pages import result_studies
from tests.zips import read_zip

OpenPage = Callable[..., AppTest]
Words = Callable[[AppTest], str]


def test_every_download_is_there(open_page: OpenPage) -> None:
    page = open_page("report", run=result_studies.keep())
    labels = [button.proto.label for button in page.get("download_button")]
    assert labels == ["Everything as a zip", "report.html", "CSV", "JSONL", "PARQUET"]


def test_preview_is_a_data_address_with_the_escaped_report(open_page: OpenPage) -> None:
    page = open_page("report", run=result_studies.keep())
    address = page.get("iframe")[0].proto.src
    kind, _, encoded = address.partition(",")
    assert kind == "data:text/html;charset=utf-8;base64"
    assert "<!doctype html>" in base64.b64decode(encoded).decode()


def test_zip_opens_again_as_the_same_study() -> None:
    content = results.to_zip(jobs.result_folder(result_studies.keep()))
    assert set(zipfile.ZipFile(io.BytesIO(content)).namelist()) >= set(report_view.FILES) - {
        "scores.<target>.parquet",
        "judgements.csv",
    }
    again = read_zip(content)
    assert (again.perturbed == result_studies.cube().perturbed).all()


def test_an_opened_study_has_all_its_files_as_soon_as_its_report_is_looked_at(open_page: OpenPage) -> None:
    written = results.to_zip(jobs.result_folder(result_studies.keep()))
    run_id = jobs.keep_zip(written)
    open_page("names", run=run_id)
    assert not results.is_complete(jobs.result_folder(run_id))
    page = open_page("report", run=run_id)
    assert page.get("download_button")[0].proto.label == "Everything as a zip"
    there = jobs.result_folder(run_id)
    assert set(zipfile.ZipFile(io.BytesIO(written)).namelist()) == {path.name for path in there.iterdir()}


def test_where_its_files_take_too_long_the_page_says_so_and_shows_the_rest(
    open_page: OpenPage, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = jobs.keep_zip(results.to_zip(jobs.result_folder(result_studies.keep())))
    monkeypatch.setenv("PSA_MAX_MEASURE_SECONDS", "1")
    page = open_page("report", run=run_id)
    assert "The folder of this study cannot be written" in words_of(page)
    assert page.get("download_button")[0].proto.label == "report.html"
    assert page.get("iframe")


def test_flips_carry_both_texts_and_what_readers_said() -> None:
    cube = result_studies.cube()
    first = tables.find_flips(cube, "toxicity").frame(limit=1).iloc[0]
    word = {"sentence_id": first["sentence_id"], "name": first["name"], "target": "toxicity"}
    judged = pd.DataFrame([word | {"reader": "Eva", "verdict": "defect"}, word | {"reader": "Bo", "verdict": "fine"}])
    rows = flip_rows(cube, "toxicity", threshold=0.5, judged=judged)
    assert rows["judgements"][0] == "Eva: defect; Bo: fine"
    assert rows["text"][0] == rows["original_text"][0].replace("He", first["name"])
    assert (rows["judgements"][1:] == "").all()
    lines = json_lines(rows).decode().splitlines()
    assert json.loads(lines[0])["judgements"] == "Eva: defect; Bo: fine"
    assert len(lines) == len(rows)


def test_csv_cells_cannot_run_as_formulas() -> None:
    table = pd.DataFrame({"name": ["=1+1", "Ann"], "=x": [1.5, -2.0]})
    assert exports.csv(table).decode().splitlines() == ["name,'=x", "'=1+1,1.5", "Ann,-2.0"]
    assert exports.csv(pd.DataFrame({"name": ["Ann\r=1+1"]})) == b'"name"\n"Ann\r\'=1+1"\n'


def test_the_report_is_at_the_chosen_threshold_without_the_sentences_left_out(
    open_page: OpenPage, words_of: Words
) -> None:
    run_id = result_studies.keep()
    judgements.save(jobs.result_folder(run_id), Judgement("s3", "Person A", "toxicity", "meaning"))
    page = open_page("report", run=run_id, c="0.8")
    text = previewed(page)
    kept = result_studies.cube().rows(result_studies.cube().sentences["sentence_id"].to_numpy() != "s3")
    flips = tables.find_flips(kept, "toxicity", threshold=0.8)
    assert f"The largest changes of a label ({len(flips):,} in all)" in text
    assert "flagged at 0.8" in text and "39 from" in text
    assert "Zip and report are as you see the study: toxicity flagged at 0.8 and above; without 1 sentence" in words_of(
        page
    )


def test_hidden_names_are_in_no_part_of_the_report_and_the_page_says_where_they_are(
    open_page: OpenPage, words_of: Words
) -> None:
    run_id = result_studies.keep()
    page = open_page("report", run=run_id, c="0.8")
    assert "Person A" in previewed(page) and "initials" not in words_of(page)
    page = open_page("report", run=run_id, c="0.8", hide_names="True")
    assert "Person" not in previewed(page) and "P••••• A" in previewed(page)
    assert "initials for names in report.html; the zip&#x27;s other files" in words_of(page)


def previewed(page: AppTest) -> str:
    return base64.b64decode(page.get("iframe")[0].proto.src.partition(",")[2]).decode()


def test_the_report_of_a_study_as_it_was_written_is_not_written_again(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "render", lambda *_: pytest.fail("it was written again"))
    page = open_page("report", run=jobs.keep(result_studies.cube(), lambda _: "<!doctype html>as written"))
    assert "as written" in previewed(page)


def test_a_page_view_draws_few_of_many_targets(open_page: OpenPage) -> None:
    cube = result_studies.cube()
    targets = tuple(Target(f"t{number}") for number in range(2 * report_view.MAX_TARGETS))
    wide = [np.repeat(scores[..., :1], len(targets), axis=-1) for scores in (cube.original, cube.perturbed)]
    content = {**cube.provenance, "targets": [asdict(target) for target in targets]}
    many = replace(cube, targets=targets, original=wide[0], perturbed=wide[1], provenance=content)
    page = open_page("report", run=result_studies.keep(many), target="t9", c="0.7")
    text = previewed(page)
    assert text.count("Target: t") == report_view.MAX_TARGETS and "Target: t9" in text
    assert text.count("<small>flagged at") == len(targets), "each in the overview"
    assert "6 more targets are in the study" in text
