"""Title and start time of a run."""

from __future__ import annotations

from psa_core import atomic
from psa_core.jobs._places import JOB, run_path
from psa_core.jobs._records import keeping

FILE = "title.txt"
MAX_TITLE_LENGTH = 60


def title(run_id: str) -> str:
    """The title that somebody gave a run; empty where nobody has, or where it is damaged.

    Raises
    ------
    RunFolderError
        When there is no such run.
    """
    path = run_path(run_id) / FILE
    try:
        return _one_line(path.read_text(encoding="utf-8")) if path.is_file() else ""
    except (OSError, UnicodeDecodeError):
        return ""


def give_title(run_id: str, words: str) -> None:
    """Call a run by a title of one line; an empty one takes the title away.

    Raises
    ------
    RunFolderError
        When there is no such run, or it cannot be written.
    """
    place = run_path(run_id)
    with keeping():
        if _one_line(words):
            atomic.write(place / FILE, _one_line(words))
        else:
            (place / FILE).unlink(missing_ok=True)


def started(run_id: str) -> float:
    """When a run was asked for, in seconds since 1970; 0 when that is not known."""
    try:
        return (run_path(run_id) / JOB).stat().st_mtime
    except OSError:
        return 0.0


def _one_line(words: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in words).split())[:MAX_TITLE_LENGTH]
