"""The specification of a study, and the part of it that says which sentences are used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from psa_core import options
from psa_core.errors import OptionError
from psa_core.inputs.checks import as_text, whole_number
from psa_core.options import option
from psa_core.study import subjects as whom


@dataclass(frozen=True)
class SelectionOptions:
    """How sentences are chosen (Prabhakaran et al. 2019, section 3, "Corpora"); each option's `help` says what it is.

    `max_words` counts words between spaces; None is that of the anchors. `balance` None takes as many female as male
    anchors where every anchor has a gender and both occur, except for documents about one person each. The same corpus,
    options and `seed` give the same sentences, whatever their order; a smaller `sample` is part of a larger one, and a
    sentence switched off is replaced by the next without moving the others. `mentions` are those that share the first
    eligible anchor's referent; all slots of a sentence are always filled. `switched` (sentence_id, start) are words
    that a reader switched: an anchor stays as it is, and the next eligible one takes over; a word left alone is
    replaced. `subjects` (sentence_id, name) are whom a reader says that a text is about, for anchors that replace one
    person. Without a column, `families` are near-copies.
    """

    max_words: int | None = option(
        None,
        low=1,
        help="longest text used (default: 50 for pronouns, as in the paper; no limit for others)",
        label="At most this many words",
    )
    sample: int = option(
        1000, low=1, help="use a random sample of at most this many sentences", label="A random sample of at most"
    )
    balance: bool | None = option(
        False,
        help="as many female as male anchors (default: where every anchor has a gender and both occur)",
        label="“He” and “she” equally often",
        tip="As in the paper: where every word to replace is female or male, and both occur.",
        on_page=True,
    )
    seed: int = option(0, low=0, help="seed of every random choice", label="Seed of the draw")
    mentions: str = option(
        "first",
        choices={"first": "The first in each sentence", "all": "Every mention of the same person"},
        help="which mentions are replaced",
        label="Replace",
    )
    switched: frozenset[tuple[str, int]] = frozenset()
    subjects: tuple[tuple[str, str], ...] = ()
    families: str | None = option(
        None,
        metavar="COLUMN",
        help="column, such as author or thread, with one value for all sentences that belong together "
        "(default: near-copies belong together)",
    )

    def __post_init__(self) -> None:
        options.check(self)
        object.__setattr__(self, "subjects", whom.choices(self.subjects))
        if self.balance and self.sample < 2:
            raise OptionError("--sample", got=str(self.sample), expected="two sentences or more, one of each gender")


def _as_in_selection(name: str, **changed: Any) -> Any:
    """The option that `SelectionOptions` declares."""
    declared = SelectionOptions.__dataclass_fields__[name]
    return field(**{"default": declared.default, "metadata": declared.metadata, **changed})


@dataclass(frozen=True)
class StudySpec:
    """Everything a study is made of; the same spec and inputs give the same cube. Each option's `help` says what it is.

    The values of `sentences`, `names`, `model` and `conditions` are described where they are loaded (`corpus.load`,
    `names.load`, `models.load`, `inputs.conditions`), those of `evidence`, `groups`, `reference` and `select` in
    `psa_core.inputs.groups`, and `controls` in `study.controls`; `switched`, `subjects` (a mapping too) and the others
    are those of `SelectionOptions`. Empty `anchors` are chosen by the sentences (`plan`). Raises `OptionError` when a
    field is of the wrong kind or out of its range.
    """

    sentences: str = option(
        metavar="FILE", help="csv, tsv, txt, jsonl or parquet; a folder or zip of documents; or sample"
    )
    names: str = option(metavar="LIST", help="an id from `names`, or a csv or text file")
    model: str = option(metavar="ID", help="an id from `models`", model="scorer")
    anchors: str = option(
        "",
        metavar="SPEC",
        help="kind:argument, see `anchors` (default: {name} where all sentences have it, else pronouns)",
    )
    text_column: str | None = option(None, metavar="COLUMN", help="column of the texts; found when not given")
    max_words: int | None = _as_in_selection("max_words")
    sample: int = _as_in_selection("sample")
    balance: bool | None = _as_in_selection("balance", default=None)
    seed: int = _as_in_selection("seed")
    mentions: str = _as_in_selection("mentions")
    switched: tuple[tuple[str, int], ...] = ()
    subjects: tuple[tuple[str, str], ...] = ()
    name_column: str | None = option(None, metavar="COLUMN", help="column of the names; `name` when not given")
    families: str | None = _as_in_selection("families")
    evidence: str = option(
        "",
        metavar="RULE",
        help="leave out names whose group is less certain, by the list's columns of shares: "
        "'p_black>=.9,p_female>=.95'",
        in_key="if set",
    )
    groups: str = option(
        "",
        metavar="A*B",
        help="columns of the names to cross, such as gender*race: compares the crossed groups and tests the "
        "interaction",
        in_key="never",
    )
    reference: str = option(
        "",
        metavar="GROUP",
        help="compare every group with this one, such as male*white (default: each with all other names)",
        in_key="never",
    )
    controls: int = option(
        0,
        low=0,
        high=100,
        metavar="N",
        in_key="if set",
        help="also score N neutral edits of each text (another digit, weekday or comma), to see how unstable the "
        "model is",
        label="Neutral edits of each text",
        tip="Another weekday, digit or comma. Where these move the score as much as names do, the model is unstable.",
    )
    conditions: str = option(
        "",
        metavar="FILE.csv",
        in_key="if set",
        help="score every text under each condition: some of none,fair-request,legal-notice,names-removed,"
        "initials-only, or a csv with the columns condition and system, context or names",
    )
    select: str = option(
        "",
        metavar="RULE",
        help="write selection rates by group; selected are texts that reach the threshold (threshold) or the K "
        "highest names of each text (top:K)",
        in_key="never",
    )

    def __post_init__(self) -> None:
        options.check(self)
        try:
            pairs = tuple((as_text("switched", one), whole_number("switched", start)) for one, start in self.switched)
        except (TypeError, ValueError) as error:
            expected = "pairs of a sentence_id and a start"
            raise OptionError("switched", got=repr(self.switched)[:60], expected=expected) from error
        object.__setattr__(self, "switched", pairs)
        object.__setattr__(self, "subjects", whom.choices(self.subjects))

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> StudySpec:
        """Build a spec from JSON values; raises `OptionError` for an unknown, a missing or a wrong field."""
        if "exclude" in values:  # its name in older manifests
            values = {"switched" if name == "exclude" else name: value for name, value in values.items()}
        return options.from_json(cls, values, what="study")

    @property
    def selection(self) -> SelectionOptions:
        """The part that says which sentences are studied."""
        chosen = {name: getattr(self, name) for name in SelectionOptions.__dataclass_fields__}
        return SelectionOptions(**{**chosen, "switched": frozenset(self.switched)})
