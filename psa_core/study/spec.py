"""The specification of a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from psa_core.anchors import default as default_anchors
from psa_core.errors import OptionError
from psa_core.inputs.checks import as_text, whole_number, yes_or_no
from psa_core.study.selection import SelectionOptions


@dataclass(frozen=True)
class StudySpec:
    """Everything a study is made of; the same spec and inputs give the same cube.

    Attributes
    ----------
    sentences, names, model : str
        Packaged ids or files; see `corpus.load`, `names.load` and `models.load`.
    anchors : str
        ``pronouns``, ``entities:PERSON``, ``terms:he,she`` or ``slot``.
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
        When a field is of the wrong kind: no string, no whole number.
    """

    sentences: str
    names: str
    model: str
    anchors: str = field(default_factory=default_anchors)
    text_column: str | None = None
    max_words: int = 50
    sample: int = 1000
    balance: bool | None = None
    seed: int = 0
    mentions: str = "first"
    exclude: tuple[tuple[str, int], ...] = ()
    name_column: str | None = None
    families: str | None = None

    def __post_init__(self) -> None:
        kinds: dict[str, Callable[[str, Any], Any]] = {
            **dict.fromkeys(("sentences", "names", "model", "anchors", "mentions"), as_text),
            **dict.fromkeys(("max_words", "sample", "seed"), whole_number),
            **dict.fromkeys(
                ("text_column", "name_column", "families"),
                lambda name, value: None if value is None else as_text(name, value),
            ),
            "balance": lambda name, value: None if value is None else yes_or_no(name, value),
            "exclude": _pairs,
        }
        for name, checked in kinds.items():
            object.__setattr__(self, name, checked(name, getattr(self, name)))

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> StudySpec:
        """Build a spec from JSON values; raises `OptionError` for an unknown, a missing or a wrong field."""
        known = {item.name for item in fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise OptionError("study", got=f"an unknown field {unknown[0]!r}", expected=", ".join(sorted(known)))
        missing = [name for name in ("sentences", "names", "model") if name not in values]
        if missing:
            raise OptionError("study", got=f"no {missing[0]}", expected="sentences, names and a model")
        return cls(**values)

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
