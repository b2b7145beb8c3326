"""The specification of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from psa_core import options
from psa_core.errors import OptionError
from psa_core.inputs.checks import as_text, whole_number
from psa_core.options import option
from psa_core.study.selection import SelectionOptions


@dataclass(frozen=True)
class StudySpec:
    """Everything a study is made of; the same spec and inputs give the same cube.

    Attributes
    ----------
    sentences, names, model : str
        Packaged ids or files; see `corpus.load`, `names.load` and `models.load`.
    anchors : str
        ``pronouns``, ``entities:PERSON``, ``terms:he,she`` or ``slot``; empty until `plan` chooses by the sentences.
    text_column : str or None
        Column of the texts; found when None.
    max_words, sample, balance, seed, mentions, families
        See `SelectionOptions`.
    name_column : str or None
        Column of the names; ``name`` when None.
    exclude : tuple of (sentence_id, start)
        Anchors that a reader switched off.

    Raises
    ------
    OptionError
        When a field is of the wrong kind: no string, no whole number. Ranges are those of `SelectionOptions`.
    """

    sentences: str = option(metavar="FILE", help="csv, tsv, txt, jsonl, parquet or sample")
    names: str = option(metavar="LIST", help="an id from `names`, or a csv or text file")
    model: str = option(metavar="ID", help="an id from `models`", model="scorer")
    anchors: str = option(
        "",
        metavar="SPEC",
        help="kind:argument, see `anchors` (default: {name} where all sentences have it, else pronouns)",
    )
    text_column: str | None = option(None, metavar="COLUMN", help="column of the texts; found when not given")
    max_words: int = option(50, help="longest sentence taken")
    sample: int = option(1000, help="most sentences taken, drawn at random")
    balance: bool | None = option(
        None, help="as many female as male anchors (default: where every anchor has a gender and both occur)"
    )
    seed: int = option(0, help="of every random choice")
    mentions: str = option(
        "first", choices={"first": "the first", "all": "every one"}, help="which mentions are replaced"
    )
    exclude: tuple[tuple[str, int], ...] = ()
    name_column: str | None = option(None, metavar="COLUMN", help="column of the names; `name` when not given")
    families: str | None = option(
        None,
        metavar="COLUMN",
        help="column of the sentences, such as author or thread, in which those that depend on each other are equal "
        "(default: near-copies are found)",
    )

    def __post_init__(self) -> None:
        options.check(self)
        object.__setattr__(self, "exclude", _pairs("exclude", self.exclude))

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> StudySpec:
        """Build a spec from JSON values; raises `OptionError` for an unknown, a missing or a wrong field."""
        return options.from_json(cls, values, what="study")

    @property
    def selection(self) -> SelectionOptions:
        """The part that says which sentences are studied."""
        return SelectionOptions(
            max_words=self.max_words,
            sample=self.sample,
            balance=self.balance,
            seed=self.seed,
            mentions=self.mentions,
            exclude=frozenset(self.exclude),
            families=self.families,
        )


def _pairs(name: str, value: Any) -> tuple[tuple[str, int], ...]:
    """Pairs of a sentence and a position, as JSON and Python write them."""
    try:
        return tuple((as_text(name, sentence), whole_number(name, start)) for sentence, start in value)
    except (TypeError, ValueError) as error:
        raise OptionError(name, got=repr(value)[:60], expected="pairs of a sentence_id and a start") from error
