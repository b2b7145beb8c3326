"""Every audit as a command: its options are those of its specification."""

from __future__ import annotations

import argparse
import shutil
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from psa_core import audits, jobs, options
from psa_core.asking.records import write_requests
from psa_core.audits import Audit, Export
from psa_core.audits._running import Running
from psa_core.cli._base import Command, tell
from psa_core.errors import OptionError
from psa_core.folders import writing
from psa_core.inputs import spreadsheet
from psa_core.jobs.worker import Job
from psa_core.plurals import counted


def commands() -> dict[str, Command]:
    """One command an audit, by what it is called."""
    return {
        audit.command: Command(audit.command, audit.summary, partial(_configure, audit), partial(_execute, audit))
        for audit in audits.plugins().values()
    }


def _configure(audit: Audit, parser: argparse.ArgumentParser) -> None:
    options.add_arguments(parser, audit.spec)
    if audit.export:
        file: dict[str, Any] = (
            {"action": "store_true"} if audit.export.into_out else {"metavar": "FILE.csv", "type": Path}
        )
        parser.add_argument(audit.export.flag, dest="export", help=audit.export.help, **file)
    parser.add_argument("--out", metavar="DIR", type=Path, help="result folder: new, empty, or one to continue")
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)


def _execute(audit: Audit, given: argparse.Namespace) -> int:
    if given.job is not None:
        return _as_job(audit, given)
    spec = options.from_arguments(audit.spec, given)
    if audit.export and given.export:
        file = _out(given) if audit.export.into_out else given.export
        print(f"{counted(_export(audit.export, spec, file), audit.export.what)} in {file}")
        return 0
    result = audit.run(spec, _out(given), Running(tell=tell))
    print(f"{counted(audit.size(result), audit.counts)}: results in {given.out}")
    for finding in audit.report(result).findings:
        print(finding.headline)
    return 0


def _as_job(audit: Audit, given: argparse.Namespace) -> int:
    """The audit in a worker process: its folder receives the progress and, on the way, smaller results."""
    job = Job(given.job)

    def publish(result: Any) -> None:
        with suppress(OptionError):  # a failed preview must not end the run
            audit.write(result, given.job / jobs.SO_FAR)

    def work() -> int:
        running = Running(job.tell, job.show, job.should_stop, job.allow, publish=publish)
        result = audit.run(options.from_arguments(audit.spec, given), _out(given), running)
        shutil.rmtree(given.job / jobs.SO_FAR, ignore_errors=True)
        return audit.size(result)

    return job.supervise(work)


def _out(given: argparse.Namespace) -> Path:
    if given.out is None:
        raise OptionError("--out", got="nothing", expected="a value", fix=f"See psa {given.command} --help.")
    return Path(given.out)


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
