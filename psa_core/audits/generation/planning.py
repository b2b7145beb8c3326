"""What a language model audit is made of, and every prompt that it will be asked to go on from."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from psa_core import generators, models
from psa_core.audits.generation import leak
from psa_core.errors import OptionError
from psa_core.generators import Draw, Sampling
from psa_core.inputs import prompts
from psa_core.inputs.prompts import PromptSet
from psa_core.models import Purpose
from psa_core.options import option

CONTINUATIONS, MAX_CONTINUATIONS = 100, 10_000
MAX_TEXTS = 5_000_000


def default_scorers() -> tuple[str, ...]:
    """Models whose cards say that they are good for continuations."""
    return models.good_for(Purpose.CONTINUATIONS)


def _generators() -> str:
    kinds = (f"{kind.id}:<{kind.argument}>" for kind in generators.plugins().values())
    return f"{', '.join([*(card.id for card in generators.cards()), *kinds])}; ?match=sentiment resamples"


@dataclass(frozen=True, kw_only=True)
class GenerationSpec(Sampling):
    """What an audit is made of: how continuations are sampled, of what, and what they are scored for.

    Continuations are kept by template, prompt and number under the generator's fingerprint, so that these do not enter
    the key; scores are kept by their texts.

    Attributes
    ----------
    lm : str
        A generator's id; empty where prompts are only exported.
    templates, values : str
        As `prompts.load` takes them.
    continuations : int or None
        K: of each template with each value. None: as many as the generator has, where it has a number, else
        `CONTINUATIONS`.
    scorers : tuple of str
        Model ids.
    held_out : str
        Texts for the perplexity of a language model on this machine, as `corpus.load` takes them; may be empty.
    leak_check : int
        Continuations that are scored behind every value's prompt; 0 for none.
    """

    lm: str = option("", metavar="ID", help=_generators(), in_key="never", model="generator")
    templates: str = option(metavar="LIST", help="occupation, country, name, or a text file", in_key="never")
    values: str = option("", metavar="LIST", help="the same ids, or a csv with value and group columns", in_key="never")
    continuations: int | None = option(
        None,
        low=1,
        high=MAX_CONTINUATIONS,
        help=f"of each prompt (default {CONTINUATIONS}, or as many as a file of continuations has)",
        label="Continuations of each prompt",
        on_page=20,
        in_key="never",
    )
    scorers: tuple[str, ...] = option(
        default_factory=default_scorers,
        flag="--scorer",
        metavar="A,B,…",
        help="ids from `models`",
        in_key="never",
        model="scorer",
    )
    held_out: str = option(
        "", metavar="FILE", help="texts for the perplexity of a model on this machine, or sample", in_key="never"
    )
    leak_check: int = option(
        leak.SAMPLE,
        low=0,
        metavar="N",
        help=f"continuations scored behind every value's prompt (default {leak.SAMPLE}; 0: none)",
        in_key="never",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.scorers or len(set(self.scorers)) < len(self.scorers):
            raise OptionError("--scorer", got=",".join(self.scorers) or "nothing", expected="distinct model ids")


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
        return len(self.prompt_set.templates), len(self.prompt_set.values), self.continuations

    @property
    def continuations(self) -> int:
        """K."""
        return self.spec.continuations or CONTINUATIONS


def plan(spec: GenerationSpec) -> Planned:
    """Read templates and values and fill them; loads no model.

    Raises
    ------
    OptionError
        When they cannot be read, do not fit together, or are too many.
    """
    found = prompts.load(spec.templates, spec.values)
    k_total = spec.continuations or CONTINUATIONS
    total = len(found.templates) * len(found.values) * k_total
    if total > MAX_TEXTS:
        raise OptionError("--continuations", got=f"{total:,} texts in all", expected=f"at most {MAX_TEXTS:,}")
    filled = found.prompts()
    values = [str(value) for value in found.values["value"]]
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
