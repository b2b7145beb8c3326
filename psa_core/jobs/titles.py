"""What a person calls a run, and when it was started."""

from __future__ import annotations

import os

from psa_core.errors import RunFolderError
from psa_core.jobs import runs

FILE = "title.txt"
LONGEST_TITLE = 60


def title(run_id: str) -> str:
    """The title that somebody gave a run; empty where nobody has.

    Raises
    ------
    RunFolderError
        When there is no such run.
    """
    try:
        return _one_line((runs.run_path(run_id) / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise RunFolderError(FILE, got="a damaged file", expected="the title of this run") from error


def give_title(run_id: str, words: str) -> None:
    """Call a run by a title of one line; an empty one takes the title away."""
    place = runs.run_path(run_id)
    if not _one_line(words):
        (place / FILE).unlink(missing_ok=True)
        return
    aside = place / f"{FILE}.tmp"
    aside.write_text(_one_line(words), encoding="utf-8")
    os.replace(aside, place / FILE)


def started(run_id: str) -> float:
    """When a run was asked for, in seconds since 1970."""
    return (runs.run_path(run_id) / runs.JOB).stat().st_mtime


def _one_line(words: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in words).split())[:LONGEST_TITLE]
