"""A fourth audit is one folder: it is found, run, kept, opened, reported and exported by what all audits share."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from psa_core import audits, cli, jobs, options, trust
from psa_core.errors import RunFolderError
from psa_core.folders import results
from psa_core.inputs import bounded
from psa_core.registry import discover
from tests.jobs.waiting import waiting_run

SOURCE = '''
"""How long texts are: an audit in one file."""
from dataclasses import dataclass
import pandas as pd
from psa_core import options
from psa_core.audits import Audit, Export
from psa_core.errors import OptionError
from psa_core.options import option
from psa_core.report.page import Report
from psa_core.claims.formatting import Finding

@dataclass(frozen=True, kw_only=True)
class LengthSpec:
    texts: tuple[str, ...] = option(metavar="A,B,…", help="texts to measure")
    least: int = option(1, low=1, high=50, help="letters that count", label="Letters at least")
    def __post_init__(self):
        options.check(self)

@dataclass
class Lengths:
    table: pd.DataFrame
    manifest: dict

def measure(spec, running):
    running.tell("Counting")
    kept = [text for text in spec.texts if len(text) >= spec.least]
    if not kept:
        raise OptionError("--texts", got="none", expected="a long one")
    table = pd.DataFrame({"text": kept, "length": [len(text) for text in kept]})
    return Lengths(table, {"options": options.as_json(spec), "fingerprint": "ruler-1"})

AUDIT = Audit(
    id="lengths",
    title="Lengths",
    noun="audit of lengths",
    summary="How long texts are.",
    spec=LengthSpec,
    measure=measure,
    files=lambda found: {"lengths.csv": found.table, "summary.json": {"longest": int(found.table["length"].max())}},
    load=lambda folder, manifest: Lengths(pd.read_csv(folder / "lengths.csv"), manifest),
    report=lambda found: Report(
        title="Lengths of texts",
        findings=[Finding(f"The longest text has {found.table['length'].max()} letters.")],
        method=["Letters were counted."], body=[], limits=["Letters are no words."],
    ),
    cells=lambda found: len(found.table),
    counts="text",
    export=Export("--only-texts", "write the texts", lambda spec: pd.DataFrame({"text": spec.texts}), "text"),
)
'''


@pytest.fixture(autouse=True)
def lengths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[audits.Audit]:
    """An audit in a folder that is not ours."""
    yield from added(tmp_path, monkeypatch)


def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, field: str = "") -> Iterator[audits.Audit]:
    """Put the fourth audit, with one more field if wanted, where audits are looked for, and take it away again."""
    for variable, place in (("PSA_CACHE_DIR", "cache"), ("PSA_RUNS_DIR", "runs")):
        monkeypatch.setenv(variable, str(tmp_path / place))
    (tmp_path / "plugins" / "lengths").mkdir(parents=True)
    (tmp_path / "plugins" / "lengths" / "__init__.py").write_text(
        SOURCE.replace("    least: int", f"{field}    least: int"), encoding="utf-8"
    )
    monkeypatch.setattr(audits, "__path__", [*audits.__path__, str(tmp_path / "plugins")])
    discover.cache_clear()
    yield audits.plugins()["lengths"]
    sys.modules.pop("psa_core.audits.lengths", None)
    discover.cache_clear()


def test_it_runs_from_the_command_line_to_a_folder_with_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lengths: audits.Audit
) -> None:
    out = tmp_path / "out"
    assert cli.main(["lengths", "--texts", "one,three", "--least", "4", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"1 text: results in {out}\nThe longest text has 5 letters.\n"
    assert {path.name for path in out.iterdir()} == {"manifest.json", "lengths.csv", "summary.json", "report.html"}
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert manifest["audit"] == "lengths" and manifest["options"] == {"texts": ["one", "three"], "least": 4}
    page = (out / "report.html").read_text("utf-8")
    assert "Lengths of texts" in page and "Letters are no words." in page
    command = page.partition("<pre>")[2].partition("</pre>")[0].removeprefix("psa ")
    assert shlex.split(command) == ["lengths", "--texts", "one,three", "--least", "4", "--out", "again"]


def test_it_exports_its_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["lengths", "--texts", "one,three", "--only-texts", str(tmp_path / "texts.csv")]) == 0
    assert pd.read_csv(tmp_path / "texts.csv")["text"].tolist() == ["one", "three"]
    assert "2 texts in " in capsys.readouterr().out


def test_it_runs_as_a_job(tmp_path: Path) -> None:
    run_id = waiting_run("lengths", origin=trust.Origin.COMMAND_LINE)
    place = jobs.root() / run_id
    arguments = ["lengths", "--texts", "one,three", "--out", str(place / jobs.RESULT), "--job", str(place)]
    assert cli.main([*arguments, "--least", "9"]) == 2
    assert jobs.status(run_id).state == "failed" and "a long one" in jobs.status(run_id).message
    assert cli.main(arguments) == 0
    assert jobs.status(run_id).state == "finished" and jobs.status(run_id).sentences_done == 2
    assert audits.plugins()["lengths"].read(jobs.result_folder(run_id)).manifest["audit"] == "lengths"


def test_its_folder_and_its_zip_open_and_nothing_else_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lengths: audits.Audit
) -> None:
    out = tmp_path / "out"
    assert cli.main(["lengths", "--texts", "one,three", "--out", str(out)]) == 0
    assert lengths.read(out).table["length"].tolist() == [3, 5]
    (out / "report.html").write_text("<script>")
    monkeypatch.setattr(bounded, "call", lambda work, *given, **_: work(*given))
    audits.open_zip("lengths", results.to_zip(out), tmp_path / "new")
    assert lengths.read(tmp_path / "new").table["length"].tolist() == [3, 5]
    assert "<script>" not in (tmp_path / "new" / "report.html").read_text("utf-8")
    with pytest.raises(RunFolderError, match=r"got the audit lengths, expected one that `psa eec` writes"):
        audits.plugins()["eec"].read(out)
    (out / "lengths.csv").unlink()
    with pytest.raises(RunFolderError, match=r"a file missing or damaged"):
        lengths.read(out)
    monkeypatch.setenv("PSA_MAX_RUN_CELLS", "1")
    with pytest.raises(RunFolderError, match="at most 1 cells"):
        lengths.rewrite(tmp_path / "new", tmp_path / "third")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--texts", "one", "--least", "0"], "--least: got 0, expected 1 to 50"),
        (["--texts", "one"], "--out: got nothing"),
        (["--least", "3"], "--texts"),
    ],
)
def test_bad_input_is_one_sentence(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = cli.main(["lengths", *words])
    except SystemExit as stopped:  # argparse
        status = stopped.code
    assert status == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


def test_a_command_does_not_name_a_model_that_a_stranger_may_have_chosen() -> None:
    nationality = audits.plugins()["nationality"]
    line, named = nationality.commands({"options": {"sentences": "s.csv", "model": "python:evil:score"}})
    assert "--model MODEL" in line and "evil" not in line and "'python:evil:score'" in named
    assert nationality.commands({"options": {"model": "vader"}}) == ["psa nationality --model vader --out again"]
    assert nationality.commands({}) == []


def test_texts_are_exported_behind_a_flag_and_as_they_are_only_for_predictions() -> None:
    exports = {audit.id: audit.export for audit in audits.plugins().values() if audit.export}
    assert {name: (export.flag, export.into_out, export.exact) for name, export in exports.items()} == {
        "chats": ("--export-prompts", False, False),
        "eec": ("--sentences-only", True, True),
        "generation": ("--export-prompts", False, False),
        "lengths": ("--only-texts", False, False),
    }


@pytest.mark.parametrize(
    ("scorers", "is_plain"),
    [
        ("vader,keyword", True),
        ("vader,hf:somebody/model", False),
        ("hf:somebody/model,vader", False),
        ("gone:x", False),
    ],
)
def test_a_command_names_models_only_where_all_of_them_do_nothing_but_compute(scorers: str, is_plain: bool) -> None:
    made = {"scorers": scorers.split(","), "lm": "continuations:mine.csv"}
    first, *others = audits.plugins()["generation"].commands({"options": made})
    assert (f"--scorer {scorers}" in first) is is_plain
    assert any(scorers in line for line in others) is not is_plain


@pytest.mark.parametrize(
    ("audit", "numbers"),
    [
        (
            "generation",  # 50 tokens at temperature 1 as in Huang et al. 2020; a page begins with less of it
            {
                "tokens": (50, 1, 1000, 30),
                "temperature": (1.0, None, 5.0, 1.0),
                "top_k": (0, 0, 1_000_000, 0),
                "top_p": (1.0, None, 1, 1.0),
                "continuations": (None, 1, 10_000, 20),
                "leak_check": (60, 0, None, 60),
            },
        ),
        ("chats", {"tokens": (150, 1, 4000, 150), "people": (32, 2, 1000, 32), "answers": (None, 1, 1000, 5)}),
        ("nationality", {"draws": (5, 1, None, 5), "seed": (0, 0, None, 0), "sample": (1000, 1, None, 200)}),
    ],
)
def test_numbers_have_their_default_their_ends_and_what_a_page_begins_with(audit: str, numbers: dict) -> None:
    fields = options.fields_of(audits.plugins()[audit].spec)
    found = {name: fields[name] for name in numbers}
    assert {
        name: (field.default, field.option.low, field.option.high, field.page_default) for name, field in found.items()
    } == numbers


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        ('{"audit": "chats"}', "the audit chats"),
        ('{"targets": []}', "another study"),
        ('{"notes": []}', "another folder"),
    ],
)
def test_the_folder_of_something_else_is_told_from_the_folder_of_an_audit(
    manifest: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "manifest.json").write_text(manifest, encoding="utf-8")
    with pytest.raises(RunFolderError, match=f"got {words}, expected one that `psa nationality` writes"):
        audits.plugins()["nationality"].read(tmp_path)
