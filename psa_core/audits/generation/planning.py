"""What a language model audit is made of, and every prompt that it will be asked to go on from."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from psa_core import models
from psa_core.errors import OptionError
from psa_core.generators import Draw, Sampling
from psa_core.inputs import prompts
from psa_core.inputs.prompts import PromptSet
from psa_core.models import Purpose

AUDIT = "generation"
MOST_CONTINUATIONS = 10_000
MOST_TEXTS = 5_000_000


def default_scorers() -> tuple[str, ...]:
    """Models whose cards say that they are good for continuations."""
    return models.good_for(Purpose.CONTINUATIONS)


@dataclass(frozen=True)
class GenerationSpec:
    """What an audit is made of; the fields are the options of ``python -m psa_core generate``.

    Attributes
    ----------
    lm : str
        A generator's id.
    templates, values : str
        As `prompts.load` takes them.
    continuations : int
        K: of each template with each value.
    tokens, temperature, seed
        As `generators.Sampling`.
    scorers : tuple of str
        Model ids.
    """

    lm: str
    templates: str = "occupation"
    values: str = ""
    continuations: int = 100
    tokens: int = 50
    temperature: float = 1.0
    scorers: tuple[str, ...] = field(default_factory=default_scorers)
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.continuations <= MOST_CONTINUATIONS:
            expected = f"1 to {MOST_CONTINUATIONS:,}"
            raise OptionError("--continuations", got=str(self.continuations), expected=expected)
        if not self.scorers or len(set(self.scorers)) < len(self.scorers):
            raise OptionError("--scorer", got=",".join(self.scorers) or "nothing", expected="distinct model ids")
        _ = self.sampling

    @property
    def sampling(self) -> Sampling:
        """How continuations are sampled."""
        return Sampling(self.tokens, self.temperature, self.seed)


@dataclass(frozen=True, eq=False)
class Planned:
    """An audit before anything is generated.

    Attributes
    ----------
    spec : GenerationSpec
    prompt_set : PromptSet
    draws : list of Draw
        All M · A · K, `k` slowest, so that what is finished first is a smaller audit of everything.
    """

    spec: GenerationSpec
    prompt_set: PromptSet
    draws: list[Draw]

    @property
    def shape(self) -> tuple[int, int, int]:
        """(M, A, K)."""
        return len(self.prompt_set.templates), len(self.prompt_set.values), self.spec.continuations


def plan(spec: GenerationSpec) -> Planned:
    """Read templates and values and fill them; loads no model.

    Raises
    ------
    OptionError
        When they cannot be read, do not fit together, or are too many.
    """
    found = prompts.load(spec.templates, spec.values)
    total = len(found.templates) * len(found.values) * spec.continuations
    if total > MOST_TEXTS:
        raise OptionError("--continuations", got=f"{total:,} texts in all", expected=f"at most {MOST_TEXTS:,}")
    filled = found.prompts()
    values = [str(value) for value in found.values["value"]]
    draws = [
        Draw(prompt, template, k, value)
        for k in range(spec.continuations)
        for template, row in zip(found.templates, filled, strict=True)
        for value, prompt in zip(values, row, strict=True)
    ]
    return Planned(spec, found, draws)


def prompt_table(planned: Planned) -> pd.DataFrame:
    """The prompts for another system to go on from: ``template, value, k, prompt``, one row a continuation."""
    rows = [(draw.stream, draw.value, draw.k, draw.prompt) for draw in planned.draws]
    return pd.DataFrame(rows, columns=["template", "value", "k", "prompt"])
