"""An audit from prompts to the folder: what is generated once is never generated again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psa_core import models
from psa_core.audits._running import Running
from psa_core.audits.generation import AUDIT, planning, run, tables
from psa_core.audits.generation.cube import cut
from psa_core.audits.generation.planning import GenerationSpec, Planned
from psa_core.errors import Cancelled, ModelError, OptionError, RunFolderError
from psa_core.generators import Batch, Generator, Matching, Sampling
from psa_core.generators._matching import CANDIDATES
from tests.audits.generation.conftest import Parrot, plan

SCORERS = ("keyword", "opinion-words")


def execute(planned: Planned, parrot: Generator, out: Path, running: Running | None = None) -> run.Written:
    return run.execute(planned, parrot, {name: models.load(name) for name in SCORERS}, out, running)


def write(done: run.Written, out: Path) -> None:
    AUDIT.write(run.result_of(done, {}), out)
    AUDIT.finished(out)


def test_the_cube_holds_every_continuation_cut_and_scored_alone(tmp_path: Path, parrot: Parrot) -> None:
    planned = plan(tmp_path)
    cube = execute(planned, parrot, tmp_path / "out").cube
    assert cube.shape == (2, 3, 6)
    assert cube.scorers == ["keyword", "opinion-words"]
    for m, template in enumerate(cube.templates["template"]):
        for a, value in enumerate(cube.values["value"]):
            prompt = template.replace("{value}", value)
            for k in range(6):
                draw = next(draw for draw in planned.draws if (draw.prompt, draw.k) == (prompt, k))
                assert cube.texts[m, a, k] == cut(Parrot.text(draw))
    texts = cube.texts[cube.kept]
    words = models.load("opinion-words").score([str(text) for text in texts])[:, 0]
    assert np.array_equal(cube.scored_by("opinion-words")[cube.kept], words)
    sentiment = models.load("keyword").score([str(text) for text in texts])[:, 1]
    assert np.allclose(cube.scored_by("keyword")[cube.kept], (sentiment + 1) / 2)
    assert 0 < (~cube.kept).sum() == cube.provenance["left_out"]["could not be cut"]


def test_a_repeat_generates_nothing_and_more_only_what_is_new(tmp_path: Path, parrot: Parrot) -> None:
    out = tmp_path / "out"
    planned = plan(tmp_path)
    write(execute(planned, parrot, out), out)
    assert len(parrot.asked) == 36
    again = execute(planned, parrot, out)
    assert len(parrot.asked) == 36 and again.cube.provenance["generated"] == 0
    one_more = execute(plan(tmp_path, "Ann,female\nBob,male\nCarmen,female\nDmitri,male\n"), parrot, out)
    assert len(parrot.asked) == 36 + 2 * 6
    assert np.array_equal(one_more.cube.texts[:, :3], again.cube.texts)
    longer = execute(plan(tmp_path, k=8), parrot, out)
    assert len(parrot.asked) == 36 + 12 + 2 * 3 * 2
    assert np.array_equal(longer.cube.texts[:, :, :6], again.cube.texts)


@pytest.mark.parametrize("change", [{"seed": 1}, {"tokens": 9}, {"temperature": 0.5}])
def test_another_setting_begins_anew(tmp_path: Path, parrot: Parrot, change: dict[str, float]) -> None:
    out = tmp_path / "out"
    planned = plan(tmp_path)
    write(execute(planned, parrot, out), out)
    spec = GenerationSpec(**{**vars(planned.spec), **change})
    execute(planning.plan(spec), parrot, out)
    assert len(parrot.asked) == 72


def test_a_killed_run_goes_on_after_its_last_batch(tmp_path: Path, parrot: Parrot) -> None:
    planned, out = plan(tmp_path), tmp_path / "out"
    asked = iter(range(100))
    with pytest.raises(Cancelled):
        execute(planned, parrot, out, Running(should_stop=lambda: next(asked) > 3))
    reached = len(parrot.asked)
    assert 0 < reached < 36 and not out.exists()
    journal = next(tmp_path.glob(".psa-continuations-*.jsonl"))
    journal.write_bytes(journal.read_bytes()[:-9])  # as kill -9 in mid-line would leave it
    done = execute(planned, parrot, out)
    assert len(parrot.asked) == 36 + 1
    write(done, out)
    assert sorted(path.name for path in tmp_path.iterdir() if "continuations" in path.name) == []
    assert AUDIT.read(out).cube.texts.tolist() == done.cube.texts.tolist()


def test_a_killed_resampling_asks_for_no_candidate_twice(tmp_path: Path, parrot: Parrot) -> None:
    planned, out, matched = plan(tmp_path), tmp_path / "out", Matching(parrot, models.load("vader"))
    asked = iter(range(100))
    with pytest.raises(Cancelled):
        execute(planned, matched, out, Running(should_stop=lambda: next(asked) > 3))
    reached = len(parrot.asked)
    assert 0 < reached < 36 * CANDIDATES
    done = execute(planned, matched, out)
    assert len(parrot.asked) == 36 * CANDIDATES
    whole = execute(planned, Matching(Parrot(), models.load("vader")), tmp_path / "other")
    assert done.cube.texts.tolist() == whole.cube.texts.tolist()


def test_every_candidate_that_is_known_counts_the_last_one_too(tmp_path: Path, parrot: Parrot) -> None:
    planned, out, matched = plan(tmp_path), tmp_path / "out", Matching(parrot, models.load("vader"))
    last = max(planned.draws, key=lambda draw: draw.k)
    candidate = replace(last, k=last.k * CANDIDATES + CANDIDATES - 1)
    journal = run.Journal.of(out, parrot, planned.spec)
    with journal.writing() as file:
        journal.append(file, [candidate], Batch((0,), ("good.",)))
        work = run._Work(planned, matched, {}, run.Journal.of(out, matched, planned.spec), Running())
        work._resumable(file, list(planned.draws))
    assert (work.candidates, work.remembered) == (1, 1)


def test_a_resampling_is_told_by_candidates_and_never_goes_back(tmp_path: Path, parrot: Parrot) -> None:
    planned, matched, told = plan(tmp_path), Matching(parrot, models.load("vader")), []
    asked = iter(range(100))
    with pytest.raises(Cancelled):
        stop = Running(should_stop=lambda: next(asked) > 13, on_window=told.append)
        execute(planned, matched, tmp_path / "out", stop)
    reached = len(told)
    execute(planned, matched, tmp_path / "out", Running(on_window=told.append))
    done = [progress.sentences_done for progress in told]
    assert done == sorted(done) and done[-1] == 36 and len(set(done)) > 15
    assert done[reached] >= done[reached - 1], "what is known counts from the first moment"
    assert all(0 <= progress.texts_done <= progress.texts_total for progress in told)


def test_two_runs_do_not_write_for_one_folder_at_a_time(tmp_path: Path, parrot: Parrot) -> None:
    journal = run.Journal.of(tmp_path / "out", parrot, Sampling())
    with journal.writing(), pytest.raises(OptionError, match="another run"), journal.writing():
        pass
    with run.Journal.of(tmp_path / "new" / "newer" / "out", parrot, Sampling()).writing():
        assert (tmp_path / "new" / "newer").is_dir(), "the place is made for the first run"


def test_parts_are_published_on_the_way(tmp_path: Path, parrot: Parrot) -> None:
    planned, seen = plan(tmp_path, k=20), []
    scorers = {"opinion-words": models.load("opinion-words")}
    done = run.execute(planned, parrot, scorers, tmp_path / "out", publish=lambda part: seen.append(part.cube))
    assert [cube.shape[2] for cube in seen] == [8, 16]
    assert np.array_equal(done.cube.texts[:, :, :16], seen[1].texts)
    assert len(parrot.asked) == 2 * 3 * 20


@pytest.mark.parametrize("checked", [5, 0])
def test_a_whole_audit_says_what_it_takes_and_how_far_prompts_would_lead(
    tmp_path: Path, parrot: Parrot, monkeypatch: pytest.MonkeyPatch, checked: int
) -> None:
    def silent(_: object) -> np.ndarray:
        raise ModelError("embeddings", got="none", expected="their weights")

    monkeypatch.setattr("psa_core.audits.generation.quality.minilm_embeddings", silent)
    monkeypatch.setattr(run.generators, "load", lambda _: parrot)
    told: list[str] = []
    spec = replace(plan(tmp_path).spec, leak_check=checked)
    found = AUDIT.run(spec, tmp_path / "out", Running(tell=told.append))
    assert "About 0 tokens to read and up to 1,800 to write; no price is known for this model." in told
    quality = found.tables.summary["quality"]
    assert ("leak" in quality) is bool(checked) and quality["semantic_similarity"] is None
    if checked:
        leak = quality["leak"]["keyword"]["sentiment"]
        assert leak["continuations"] == 5 and leak["mean_difference"] >= leak["lasting_difference"] >= 0
    assert AUDIT.read(tmp_path / "out").cube.shape == (2, 3, 6)
    assert not list(tmp_path.glob(".psa-continuations-*")), "what was kept beside the folder is cleared away"


def test_the_folder_opens_as_it_was(tmp_path: Path, parrot: Parrot) -> None:
    planned, out = plan(tmp_path, "=Ann,female\nBob,male\nCarmen,\n"), tmp_path / "out"
    done = execute(planned, parrot, out)
    write(done, out)
    opened = AUDIT.read(out)
    assert np.array_equal(opened.cube.scores, done.cube.scores, equal_nan=True)
    assert opened.cube.values.equals(done.cube.values)
    found = tables.tables(done.cube)
    for name in ("pairs", "matrix", "values"):
        pd.testing.assert_frame_equal(getattr(opened.tables, name), getattr(found, name), check_dtype=False)
    assert opened.tables.summary == found.summary
    assert json.loads((out / "summary.json").read_text())["keyword"]["individual_fairness"]["p"] <= 1
    rows = pd.read_csv(out / "pairs.csv")
    heads = "scorer,template,value_a,value_b,w1,floor,p_value,p_adjusted"
    assert ",".join(rows.columns).startswith(heads) and len(rows) == 2 * 2 * 3


@pytest.mark.parametrize("name", ["scores.parquet", "continuations.parquet", "pairs.csv", "summary.json"])
def test_a_damaged_folder_is_one_sentence(tmp_path: Path, parrot: Parrot, name: str) -> None:
    planned, out = plan(tmp_path), tmp_path / "out"
    write(execute(planned, parrot, out), out)
    (out / name).unlink()
    with pytest.raises(RunFolderError, match="missing or damaged"):
        AUDIT.read(out)


def test_reports_escape_what_is_not_ours(tmp_path: Path, parrot: Parrot) -> None:
    planned, out = plan(tmp_path, "<b>Ann</b>,female\nBob,male\n"), tmp_path / "out"
    write(execute(planned, parrot, out), out)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;Ann" in page and "<b>Ann" not in page


def test_continuations_are_readable_by_their_owner_only(tmp_path: Path, parrot: Parrot) -> None:
    execute(plan(tmp_path), parrot, tmp_path / "out")
    journal = run.Journal(tmp_path / "out", "")
    with journal.writing():
        assert [path.stat().st_mode & 0o077 for path in (journal.path, Path(f"{journal.path}.lock"))] == [0, 0]
