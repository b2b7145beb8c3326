"""The queue of runs: a folder of tickets shared by all server processes and workers.

A ticket is a small file, so the queue outlives servers and workers alike. There is no process that has to be there:
whoever submits, looks at a run or ends one calls `advance`. Visitors take turns: a visitor's second run is
for the next round, so that it comes after the first run of everybody who came before that round began; within a
round, first come is first served. The order does not depend on the clock.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from psa_core import atomic, locks
from psa_core.errors import OptionError
from psa_core.inputs import json_file
from psa_core.inputs.limits import RUNS_AT_ONCE, RUNS_EACH, RUNS_QUEUED
from psa_core.jobs import _places

_TICKET = re.compile(r"(\d{9})\.([A-Za-z0-9_-]{16,32})(\.now)?")


@dataclass(frozen=True)
class Ticket:
    """A run's place in the queue.

    Attributes
    ----------
    run_id : str
    number : int
        Larger for who came later.
    started : bool
        Whether it has been given a worker.
    visitor : str
    turn : int
        The round in which it is served.
    seconds : float or None
        How long it will take; None when nobody knows.
    """

    run_id: str
    number: int
    started: bool
    visitor: str = ""
    turn: int = 0
    seconds: float | None = None

    @property
    def path(self) -> Path:
        """Its file."""
        return _folder() / f"{self.number:09d}.{self.run_id}{'.now' if self.started else ''}"


@contextmanager
def changing() -> Iterator[None]:
    """Keep everybody else from changing the queue for a moment."""
    _places.private_root()
    folder = _folder()
    folder.mkdir(atomic.ONLY_MINE_FOLDER, exist_ok=True)
    with locks.locked(folder / "lock"):
        yield


def tickets() -> list[Ticket]:
    """Every ticket, in the order in which they are served, started ones first."""
    try:
        matches = [match for path in _folder().iterdir() if (match := _TICKET.fullmatch(path.name))]
    except OSError:
        return []
    found = [_read(int(match[1]), match[2], bool(match[3])) for match in matches]
    return sorted(found, key=lambda ticket: (not ticket.started, ticket.turn, ticket.number))


def enter(run_id: str, visitor: str, seconds: float | None) -> None:
    """Queue a run that nobody works on; to be called while `changing`.

    Raises
    ------
    OptionError
        When the visitor, or all visitors together, have as many runs in it as they may.
    """
    present = tickets()
    if any(ticket.run_id == run_id and not ticket.started for ticket in present):
        return
    for ended in (ticket for ticket in present if ticket.run_id == run_id):  # its worker died a moment ago
        ended.path.unlink(missing_ok=True)
    present = [ticket for ticket in present if ticket.run_id != run_id]
    own = [ticket for ticket in present if ticket.visitor == visitor]
    if visitor:  # on one's own machine, and from a program, there is nobody to be fair to
        RUNS_EACH.check(len(own) + 1, field="run", error=OptionError, of="of yours in the queue")
    RUNS_QUEUED.check(len(present) + 1, field="run", error=OptionError, of="in the queue")
    turn = max([_round(present), *(ticket.turn + 1 for ticket in own)])
    number = 1 + max((ticket.number for ticket in present), default=0)
    values = {"visitor": visitor, "turn": turn, "seconds": seconds}
    atomic.write(Ticket(run_id, number, False).path, json.dumps(values))


def leave(run_id: str) -> bool:
    """Take a waiting run out; to be called while `changing`. Returns whether it was waiting."""
    waiting = [ticket for ticket in tickets() if ticket.run_id == run_id and not ticket.started]
    for ticket in waiting:
        ticket.path.unlink(missing_ok=True)
    return bool(waiting)


def advance(start: Callable[[str], bool]) -> None:
    """Clear away the tickets of runs that have ended, and start the next runs while there is room.

    Parameters
    ----------
    start : callable
        Gives a run a worker; returns whether it has one now.
    """
    if not tickets():
        return
    with changing():
        present = tickets()
        running = [ticket for ticket in present if ticket.started and is_worked_on(ticket.run_id)]
        for ticket in present:
            if ticket.started and ticket not in running:
                ticket.path.unlink(missing_ok=True)
        free = RUNS_AT_ONCE.value - len(running)
        for ticket in (ticket for ticket in present if not ticket.started):
            if free <= 0:
                break
            if start(ticket.run_id):
                free -= 1
                ticket.path.rename(f"{ticket.path}.now")
            else:
                ticket.path.unlink(missing_ok=True)


def is_worked_on(run_id: str) -> bool:
    """Whether a process works on a run."""
    return locks.held(_places.root() / run_id / _places.LOCK)


def is_waiting(run_id: str) -> bool:
    """Whether a run is in the queue."""
    return any(ticket.run_id == run_id and not ticket.started for ticket in tickets())


def before(run_id: str, left: Callable[[Ticket], float | None]) -> tuple[int, float | None]:
    """What is before a waiting run: how many runs, and how many seconds; None when that is not known.

    Parameters
    ----------
    run_id : str
    left : callable
        Seconds that a ticket's run still takes.
    """
    ahead = []
    for ticket in tickets():
        if ticket.run_id == run_id:
            break
        ahead.append(ticket)
    seconds = [left(ticket) for ticket in ahead]
    known = [value for value in seconds if value is not None]
    return len(ahead), sum(known) / RUNS_AT_ONCE.value if len(known) == len(seconds) else None


def _round(present: list[Ticket]) -> int:
    """The round that is being served."""
    started = [ticket.turn for ticket in present if ticket.started]
    return max(started) if started else min((ticket.turn for ticket in present), default=0)


def _read(number: int, run_id: str, started: bool) -> Ticket:
    """A ticket; one that is damaged is nobody's and is served in its order of arrival."""
    bare = Ticket(run_id, number, started)
    with suppress(OSError, ValueError, TypeError):
        values = json_file.read(bare.path)
        seconds = values.get("seconds")
        return Ticket(
            run_id,
            number,
            started,
            str(values.get("visitor", "")),
            max(0, int(values.get("turn", 0))),
            None if seconds is None else float(seconds),
        )
    return bare


def _folder() -> Path:
    return _places.root() / _places.QUEUE
