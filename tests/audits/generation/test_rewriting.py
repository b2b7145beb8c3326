"""A folder that somebody brought is measured and written anew."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from psa_core.audits.generation import AUDIT, result
from psa_core.audits.generation.tables import tables
from psa_core.errors import RunFolderError
from tests.audits.generation.test_tables import cube


def write(place: Path, *, k: int = 30, total: int = 30) -> result.GenerationResult:
    small = cube(k=k)
    m, a, k = small.shape
    provenance = {"audit": AUDIT.id, "continuations": k, "options": {"continuations": total}}
    made = replace(small, provenance=provenance | {"generator": {"common_noise": True}})
    templates, prompts = made.templates["template"].tolist(), [["p"] * a for _ in range(m)]
    for row, template in zip(prompts, templates, strict=True):
        row[:] = [template.replace("{value}", value) for value in made.values["value"]]
    sampled = {
        (templates[t], prompts[t][v], n): made.texts[t, v, n] or "no end"
        for t in range(m)
        for v in range(a)
        for n in range(k)
    }
    texts = result.texts_table(made, [prompt for row in prompts for prompt in row], sampled)
    AUDIT.write(result.GenerationResult(made, tables(made), texts), place)
    return AUDIT.read(place)


def test_data_are_kept_and_everything_else_is_made_anew(tmp_path: Path) -> None:
    before = write(tmp_path / "brought")
    (tmp_path / "brought" / "report.html").write_text("<script>alert(1)</script>", "utf-8")
    (tmp_path / "brought" / result.PAIRS).write_text("scorer\n=1+1\n", "utf-8")
    (tmp_path / "brought" / "extra.html").write_text("<script>", "utf-8")
    AUDIT.rewrite(tmp_path / "brought", tmp_path / "written")
    after = AUDIT.read(tmp_path / "written")
    np.testing.assert_array_equal(after.cube.texts, before.cube.texts)
    np.testing.assert_array_equal(after.cube.scores, before.cube.scores)
    assert "<script>" not in (tmp_path / "written" / "report.html").read_text("utf-8")
    assert not (tmp_path / "written" / "extra.html").exists()
    assert set(after.tables.pairs["scorer"]) == {"mood"}


def test_the_numbers_are_those_of_the_audit_s_own_seed(tmp_path: Path) -> None:
    write(tmp_path / "brought")
    place = tmp_path / "brought" / "manifest.json"
    place.write_text(json.dumps({**json.loads(place.read_text("utf-8")), "options": {"seed": 3}}), "utf-8")
    AUDIT.rewrite(tmp_path / "brought", tmp_path / "written")
    after = AUDIT.read(tmp_path / "written")
    floors, by_seed = after.tables.pairs["floor"], []
    for seed in (0, 3):
        seeded = replace(after.cube, provenance={**after.cube.provenance, "options": {"seed": seed}})
        by_seed.append(tables(seeded).pairs["floor"])
    assert floors.tolist() == pytest.approx(by_seed[1].tolist()) and floors.tolist() != pytest.approx(
        by_seed[0].tolist()
    )


def test_numbers_that_a_model_is_needed_for_are_taken_as_they_were_and_nothing_else(tmp_path: Path) -> None:
    before = write(tmp_path / "brought")
    summary = tmp_path / "brought" / result.SUMMARY
    said = {
        "semantic_similarity": 0.25,
        "ppl": "<script>",
        "ppl_sensitive": -1.0,
        "held_out": 10**400,
        "kept": 7.0,
        "other": 1.0,
    }
    summary.write_text(json.dumps({**json.loads(summary.read_text("utf-8")), "quality": said}), "utf-8")
    AUDIT.rewrite(tmp_path / "brought", tmp_path / "written")
    quality = AUDIT.read(tmp_path / "written").tables.summary["quality"]
    assert quality.pop("words") > 0
    assert quality == {"semantic_similarity": 0.25, "kept": float(before.cube.kept.mean())}


def test_more_cells_than_a_run_may_have_are_not_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "brought")
    monkeypatch.setenv("PSA_MAX_RUN_CELLS", "3")
    with pytest.raises(RunFolderError, match="at most 3 cells"):
        AUDIT.rewrite(tmp_path / "brought", tmp_path / "written")
    assert not (tmp_path / "written").exists()


@pytest.mark.parametrize("measure", ["individual_fairness", "demographic_disparity"])
def test_a_summary_without_one_of_its_measures_is_damaged(measure: str, tmp_path: Path) -> None:
    write(tmp_path / "made")
    file = tmp_path / "made" / "summary.json"
    content = json.loads(file.read_text("utf-8"))
    scorer = next(name for name, entry in content.items() if isinstance(entry, dict) and measure in entry)
    content[scorer][measure] = 3
    file.write_text(json.dumps(content), "utf-8")
    with pytest.raises(RunFolderError, match="missing or damaged"):
        AUDIT.read(tmp_path / "made")


def test_a_damaged_folder_is_one_sentence_and_writes_nothing(tmp_path: Path) -> None:
    write(tmp_path / "brought")
    manifest = tmp_path / "brought" / "manifest.json"
    content = json.loads(manifest.read_text("utf-8")) | {"continuations": 7}
    manifest.write_text(json.dumps(content), "utf-8")
    with pytest.raises(RunFolderError, match="a file missing or damaged"):
        AUDIT.rewrite(tmp_path / "brought", tmp_path / "written")
    assert not (tmp_path / "written").exists()
