"""Inputs and outputs of the scoring engine."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from psa_core import options
from psa_core.cube import UNANSWERED, Target
from psa_core.errors import ModelError, OptionError
from psa_core.options import option

Precision = Literal["exact", "fast"]
BackendChoice = Literal["auto", "torch", "onnx"]
Check = Callable[[], None]
WINDOW_SECONDS = 2.0


class Cells(Protocol):
    """The texts of a study, made as they are asked for (`psa_core.study.perturbation.Perturbation` is one)."""

    @property
    def names(self) -> Sequence[str]: ...

    def originals(self) -> Sequence[str]: ...

    def row(self, sentence: int, /) -> Sequence[str]:
        """The N perturbed sentences of one sentence, in the order of the names."""
        ...


@dataclass(frozen=True)
class Grid:
    """R rows of C texts with their R originals, as `Cells`; `names` heads the columns."""

    names: Sequence[str]
    first: Sequence[str]
    texts: Sequence[Sequence[str]]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Grid:
        """Texts that have no others beside them."""
        lines = [str(text) for text in texts]
        return cls((), lines, [()] * len(lines))

    def __len__(self) -> int:
        return len(self.texts) * len(self.names)

    def originals(self) -> Sequence[str]:
        return self.first

    def row(self, sentence: int, /) -> Sequence[str]:
        return self.texts[sentence]


@dataclass(frozen=True, eq=False)
class Window:
    """One window of texts to score: ``ids`` (m,) into the ledger, and the m distinct texts."""

    ids: np.ndarray
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Conditions:
    """Where and how scores were computed; the model saw only the beginning of so many texts."""

    device: str
    backend: str
    precision: str
    texts_truncated: int = 0
    notes: tuple[str, ...] = ()

    @classmethod
    def joined(cls, every: Sequence[Conditions]) -> Conditions:
        """Those of scores that were computed in several places; they are exact where all are."""
        return cls(
            device=" + ".join(dict.fromkeys(each.device for each in every)),
            backend=" + ".join(dict.fromkeys(each.backend for each in every)),
            precision="exact" if all(each.precision == "exact" for each in every) else "fast",
            texts_truncated=sum(each.texts_truncated for each in every),
            notes=tuple(dict.fromkeys(note for each in every for note in each.notes)),
        )


class Backend:
    """One way to score texts on one device, a window after the other; `RayExecutor` spreads windows over several.

    ``window_texts`` are about as many texts as take two seconds (`WINDOW_SECONDS`).
    """

    window_texts: int
    name: str
    device: str = "cpu"
    precision: str = "exact"
    truncated: int = 0
    notes: tuple[str, ...] = ()

    def read(self, texts: Sequence[str]) -> Any:
        """Whatever can be done ahead, in another thread, while the device is busy."""
        return texts

    def score(self, reading: Any, check: Check) -> np.ndarray:
        """Scores of distinct texts that were read: float32 (m, T); calls `check` between batches, which may raise."""
        raise NotImplementedError

    def conditions(self) -> Conditions:
        """Those so far."""
        return Conditions(self.device, self.name, self.precision, self.truncated, self.notes)

    def stream(self, windows: Iterator[Window], check: Check) -> Generator[tuple[Window, np.ndarray]]:
        """Each window with its scores (m, T), in turn; on a device the next one is read meanwhile."""
        if self.device == "cpu":  # reading ahead would take the processor from the model
            for window in windows:
                yield window, self.score(self.read(window.texts), check)
            return
        with ThreadPoolExecutor(1, thread_name_prefix="read-ahead") as pool:
            read = ((window, self.read(window.texts)) for window in windows)
            ahead = pool.submit(next, read, None)
            while (ready := ahead.result()) is not None:
                ahead = pool.submit(next, read, None)
                yield ready[0], self.score(ready[1], check)


@dataclass(frozen=True)
class ScoringOptions:
    """How to score the cells of a study.

    `seed` is that of the sentences' random order; `window_texts` are the distinct texts between two commits of scores
    (None: about two seconds' worth). ``exact`` scores are float32,
    within 1e-5 of one text at a time; ``fast`` ones may use the device's shorter formats, and say how far they are off.
    The `backend` ``auto`` is the fastest that is installed and verified; the `executor` is ``local``, ``ray`` (a
    cluster of this machine) or ``ray:<address>``. With `until_precision` scoring stops as soon as every name's
    ScoreSens has a 95 % confidence interval narrower than this, for every target. Raises `OptionError` when a value is
    out of its range.
    """

    seed: int = option(0)
    window_texts: int | None = option(None, low=1)
    precision: Precision = option("exact")
    backend: BackendChoice = option("auto")
    executor: str = option("local")
    until_precision: float | None = option(None, above=0)

    def __post_init__(self) -> None:
        options.check(self)
        if self.executor.partition(":")[0] not in ("local", "ray"):
            raise OptionError("--executor", got=repr(self.executor), expected="local, ray or ray:<address>")


@dataclass(frozen=True, eq=False, kw_only=True)
class CellScores(Conditions):
    """Scores of a study's cells and what they took.

    ``original`` (S, T) and ``perturbed`` (S, N, T) are NaN for sentences that are not finished. ``order`` (k,) has the
    finished ones in the seeded random order in which they were scored; any prefix of it is an unbiased sample. Of the
    ``unique_texts`` among all S * (N + 1), ``cache_hits`` were known and ``texts_scored`` given to the model, which cut
    ``texts_truncated`` at its length limit. ``notes`` are what a reader should know: a measured difference, a damaged
    cache, a smaller batch.
    """

    original: np.ndarray
    perturbed: np.ndarray
    order: np.ndarray
    unique_texts: int
    cache_hits: int
    texts_scored: int
    seconds: float

    @property
    def finished(self) -> np.ndarray:
        """Positions of the finished sentences, ascending: int array (k,)."""
        return np.sort(self.order)


def checked(scores: object, rows: int, targets: Sequence[Target], *, scorer: str) -> np.ndarray:
    """Scores as a float32 array (rows, T), or `ModelError` when the scorer did not answer as one must.

    A score may be missing (NaN) only where one of the targets says how much was not answered.
    """
    array, width = np.asarray(scores), len(targets)
    if array.dtype.kind not in "fiu":
        raise ModelError("scores", got=f"values of type {array.dtype} from {scorer}", expected="numbers")
    if array.shape != (rows, width):
        raise ModelError(
            "scores",
            got=f"an array of shape {array.shape} from {scorer}",
            expected=f"{(rows, width)}: one row per text, one column per target",
        )
    may_miss = any(target.name.endswith(UNANSWERED) for target in targets)
    usable = ~np.isinf(array) if may_miss else np.isfinite(array)
    if not usable.all():
        row = int(np.flatnonzero(~usable.all(axis=1))[0])
        raise ModelError(
            "scores",
            got=f"a missing or infinite score for text {row + 1} of {rows} from {scorer}",
            expected="a finite number for every text",
        )
    return array.astype(np.float32, copy=False)


def _no_cells() -> CellScores:
    raise NotImplementedError("nothing was scored cell by cell")


@dataclass(frozen=True, eq=False)
class Progress:
    """The state of a run after one more window of texts.

    ``texts_done`` of ``texts_total`` distinct texts went through the model; known ones are not counted. A rate of 0 and
    no ``seconds_left`` stand before its first answer; ``texts_truncated`` were cut at its length limit. ``partial()``
    gives the scores of the finished sentences, others NaN; it is valid only until the window returns. `words` say how
    far it is where the numbers of texts do not.
    """

    sentences_done: int
    sentences_total: int
    texts_done: int
    texts_total: int
    seconds: float
    texts_per_second: float
    seconds_left: float | None
    texts_truncated: int = 0
    words: str = ""
    partial: Callable[[], CellScores] = field(default=_no_cells, repr=False, kw_only=True)


@dataclass(frozen=True)
class Watch:
    """What long work calls on its way: for its progress, for stopping it, and for whether it is too large."""

    #: Takes what is being done now, in words.
    tell: Callable[[str], None] = lambda _: None
    #: Takes the progress of the scoring, the training or the generation.
    on_window: Callable[[Progress], None] | None = None
    should_stop: Callable[[], bool] | None = None
    #: Takes the number of cells before one is scored, and raises where they are too many.
    allow: Callable[[int], None] = lambda _: None
