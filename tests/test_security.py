"""One test for each line of SECURITY.md, of the line's name; `tests/trust` has the cases in full."""

from __future__ import annotations

import ast
import ctypes
import gzip
import hashlib
import io
import json
import os
import pickle
import re
import runpy
import shutil
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.runtime.scriptrunner import StopException
from streamlit.testing.v1 import AppTest

from pages.ui.audits import generation as generation_page
from pages.ui.frame import cached, exports, gateway, uploads, visitor
from pages.ui.frame.page_scoring import PageScorer
from pages.ui.study import plans
from psa_core import audits, cli, jobs, models, report, trust
from psa_core.audits import eec as equity
from psa_core.audits._audit import unzip
from psa_core.audits.eec import corpus as eec
from psa_core.audits.eec.result import of_design
from psa_core.cache import ScoreCache
from psa_core.cube import ScoreCube, Target
from psa_core.errors import ModelError, OptionError, PsaError, RunFolderError
from psa_core.folders import cube_file, results
from psa_core.inputs import bounded, corpus, json_file, limits, names, prompts
from psa_core.jobs import _queue, _records, run_status
from psa_core.jobs.worker import Job
from psa_core.report import _sections
from psa_core.retraining import run as retraining_run
from psa_core.scoring import subprocess_scorer
from psa_core.study import StudySpec, execute, plan, preview
from psa_core.study.perturbation import Perturbation
from psa_core.study.selection import select
from psa_core.trust import Origin, sandbox
from tests.pages.test_gateway import ask, put
from tests.tiny_models import tiny_classifier
from tests.zips import read_zip

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "python:security_probe:score"
SCRIPT = "<script>document.title='owned'</script>"
PICTURE = "![x](https:evil.example)"  # a target's name has no slash, and a browser needs none
FORMULA = '=HYPERLINK("http://evil.example")'
BEHIND = "He; left|\"=cmd|' /C calc'!A0"
STUDY = StudySpec(sentences="sample", names="demo", model="keyword", sample=4)
#: More than compute: what no file may have loaded.
REACHING = (PROGRAM, "http://127.0.0.1:9/", "http://2130706433:9/", "predictions:/etc/passwd", "hf:/etc", "hf:o/m")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of this test's own, with a program in it that leaves a trace when it runs."""
    for name, folder in {"PSA_RUNS_DIR": "runs", "PSA_CACHE_DIR": "cache"}.items():
        monkeypatch.setenv(name, str(tmp_path / folder))
    for name in ("PSA_HISTORY", "PSA_HTTP_ALLOW", "PSA_HTTP_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    trace = f"open({str(tmp_path / 'was-run')!r}, 'w').close()\n"
    (tmp_path / "security_probe.py").write_text(f"{trace}\ndef score(texts):\n    return [0.5] * len(texts)\n")
    (tmp_path / "mine.csv").write_text("text,toxicity\nHe left.,0.5\n")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("security_probe", None)


def page_of(stem: str, **parameters: str | list[str]) -> AppTest:
    page = AppTest.from_file(str(ROOT / "pages" / f"{stem}.py"), default_timeout=120)
    for name, value in parameters.items():
        page.query_params[name] = value
    return ran(page)


def ran(page: AppTest) -> AppTest:
    page.run()
    assert not page.exception, page.exception
    return page


def said(page: AppTest) -> str:
    return "\n".join([*(element.proto.body for element in page.get("html")), *(text.value for text in page.text)])


@cache
def cube() -> ScoreCube:
    return execute(plan(STUDY), models.load("keyword"))


def study_zip(**study: Any) -> bytes:
    """A result folder as a zip, whose manifest somebody edited."""
    if not Path("out").is_dir():
        results.write(cube(), Path("out"), lambda _: "")
    manifest = json.loads(Path("out/manifest.json").read_text())
    manifest["study"] |= study
    Path("out/manifest.json").write_text(json.dumps(manifest))
    return results.to_zip(Path("out"))


def test_the_lines_of_the_page_are_the_tests_here() -> None:
    lines = [line for line in (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines() if line.startswith("- ")]
    heads = [re.match(r"- \*\*(.+?)\.\*\*", line) for line in lines]
    assert all(heads), lines
    tests = {"test_" + re.sub(r"\W+", "_", head[1].replace("'", "").lower()) for head in heads if head}
    functions = ast.parse(Path(__file__).read_text(encoding="utf-8")).body
    here = {node.name for node in functions if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}
    assert tests == here - {"test_the_lines_of_the_page_are_the_tests_here"}


def test_the_command_line_may_name_anything(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert models.load(PROGRAM).score(["x"]).tolist() == [[0.5]]
    assert (place / "was-run").exists()
    for model_id in (*REACHING, "hf:o/m?allow_pickle=1"):
        assert models.check(model_id) == model_id
    monkeypatch.setenv("PSA_HTTP_ALLOW", "models.example.org")
    with pytest.raises(ModelError, match="PSA_HTTP_ALLOW"):
        models.load("http://127.0.0.1:9/")


def test_the_owner_of_a_machine_runs_no_program_from_a_page(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_HISTORY", "1")
    with pytest.raises(OptionError, match="runs a program"):
        visitor.check(PROGRAM)
    with pytest.raises(OptionError, match="runs a program"):
        models.load(PROGRAM, origin=visitor.origin())
    assert not (place / "was-run").exists()
    assert models.plugins()["python"] not in visitor.kinds().values()


@pytest.mark.parametrize("history", ["0", "1"])
def test_a_page_has_the_rights_of_the_person_who_uses_it(history: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_HISTORY", history)
    page = AppTest.from_string(
        "import streamlit as st\nfrom pages.ui.frame import shell\nfrom psa_core import trust\n"
        "shell.guard()\nst.text(trust.current().name)"
    )
    assert ran(page).text[0].value == ("OWN_MACHINE" if history == "1" else "VISITOR")
    for path in sorted((ROOT / "pages").glob("*.py")):
        assert "\nshell.guard()\n" in path.read_text(encoding="utf-8"), path.name


def test_a_visitor_cannot_name_the_servers_files(place: Path) -> None:
    (place / "x.gguf").write_bytes(b"")
    for model_id in (
        *REACHING[:-1],
        "hf:~root/x",
        "hf:./x",
        "lm:x.gguf",
        "minilm:x",
        "onnx:x",
        "skops:x",
        "lm:x.gguf/.",
    ):
        with pytest.raises(OptionError):
            models.load(model_id, origin=Origin.VISITOR)
    with pytest.raises(OptionError, match="pickle"):
        models.load("hf:o/m?allow_pickle=1", origin=Origin.VISITOR)
    for load in (corpus.load, names.load):
        with pytest.raises(OptionError, match="reads this machine's files"):
            load("mine.csv", origin=Origin.VISITOR)


def test_a_visitor_does_not_use_the_servers_login_to_a_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    logins: list[Any] = []
    open_to_all = SimpleNamespace(gated=False, siblings=[], sha="0" * 40)
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", lambda *_, **__: open_to_all)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_, **given: logins.append(given["token"]) or "x")
    for origin in (Origin.OWN_MACHINE, Origin.VISITOR):
        with pytest.raises(ModelError):
            models.load("hf:owner/private", origin=origin)
    assert logins == [None, False]


def test_a_visitor_is_not_told_where_the_server_keeps_its_files(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from psa_core.models._transformers import checkpoint, hub

    config, tokenizer = (json.dumps(content) for content in ({"model_type": "bert"}, {}))
    whole = {"config.json": config, "model.safetensors": "no weights", "tokenizer.json": tokenizer}
    monkeypatch.setattr(hub, "_fetch", lambda *_, **__: place / "model")
    (place / "model").mkdir()
    for name in ("", *whole):
        if name:
            (place / "model" / name).write_text(whole[name])
        with pytest.raises(ModelError) as told:
            models.load("hf:owner/model", origin=Origin.VISITOR)
        assert str(place) not in str(told.value)
    with pytest.raises(ModelError, match=str(place)):
        checkpoint.check_folder(place / "runs")
    with trust.acting(Origin.VISITOR):
        assert not retraining_run._adapter_path(place, 1.0).is_absolute()


def test_a_visitor_reaches_only_hosts_that_are_listed_and_public(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("something was asked"))
    with pytest.raises(OptionError):
        models.load("https://models.example.org/", origin=Origin.VISITOR)
    monkeypatch.setenv("PSA_HTTP_ALLOW", "*")
    for host in ("127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:10.0.0.1]", "169.254.169.254", "localhost"):
        with pytest.raises(PsaError):
            models.load(f"http://{host}:9/#retries=0", origin=Origin.VISITOR)


def test_the_token_goes_to_listed_hosts_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for rules, goes in (("", False), ("*", False), ("other.org", False), ("models.org", True), ("*.models.org", False)):
        monkeypatch.setenv("PSA_HTTP_ALLOW", rules)
        assert trust.addresses.token_may_go("https://models.org/score") == goes


def test_the_key_of_a_provider_is_spent_where_it_is_listed_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = "ask:provider:openai/gpt-4o?question=loan"
    for rules, is_listed in (("*", False), ("open*", False), ("openai.com", False), ("localhost,openai", True)):
        monkeypatch.setenv("PSA_HTTP_ALLOW", rules)
        assert visitor.is_offered(asked, Origin.VISITOR) == is_listed, rules
    with pytest.raises(ModelError, match="provider"):  # some take an address for a model's name, and send it the key
        models.load("ask:provider:openai/https://evil.example/v1?question=loan", origin=Origin.VISITOR)


def test_a_run_opens_by_its_id_alone() -> None:
    ids = {jobs.keep(cube(), lambda _: "") for _ in range(2)}
    assert len(ids) == 2
    assert min(map(len, ids)) >= 20
    assert jobs.history() == []
    for guess in ("", "..", "../" * 8, "a" * 20, f"{min(ids)}/inputs"):
        with pytest.raises(RunFolderError, match="unknown run id"):
            jobs.status(guess)


def test_a_visitor_sees_nothing_of_other_visitors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_queue, "advance", lambda: None)
    first, second = (jobs.submit(STUDY, {}, visitor=name) for name in ("visitor one", "visitor two"))
    assert jobs.history() == []
    assert jobs.status(second).ahead == 1
    assert first not in repr(jobs.status(second)) and "visitor" not in repr(jobs.status(second))
    told = [_queue._environment(_records.read_job(jobs.run_path(run_id))) for run_id in (first, second)]
    owners = [environment["PSA_CACHE_OWNER"] for environment in told]
    assert owners == ["visitor one", "visitor two"]
    hits = []
    for owner in (*owners, owners[-1]):
        monkeypatch.setenv("PSA_CACHE_OWNER", owner)
        scored = execute(plan(STUDY), models.load("keyword"), cache=ScoreCache.open())
        hits.append(scored.provenance["cache_hits"] > 0)
    assert hits == [False, False, True]
    asked: list[str] = []
    scorer = SimpleNamespace(
        fingerprint="counting", targets=(Target("mood"),), score=lambda texts: _noted(texts, asked)
    )
    for owner, times in zip((*owners, owners[-1]), (1, 2, 2), strict=True):
        monkeypatch.setattr(visitor, "key", lambda owner=owner: owner)
        cached.kept_scores(PageScorer(scorer), ["Somebody's own sentence."])
        assert len(asked) == times
    for path in (ROOT / "pages" / "ui" / "study").glob("*.py"):  # where files are brought, before there is a run
        for name, scope in _remembering(path.read_text(encoding="utf-8")):
            assert scope == "session", f"{path.name}: {name} tells at once what another visitor has brought"


def _remembering(source: str) -> list[tuple[str, str]]:
    """Functions of a page whose answers Streamlit remembers, and for whom."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    calls = [(node.name, call) for node in functions for call in node.decorator_list if isinstance(call, ast.Call)]
    cached_calls = [(name, call) for name, call in calls if ast.unparse(call.func).startswith("st.cache_")]
    return [
        (name, next((ast.literal_eval(word.value) for word in call.keywords if word.arg == "scope"), "everybody"))
        for name, call in cached_calls
    ]


def _noted(texts: list[str], asked: list[str]) -> np.ndarray:
    asked.extend(texts)
    return np.zeros((len(texts), 1), np.float32)


def test_a_visitors_runs_wait_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_queue, "advance", lambda: None)
    mine = [jobs.submit(STUDY, {}, visitor="ann") for _ in range(3)]
    with pytest.raises(OptionError, match="PSA_MAX_RUNS_EACH"):
        jobs.submit(STUDY, {}, visitor="ann")
    other = jobs.submit(STUDY, {}, visitor="bo")
    assert [ticket.run_id for ticket in _queue.tickets()] == [mine[0], other, *mine[1:]]
    monkeypatch.setenv("PSA_MAX_RUN_CELLS", "10")
    with pytest.raises(OptionError, match="expected at most 10 cells"):
        Job(jobs.run_path(other)).allow(11)


def test_a_run_is_deleted_when_nobody_has_used_it_for_a_while() -> None:
    ids = _, middle, new = [jobs.keep(cube(), lambda _: "") for _ in range(3)]
    for run_id, days in zip(ids, (31, 8, 0), strict=True):
        for path in (*jobs.run_path(run_id).iterdir(), jobs.root() / run_id):
            os.utime(path, (time.time() - days * 86_400,) * 2)
    run_status.sweep()
    assert [run.run_id for run in run_status.stored()] == [middle, new]
    assert cli.main(["runs", "--older-than", "7d", "--delete"]) == 0
    assert [run.run_id for run in run_status.stored()] == [new]
    assert not (jobs.root() / middle).exists()


def test_ended_runs_do_not_fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def kept(visitor: str, days: int) -> str:
        run_id = jobs.keep(cube(), lambda _: "x" * 2**20, visitor=visitor)
        os.utime(jobs.run_path(run_id) / "status.json", (time.time() - days * 86_400,) * 2)
        os.utime(jobs.run_path(run_id), (time.time() - days * 86_400,) * 2)
        return run_id

    shared = jobs.keep(cube(), lambda _: "", shared=True)
    old, middle, others = kept("ann", 3), kept("ann", 2), kept("bo", 4)
    monkeypatch.setenv("PSA_MAX_RUNS_EACH_MB", "2")
    assert {shared, others, middle, last := kept("ann", 0)} == {run.run_id for run in run_status.stored()}
    assert not (jobs.root() / old).exists()
    monkeypatch.setenv("PSA_MAX_RUNS_MB", "2")
    newest = kept("cy", 0)
    assert {shared, last, newest} == {run.run_id for run in run_status.stored()}
    assert "deleted" in said_captions(page_of("new_study"))
    monkeypatch.setenv("PSA_HISTORY", "1")
    run_status.make_room("")
    assert len(run_status.stored()) == 3


def said_captions(page: AppTest) -> str:
    return " ".join(caption.value for caption in page.caption)


def test_the_size_of_a_run_is_checked_before_its_texts_are_generated(monkeypatch: pytest.MonkeyPatch) -> None:
    long = pd.DataFrame({"sentence_id": ["a", "b"], "text": ["He left. " + "x" * 2**20, "She stayed."]})
    planned = plan(replace(STUDY, sentences="sample"))
    people = names.from_text("\n".join(f"Name{number}" for number in range(80)))
    planned = replace(planned, selection=select(long, planned.finder), names=people)
    sizes = planned.cells, planned.perturbation.letters
    assert planned.perturbation.letters > 2**20 * len(planned.names.table)
    tracemalloc.start()
    assert plans._price.__wrapped__("", "keyword", planned.perturbation).texts
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        preview.write(planned, nowhere)
    assert models.load("predictions:mine.csv").coverage(planned.perturbation).missing == planned.cells
    assert tracemalloc.get_traced_memory()[1] < planned.perturbation.letters / 4
    tracemalloc.stop()
    monkeypatch.setattr(Perturbation, "_render", lambda *_: pytest.fail("a text was made"))
    for setting in ("RUN_CELLS", "RUN_CHARACTERS"):
        with monkeypatch.context() as limited, pytest.raises(OptionError, match=f"PSA_MAX_{setting}"):
            limited.setenv(f"PSA_MAX_{setting}", "3")
            Job(Path()).allow(*sizes)
    with monkeypatch.context() as limited:
        limited.setenv("PSA_MAX_RUN_CHARACTERS", "1000")
        assert "characters" in said(page_of("new_study"))


def test_a_page_searches_only_part_of_an_upload(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [f"{number}" for number in range(900)]
    rows = pd.DataFrame({"sentence_id": numbers, "text": [f"He said {number} to her." for number in numbers]})
    every, drawn = plan(STUDY).finder, replace(STUDY.selection, sample=20)
    part, whole = (select(rows, every, drawn, characters=most) for most in (10_000, None))
    assert part.looked_at < len(rows) == whole.looked_at
    pd.testing.assert_frame_equal(part.sentences, whole.sentences)
    asked: list[int] = []

    class Finder:
        spec = fingerprint = filler = ""

        def find(self, texts: list[str]) -> list[tuple[()]]:
            asked.append(len(texts))
            return [()] * len(texts)

    monkeypatch.setattr(gateway, "has_visitor", lambda: len(asked) < 3)
    monkeypatch.setattr(plans.st, "stop", lambda: (_ for _ in ()).throw(StopException()))
    with pytest.raises(StopException):
        plans.RememberingFinder(Finder()).search(rows["text"].tolist())
    assert len(asked) == 3 and sum(asked) < 500


def test_another_user_of_the_machine_reads_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_queue, "advance", lambda: None)
    jobs.submit(STUDY, {"mine.csv": b"text\nHe left.\n"})
    jobs.keep(cube(), lambda _: "")
    execute(plan(STUDY), models.load("keyword"), cache=ScoreCache.open())
    made = [path for name in ("runs", "cache") for path in (place / name, *(place / name).rglob("*"))]
    assert len(made) > 10
    closed = [path for path in made if path.parent in (place, place / "runs", place / "cache")]
    assert not [path for path in closed if path.stat().st_mode & 0o077], "a folder that others may enter"
    source = Path(_queue.__file__).read_text(encoding="utf-8")
    assert '[sys.executable, "-P", "-m", "psa_core"],' in source  # all that others see of a worker


def test_a_file_costs_no_more_than_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = gzip.compress(b"text\n" + b"a\n" * 5_000_000, mtime=0)
    assert len(bomb) < 20_000
    for setting, value in {"FILE_MB": "5", "ROWS": "1000"}.items():
        with monkeypatch.context() as patch:
            patch.setenv(f"PSA_MAX_{setting}", value)
            with pytest.raises(PsaError, match=f"PSA_MAX_{setting}"):
                corpus.parse("x.csv.gz", bomb)
    monkeypatch.setenv("PSA_MAX_ARCHIVE_MB", "1")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b" " * 2 * 2**20)
    with pytest.raises(PsaError, match="PSA_MAX_ARCHIVE_MB"):
        read_zip(buffer.getvalue())
    for audit in audits.plugins():
        with pytest.raises(PsaError, match="PSA_MAX_ARCHIVE_MB"):
            audits.open_zip(audit, buffer.getvalue(), Path("opened"))


@pytest.mark.parametrize("history", ["0", "1"])
def test_a_model_that_a_file_names_is_a_suggestion(history: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_HISTORY", history)
    monkeypatch.setenv("PSA_HTTP_ALLOW", "*")
    monkeypatch.syspath_prepend(str(place))
    for model_id in REACHING:
        run_id = jobs.keep(read_zip(study_zip(model=model_id)), lambda _: "")
        with monkeypatch.context() as patch:
            patch.setattr(socket.socket, "connect", lambda *_: pytest.fail("something was asked"))
            page = page_of("compare", run=run_id, compare_part="mitigate")
            for stem in ("study", "names", "compare", "report") if model_id == PROGRAM else ():
                page_of(stem, run=run_id)
        assert "only a suggestion" in said(page)
        assert not [button for button in page.button if button.key == "mitigate_check"]
        assert jobs.status(run_id).origin is Origin.FILE
    assert not (place / "was-run").exists()


def test_a_manifest_runs_nothing_by_itself(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for model_id in REACHING:
        study_zip(model=model_id)
        assert cli.main(["run", "--from-manifest", "out/manifest.json", "--out", "again"]) == 2
        assert "only a suggestion" in capsys.readouterr().err
    study_zip(sentences=str(place / "mine.csv"))
    assert cli.main(["run", "--from-manifest", "out/manifest.json", "--out", "again"]) == 2
    assert not (place / "was-run").exists()
    assert not (place / "again").exists()


def test_a_report_recommends_no_command_that_does_more_than_compute() -> None:
    assert "--model keyword" in _sections.commands(cube())[0]
    for model_id in REACHING:
        study = {**cube().provenance["study"], "model": model_id}
        said = "".join(_sections.commands(replace(cube(), provenance={**cube().provenance, "study": study})))
        assert "add --model" in said
        assert f"--model {model_id}" not in said and f"--model '{model_id}" not in said


def test_pages_and_tables_of_an_opened_audit_are_rebuilt(place: Path) -> None:
    design = eec.published_design()
    scores = np.zeros((len(design.rows), len(design.people), 1), np.float32)
    cube = eec.cube(design, (Target("toxicity"),), scores)
    equity.AUDIT.write(of_design(design, {"mine": cube}, {}, {"spelling": "published"}), Path("brought"))
    for name in ("report.html", "eec.json", "own.csv"):
        Path("brought", name).write_text(SCRIPT)
    equity.AUDIT.rewrite(Path("brought"), Path("anew"))
    assert not any(SCRIPT.encode() in path.read_bytes() for path in Path("anew").iterdir())
    assert {"eec.json", "manifest.json"} <= {path.name for path in Path("anew").iterdir()}


def test_a_zip_cannot_choose_where_its_files_go(place: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in ("../../up.csv", "/tmp/absolute.csv", "a/../../b.csv", "..", "run.py", ".html", "c\\d.csv"):
            archive.writestr(name, "x")
        link = zipfile.ZipInfo("link.csv")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    inner = place / "deep" / "inner"
    inner.mkdir(parents=True)
    before = set(place.rglob("*"))
    unzip(buffer.getvalue(), inner)
    new = set(place.rglob("*")) - before
    assert all(path.parent == inner and path.is_file() and not path.is_symlink() for path in new)
    assert not any(path.suffix == ".py" for path in new)


def test_an_upload_is_kept_under_its_own_name_in_its_own_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_queue, "advance", lambda: None)
    monkeypatch.setenv("PSA_MAX_RUNS_EACH", "100")
    for name in ("~root.csv", "~x.csv", "../../x.csv", "/etc/x.csv", "a\0.csv", "x" * 300 + ".csv", "--out", ".."):
        spec = StudySpec(sentences=name, names="demo", model="keyword")
        run = jobs.run_path(jobs.submit(spec, {name: b"text\nHe left.\n"}))
        (kept,) = (run / "inputs").iterdir()
        assert jobs.spec_at(run).sentences == kept.name
        if kept.suffix == ".csv":
            with trust.acting(Origin.VISITOR, run / "inputs"):
                monkeypatch.chdir(run / "inputs")
                assert len(corpus.load(kept.name).sentences) == 1


def test_a_document_is_only_read(tmp_path: Path) -> None:
    """A Word file whose XML names a file of the server, in a zip whose paths lead out of it."""
    from docx import Document

    (tmp_path / "secret.txt").write_text("CANARY", encoding="utf-8")
    plain, edited = io.BytesIO(), io.BytesIO()
    document = Document()
    document.add_paragraph("MARK Hollowell is a cook.")
    document.save(plain)
    with zipfile.ZipFile(plain) as inside, zipfile.ZipFile(edited, "w") as outside:
        for name in inside.namelist():
            content = inside.read(name)
            if name == "word/document.xml":
                entity = f'<!DOCTYPE w [<!ENTITY x SYSTEM "{(tmp_path / "secret.txt").as_uri()}">]>'.encode()
                head, end, body = content.partition(b"?>")
                content = head + end + entity + body.replace(b"MARK", b"&x; Maria")
            outside.writestr(name, content)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("../../cvs/a.docx", edited.getvalue())
        files.writestr("../../../b.txt", "Maria Hollowell left.")
    before = sorted(tmp_path.rglob("*"))
    read = corpus.parse("cvs.zip", archive.getvalue())
    assert "CANARY" not in read.sentences.to_json() and "Maria Hollowell left." in list(read.sentences["text"])
    assert not any(".." in name or name.startswith("/") for name in read.sentences["sentence_id"])
    assert sorted(tmp_path.rglob("*")) == before


def test_an_upload_is_never_a_module(place: Path) -> None:
    program = (place / "security_probe.py").read_bytes()
    modules = {f"{name}.py": program for name in ("json", "numpy", "psa_core", "pandas", "sitecustomize", "re")}
    run_id = jobs.submit(StudySpec("s.txt", "demo", "keyword"), {**modules, "s.txt": b"He left.\nShe stayed.\n"})
    end = time.monotonic() + 120
    while jobs.status(run_id).live and time.monotonic() < end:
        time.sleep(0.1)
    assert jobs.status(run_id).state == "finished"
    assert not (place / "was-run").exists()


def test_an_upload_is_never_unpickled(place: Path) -> None:
    class Trace:
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
            return os.mkdir, (str(place / "was-run"),)

    hostile = pickle.dumps(Trace())
    arrays = io.BytesIO()
    np.savez(arrays, original=np.array([Trace()], dtype=object))
    for name in ("x.csv", "x.parquet", "x.jsonl", "x.txt", "x.csv.gz"):
        for read in (corpus.parse, names.read_names):
            for content in (hostile, arrays.getvalue()):
                with pytest.raises(PsaError):
                    read(name, content)
    (place / "partial.npz").write_bytes(arrays.getvalue())
    with pytest.raises(PsaError):
        cube_file.load(place / "partial.npz")
    with pytest.raises(RunFolderError):
        read_zip(hostile)
    assert not (place / "was-run").exists()


def test_a_worker_has_the_rights_of_the_person_who_started_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_queue, "advance", lambda: None)
    for origin in (Origin.VISITOR, Origin.OWN_MACHINE):
        run = jobs.run_path(jobs.submit(STUDY, {"a.txt": b"x"}, origin=origin))
        seen: list[Origin] = []
        Job(run).supervise(lambda seen=seen: seen.append(trust.current()) or 0)
        assert seen == [origin]
    (run / jobs.JOB).write_text(json.dumps({"command": "run"}))  # of a version before, or of nobody
    assert jobs.status(run.name).origin is Origin.FILE


def test_a_link_says_only_what_to_look_at() -> None:
    hostile = [SCRIPT, FORMULA, "../../etc/passwd", PROGRAM, "\0", "a" * 5000, "NaN"]
    for stem in ("try_it", "study", "names", "equity"):
        parameters = ("run", "target", "c", "names", "s", "with", "eec", "try_models", "try_list", "try_sentence")
        page = page_of(stem, **{name: hostile for name in parameters})
        assert SCRIPT not in said(page)


def hostile_cube() -> ScoreCube:
    sentences = pd.DataFrame({"sentence_id": [FORMULA, "b"], "text": [f"He {SCRIPT}", BEHIND], "place": FORMULA})
    people = pd.DataFrame({"name": [SCRIPT, FORMULA, "![x](http://evil.example/x)"], "gender": [SCRIPT, "a", "b"]})
    provenance = {**cube().provenance, "notes": [SCRIPT], "account": {SCRIPT: 1}}
    target = Target(PICTURE, meaning=SCRIPT)
    return ScoreCube(
        sentences.assign(anchor="He", start=0, end=2, role="subject"),
        people,
        (target,),
        np.array([[0.2], [0.6]], np.float32),
        np.array([[[0.9], [0.1], [0.3]], [[0.4], [0.5], [0.7]]], np.float32),
        {**provenance, "targets": [{"name": PICTURE, "low": 0.0, "high": 1.0, "meaning": SCRIPT}]},
    )


def test_a_text_is_never_markup() -> None:
    assert SCRIPT not in report.render(hostile_cube())
    run_id = jobs.keep(hostile_cube(), lambda _: "")
    parts = {"names": "why", "sentences": "matrix", "compare": "mitigate"}
    for stem in ("names", "thresholds", "sentences", "compare", "report", "study", *parts):
        page = page_of(stem, run=run_id, s=FORMULA, names=[SCRIPT], **{f"{stem}_part": parts.pop(stem, "")})
        assert SCRIPT not in said(page), stem
        for kind in ("markdown", "caption", "header", "title"):
            for element in getattr(page, kind):
                assert SCRIPT not in element.value, stem
                assert "![x](http" not in element.value, stem
                assert PICTURE not in element.value, stem


def test_a_cell_is_never_a_formula() -> None:
    run_id = jobs.keep(hostile_cube(), lambda _: "")
    for path in jobs.result_folder(run_id).glob("*.csv"):
        cells = pd.read_csv(path, dtype=str, keep_default_na=False, header=None).to_numpy().ravel()
        assert not [cell for cell in cells if cell[:1] in "=@\t\r" and cell], path.name
        parts = re.split(r'[;|\t]"*', path.read_text())  # a spreadsheet that expects another separator
        assert not [part for part in parts if part[:1] in "=@" and part], path.name
    assert jobs.open_cube(run_id).sentences["text"].tolist() == hostile_cube().sentences["text"].tolist()
    assert exports.csv(pd.DataFrame({FORMULA: ["@x", "+1", "-1", "\t=1", "＝1"]})).decode().splitlines()[1] == "'@x"
    assert "disableDataExport = true" in (ROOT / ".streamlit" / "config.toml").read_text()


def test_a_model_that_somebody_chose_runs_in_a_process_of_its_own(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tiny_classifier(place / "model")
    monkeypatch.setenv("PSA_HISTORY", "1")
    assert not isinstance(cached.scorer("keyword").scorer, subprocess_scorer.SubprocessScorer)
    monkeypatch.setattr(models, "load", lambda *_, **__: pytest.fail("it was loaded in the server's process"))
    chosen = cached.scorer(f"hf:{folder}")
    assert isinstance(chosen.scorer, subprocess_scorer.SubprocessScorer)
    assert cached.kept_scores(chosen, ["he is good"]).shape == (1, len(chosen.targets))
    subprocess_scorer._end()
    monkeypatch.delenv("PSA_HISTORY")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match="no copy on this machine"):
        cached.scorer("hf:nobody/nothing")
    subprocess_scorer._end()


def test_a_slow_model_delays_nobody_who_uses_another() -> None:
    is_asked, may_end = threading.Event(), threading.Event()

    def ask(texts: list[str]) -> np.ndarray:
        is_asked.set()
        may_end.wait(60)
        return np.zeros((len(texts), 1), np.float32)

    slow = SimpleNamespace(fingerprint="slow", targets=(Target("mood"),), score=ask)
    thread = threading.Thread(target=lambda: PageScorer(slow).score(["x"]))
    thread.start()
    try:
        assert is_asked.wait(60)
        assert cached.scores("keyword", ("I hate him.",)).shape == (1, 2)
        assert thread.is_alive()
    finally:
        may_end.set()
        thread.join()


def test_a_page_computes_for_a_limited_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_MAX_PAGE_SECONDS", "1")
    monkeypatch.setattr(models.load("keyword").__class__, "score", _dawdling)
    began = time.monotonic()
    page = page_of("try_it", try_models="keyword")
    assert time.monotonic() - began < 30
    (words,) = (text.value for text in page.markdown if "scored" in text.value)
    assert re.search(r"Keyword scored \d+ of 20 names\*\* in 1 seconds", words), words
    assert len(page.dataframe[0].value) < 20
    monkeypatch.setattr(_queue, "advance", lambda: None)
    next(button for button in page.button if "in the background" in button.label).click().run()
    (run_id,) = (path.name for path in jobs.root().iterdir() if (path / "job.json").is_file())
    spec = jobs.status(run_id).spec
    assert (spec.model, spec.anchors, len(names.load(str(jobs.run_path(run_id) / "inputs" / spec.names)).table)) == (
        "keyword",
        "slot",
        20,
    )
    typed = page_of("try_it", try_own_names="Ada, Kim")
    for text, unit in ((", ".join(f"Ann {number}" for number in range(1_001)), "names"), ("x" * 50_001, "characters")):
        typed.text_input(key="try_own_names").set_value(text).run()
        assert f" {unit}" in said(typed) and "Type fewer, or set up a study." in said(typed)


def _dawdling(_: Any, texts: list[str]) -> np.ndarray:
    time.sleep(0.15 * len(texts))
    return np.linspace(0, 1, 2 * len(texts), dtype=np.float32).reshape(-1, 2)


def test_only_listed_files_of_a_visitors_model_folder_are_read(place: Path) -> None:
    """A path in any setting of any file is never opened; Linux tells of whatever opens it, in whatever language."""
    secret = place / "elsewhere" / "vocab.txt"
    secret.parent.mkdir()
    secret.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ncanary\n")
    was_opened = opens_of(secret)
    hostile = "vocab vocab_file merges merges_file tokenizer_file init_inputs special_tokens_map_file added_tokens_file"
    hostile += " name_or_path _name_or_path chat_template backbone tokenizer_object spm_file backend auto_map"
    hostile += " tokenizer_class attn_implementation vocab_size hidden_act label2id quantization_config bos_token"
    tiny_classifier(place / "whole")
    for file in ("tokenizer_config.json", "special_tokens_map.json", "config.json", "generation_config.json"):
        for key in hostile.split():
            folder = place / "model"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(place / "whole", folder)
            (folder / "tokenizer.json").unlink()
            (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhe\n")
            content = json.loads((folder / file).read_text()) if (folder / file).exists() else {}
            path = [str(secret)] if key == "init_inputs" else str(secret)
            (folder / file).write_text(json.dumps({"tokenizer_class": "BertTokenizer", **content, key: path}))
            with trust.acting(Origin.VISITOR, folder), suppress(PsaError):
                models.load(f"hf:{folder}").score(["he"])
            assert not was_opened(), (file, key)


def opens_of(file: Path) -> Callable[[], bool]:
    """A function that says whether a file was opened since it was asked last, by whatever."""
    if sys.platform != "linux":
        pytest.skip("no inotify")
    events = ctypes.CDLL(None).inotify_init1(os.O_NONBLOCK)
    ctypes.CDLL(None).inotify_add_watch(events, str(file).encode(), 0x20)  # IN_OPEN

    def were_there() -> bool:
        try:
            return bool(os.read(events, 2**16))
        except BlockingIOError:
            return False

    file.read_bytes()
    assert were_there()
    return were_there


@pytest.mark.parametrize("origin", [Origin.VISITOR, Origin.COMMAND_LINE])
def test_an_index_of_weights_names_weights_beside_it(place: Path, origin: Origin) -> None:
    folder = tiny_classifier(place / "model")
    (folder / "model.safetensors").rename(place / "private.safetensors")
    (folder / "other.safetensors").write_bytes(b"")
    (folder / "weights.bin").write_bytes(pickle.dumps({}))
    for name in ("../private.safetensors", str(place / "private.safetensors"), "../none.safetensors", "weights.bin"):
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"classifier.bias": name}}))
        with trust.acting(origin, folder), pytest.raises(ModelError, match="names that are no weights beside it"):
            models.load(f"hf:{folder}")


def test_a_revision_is_a_branch_a_tag_or_a_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_, **__: pytest.fail("the hub was asked"))
    for revision in ("../../../runs/x/inputs/a.txt", "%2Fetc", "..", "a/../b"):
        for origin in Origin:
            with pytest.raises(PsaError):
                models.load(f"hf:owner/model?revision={revision}", origin=origin)


def test_offline_a_visitor_loads_only_listed_models(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    snapshot = place / "hub" / "models--owner--model" / "snapshots" / ("0" * 40)
    tiny_classifier(snapshot)
    (snapshot.parents[1] / "refs").mkdir()
    (snapshot.parents[1] / "refs" / "main").write_text("0" * 40)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(place / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.delenv("PSA_OFFLINE_MODELS", raising=False)
    with pytest.raises(ModelError, match="no copy on this machine"):
        models.load("hf:owner/model", origin=Origin.VISITOR)
    monkeypatch.setenv("PSA_OFFLINE_MODELS", "owner/model")
    assert models.load("hf:owner/model", origin=Origin.VISITOR).score(["he"]).shape[0] == 1
    (snapshot.parents[1] / "refs" / "main").write_text("../../../mine")
    tiny_classifier(place / "mine")
    with pytest.raises(ModelError, match="no copy on this machine"):
        models.load("hf:owner/model", origin=Origin.VISITOR)


def test_the_process_that_loads_a_model_has_no_secrets_no_network_and_no_files(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not sandbox.landlock():
        pytest.skip("no Landlock in this kernel; see tests/trust/test_sandbox.py for what holds without it")
    monkeypatch.setenv("MY_TOKEN", "canary")
    (place / "secret.json").write_text("{}")
    process = bounded.Resident(limits.ASK_SECONDS, limits.ASK_MEMORY, sandbox.Sandbox(reads=(str(place / "given"),)))
    try:
        assert process.call(os.getenv, "MY_TOKEN") is None
        for path in (place / "secret.json", Path("/etc/passwd"), Path(f"/proc/{os.getpid()}/environ")):
            with pytest.raises(ModelError, match=r"PermissionError|its process ended"):
                process.call(json_file.read, path)
        with pytest.raises(ModelError, match="PermissionError"):
            process.call(socket.create_connection, ("127.0.0.1", 9))
        assert Path(process.call(os.getcwd)) != place
    finally:
        process.end()


def test_a_model_folder_brings_no_program(place: Path) -> None:
    import torch

    folder = tiny_classifier(place / "model")
    own = json.loads((folder / "config.json").read_text())
    mapped = {"AutoConfig": "security_probe.C", "AutoModelForSequenceClassification": "security_probe.M"}
    (folder / "security_probe.py").write_text((place / "security_probe.py").read_text())
    (folder / "config.json").write_text(json.dumps({**own, "auto_map": mapped}))
    assert models.load(f"hf:{folder}").score(["good"]).shape[0] == 1
    (folder / "config.json").write_text(json.dumps({**own, "auto_map": mapped, "model_type": "mine"}))
    with pytest.raises(ModelError, match="brings its own program"):
        models.load(f"hf:{folder}")

    class Trace:
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
            return os.mkdir, (str(place / "was-run"),)

    (folder / "config.json").write_text(json.dumps(own))
    (folder / "model.safetensors").unlink()
    torch.save({"weight": Trace()}, folder / "pytorch_model.bin")
    for model_id in (f"hf:{folder}", f"hf:{folder}?allow_pickle=1"):
        with pytest.raises(ModelError, match="pickle"):
            models.load(model_id)
    assert not (place / "was-run").exists()


def test_a_model_folder_takes_no_more_memory_than_its_weights_need(place: Path) -> None:
    import torch

    from psa_core.models._transformers import adapter

    folder = tiny_classifier(place / "model")
    own = json.loads((folder / "config.json").read_text())
    for setting in ({"vocab_size": 10**11}, {"num_hidden_layers": 10**9}, {"num_labels": 10**9}, {"num_experts": 1e9}):
        (folder / "config.json").write_text(json.dumps({**own, **setting}))
        with pytest.raises(ModelError, match=f"whose files have|{next(iter(setting))} = 1"):
            models.load(f"hf:{folder}")
    layer = torch.nn.Linear(4, 4)
    updates = {"0.lora_A.weight": torch.zeros(1, 10**6), "0.lora_B.weight": torch.zeros(10**6, 1)}
    with pytest.raises(RuntimeError, match="makes"):
        adapter.add_updates(torch.nn.Sequential(layer), updates, 1.0)


def test_an_adapter_names_no_base_model_that_its_user_may_not_name(place: Path) -> None:
    from psa_core.models._transformers import adapter

    (place / "adapter").mkdir()
    config = {"r": 1, "lora_alpha": 1, "base_model_name_or_path": "/srv/other"}
    (place / "adapter" / "adapter_config.json").write_text(json.dumps(config))
    with trust.acting(Origin.VISITOR, place / "adapter"), pytest.raises(OptionError, match="base model"):
        adapter.base_of(place / "adapter")


def test_nothing_is_installed_before_its_hash_is_known(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = ROOT / ".ci" / "install_torch.py"
    installer = runpy.run_path(str(program))
    content = b"a wheel"
    wheel = place / "torch-2.13.0-cp311-none-any.whl"
    wheel.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    assert installer["known"](place, f"torch==2.13.0 --hash=sha256:{digest}") == wheel
    with pytest.raises(SystemExit, match=rf"^torch: {wheel.name} \(sha256 {digest}\).* was not installed; add"):
        installer["known"](place, (ROOT / "requirements-torch.txt").read_text())
    called = []
    run = SimpleNamespace(run=lambda words, **_: called.append(words) or shutil.copy(wheel, words[-2]))
    installer["main"].__globals__.update(subprocess=run, version=lambda name: "0")
    with pytest.raises(SystemExit):
        installer["main"]()
    assert [words[4] for words in called] == ["download"]  # it was fetched and nothing more
    for file in ("Makefile", "Dockerfile", ".ci/run"):
        text = (ROOT / file).read_text().replace("\\\n", " ")
        checked = re.search(r"^CHECKED := .*--require-hashes$", text, re.MULTILINE)
        for line in re.findall(r".*pip install.*", text):
            assert all("--require-hashes" in part for part in line.split("&&") if "pip install" in part), line
        assert checked or file != "Makefile"
    assert all("@sha256" in line or "@" in line for line in _uses()) and _uses()


def _uses() -> list[str]:
    """The programs of others that the workflow runs."""
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert "bash .ci/run" in text
    return re.findall(r"uses: (\S+@[0-9a-f]{40})", text)


def test_the_container_has_no_rights_that_it_does_not_need() -> None:
    lines = (ROOT / "Dockerfile").read_text()
    assert lines.index("\nUSER psa\n") < lines.index("ENTRYPOINT") and "--privileged" not in lines
    command = (ROOT / "docs" / "deploy.md").read_text().partition("docker run")[2].partition("```")[0]
    for option in ("--security-opt no-new-privileges", "--pids-limit", "--memory", "--read-only", "--cap-drop ALL"):
        assert option in command


def test_a_client_may_send_what_the_page_does_not_offer(place: Path) -> None:
    own = str(place / "mine.csv")
    refused = (
        lambda: cached.names(own),
        lambda: plans.corpus(plans.Source(own)),
        lambda: cached.scorer(PROGRAM),
        lambda: cached.scores(PROGRAM, ("x",)),
        lambda: visitor.check(PROGRAM),
    )
    for use in refused:
        with pytest.raises(OptionError, match=r"runs a program|reads this machine's files"):
            use()
    with pytest.raises(OptionError, match="expected one of country"):
        generation_page._packaged(own)
    with trust.acting(Origin.VISITOR), pytest.raises(OptionError, match="reads this machine's files"):
        prompts.load(own)
    assert not (place / "was-run").exists()


def test_a_client_may_empty_the_caches() -> None:
    import streamlit as st

    run_id = jobs.keep(cube(), lambda _: "")
    before = said(page_of("names", run=run_id))
    st.cache_data.clear()
    st.cache_resource.clear()
    assert said(page_of("names", run=run_id)) == before


def test_a_client_may_upload_many_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "_admitted", set())
    server = SimpleNamespace(uploaded_file_mgr=SimpleNamespace(file_storage={}), is_active_session=lambda _: True)
    monkeypatch.setattr(gateway.runtime, "get_instance", lambda: server)
    assert put("ann", 10) == 403
    monkeypatch.setattr(gateway.runtime, "exists", lambda: True)
    monkeypatch.setattr(gateway, "get_script_run_ctx", lambda **_: SimpleNamespace(session_id="ann"))
    monkeypatch.setenv("PSA_LOGIN", "1")
    with monkeypatch.context() as nobody, pytest.raises(StopException):
        nobody.setattr(visitor.st, "user", {})
        nobody.setattr(visitor.st, "stop", lambda: (_ for _ in ()).throw(StopException()))
        visitor.require_login()
    assert put("ann", 10) == 403
    monkeypatch.delenv("PSA_LOGIN")
    visitor.require_login()
    assert put("ann", 10) == 204
    assert put("ann", limits.UPLOADS_EACH.value + 1) == 413


def test_a_server_tells_nothing_about_itself() -> None:
    assert ask("GET", "/_stcore/metrics")[0] == 404
    headers = ask("GET", "/")[1]
    assert {"x-frame-options", "x-content-type-options", "referrer-policy", "content-security-policy"} <= set(headers)
    assert "Middleware(gateway.Gateway)" in (ROOT / "app.py").read_text(encoding="utf-8")


def test_a_client_may_upload_a_file_of_any_kind() -> None:
    page = page_of("new_study")
    page.button_group(key="study_source").set_value("Your own file")
    ran(page).file_uploader(key="study_file_0").upload("x.csv", b"\x7fELF\0\0\0")
    assert "Needed: UTF-8 text" in said(ran(page))
    assert uploads.file_name("../../x.sh") == "x.sh"
    with pytest.raises(PsaError, match=r"a file named 'x\.sh'"):
        corpus.parse("x.sh", b"text\nHe left.\n")


def test_another_website_may_not_drive_your_own_dashboard(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = [line for line in (ROOT / "Makefile").read_text().splitlines() if "streamlit run app.py" in line]
    assert "--server.address localhost" in line
    assert "--server.allowedHosts localhost" in line
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execve", lambda _, words, environment: started.append(words))
    cli.main(["app"])
    command = " ".join(started[0])
    assert "--server.address localhost" in command
    assert "--server.allowedHosts localhost --server.allowedHosts 127.0.0.1" in command
    given = subprocess.run(
        [sys.executable, "-m", "streamlit", "config", "show"], capture_output=True, text=True, cwd=ROOT, check=True
    ).stdout
    for setting in ("enableCORS", "enableXsrfProtection"):
        assert re.search(rf"^#? ?{setting} = true", given, re.MULTILINE), setting
