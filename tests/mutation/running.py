"""Tests against mutants: pytest collects once, then every mutant has a forked process with one function replaced."""

from __future__ import annotations

import functools
import gc
import json
import os
import re
import resource
import select
import signal
import string
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.mutation.operators import Mutant, mutated

MEMORY = 4 << 30
#: A mutant may run for ever: it has this much processor time, and so many times what its tests take without it.
SECONDS, TIMES = 20, 5
#: Seconds, without a mutant, of the tests that a mutant is given beside those of its own room: what ten mutants' users
#: take otherwise is longer than all that is noticed, and a test far away hardly ever notices what the near ones do not.
ELSEWHERE = 15.0
Reached = tuple[str, str]


@dataclass
class Outcome:
    """What became of a mutant: the test that failed, or why none could."""

    mutant: Mutant
    killed_by: str = ""
    tests: int = 0


@dataclass
class Mutations:
    """A pytest plug-in which runs chosen tests once per mutant in place of each test once."""

    root: Path
    chosen: Sequence[Mutant]
    jobs: int
    tell: Callable[[Outcome], None]
    outcomes: list[Outcome] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        runs = _first_runs(session, self.root, self.jobs)
        self.broken = [run.test for run in runs if run.failed]
        sound = [run for run in runs if not run.failed]
        items = {item.nodeid: item for item in session.items}
        todo = list(self.chosen)[::-1]
        at_work: dict[int, tuple[Outcome, int]] = {}
        while todo or at_work:
            while todo and len(at_work) < self.jobs:
                mutant = todo.pop()
                found = _covering(mutant, sound, self.root)
                outcome = Outcome(mutant, tests=len(found))
                if not found:
                    self._done(outcome)
                    continue
                limit = SECONDS + int(TIMES * sum(run.seconds for run in found))
                tests = [items[run.test] for run in found]
                pid, answers = _forked(functools.partial(_against, session, mutant, self.root, tests), limit)
                at_work[answers] = outcome, pid
            for answers in select.select(list(at_work), [], [])[0] if at_work else []:
                outcome, pid = at_work.pop(answers)
                outcome.killed_by = _answer(answers, pid)
                self._done(outcome)
        return True

    def _done(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)
        self.tell(outcome)
        if len(self.outcomes) % 20 == 0:
            noticed = sum(bool(each.killed_by) for each in self.outcomes)
            print(f"{noticed} of {len(self.outcomes)} noticed so far", flush=True)


@dataclass(frozen=True)
class _Run:
    """A test without any mutant: how long it took, and which functions it reached."""

    test: str
    seconds: float
    failed: bool
    reached: frozenset[Reached]


class _Tracer:
    """Notes which functions of the package are called, by test and by fixture."""

    def __init__(self, root: Path) -> None:
        self.package = f"{root}/psa_core/"
        self.reached: set[Reached] = set()
        self.of_fixture: dict[int, set[Reached]] = {}
        self.failed = False

    def __call__(self, frame: types.FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if code.co_filename.startswith(self.package):
            self.reached.add((code.co_filename, code.co_qualname.replace(".<locals>", "")))

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
        before, self.reached = self.reached, set()
        try:
            return (yield)
        finally:
            self.of_fixture[id(fixturedef)] = self.reached
            self.reached = before | self.reached

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed

    def run(self, item: pytest.Item, following: pytest.Item | None) -> dict[str, Any]:
        self.reached, self.failed = set(), False
        started = time.process_time()
        sys.settrace(self)
        threading.settrace(self)
        try:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
        for definitions in item._fixtureinfo.name2fixturedefs.values():  # type: ignore[attr-defined]
            for definition in definitions:
                self.reached |= self.of_fixture.get(id(definition), set())
        seconds = time.process_time() - started
        return {"test": item.nodeid, "seconds": seconds, "failed": self.failed, "reached": sorted(self.reached)}


def _first_runs(session: pytest.Session, root: Path, jobs: int) -> list[_Run]:
    """Every test once, without a mutant, in as many processes as there may be."""
    parts: list[list[pytest.Item]] = [[] for _ in range(jobs)]
    for index, path in enumerate(sorted({item.path for item in session.items})):
        parts[index % jobs] += [item for item in session.items if item.path == path]

    def trace(part: list[pytest.Item]) -> str:
        tracer = _Tracer(root)
        session.config.pluginmanager.register(tracer)
        session.config.option.maxfail = 0
        return json.dumps([tracer.run(*pair) for pair in zip(part, [*part[1:], None], strict=True)])

    started = [_forked(functools.partial(trace, part), 0) for part in parts]
    runs = [run for pid, answers in started for run in json.loads(_answer(answers, pid))]
    return [_Run(run["test"], run["seconds"], run["failed"], frozenset(map(tuple, run["reached"]))) for run in runs]


def _covering(mutant: Mutant, runs: list[_Run], root: Path) -> list[_Run]:
    """Tests that reach the changed function: the mirroring file's, its room's, then others, in each the fastest first.

    What stands outside of functions is reached by whatever reaches any function of the file, and by the tests beside
    the mirroring file's that name it: a constant is read without a call.
    """
    file = f"{root}/{mutant.file}"
    inside = mutant.function
    path = Path(mutant.file).relative_to("psa_core")
    room = f"tests/{path.parts[0]}/" if len(path.parts) > 1 else "tests/"
    mirror = (Path("tests") / path.with_name(f"test_{path.stem.lstrip('_')}.py")).as_posix()
    is_constant = inside.rpartition(".")[2].lstrip("_")[:1] in string.ascii_uppercase  # of the file, or of a class
    naming = {
        found.relative_to(root).as_posix()
        for found in (root / mirror).parent.glob("test_*.py")
        if is_constant and re.search(rf"\b{path.stem}\b", found.read_text(encoding="utf-8"))
    }

    def reaches(run: _Run) -> bool:
        names = (name for path, name in run.reached if path == file)
        is_named = run.test.partition("::")[0] in naming
        return is_named or any(not inside or name == inside or name.startswith(f"{inside}.") for name in names)

    def order(run: _Run) -> tuple[bool, bool, float]:
        return not run.test.startswith(mirror), not run.test.startswith(room), run.seconds

    chosen, elsewhere = [], 0.0
    for run in sorted(filter(reaches, runs), key=order):
        elsewhere += run.seconds if order(run)[1] else 0.0
        if elsewhere <= ELSEWHERE:
            chosen.append(run)
    return chosen


def _against(session: pytest.Session, mutant: Mutant, root: Path, tests: list[pytest.Item]) -> str:
    """The first test that fails with the mutant in place; nothing when none does."""
    _replace(mutant, root)
    failed: list[str] = []

    class Watch:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            failed.extend([report.nodeid] if report.failed else [])

    session.config.pluginmanager.register(Watch())
    for item, following in zip(tests, [*tests[1:], None], strict=True):
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if failed:
            return failed[0]
    return ""


def _replace(mutant: Mutant, root: Path) -> None:
    """Put the mutant's code, defaults and constants where the original's are, in every module that imported them."""
    path = str(root / mutant.file)
    module = next(module for module in list(sys.modules.values()) if getattr(module, "__file__", None) == path)
    changed = types.ModuleType(module.__name__)
    changed.__dict__.update({key: value for key, value in vars(module).items() if key.startswith("__")})
    exec(compile(mutated(mutant, root), path, "exec"), vars(changed))
    originals = _functions(path)
    for key, function in _functions(path, vars(changed)).items():
        for original in originals.get(key, []):
            if len(original.__code__.co_freevars) == len(function[0].__code__.co_freevars):
                original.__code__ = function[0].__code__
                original.__kwdefaults__ = function[0].__kwdefaults__
                if not any(map(_is_own, function[0].__defaults__ or ())):
                    original.__defaults__ = function[0].__defaults__
    for value in vars(module).values():
        if hasattr(value, "cache_clear"):  # what the original answered does not count
            value.cache_clear()
    loaded = [vars(other) for other in list(sys.modules.values()) if isinstance(other, types.ModuleType)]
    for name, value in list(vars(module).items()):
        new = vars(changed).get(name)
        if isinstance(value, type) and isinstance(new, type) and value.__module__ == module.__name__:
            _replace_defaults(value, new)
        if is_dataclass(value) and not isinstance(value, type) and type(new).__qualname__ == type(value).__qualname__:
            for part in (item.name for item in fields(value)):
                if isinstance(getattr(new, part), (int, float, str)):
                    object.__setattr__(value, part, getattr(new, part))
        if isinstance(value, np.ndarray) and np.shape(new) == value.shape and value.flags.writeable:
            value[...] = new
        is_alike = type(new) is type(value) or {type(new), type(value)} == {int, float}
        if isinstance(value, (int, float, str, tuple, frozenset, dict)) and is_alike and new != value:
            for namespace in loaded:
                if (
                    namespace.get("__name__", "").split(".")[0] in ("psa_core", "tests")
                    and namespace.get(name) is value
                ):
                    namespace[name] = new


def _replace_defaults(original: type, changed: type) -> None:
    """Give a class the changed one's plain attributes, and its fields the changed defaults and descriptions."""
    for name, new in list(vars(changed).items()):
        if isinstance(new, (int, float, str, tuple)) and not name.startswith("__") and vars(original).get(name) != new:
            setattr(original, name, new)
    if is_dataclass(original) and is_dataclass(changed):
        if hasattr(shown := vars(changed).get("__repr__"), "__wrapped__"):  # made by the decorator from the fields
            original.__repr__ = shown  # type: ignore[method-assign]
        for mine, other in zip(fields(original), fields(changed), strict=True):
            mine.metadata = other.metadata  # type: ignore[misc]
            if isinstance(other.default, (int, float, str, tuple)):
                mine.default = other.default
        begin, new_begin = vars(original).get("__init__"), vars(changed).get("__init__")
        if isinstance(begin, types.FunctionType) and isinstance(new_begin, types.FunctionType):
            begin.__defaults__, begin.__kwdefaults__ = new_begin.__defaults__, new_begin.__kwdefaults__


def _is_own(default: object) -> bool:
    """Whether a default is an object of the package, of which there is one only."""
    return type(default).__module__.startswith("psa_core")


def _functions(path: str, scope: dict[str, Any] | None = None) -> dict[tuple[str, int], list[Any]]:
    """Functions of a file by their names and lines; those of one namespace, or the ones of all others."""
    found: dict[tuple[str, int], list[Any]] = {}
    for thing in gc.get_objects():
        if type(thing) is types.FunctionType and thing.__code__.co_filename == path:
            is_of_scope = thing.__globals__ is scope
            if is_of_scope == (scope is not None):
                found.setdefault((thing.__qualname__, thing.__code__.co_firstlineno), []).append(thing)
    return found


def _forked(work: Callable[[], str], seconds: int) -> tuple[int, int]:
    """Do the work in a process of its own; its id, and where its answer can be read."""
    answers, answer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(answer)
        return pid, answers
    status = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        if seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            # Not of addresses: what draws SVG reserves many without using them, and would end as if it had noticed.
            resource.setrlimit(resource.RLIMIT_DATA, (_data() + MEMORY,) * 2)
            signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        content = work().encode()
        while content:
            content = content[os.write(answer, content) :]
        status = 0
    finally:
        os._exit(status)


def _data() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * resource.getpagesize()


def _answer(answers: int, pid: int) -> str:
    """What a forked process says, or how it ended."""
    with os.fdopen(answers, "rb") as stream:
        content = stream.read()
    status = os.waitpid(pid, 0)[1]
    return (
        content.decode()
        if status == 0
        else f"ended by signal {os.WTERMSIG(status)}"
        if os.WIFSIGNALED(status)
        else "ended"
    )
