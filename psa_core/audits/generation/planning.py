"""What a language model audit is made of, and every prompt that it will be asked to continue."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from psa_core import generators, models
from psa_core.audits.generation import quality
from psa_core.audits.generation.cube import CUTS, FULL_STOP
from psa_core.errors import OptionError
from psa_core.generators import Draw, Sampling
from psa_core.inputs import prompts
from psa_core.inputs.prompts import PromptSet
from psa_core.models import Purpose
from psa_core.options import option

CONTINUATIONS, MAX_CONTINUATIONS = 100, 10_000
MAX_TEXTS = 5_000_000
#: An option that does not change stored texts or scores: texts are stored by generator, prompt and number, scores by
#: text.
not_in_key = partial(option, in_key="never")


def default_scorers() -> tuple[str, ...]:
    """Models whose cards say that they are good for continuations."""
    return models.good_for(Purpose.CONTINUATIONS)


def generator_help() -> str:
    """The ids that a language model is asked by, for ``--help``."""
    kinds = (f"{kind.id}:<{kind.argument}>" for kind in generators.plugins().values())
    return f"{', '.join([*(card.id for card in generators.cards()), *kinds])}; ?match=sentiment resamples"


@dataclass(frozen=True, kw_only=True)
class WritingSpec(Sampling):
    """Who writes, how texts are sampled, and what scores them; `lm` is empty where prompts are only exported."""

    #: The field that says how many texts are written of each prompt, and how many are where it is None.
    many: ClassVar[tuple[str, int]]

    lm: str = not_in_key("", metavar="ID", help=generator_help(), model="generator")
    scorers: tuple[str, ...] = not_in_key(
        default_factory=default_scorers,
        flag="--scorer",
        metavar="A,B,…",
        help="ids from `models`",
        model="scorer",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for flag, listed in (("--scorer", self.scorers), ("--grader", getattr(self, "grader", ()))):
            if len(set(listed)) < len(listed):
                raise OptionError(flag, got=",".join(listed), expected="distinct model ids")

    def texts_of_each(self, prompts: int) -> int:
        """How many texts are written of each of so many prompts; `OptionError` where they are too many in all."""
        name, usual = self.many
        count: int = getattr(self, name) or usual
        if prompts * count > MAX_TEXTS:
            got = f"{prompts * count:,} texts in all"
            raise OptionError(f"--{name}", got=got, expected=f"at most {MAX_TEXTS:,}")
        return count


@dataclass(frozen=True, kw_only=True)
class GenerationSpec(WritingSpec):
    """What an audit is made of: `templates` and `values` as `prompts.load` takes them, `held_out` as `corpus.load`."""

    many = ("continuations", CONTINUATIONS)

    templates: str = not_in_key(metavar="LIST", help="occupation, country, name, or a text file")
    values: str = not_in_key("", metavar="LIST", help="the same ids, or a csv with value and group columns")
    continuations: int | None = not_in_key(
        None,
        low=1,
        high=MAX_CONTINUATIONS,
        help=f"continuations of each prompt (default {CONTINUATIONS}, or as many as a file of continuations has)",
        label="Continuations of each prompt",
        on_page=20,
    )
    cut: str = not_in_key(
        FULL_STOP,
        choices=CUTS,
        help="which part of a continuation is scored: up to its last full stop, or the whole",
    )
    held_out: str = not_in_key(
        "",
        metavar="FILE",
        help="texts to measure the perplexity of a model on this machine with, or sample",
    )
    leak_check: int = not_in_key(
        quality.SAMPLE,
        low=0,
        metavar="N",
        help="continuations that are also scored after every value's prompt, to see how far a prompt alone sways "
        f"a scorer (default {quality.SAMPLE}; 0: none)",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.scorers:
            raise OptionError("--scorer", got="nothing", expected="distinct model ids")


@dataclass(frozen=True, eq=False)
class Planned:
    """An audit before anything is generated: M · A · K draws, `k` slowest, so that a first part is a smaller audit."""

    spec: Any
    prompt_set: PromptSet
    draws: list[Draw]

    @property
    def shape(self) -> tuple[int, int, int]:
        """(M, A, K)."""
        m, a = len(self.prompt_set.templates), len(self.prompt_set.values)
        return m, a, len(self.draws) // (m * a)

    def as_read(self, texts: np.ndarray) -> np.ndarray:
        """Texts (M, A, K) as scorers read them: as they are."""
        return texts


def plan(spec: GenerationSpec) -> Planned:
    """Read templates and values and fill them; loads no model.

    Raises `OptionError` when they cannot be read, do not fit together, or are too many.
    """
    found = prompts.load(spec.templates, spec.values)
    k_total = spec.texts_of_each(len(found.templates) * len(found.values))
    values = [str(value) for value in found.values["value"]]
    filled = found.prompts()
    draws = [
        Draw(prompt, template, k, value)
        for k in range(k_total)
        for template, row in zip(found.templates, filled, strict=True)
        for value, prompt in zip(values, row, strict=True)
    ]
    return Planned(spec, found, draws)


def prompt_table(spec: GenerationSpec) -> pd.DataFrame:
    """The prompts for another system to continue: ``template, value, k, prompt``, one row a continuation."""
    rows = [(draw.stream, draw.value, draw.k, draw.prompt) for draw in plan(spec).draws]
    return pd.DataFrame(rows, columns=["template", "value", "k", "prompt"])
