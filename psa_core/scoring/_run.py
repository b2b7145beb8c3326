"""Score the cells of a study: distinct texts only, from the cache where known."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from psa_core.cache import CachedScorer, ScoreCache, digests
from psa_core.errors import Cancelled
from psa_core.inputs.checks import as_texts
from psa_core.models import Scorer
from psa_core.scoring._base import Cells, CellScores, Conditions, ScoringOptions
from psa_core.scoring._executors import Executor, open_executor
from psa_core.scoring._ledger import Ledger
from psa_core.scoring._progress import Progress
from psa_core.scoring._until import PrecisionGoal
from psa_core.scoring.backends.choice import choose_backend

# Texts that a backend is verified and calibrated on.
SAMPLE = 96


def score(scorer: Scorer, texts: Sequence[str]) -> np.ndarray:
    """Score texts through the engine, without the cache.

    Parameters
    ----------
    scorer : Scorer
    texts : sequence of str
        Equal texts are scored once.

    Returns
    -------
    float32 array (len(texts), T)
        In the order of the texts.

    Raises
    ------
    CorpusError
        When one of the texts is no string, or they are one string.
    ModelError
        When the scorer's answer has the wrong shape or type, or is not finite.

    Examples
    --------
    >>> from psa_core import models
    >>> score(models.load("vader"), ["I love it.", "I hate it."]).shape
    (2, 1)
    """
    texts = as_texts(texts)
    _, first, where = np.unique(digests(texts), return_index=True, return_inverse=True)
    distinct = [texts[i] for i in first]
    backend = choose_backend(scorer, ScoringOptions(), sample=distinct[:SAMPLE], total=len(distinct))
    return backend.score(backend.read(distinct), _go_on)[where]


def score_slices(scorer: Scorer, texts: Sequence[str], *, seconds: float = 0.25) -> Iterator[np.ndarray]:
    """Score texts through the engine in slices, for a caller that has to be able to stop or to let others in.

    Parameters
    ----------
    scorer : Scorer
    texts : sequence of str
        Better distinct: equal texts of different slices are scored twice.
    seconds : float
        How long a slice should take. The first one is a single text, which tells how many fit.

    Yields
    ------
    float32 array (k, T)
        Scores of the next k texts, in the order of the texts.
    """
    texts = as_texts(texts)
    backend = choose_backend(scorer, ScoringOptions(), sample=texts[:SAMPLE])
    start, size = 0, 1
    while start < len(texts):
        began = time.perf_counter()
        scores = backend.score(backend.read(texts[start : start + size]), _go_on)
        took = time.perf_counter() - began
        yield scores
        start += size
        size = max(1, min(8 * size, int(size * seconds / max(took, 1e-6))))


def score_cells(
    scorer: Scorer,
    perturbation: Cells,
    *,
    options: ScoringOptions | None = None,
    cache: ScoreCache | None = None,
    on_window: Callable[[Progress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> CellScores:
    """Score every sentence as it is and with every name.

    Parameters
    ----------
    scorer : Scorer
        A `CachedScorer` brings its cache along.
    perturbation : Cells
        S sentences, N names.
    options : ScoringOptions, optional
    cache : ScoreCache, optional
        Scores are written to it window by window, so a run that is killed loses at most one.
    on_window : callable, optional
        Called with the progress after each window.
    should_stop : callable, optional
        Asked before each batch.

    Returns
    -------
    CellScores

    Raises
    ------
    Cancelled
        When `should_stop` answered True; finished windows stay in the cache.
    ModelError
        When the scorer does not answer as one must.
    """
    options = options or ScoringOptions()
    if isinstance(scorer, CachedScorer):
        cache = scorer.cache
    inside = scorer.scorer if isinstance(scorer, CachedScorer) else scorer
    run = _Run(inside, perturbation, options, cache if options.use_cache else None)
    run.look_up()
    run.score_missing(on_window or _ignore, should_stop or _never)
    return run.result()


@dataclass
class _Run:
    scorer: Scorer
    cells: Cells
    options: ScoringOptions
    cache: ScoreCache | None
    began: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        key = b"" if self.cache is None else self.cache.key(_fingerprint(self.scorer, self.options))
        self.ledger = Ledger(self.cells, seed=self.options.seed, width=len(self.scorer.targets), key=key)
        self.executor: Executor | None = None
        self.goal = PrecisionGoal(self.options.until_precision, self.options.confidence)
        self.hits = self.texts_scored = 0
        self.scoring_began = self.began

    def look_up(self) -> None:
        if self.cache is not None:
            found, scores = self.cache.read(self.ledger.keys, len(self.scorer.targets))
            ids = np.flatnonzero(found)
            self.ledger.enter(ids, scores[ids])
            self.hits = len(ids)

    def score_missing(self, on_window: Callable[[Progress], None], should_stop: Callable[[], bool]) -> None:
        def check() -> None:
            if should_stop():
                raise Cancelled

        check()
        if len(self.ledger.keys) > self.hits and not self.goal.reached(self.ledger):
            self.executor = executor = self._open_executor()
            self.scoring_began = time.perf_counter()
            windows = self.ledger.windows(lambda: self.options.window_texts or executor.window_texts)
            with closing(executor.stream(windows, check)) as answers:
                for window, scores in answers:
                    self._enter(window.ids, scores)
                    on_window(self._progress())
                    if self.goal.reached(self.ledger):
                        break
        if not self.texts_scored:
            on_window(self._progress())

    def result(self) -> CellScores:
        done = self.ledger.finished if self.goal.stop is None else self.goal.stop
        original, perturbed = self.ledger.cells(done)
        conditions = self._conditions()
        return CellScores(
            original=original,
            perturbed=perturbed,
            order=self.ledger.order[:done].copy(),
            unique_texts=len(self.ledger.keys),
            cache_hits=self.hits,
            texts_scored=self.texts_scored,
            seconds=time.perf_counter() - self.began,
            device=conditions.device,
            backend=conditions.backend,
            precision=conditions.precision,
            texts_truncated=conditions.texts_truncated,
            notes=tuple(filter(None, (*conditions.notes, self.cache.note if self.cache else ""))),
        )

    def _open_executor(self) -> Executor:
        sample = next(self.ledger.windows(lambda: SAMPLE)).texts[:SAMPLE]
        return open_executor(self.scorer, self.options, sample=sample, total=len(self.ledger.keys) - self.hits)

    def _conditions(self) -> Conditions:
        if self.executor is not None:
            return self.executor.conditions()
        device = str(getattr(self.scorer, "device", "cpu"))  # every score was known
        return Conditions(device, "cache", self.options.precision)

    def _enter(self, ids: np.ndarray, scores: np.ndarray) -> None:
        self.ledger.enter(ids, scores)
        self.texts_scored += len(ids)
        if self.cache is not None:
            self.cache.write(self.ledger.keys[ids], scores)

    def _progress(self) -> Progress:
        total = len(self.ledger.keys) - self.hits
        elapsed = time.perf_counter() - self.scoring_began
        rate = self.texts_scored / elapsed if self.texts_scored else 0.0
        return Progress(
            sentences_done=self.ledger.finished,
            sentences_total=len(self.ledger.order),
            texts_done=self.texts_scored,
            texts_total=total,
            seconds=time.perf_counter() - self.began,
            texts_per_second=rate,
            seconds_left=(total - self.texts_scored) / rate if rate else None,
            texts_truncated=self._conditions().texts_truncated,
            _partial=self.result,
        )


def _fingerprint(scorer: Scorer, options: ScoringOptions) -> str:
    """What scores are remembered under: exact ones are the same wherever they are computed, fast ones are not."""
    if options.precision == "exact" or not hasattr(scorer, "device"):
        return scorer.fingerprint
    return f"{scorer.fingerprint} fast on {scorer.device}"


def _go_on() -> None:
    return None


def _ignore(_: Progress) -> None:
    return None


def _never() -> bool:
    return False
