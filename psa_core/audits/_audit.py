"""The skeleton of an audit: running, keeping, opening, reporting and exporting are written here once for all audits."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from psa_core import generators, models, options
from psa_core.asking.records import Request
from psa_core.audits._running import Running
from psa_core.errors import PsaError, RunFolderError
from psa_core.folders import datapackage, results, writing
from psa_core.folders import manifest as manifests
from psa_core.inputs import archives, limits, spreadsheet
from psa_core.report.page import Report, framed

#: What an audit writes, by file name: a table as .csv or .parquet, anything else as .json.
Files = Mapping[str, Any]
SUFFIXES = (".csv", ".json", ".parquet", ".html")


@dataclass(frozen=True)
class Export:
    """The texts of an audit for scoring or generating elsewhere, written instead of running it."""

    flag: str
    help: str
    #: From the specification to the table.
    table: Callable[[Any], pd.DataFrame]
    #: What its rows are, for the message at the end.
    what: str
    #: Whether the flag stands alone and the file is that of ``--out``; else the file follows the flag.
    into_out: bool = False
    #: Whether cells stay as they are, for a program to read, although a spreadsheet would run them.
    exact: bool = False
    #: From the specification to the requests that a file ending in ``.jsonl`` holds, for a provider's batch.
    requests: Callable[[Any], Sequence[Request]] | None = None


@dataclass(frozen=True)
class Audit:
    """What each folder of `psa_core.audits` defines as ``AUDIT``.

    A result is whatever the audit makes of its scores; the skeleton asks it for its ``manifest`` alone.
    """

    #: As the manifest has it.
    id: str
    #: The page's heading, what messages call one ("equity audit"), and the help of the command.
    title: str
    noun: str
    summary: str
    #: A frozen dataclass of `options.option` fields; its values are the manifest's ``options``.
    spec: type[Any]
    #: From a specification and how it is run to the result: reads, scores and measures.
    measure: Callable[[Any, Running], Any]
    #: Every file of the result folder but the manifest and the report; see `Files`.
    files: Callable[[Any], Files]
    #: From such a folder and its manifest to the result, as it was written; any damage may raise.
    load: Callable[[Path, dict[str, Any]], Any]
    #: Title, findings, method, body and limits of ``report.html``; the skeleton adds the rest.
    report: Callable[[Any], Report]
    #: How many scores a result holds, for the limit on what somebody brings.
    cells: Callable[[Any], int]
    #: What the command says at the end: how many (of its cells, unless it says otherwise), and the noun of one.
    size: Callable[[Any], int] = None  # type: ignore[assignment]
    counts: str = "sentence"
    #: What the page asks, and what the audit is in two sentences.
    question: str = ""
    introduction: str = ""
    #: From a loaded result and its folder to one in which everything is measured from the data alone.
    rebuild: Callable[[Any, Path], Any] = lambda result, _: result
    #: Fields that its manifest has beside those of a study, and how they are checked.
    kinds: manifests.Kinds = field(default_factory=dict)
    #: Of the command line and the address, where it is not the id.
    command: str = ""
    export: Export | None = None
    #: Takes the result folder when it is written: clears away what was kept beside it.
    finished: Callable[[Path], None] = lambda _: None

    def __post_init__(self) -> None:
        object.__setattr__(self, "command", self.command or self.id)
        if self.size is None:
            object.__setattr__(self, "size", self.cells)

    def run(self, spec: Any, out: Path, running: Running | None = None) -> Any:
        """Measure and write the result folder; what an earlier run of the same texts has reached is used again.

        Raises a `PsaError` for input that cannot be used (nothing is written), `Cancelled` when asked to stop.
        """
        writing.check_target(out)
        running = replace(running or Running(), out=out)
        result = self.measure(spec, running)
        running.tell("Writing the results")
        self.write(result, out)
        self.finished(out)
        return result

    def write(self, result: Any, folder: Path) -> None:
        """Write every file of a result folder, or none."""
        _write(self._contents(result), folder)

    def _contents(self, result: Any) -> dict[str, Any]:
        """Every file of a result folder by its name: a table, or a text."""
        files = {
            name: content if isinstance(content, pd.DataFrame) else results.json_text(content)
            for name, content in self.files(result).items()
        }
        manifest = results.json_text({**result.manifest, "audit": self.id})
        return {writing.MANIFEST: manifest, **files, results.REPORT: self.page_of(result)}

    def page_of(self, result: Any) -> str:
        """The text of ``report.html``."""
        commands = self.commands(result.manifest)
        return framed(replace(self.report(result), provenance=result.manifest, commands=commands))

    def read(self, folder: Path) -> Any:
        """Open a result folder; `RunFolderError` when it is another folder, or a file is missing or damaged."""
        manifest = manifests.read(Path(folder) / writing.MANIFEST, self.kinds)
        if manifest.get("audit") != self.id:
            other = "another study" if "targets" in manifest else "another folder"
            got = f"the audit {str(manifest['audit'])[:40]}" if manifest.get("audit") else other
            raise RunFolderError("result folder", got=got, expected=f"one that `psa {self.command}` writes")
        with self._damages():
            return self.load(Path(folder), manifest)

    def rewrite(self, folder: Path, to: Path) -> None:
        """Open an untrusted folder and write a new one from its data: none of its files is kept.

        Raises `RunFolderError` when it is another folder, damaged, or larger than a run may be.
        """
        result = self.read(folder)
        limits.RUN_CELLS.check(self.cells(result), field="zip", error=RunFolderError)
        with self._damages():
            contents = self._contents(self.rebuild(result, folder))
        _write(contents, to)

    @contextmanager
    def _damages(self) -> Iterator[None]:
        """Report what goes wrong while a folder is read as damage, in one sentence."""
        try:
            yield
        except RunFolderError:
            raise
        except (*results.DAMAGES, *archives.FAULTS) as error:
            got = f"a file missing or damaged ({type(error).__name__}: {error})"[:300]
            expected = f"the files that `psa {self.command}` writes"
            raise RunFolderError("result folder", got=got, expected=expected) from error

    def commands(self, manifest: Mapping[str, Any]) -> list[str]:
        """The command that runs the audit again, for the report.

        A model that does more than compute is not named in it: the manifest may be a stranger's, and a command is
        copied without being read.
        """
        if not manifest.get("options"):
            return []
        inputs = manifest.get("inputs", {}).get("sentences", {})  # of audits before the options held all
        known = {"sentences": inputs.get("source"), **manifest.get("options", {})}
        fields = options.fields_of(self.spec)
        unnamed = {
            name: item.text(known[name])
            for name, item in fields.items()
            if item.option.model and known.get(name) and not _is_plain(item, known[name])
        }
        words = options.as_arguments(self.spec, known | {name: name.upper() for name in unnamed})
        line = f"psa {self.command} {shlex.join(words)} --out again"
        named = "; ".join(f"{name.upper()}: {model!r}" for name, model in unnamed.items())
        return [line, f"\n\n# To be named by you, if you know it: {named}"] if named else [line]


def _write(contents: Mapping[str, Any], folder: Path) -> None:
    """Write a result folder, or nothing of it."""
    tables = {name: content for name, content in contents.items() if isinstance(content, pd.DataFrame)}
    with writing.atomic_directory(folder) as aside:
        for name, content in contents.items():
            if name not in tables:
                (aside / name).write_text(content, encoding="utf-8")
            elif name.endswith(".csv"):
                spreadsheet.write(content, aside / name)
            else:
                content.to_parquet(aside / name, index=False)
        if "sentences.csv" in tables:  # a study's folder, which other programs read by its description
            safe = {
                name: table.rename(columns=spreadsheet.neutral) if name.endswith(".csv") else table
                for name, table in tables.items()
            }
            results.write_json(aside / datapackage.FILE, datapackage.describe(aside, safe))


def _is_plain(item: options.Field, value: Any) -> bool:
    """Whether loading some models does nothing but compute."""
    needs = generators.needs if item.option.model == "generator" else models.needs
    try:
        return not any(needs(model) for model in item.text(value).split(",") if model)
    except PsaError:  # a plug-in that is not here
        return False


def unzip(content: bytes, folder: Path) -> None:
    """Unpack the data files of a zipped result folder from an untrusted source; see `archives.unpack`."""
    archives.unpack(content, folder, lambda name: name.endswith(SUFFIXES))
