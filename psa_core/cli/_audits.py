"""Every audit as a command: its options are those of its specification."""

from __future__ import annotations

import argparse
import shutil
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from psa_core import audits, jobs
from psa_core.asking.records import write_requests
from psa_core.audits import Audit, Export
from psa_core.audits._running import Running
from psa_core.cli._base import JOB, Command, tell
from psa_core.errors import OptionError
from psa_core.folders import writing
from psa_core.inputs import spreadsheet
from psa_core.jobs.worker import Job
from psa_core.options import option
from psa_core.plurals import counted


def commands() -> dict[str, Command]:
    """One command an audit, by what it is called."""
    return {
        audit.command: Command(
            audit.command,
            audit.summary,
            partial(_execute, audit),
            audit.spec,
            more=partial(_add_export, audit.export) if audit.export else lambda parser: None,
        )
        for audit in audits.plugins().values()
    }


def _add_export(export: Export, parser: argparse.ArgumentParser) -> None:
    file: dict[str, Any] = {"action": "store_true"} if export.into_out else {"metavar": "FILE.csv", "type": Path}
    parser.add_argument(export.flag, dest="export", help=export.help, **file)


def _execute(
    audit: Audit,
    given: dict[str, Any],
    export: Any = None,
    out: Path | None = option(None, metavar="DIR", help="result folder: new, empty, or one to continue"),
    job: Path | None = JOB,
) -> int:
    if job is not None and out is not None:
        return _as_job(audit, given, out, job)
    spec = audit.spec(**given)
    file = out if not export or audit.export is None or audit.export.into_out else export
    if file is None:
        raise OptionError("--out", got="nothing", expected="a value", fix=f"See psa {audit.command} --help.")
    if audit.export and export:
        print(f"{counted(_export(audit.export, spec, file), audit.export.what)} in {file}")
        return 0
    result = audit.run(spec, file, Running(tell=tell))
    print(f"{counted(audit.size(result), audit.counts)}: results in {file}")
    for finding in audit.report(result).findings:
        print(finding.headline)
    return 0


def _as_job(audit: Audit, given: dict[str, Any], out: Path, folder: Path) -> int:
    """The audit in a worker process: its folder receives the progress and, on the way, smaller results."""
    job = Job(folder)

    def publish(result: Any) -> None:
        with suppress(OptionError):  # a failed preview must not end the run
            audit.write(result, folder / jobs.SO_FAR)

    def work() -> int:
        running = Running(job.tell, job.show, job.should_stop, job.allow, publish=publish)
        result = audit.run(audit.spec(**given), out, running)
        shutil.rmtree(folder / jobs.SO_FAR, ignore_errors=True)
        return audit.size(result)

    return job.supervise(work)


def _export(export: Export, spec: Any, file: Path) -> int:
    if export.into_out and (file.suffix.lower() != ".csv" or file.is_dir()):
        raise OptionError("--out", got=str(file), expected="a file name that ends in .csv")
    if export.requests and file.suffix.lower() == ".jsonl":
        with writing.atomic_file(file) as aside, aside.open("w", encoding="utf-8") as stream:
            return write_requests(export.requests(spec), getattr(spec, "lm", "").partition(":")[2], stream)
    table = export.table(spec)
    with writing.atomic_file(file) as aside:
        (spreadsheet.write_exactly if export.exact else spreadsheet.write)(table, aside)
    return len(table)
