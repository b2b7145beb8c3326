"""From choices to a plan with its cost, cached so that reruns of the page are fast."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from pages.ui.frame import cached, gateway, internals
from pages.ui.frame.page_scoring import Answer
from pages.ui.frame.uploads import Upload
from psa_core import anchors, models
from psa_core.anchors import Anchor, AnchorFinder, Found, search
from psa_core.cache import digests
from psa_core.errors import CorpusError
from psa_core.inputs import corpus as corpora
from psa_core.inputs import names as name_lists
from psa_core.inputs.corpus import Corpus
from psa_core.inputs.limits import SEARCH, UPLOADS_EACH, check_run, within
from psa_core.inputs.names import NameList
from psa_core.study import Plan, StudySpec
from psa_core.study.perturbation import Perturbation
from psa_core.study.preview import unread
from psa_core.study.selection import READ, Selection, SelectionOptions, Unclear, select, unclear
from psa_core.trust import Origin

T = TypeVar("T")
TRIALS, ENOUGH_SECONDS, MAX_SECONDS = (32, 128, 512, 2048), 0.15, 2.0
COUNT_UP_TO, COUNT_UP_TO_LETTERS = 300_000, 30_000_000
#: Characters of a trial, but for its first text.
TRIAL_LETTERS = 1_000_000
#: Texts between two looks whether the tab is still open: many short ones are one portion of a pipeline, and take long.
SEARCHED_TOGETHER = 50
#: People whom readers chose, and whose mentions are remembered: more than a study has documents.
OTHERS = 10_000
#: Files that hold more than they weigh, and count as what they unpack to.
PACKED = (".gz", ".parquet", ".zip", ".eval")
#: What a worker takes to start, and to measure and write the results of a study of usual size.
AROUND_SECONDS = 10.0


@dataclass(frozen=True, eq=False)
class Source:
    """Sentences or names by id or as an upload; `key` is equal where they are read as the same rows."""

    spec: str
    upload: Upload | None = None
    column: str | None = None

    @property
    def key(self) -> str:
        """The cache key of the rows: the file's name decides how its bytes are read."""
        return repr((self.upload.key() if self.upload else self.spec, self.column))


def unique_name(name: str, kind: str, *others: str) -> str:
    """A file's own name, with a prefix if another file of the run has the same name (ignoring case).

    Examples
    --------
    >>> unique_name("people.csv", "names", "comments.csv"), unique_name("people.csv", "names", "People.csv")
    ('people.csv', 'names-people.csv')
    """
    taken = {Path(other).name.casefold() for other in others}
    while name.casefold() in taken:
        name = f"{kind}-{name}"
    return name


@dataclass(eq=False)
class RememberingFinder:
    """An anchor finder that caches the results of another."""

    inner: AnchorFinder
    known: dict[str, Found] = field(default_factory=dict)
    others: dict[str, RememberingFinder] = field(default_factory=dict)
    seconds: float = 0.0  # that the search took, without loading

    def __post_init__(self) -> None:
        self.spec, self.fingerprint, self.filler = self.inner.spec, self.inner.fingerprint, self.inner.filler

    def find(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        return [found.anchors for found in self.search(texts)]

    def search(self, texts: Sequence[str]) -> list[Found]:
        """Anchors of each text, and expressions that look like anchors but are not."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known.update(zip(new[:1], search(self.inner, new[:1]), strict=True))  # loads what it needs
        started = time.perf_counter()
        for at in range(1, len(new), SEARCHED_TOGETHER):
            if not gateway.has_visitor():  # the tab was closed
                st.stop()
            some = new[at : at + SEARCHED_TOGETHER]
            self.known.update(zip(some, search(self.inner, some), strict=True))
        self.seconds += time.perf_counter() - started
        return [self.known[text] for text in texts]

    def about(self, name: str) -> RememberingFinder:
        """The finder of another person, whom a reader chose for some of the texts."""
        if len(self.others) >= OTHERS:
            self.others.clear()
        spec = f"{self.spec.partition(':')[0]}:{name}"
        return self.others.setdefault(name, RememberingFinder(anchors.finder(spec, origin=Origin.FILE)))


def _remembered(entries: int, words: str = "") -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Cache packaged data for all sessions, and uploads for their session alone: they are freed when its tab closes."""

    def decorated(make: Callable[..., T]) -> Callable[..., T]:
        options: dict[str, Any] = {"max_entries": entries, "show_spinner": words or False, "show_time": True}
        options["hash_funcs"] = {Source: lambda source: source.key, SelectionOptions: repr}
        shared, per_session = st.cache_resource(**options)(make), st.cache_resource(**options, scope="session")(make)

        @wraps(make)
        def get(source: Source, *more: Any) -> T:
            return (per_session if source.upload else shared)(source, *more)

        return get

    return decorated


@_remembered(4, "Reading the sentences")
def corpus(source: Source) -> Corpus:
    """Read the sentences."""
    if source.upload is None:
        return corpora.load(source.spec, source.column, origin=Origin.FILE)
    upload = source.upload
    found = corpora.parse(upload.name, upload.content, source.column)
    internals.trim()
    if upload.name.lower().endswith(PACKED):
        size = int(found.sentences.memory_usage(deep=True).sum())
        UPLOADS_EACH.check(size, field="sentences", error=CorpusError, of=f"in {upload.name[:60]}, unpacked")
        gateway.keep(found, min(size, UPLOADS_EACH.value // 2))  # so that there is room for names
    return found


@st.cache_data(max_entries=6, show_spinner=False, scope="session", hash_funcs={Upload: Upload.key})
def name_columns(upload: Upload) -> tuple[str, ...]:
    """The columns that the names may be in, likeliest first."""
    return name_lists.name_columns(upload.name, upload.content)


@st.cache_resource(max_entries=6, show_spinner=False, scope="session", hash_funcs={Upload: Upload.key})
def uploaded_names(upload: Upload, column: str | None) -> NameList:
    return name_lists.read_names(upload.name, upload.content, column)


@_remembered(4)
def finder(source: Source, spec: str) -> RememberingFinder:
    """The anchors of a corpus are searched once."""
    return RememberingFinder(cached.finder(spec))


@_remembered(8, "Looking for anchors")
def selection(source: Source, anchors: str, options: SelectionOptions) -> Selection:
    """Select the sentences."""
    characters = SEARCH.value if source.upload else None
    return select(corpus(source).sentences, finder(source, anchors), options, characters=characters)


@_remembered(4)
def left_out(source: Source, anchors: str, options: SelectionOptions) -> list[Unclear]:
    """The texts that are left out unless a reader says whom they are about; the same whatever was chosen."""
    characters = SEARCH.value if source.upload else None
    return unclear(corpus(source).sentences, finder(source, anchors), options, characters=characters)


def plan(spec: StudySpec, source: Source, names: NameList) -> Plan:
    """Assemble a plan as `study.plan` does from files; raises `OptionError` beyond the limits of a run."""
    chosen = selection(source, spec.anchors, spec.selection)
    planned = Plan(spec, corpus(source), cached.finder(spec.anchors), chosen, names)
    check_run(planned.cells, planned.perturbation.letters)
    return planned


@dataclass(frozen=True)
class Price:
    """The cost of a study: texts to score (`exact`, or an upper bound), and seconds from a timed trial.

    `reading` are the seconds that its anchors took to find here: the worker looks for them again.
    """

    texts: int
    exact: bool
    texts_per_second: float
    reading: float = 0.0

    @property
    def seconds(self) -> float:
        """Seconds from the start of the worker to the result."""
        return AROUND_SECONDS + self.reading + self.texts / self.texts_per_second


def price(planned: Plan, model_id: str, source: Source) -> Price:
    """Time the model on a few of the study's own texts."""
    read = (planned.corpus.sha256, planned.corpus.source, planned.corpus.text_column)
    parts = (*read, planned.names.sha256, planned.spec.anchors, planned.spec.selection)
    found = _price(repr(parts), model_id, planned.perturbation)
    chosen = planned.selection
    edits = len(chosen.sentences) * (planned.spec.controls + 1) if planned.spec.controls else 0
    # The worker looks at all.
    reading = finder(source, planned.spec.anchors).seconds * chosen.account[READ] / max(1, chosen.looked_at)
    return replace(found, texts=found.texts + edits, reading=reading)


@st.cache_data(
    max_entries=24, show_spinner="Timing the model on a few of your sentences", show_time=True, scope="session"
)
def _price(key: str, model_id: str, _perturbation: Perturbation) -> Price:
    cells = _perturbation.cells + len(_perturbation.texts)
    exact = cells <= COUNT_UP_TO and _perturbation.letters <= COUNT_UP_TO_LETTERS
    texts = len(np.unique(digests(chain(_perturbation.texts, _perturbation)))) if exact else cells
    # Larger and larger trials until one takes long enough to be reliable; the first also warms the model up.
    scorer, speed = cached.scorer(model_id), 0.0
    for size in TRIALS:
        draw = random.Random(size)
        sentences, names = len(_perturbation.texts), len(_perturbation.names)
        pairs = [(draw.randrange(sentences), draw.randrange(names)) for _ in range(size)]
        some = (_perturbation.text(s, n) for s, n in pairs)
        trial = Answer()
        scorer.go_on(trial, list({next(some), *within(some, TRIAL_LETTERS)}), seconds=MAX_SECONDS)
        speed = trial.done / max(trial.seconds, 1e-6)
        if trial.seconds > ENOUGH_SECONDS and size > TRIALS[0]:
            break
    return Price(texts, exact, speed)


def key_of(planned: Plan) -> str:
    """Equal for plans of the same texts, options and model."""
    return repr((planned.corpus.sha256, planned.corpus.text_column, planned.names.sha256, planned.spec))


@st.cache_data(max_entries=24, show_spinner=False, scope="session", hash_funcs={Plan: key_of})
def too_long(planned: Plan) -> str:
    """Which texts the model will not read to their end, in words; empty where it reads all of each."""
    model_id, ids = planned.spec.model, [*planned.selection.sentences["sentence_id"]]
    return unread(planned.perturbation, ids, cached.scorer(model_id).scorer).words(models.titled(model_id))
