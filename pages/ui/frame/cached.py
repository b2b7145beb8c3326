"""Cached library calls, bounded and keyed by ids; a data frame is never a cache key."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.frame import visitor
from pages.ui.frame.page_scoring import Answer, PageScorer
from psa_core import anchors, audits, jobs, models, tables
from psa_core.anchors import AnchorFinder
from psa_core.cube import ScoreCube
from psa_core.inputs import names as name_lists
from psa_core.inputs.limits import OPENED
from psa_core.inputs.names import NameList
from psa_core.models import ModelCard, Purpose, Scorer
from psa_core.study import StudySpec, execute, plan
from psa_core.trust import Origin

T = TypeVar("T")
EXAMPLE = StudySpec(sentences="sample", names="demo", model="profanity-check")
_EXAMPLES: set[str] = set()


class SizedCache(Generic[T]):
    """One version of each item for all sessions; above `limit` bytes the least recently used is evicted first.

    `size` gives the bytes of one item; the newest is kept even where it is larger than the limit.
    """

    def __init__(self, limit: int, size: Callable[[T], int]) -> None:
        self._limit, self._size = limit, size
        self._kept: dict[str, tuple[Hashable, T, int]] = {}  # oldest use first
        self._lock, self._making = threading.Lock(), threading.Lock()

    def get(self, key: str, version: Hashable, make: Callable[[], T]) -> T:
        """The item of that key and version; if missing, it is made and replaces any other version."""
        if (found := self._find(key, version)) is None:
            with self._making:  # sessions that ask for the same at once wait for one of them
                if (found := self._find(key, version)) is None:
                    value = make()
                    found = version, value, self._size(value)
                    with self._lock:
                        self._kept[key] = found
                        while len(self._kept) > 1 and sum(size for *_, size in self._kept.values()) > self._limit:
                            del self._kept[next(iter(self._kept))]
        return found[1]

    def _find(self, key: str, version: Hashable) -> tuple[Hashable, T, int] | None:
        with self._lock:
            found = self._kept.pop(key, None)
            if found is None or found[0] != version:
                return None
            self._kept[key] = found
            return found


def bytes_of(held: Any) -> int:
    """Memory that a result takes, about: beside few scores there can be long texts, many groups, a large manifest."""
    if isinstance(held, pd.DataFrame):
        return int(held.memory_usage(deep=True).sum())
    if isinstance(held, np.ndarray) and held.dtype != object:
        return held.nbytes
    if is_dataclass(held):
        return sum(bytes_of(getattr(held, item.name)) for item in fields(held))
    if isinstance(held, Mapping):
        return sum(map(bytes_of, chain(held, held.values())))
    if isinstance(held, list | tuple | np.ndarray):
        return sum(map(bytes_of, held.ravel() if isinstance(held, np.ndarray) else held))
    return sys.getsizeof(held)


@cache
def _opened(kind: str) -> SizedCache[Any]:
    """What is open of a kind: studies, and audits, which wait for each other no more than needed."""
    return SizedCache(OPENED.value // 2, bytes_of)


def cube(run_id: str) -> ScoreCube:
    """The cube of a run; while it is running, of the sentences finished so far."""
    status = jobs.status(run_id)

    def read() -> ScoreCube:
        with st.spinner("Opening the study", show_time=True):
            return jobs.open_cube(run_id)

    found: ScoreCube = _opened("study").get(run_id, (status.state, status.sentences_done), read)
    return found


def audit(audit_id: str, run_id: str, folder: Path) -> Any:
    """The result of an audit in a folder; `run_id` identifies it and changes when it is replaced."""

    def read() -> Any:
        with st.spinner("Opening the audit", show_time=True):
            return audits.plugins()[audit_id].read(folder)

    return _opened("audit").get(f"{audit_id} {run_id}", str(folder), read)


def scorer(model_id: str, origin: Origin | None = None) -> PageScorer:
    """A loaded model, with the rights of the page's visitor unless `origin` is given.

    The server's own process loads small packaged models only, one for all sessions. Any other is asked in a process
    apart: what somebody chose can be large, or slow without an end, and a language model takes a gigabyte.
    """
    origin = visitor.origin() if origin is None else origin
    checked = models.check(model_id, origin)
    if visitor.is_harmless(checked):
        return PageScorer(_scorer(checked, origin))
    from psa_core.scoring import subprocess_scorer

    with st.spinner("Loading the model", show_time=True):
        return PageScorer(subprocess_scorer.load(checked, origin))


@st.cache_resource(max_entries=4, show_spinner="Loading the model", show_time=True)
def _scorer(model_id: str, origin: Origin) -> Scorer:
    if not models.is_asked(model_id) and not models.measures_perplexity(model_id):
        return models.load(model_id, origin=origin)
    from psa_core.scoring import subprocess_scorer

    return subprocess_scorer.load(model_id, Origin.OWN_MACHINE)  # packaged: nobody's rights matter, all share it


@st.cache_resource(max_entries=8, show_spinner="Loading the anchor finder", show_time=True)
def finder(spec: str) -> AnchorFinder:
    """An anchor finder; what is read here may be named by a file, so nothing is loaded from a folder."""
    return anchors.finder(spec, origin=Origin.FILE)


@st.cache_data(max_entries=1, show_spinner=False)
def model_cards() -> tuple[ModelCard, ...]:
    """The models that can be used at once: those for a first look, the others, those for demonstrations."""

    def place(card: ModelCard) -> int:
        if Purpose.FIRST_LOOK in card.good_for:
            return 0
        return 3 if Purpose.DEMONSTRATION in card.good_for else 1 + (":" in card.id)

    return tuple(sorted(models.cards(), key=place))


@st.cache_resource(max_entries=16, show_spinner=False)
def names(list_id: str) -> NameList:
    return name_lists.load(list_id, origin=Origin.FILE)


def scores(model_id: str, texts: tuple[str, ...]) -> np.ndarray:
    """Scores of the first k of a few texts, float32 (k, T): all of them unless `PAGE_SECONDS` were over.

    They are kept for their visitor alone: whether an answer comes at once tells nothing of others' texts.
    """
    return scorer(model_id).go_on(_answer(visitor.key(), model_id, texts), texts)


def are_scored(model_id: str, texts: tuple[str, ...]) -> bool:
    """Whether `scores` has these at once: all, or as many as there was time for."""
    return _answer(visitor.key(), model_id, texts).seconds > 0


@st.cache_resource(max_entries=512, show_spinner=False)
def _answer(whose: str, model_id: str, texts: tuple[str, ...]) -> Answer:
    return Answer()  # which the calls with these texts go on with


def kept_scores(loaded: PageScorer, texts: Sequence[str], *, owner: str | None = None) -> np.ndarray:
    """Scores of a few texts by a loaded model, float32 (len(texts), T), remembered on the disk for their visitor.

    Outside of a page's own thread `owner` says who that is. Raises `ModelError` when `PAGE_SECONDS` were over; what was
    scored until then is remembered.
    """
    from psa_core.cache import CachedScorer, ScoreCache

    of_visitor = ScoreCache(owner=visitor.key() if owner is None else owner)
    return loaded.finish(Answer(), texts, CachedScorer(loaded.scorer, of_visitor))


@st.cache_data(max_entries=256, show_spinner="Measuring", show_time=True)
def measured(what: str, *about: Hashable, _measure: Callable[[], T]) -> T:
    """What `_measure` finds, once for all sessions; `what` and `about` name what it is and of which result."""
    return _measure()


@st.cache_data(max_entries=64, show_spinner=False)
def name_table(run_id: str, target: str, baseline: str, _cube: ScoreCube, *, sentences: int) -> pd.DataFrame:
    """`tables.name_table` of a run that has scored so many sentences."""
    return tables.name_table(_cube, target, baseline=baseline)


def example_run() -> str:
    """The run id of the example study: scored in place the first time, then shared by all sessions."""
    run_id = _example_run()
    if not Path(jobs.root() / run_id).is_dir():  # the folder was tidied away under a running server
        _example_run.clear()
        run_id = _example_run()
    return run_id


def is_example(run_id: str) -> bool:
    """Whether a run is the example study, which all sessions share."""
    return run_id in _EXAMPLES


@st.cache_resource(max_entries=1, show_spinner=False)
def _example_run() -> str:
    from psa_core import report

    example = execute(plan(EXAMPLE), scorer(EXAMPLE.model).scorer)
    run_id = jobs.keep(example, report.render, shared=True)
    _EXAMPLES.add(run_id)
    return run_id
