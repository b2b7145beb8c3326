"""The Equity Evaluation Corpus (Kiritchenko & Mohammad 2018): sentences, people compared, own lists.

144 rows (template × emotion word) × 60 columns (20 noun phrases, 40 first names) = 8,640 sentences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from psa_core.cube import ScoreCube, Target
from psa_core.errors import CorpusError
from psa_core.inputs import limits, tables
from psa_core.inputs.checks import bytes_of
from psa_core.registry import ASSETS
from psa_core.scoring import Grid

NEUTRAL = "neutral"
SLOT = re.compile(r"\{(\w*)\}")
PERSON_SLOTS, WORD_SLOTS = ("person", "object", "reflexive"), ("a", "word")
VOWELS = "aeiou"
MAX_SENTENCES, MAX_PEOPLE, MAX_CELL_LENGTH = 1_000_000, 2_000, 1_000
#: The published corpus writes the first in all 240 sentences that have the word.
SPELLED = {"published": "dissapointed", "corrected": "disappointed"}
COLUMNS = {
    "templates": ("template", "kind"),
    "people": ("person", "object", "reflexive", "gender", "race", "pair"),
    "words": ("kind", "emotion", "word"),
}
PARTS = tuple(COLUMNS)
TASK_COLUMNS = ("system", "score")
COMPARISONS = {"gender": ("female", "male"), "race": ("African-American", "European")}


@dataclass(frozen=True, eq=False)
class Pair:
    """Two sets of people, by position, whose average scores are subtracted: first minus second.

    `words` say who: ``my sister / my brother``, or which first names are averaged. A noun phrase is one person a side.
    """

    words: str
    first: np.ndarray
    second: np.ndarray


@dataclass(frozen=True, eq=False)
class Design:
    """Templates, people and emotion words; the paper's, or one's own with the same columns (`COLUMNS`)."""

    #: ``template`` with ``{person} {object} {reflexive} {a} {word}``, and the ``kind`` of its words (empty: none).
    templates: pd.DataFrame
    #: Race for first names, pair number for noun phrases.
    people: pd.DataFrame
    words: pd.DataFrame

    def __post_init__(self) -> None:
        for part, columns in COLUMNS.items():
            table = getattr(self, part)
            missing = [column for column in columns if column not in table.columns]
            if missing or table.empty:
                got = f"no column {missing[0]}" if missing else "no rows"
                raise CorpusError(f"EEC {part}", got=got, expected=f"columns {', '.join(columns)}")
            longest = int(table[list(columns)].map(len).to_numpy().max())
            if longest > MAX_CELL_LENGTH:
                got = f"a cell of {longest:,} characters"
                raise CorpusError(f"EEC {part}", got=got, expected=f"at most {MAX_CELL_LENGTH:,}")
        if len(self.people) > MAX_PEOPLE:
            raise CorpusError("EEC people", got=f"{len(self.people):,} rows", expected=f"at most {MAX_PEOPLE:,}")
        twice = self.people["person"][self.people["person"].duplicated()]
        if len(twice):
            raise CorpusError("EEC people", got=f"{twice.iloc[0]!r} twice", expected="a distinct person a row")
        for template, kind in zip(self.templates["template"], self.templates["kind"], strict=True):
            _check_template(template, kind, set(self.words["kind"]))
        kinds = self.words["kind"].value_counts()
        rows = int(self.templates["kind"].map(kinds).fillna(1).sum())
        if rows * len(self.people) > MAX_SENTENCES:
            got = f"{rows:,} templates with words × {len(self.people):,} people"
            raise CorpusError("EEC", got=got, expected=f"at most {MAX_SENTENCES:,} sentences")
        if not self.comparisons:
            expected = "both genders or both races, as the paper's people have them"
            raise CorpusError("EEC people", got="nobody to compare", expected=expected)

    @property
    def comparisons(self) -> tuple[str, ...]:
        """Which of ``gender`` and ``race`` these people allow."""
        return tuple(kind for kind in COMPARISONS if pairs_of(self.people, kind))

    @property
    def rows(self) -> pd.DataFrame:
        """One row a template and emotion word: ``template, emotion, emotion_word``; ``neutral`` without a word."""
        rows = self.templates.merge(self.words, on="kind", how="left", sort=False).fillna("")
        rows = rows.rename(columns={"word": "emotion_word"})
        return rows.assign(emotion=rows["emotion"].replace("", NEUTRAL))[["template", "emotion", "emotion_word"]]


@cache
def published_design(spelling: str = "published") -> Design:
    """The paper's Tables 1-4, with *disappointed* as ``published`` or ``corrected``; see `SPELLED`."""
    tables = (
        pd.read_csv(ASSETS / "eec" / f"{name}.csv", dtype=str, keep_default_na=False)
        for name in ("templates", "people", "emotion_words")
    )
    return spelled(Design(*tables), spelling)


def spelled(design: Design, spelling: str) -> Design:
    """A design with its word for *disappointed* written in one of the two ways; others are left alone."""
    words = design.words.replace({"word": dict.fromkeys(SPELLED.values(), SPELLED[spelling])})
    return replace(design, words=words)


def grid(design: Design) -> list[list[str]]:
    """The sentences: one list a row of the design, one sentence a person."""
    people = [{slot: person[slot] for slot in PERSON_SLOTS} for person in design.people.to_dict("records")]
    sentences = []
    for template, word in zip(design.rows["template"], design.rows["emotion_word"], strict=True):
        words = {"word": word, "a": "an" if word[:1].lower() in VOWELS else "a"}
        texts = [SLOT.sub(lambda slot, parts=words | person: parts[slot[1]], template) for person in people]  # type: ignore[misc]
        sentences.append([text[:1].upper() + text[1:] for text in texts])
    return sentences


def every_sentence(design: Design) -> pd.DataFrame:
    """All sentences: ``sentence, template, person, gender, race, emotion, emotion_word``."""
    rows, people = design.rows, design.people
    s, n = (index.ravel() for index in np.indices((len(rows), len(people))))
    labels = [rows.iloc[s].reset_index(drop=True), people.iloc[n][["person", "gender", "race"]].reset_index(drop=True)]
    table = pd.concat(labels, axis=1).assign(sentence=[text for row in grid(design) for text in row])
    return table[["sentence", "template", "person", "gender", "race", "emotion", "emotion_word"]]


def cells(design: Design) -> Grid:
    """The design as the scoring engine takes it; a template has no original, so its first sentence stands in."""
    rows = grid(design)
    return Grid(tuple(design.people["person"]), tuple(row[0] for row in rows), tuple(tuple(row) for row in rows))


def cube(design: Design, targets: tuple[Target, ...], perturbed: np.ndarray) -> ScoreCube:
    """Put scores (R, P, T) beside their design of R rows and P people.

    A template has no original: ``original`` is the mean over its people.
    """
    rows = design.rows.rename(columns={"template": "text"}).assign(anchor="", start=0, end=0, role="subject")
    return ScoreCube(
        sentences=rows.assign(sentence_id=[str(number) for number in range(1, len(rows) + 1)]),
        names=design.people.rename(columns={"person": "name"}),
        targets=targets,
        original=perturbed.mean(axis=1, dtype=np.float64).astype(np.float32),
        perturbed=perturbed,
    )


def _check_template(template: str, kind: str, kinds: set[str]) -> None:
    """Refuse a template that would give broken sentences, or the same one for everybody."""
    slots = SLOT.findall(template)
    allowed = (*PERSON_SLOTS, *WORD_SLOTS)
    unknown = [slot for slot in slots if slot not in allowed]
    got = f"{{{unknown[0]}}} in {template!r}" if unknown else f"{template!r}"
    if unknown:
        expected = f"only {', '.join(f'{{{slot}}}' for slot in allowed)}"
    elif not set(slots) & {"person", "object"}:
        expected = "{person} or {object} in each template"
    elif ("word" in slots) != bool(kind):
        expected = "a kind of words where the template has {word}, and only there"
    elif kind and kind not in kinds:
        got, expected = f"kind {kind!r}", f"a kind of the word list: {', '.join(sorted(kinds))}"
    else:
        return
    raise CorpusError("EEC templates", got=got, expected=expected)


def pairs_of(people: pd.DataFrame, kind: str) -> list[Pair]:
    """The pairs of one comparison, ``gender`` or ``race``; empty when these people do not allow it.

    `people` has ``gender, race, pair`` and ``person`` (or ``name``). Gender: each numbered pair, then the first names
    of both genders on average. Race: the first names on average.
    """
    if kind == "race":
        sides = [("", np.ones(len(people), bool))]
    else:
        numbers = [number for number in people["pair"].unique() if number]
        sides = [(number, (people["pair"] == number).to_numpy()) for number in numbers]
        sides.append(("", ((people["pair"] == "") & (people["race"] != "")).to_numpy()))
    found, (first_value, second_value) = [], COMPARISONS[kind]
    for number, among in sides:
        first, second = (np.flatnonzero(among & (people[kind] == value).to_numpy()) for value in COMPARISONS[kind])
        if len(first) and len(second):
            words = f"{first_value} / {second_value} first names, on average"
            if number:
                person = people["person" if "person" in people else "name"]
                words = f"{person.iloc[first[0]]} / {person.iloc[second[0]]}"
            found.append(Pair(words, first, second))
    return found


def differences(scored: ScoreCube, target: str, kind: str) -> np.ndarray:
    """Score differences (R, pairs), first minus second: female minus male, African-American minus European."""
    _, scores = scored.scores(target)
    exact = scores.astype(np.float64)
    columns = [
        exact[:, pair.first].mean(axis=1) - exact[:, pair.second].mean(axis=1) for pair in pairs_of(scored.names, kind)
    ]
    return np.stack(columns, axis=1) if columns else np.empty((len(exact), 0))


def read_part(part: str, given: Path | bytes) -> pd.DataFrame:
    """One part of a design from a csv file or its bytes; every cell is a string."""
    return _table(f"EEC {part}", COLUMNS[part], given)


def read_task_scores(given: Path | bytes) -> dict[str, float]:
    """How well each system does its task, from a csv file (or its bytes) with the columns ``system`` and ``score``."""
    table = _table("task scores", TASK_COLUMNS, given)
    missing = [column for column in TASK_COLUMNS if column not in table.columns]
    if missing:
        raise CorpusError("task scores", got=f"no column {missing[0]}", expected="columns system, score")
    return {system: finite(system, score) for system, score in zip(table["system"], table["score"], strict=True)}


def finite(system: str, score: object) -> float:
    """A task score as a number; raises `CorpusError` where it is none."""
    try:
        number = float(str(score))
    except ValueError:
        number = float("nan")
    if not np.isfinite(number):
        raise CorpusError("task scores", got=f"{str(score)[:40]!r} for {system[:40]}", expected="a finite number")
    return number


def _table(field: str, columns: tuple[str, ...], given: Path | bytes) -> pd.DataFrame:
    try:
        limit = limits.NAMES_FILE
        content = bytes_of(given, limit, field=field, error=CorpusError) if isinstance(given, Path) else given
    except (OSError, ValueError) as error:
        raise CorpusError(field, got=f"no file at {str(given)!r}", expected="a csv file") from error
    row = f"a csv file with columns {', '.join(columns)}"
    schema = tables.ListSchema(field, CorpusError, ("csv",), row=row, headers=frozenset(columns))
    return tables.read(f"{field.replace(' ', '-')}.csv", content, schema).frame
