"""The description beside the results says what is there; programs open the files as they are."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from psa_core import study
from psa_core.cube import ScoreCube
from psa_core.folders import results

PAGE = Path(__file__).resolve().parents[2] / "docs" / "interchange.md"


@pytest.fixture(scope="module")
def cube() -> ScoreCube:
    return study.run(sentences="sample", names="demo", model="keyword:Rihanna=0.4", sample=8)


@pytest.fixture(scope="module")
def folder(cube: ScoreCube, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("package") / "results"
    results.write(cube, place, lambda _: "")
    return place


def resources(folder: Path) -> list[dict]:
    return json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))["resources"]


@pytest.mark.slow
def test_every_table_is_described_with_its_bytes(folder: Path) -> None:
    found = resources(folder)
    tables = {path.name for path in folder.iterdir() if path.suffix in (".csv", ".parquet")}
    assert {resource["path"] for resource in found} == tables
    for resource in found:
        content = (folder / resource["path"]).read_bytes()
        assert resource["bytes"] == len(content)
        assert resource["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
        assert re.fullmatch(r"[a-z0-9._-]+", resource["name"])


def test_columns_are_named_in_order_and_hold_what_their_types_say(folder: Path) -> None:
    kinds = {"integer": "iu", "number": "iuf", "boolean": "b"}
    for resource in resources(folder):
        read = pd.read_parquet if resource["format"] == "parquet" else pd.read_csv
        table, fields = read(folder / resource["path"]), resource["schema"]["fields"]
        assert [field["name"] for field in fields] == table.columns.tolist()
        typed = [field for field in fields if field["type"] in kinds]
        assert [f["name"] for f in typed if table[f["name"]].dtype.kind not in kinds[f["type"]]] == []


def test_keys_lead_from_flips_to_sentences(folder: Path) -> None:
    by_name = {resource["name"]: resource["schema"] for resource in resources(folder)}
    (key,) = by_name["flips"]["foreignKeys"]
    assert key == {"fields": ["sentence_id"], "reference": {"resource": "sentences", "fields": ["sentence_id"]}}
    assert by_name["sentences"]["primaryKey"] == ["sentence_id"]
    sentences, flips = (pd.read_csv(folder / f"{name}.csv", dtype=str) for name in ("sentences", "flips"))
    assert len(flips) and set(flips["sentence_id"]) <= set(sentences["sentence_id"])


def code_block(language: str, heading: str) -> str:
    """The block of that language below a heading of the page."""
    part = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n")[1]
    return re.findall(rf"```{language}\n(.*?)```", part, re.DOTALL)[0]


def test_the_page_s_commands_for_pandas(cube: ScoreCube, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    scope: dict[str, pd.Series] = {}
    exec(code_block("python", "pandas"), scope)
    expected = (cube.perturbed[:, :, 0].astype(float) - cube.original[:, :1]).mean(axis=0)
    assert np.allclose(scope["effects"][cube.names["name"]], expected, atol=1e-6)


def test_the_page_s_commands_for_polars(cube: ScoreCube, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars", reason="polars is not installed: pip install polars")
    monkeypatch.chdir(folder.parent)
    scope: dict[str, Any] = {}
    exec(code_block("python", "polars"), scope)
    expected = (cube.perturbed[:, :, 0].astype(float) - cube.original[:, :1]).mean(axis=0)
    assert scope["effects"].columns == cube.names["name"].tolist()
    assert np.allclose(scope["effects"].row(0), expected, atol=1e-6)
    table = pd.read_csv("results/names.csv").query("p_adjusted < 0.05")
    assert scope["names"]["name"].to_list() == table["name"].tolist()


def test_the_page_s_commands_for_r(folder: Path) -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed: apt-get install r-base-core")
    lines = code_block("r", "R").strip().splitlines()
    shown = [lines[0], f"found <- {lines[1]}", f"counts <- {lines[2]}"]
    script = "\n".join([*shown, 'cat(found$name, "", found$score_sens, "", sum(counts), sep="\\n")'])
    done = subprocess.run(["Rscript", "-e", script], cwd=folder.parent, capture_output=True, text=True, check=True)
    names, effects, flips = done.stdout.split("\n\n")
    table = pd.read_csv(folder / "names.csv").query("p_adjusted < 0.05")
    assert names.splitlines() == table["name"].tolist() and len(table)
    assert [float(effect) for effect in effects.split()] == pytest.approx(table["score_sens"].tolist(), rel=1e-5)
    assert int(flips) == len(pd.read_csv(folder / "flips.csv"))


def test_the_page_s_commands_for_duckdb(cube: ScoreCube, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed (requirements-dev.txt)")
    monkeypatch.chdir(folder.parent)
    statements = [one for one in code_block("sql", "DuckDB").split(";") if one.strip()]
    answers = [duckdb.sql(one).fetchall() for one in statements]
    expected = (cube.perturbed[:, :, 0].astype(float) - cube.original[:, :1]).mean(axis=0)
    assert np.allclose([dict(answers[0])[name] for name in cube.names["name"]], expected, atol=1e-6)
    assert len(answers[1]) == len(pd.read_csv("results/flips.csv").query("direction == 'up'"))


def test_the_package_says_what_it_is_and_what_each_file_is(folder: Path) -> None:
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    assert package["title"] == "Scores of sentences with exchanged names"
    said = {resource["path"]: resource["description"] for resource in package["resources"]}
    assert said["scores.toxicity.parquet"].startswith("Scores of one target: one row a sentence")
    assert said["flips.csv"].startswith("One row a flip")
