"""A Python function, or an object that scores, as a scorer; and what its answers depend on, as far as can be seen."""

from __future__ import annotations

import dis
import functools
import re
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import as_texts
from psa_core.models._answers import FoundRange, as_scores, as_targets, by_target, columns_of, reason
from psa_core.models._base import Scorer, digest

DECLARE = "give the function an attribute targets = [{'name': …, 'low': …, 'high': …}]"
#: Stands for a range that is found when everything is scored.
MAX_VALUE = float(np.finfo(np.float32).max)
#: Modules that only compute: what a function takes from them is known by their name and version.
COMPUTING = frozenset(
    {"collections", "functools", "itertools", "math", "numpy", "operator", "pandas", "re", "scipy", "statistics"}
    | {"string", "typing", "unicodedata", "__future__"}
)
#: Words in a function's code that say that its answers depend on something outside, or on chance.
OUTSIDE = frozenset({"open", "input", "eval", "exec", "compile", "__import__", "globals", "random", "default_rng"})


@dataclass(frozen=True)
class FunctionScorer:
    """A function from a list of texts to an array (len(texts), T), or (len(texts),) for one target.

    Where its answer names its columns (a data frame, a mapping from target to numbers, a mapping a text), these are
    taken by name. It is `cacheable` if the fingerprint is known to change when the answers would; where no range was
    declared, `found_targets` gives the targets' ranges from the scores.
    """

    function: Callable[[list[str]], Any] = field(repr=False)
    name: str
    fingerprint: str
    targets: tuple[Target, ...]
    cacheable: bool = True
    range_declared: bool = True

    def score(self, texts: Sequence[str]) -> np.ndarray:
        texts = as_texts(texts)
        if not texts:
            return np.empty((0, len(self.targets)), np.float32)
        answer = _asked(self.function, texts, self.name)
        table = by_target(answer, targets=self.targets, source=self.name)
        return as_scores(table, texts, targets=self.targets, source=self.name, declare=DECLARE)


def from_callable(model: Any, texts: Sequence[str], targets: Any = None) -> Scorer:
    """A scorer from a function of texts, or from an object with ``score``, ``targets`` and ``fingerprint``.

    Parameters
    ----------
    model : callable or scorer
        A function takes a list of texts and returns numbers (n,), an array (n, T), a mapping from target to numbers,
        a data frame or a mapping a text. Its attributes ``targets`` and ``fingerprint``, if any, are taken.
    texts : sequence of str
        A function that does not say what it returns is asked about the first two.
    targets : optional
        What it returns: names, mappings with name, low, high and meaning, or Targets. Ranges that nobody declares are
        found from the scores; see `found_targets`.

    Raises
    ------
    ModelError
        When it is neither, or does not answer with numbers.
    """
    name = name_of(model)
    if callable(getattr(model, "score", None)) and hasattr(model, "targets") and hasattr(model, "fingerprint"):
        return checked_scorer(model, name)
    if not callable(model) or isinstance(model, type):
        expected = "an id, a function of a list of texts, or an object with score, targets and fingerprint"
        raise ModelError("model", got=f"a {type(model).__name__}", expected=expected)
    described = getattr(model, "targets", None) if targets is None else targets
    found = _columns_found(model, texts, name) if described is None else as_targets(described, source=name)
    declared = getattr(model, "fingerprint", None)
    known = declared if isinstance(declared, str) and declared else what_it_depends_on(model)
    ranges = [(target.name, target.low, target.high) for target in found]
    fingerprint = digest([known, repr(ranges)]) if known else f"unknown-{secrets.token_hex(8)}"
    return FunctionScorer(model, name, f"python:{fingerprint}", found, bool(known), described is not None)


def found_targets(targets: Iterable[Target], scores: np.ndarray) -> tuple[Target, ...]:
    """Targets with the range and the threshold that their scores (R, T) suggest; [0, 1] or [-1, 1] where they fit."""
    ranges = map(FoundRange.of, np.asarray(scores, np.float64).T)
    return tuple(
        replace(target, low=found.low, high=found.high, threshold=found.threshold)
        for target, found in zip(targets, ranges, strict=True)
    )


def checked_scorer(scorer: Any, name: str) -> Scorer:
    """A scorer object, checked before anything is scored; one that shows its steps stays as fast as it is."""
    targets = as_targets(scorer.targets, source=name)
    fingerprint = scorer.fingerprint
    if not isinstance(fingerprint, str) or not fingerprint:
        got = f"the fingerprint {fingerprint!r}"
        raise ModelError(name, got=got, expected="a text that changes when the answers would")
    if callable(getattr(scorer, "tokenize", None)) and targets == tuple(scorer.targets):
        shown: Scorer = scorer
        return shown
    return FunctionScorer(scorer.score, name, fingerprint, targets)


def name_of(model: Any) -> str:
    """Module and name of a function, or of an object's class: ``__main__:score``."""
    named = model if hasattr(model, "__qualname__") else type(model)
    return f"{getattr(named, '__module__', None) or '__main__'}:{named.__qualname__}"


def _columns_found(function: Callable[[list[str]], Any], texts: Sequence[str], name: str) -> tuple[Target, ...]:
    """Targets without a known range, by the columns of the answer to the first texts."""
    few = as_texts(texts)[:2]
    answer = _asked(function, few, name)
    columns = columns_of(answer)
    if columns is not None:
        labels = [str(label) for label, _ in columns]
        counted = labels == [str(number) for number in range(len(labels))]
    else:
        shape = np.shape(answer)
        labels, counted = [""] * (shape[1] if len(shape) == 2 else 1), True
    if counted:
        labels = ["score"] if len(labels) == 1 else [f"score_{number}" for number in range(1, len(labels) + 1)]
    found = as_targets([{"name": label, "low": -MAX_VALUE, "high": MAX_VALUE} for label in labels], source=name)
    as_scores(by_target(answer, targets=found, source=name), few, targets=found, source=name, declare=DECLARE)
    return found


def _asked(function: Callable[[list[str]], Any], texts: Sequence[str], name: str) -> Any:
    try:
        answer = function(list(texts))  # a list of its own, which it may change
        return list(answer) if isinstance(answer, Iterator) else answer
    except (Exception, SystemExit) as error:  # whatever the user's code raises, it is the user's to mend
        got = f"{type(error).__name__}: {reason(error)}"
        raise ModelError(name, got=got, expected="scores", fix=where(error)) from error


def where(error: BaseException) -> str:
    """The line of the user's code that raised."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return f"See {last.tb_frame.f_code.co_filename}, line {last.tb_lineno}." if last is not None else ""


#: Values met before, by their identity: the number of each, and the value, so that no other takes its identity.
Seen = dict[int, tuple[int, Any]]


class _UnseenError(Exception):
    """Something whose state or code cannot be seen from here."""


def what_it_depends_on(function: Any) -> str:
    """Digest of a function's code and of every value that the code uses; empty where one of them cannot be seen.

    Seen are numbers, texts, collections, arrays, compiled patterns, other functions, scorers by their fingerprint and
    modules that only compute. A model, a file, an address or a generator of random numbers is not.
    """
    try:
        return digest(_described(function, {}))
    except _UnseenError:
        return ""


def _described(value: Any, seen: Seen) -> Iterator[str]:
    """Texts that differ where values do."""
    if value is None or value is ... or isinstance(value, bool | int | float | complex | str | bytes | np.generic):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, re.Pattern):
        yield f"pattern {value.flags} {value.pattern!r}"
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        yield f"array {value.dtype} {value.shape} {value.tobytes().hex()}"
    elif id(value) in seen:
        yield f"value {seen[id(value)][0]}"
    elif isinstance(value, tuple | list | Mapping):
        seen[id(value)] = (len(seen), value)
        yield f"{type(value).__name__} {len(value)}"
        for item in value.items() if isinstance(value, Mapping) else value:
            yield from _described(item, seen)
    elif isinstance(value, set | frozenset):
        yield from sorted(" ".join(_described(item, seen)) for item in value)
    elif isinstance(getattr(value, "fingerprint", None), str):
        yield f"fingerprint {value.fingerprint}"
    elif isinstance(value, functools.partial):
        yield from _described((value.func, value.args, dict(value.keywords)), seen)
    elif isinstance(value, ModuleType) or _root(value) in COMPUTING:
        root = _root(value)
        if root not in COMPUTING:
            raise _UnseenError
        version = getattr(sys.modules.get(root), "__version__", "")
        yield f"{getattr(value, '__module__', '')} {getattr(value, '__name__', '')} {version}"
    elif isinstance(value, BuiltinFunctionType) and value.__module__ == "builtins" and value.__name__ not in OUTSIDE:
        yield f"builtin {value.__name__}"
    elif isinstance(value, FunctionType):
        seen[id(value)] = (len(seen), value)
        yield from _described_function(value, seen)
    else:
        raise _UnseenError


def _described_function(function: FunctionType, seen: Seen) -> Iterator[str]:
    names, codes = set(), [function.__code__]
    for code in codes:
        codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]  # functions inside of it
        yield code.co_code.hex()
        names |= set(code.co_names)
        imported = {str(step.argval) for step in dis.get_instructions(code) if step.opname == "IMPORT_NAME"}
        if OUTSIDE & set(code.co_names) or any(name.partition(".")[0] not in COMPUTING for name in imported):
            raise _UnseenError
        yield " ".join(code.co_names)
        yield from _described([item for item in code.co_consts if not isinstance(item, CodeType)], seen)
    yield from _described((function.__defaults__, function.__kwdefaults__), seen)
    for cell in function.__closure__ or ():
        try:
            yield from _described(cell.cell_contents, seen)
        except ValueError as error:  # a variable that has no value yet
            raise _UnseenError from error
    for name in sorted(names & set(function.__globals__)):
        yield name
        yield from _described(function.__globals__[name], seen)


def _root(value: Any) -> str:
    """The package that a module, a function or a class is in; empty for other things."""
    if not isinstance(value, ModuleType | FunctionType | BuiltinFunctionType | type | np.ufunc):
        return ""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return "numpy" if isinstance(value, np.ufunc) else str(name or "").partition(".")[0]
