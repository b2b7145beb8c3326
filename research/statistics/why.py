"""``python -m research.statistics.why``: are planted causes found, and is an order that is noise called so?

It writes its tables between marks of their own in ``docs/statistics.md``, a table as soon as it is measured;
``python -m research.statistics`` leaves them as they are.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from psa_core.cube import ScoreCube, Target
from psa_core.inputs import names as name_lists
from psa_core.tables.factors import factor_regression, measured_factors
from psa_core.tables.parts import FIRST, REST, part_shares, part_table, plan_parts, variants
from research import documents
from research.statistics import order
from research.statistics.page import check_table

NAMES, SENTENCES, NOISE = 120, 60, 0.5
FACTORS = ("length", "frequency", "word", "perplexity", "gender", "career")
SHARE = 0.8
#: Parts that can be measured alone, and their marks in the page.
PARTS = {"causes": "why", "noise": "why noise", "order": "why order", "top": "why top"}


@dataclass(frozen=True)
class Planted:
    """What came of one planted cause.

    `r_squared`: mean share of the variance of the names' effects that all factors go with; `share`: of that, what the
    planted factor has; `found`: studies in which it has 80 % or more of it; `sure`: studies in which the interval of
    one of its columns excludes 0; `others`: intervals of the other factors' columns that include 0.
    """

    cause: str
    r_squared: float
    share: float
    found: float
    sure: float
    others: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the simulation; returns the exit code: 0, or 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m research.statistics.why", description=__doc__)
    parser.add_argument(
        "--repetitions", type=int, default=200, help="simulated studies a cause (200: about twenty minutes)"
    )
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS), help="tables to measure")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, metavar="FILE", help="docs/statistics.md")
    options = parser.parse_args(arguments)
    kept = True
    if options.out:
        documents.require(options.out, map(PARTS.__getitem__, options.parts))
    for part in options.parts:
        text, holds = _measured(part, options.repetitions, options.seed)
        kept &= holds
        if options.out:
            documents.write(options.out, {PARTS[part]: text})
        else:
            print(text, end="\n\n")
    return 0 if kept else 1


def _measured(part: str, repetitions: int, seed: int) -> tuple[str, bool]:
    """One table, and whether what it promises is kept."""
    if part == "causes":
        causes = list(planted_causes(repetitions, seed=seed))
        return markdown(causes, repetitions=repetitions), all(cause.share >= SHARE for cause in causes)
    if part == "noise":
        rows = list(order.noise_rows(2 * repetitions, seed=seed))
        low, high = order.PROMISED
        return order.noise_markdown(rows), all(low <= share <= high for row in rows for share in row.shares.values())
    if part == "order":
        checks = list(order.other_checks(3 * repetitions // 2, seed=seed))
        return "\n".join(check_table(checks)), all(check.holds for check in checks)
    return order.top_markdown(list(order.top_rows(repetitions // 4, seed=seed))), True


def planted_causes(repetitions: int, *, seed: int = 0) -> Iterator[Planted]:
    """Studies in which one factor alone moves the score, on names redrawn each time."""
    for cause in CAUSES:
        random = np.random.default_rng([seed, *cause.encode()])
        drawn = [planted(cause, random) for _ in range(repetitions)]
        yield Planted(cause, *np.mean(drawn, axis=0).tolist())
        print(f"{cause}: {np.mean(drawn, axis=0).round(3)}", file=sys.stderr)


def planted(cause: str, random: np.random.Generator) -> tuple[float, float, float, float, float]:
    """One study: R², the planted factor's share, is that enough, is it significant, others that include 0."""
    names = people(random)
    if cause == "one part":
        return _one_part(names, random)
    measured = measured_factors(names["name"].tolist()).assign(gender=names["gender"], career=names["career"])
    # Words that are rare surprise a language model; a stand-in, since 200 lists of names are too many to ask one.
    measured["perplexity"] = -measured["frequency"] + random.normal(0, measured["frequency"].std(), NAMES)
    factor, effect = CAUSES[cause]
    cube = study(names, _standard(effect(measured)), random)
    perplexity = dict(zip(names["name"], measured["perplexity"], strict=True))
    why = factor_regression(cube, "score", FACTORS, perplexity=perplexity)
    shares = why.shares.set_index("factor")["share"] / why.r_squared
    columns = why.coefficients.dropna()
    holds = (columns["low"] <= 0) & (columns["high"] >= 0)
    own = columns["factor"] == factor
    share = float(shares[factor])
    return why.r_squared, share, share >= SHARE, not holds[own].all(), float(holds[~own].mean())


def _one_part(names: pd.DataFrame, random: np.random.Generator) -> tuple[float, float, float, float, float]:
    """A scorer that knows first names, and nothing else of a name."""
    known = {first: random.normal() for first in {name.split()[0] for name in names["name"]}}

    def move(form: str) -> float:
        return known.get(form.split()[0], 0.0)

    effects = np.array([move(name) for name in names["name"]])
    cube = study(names, effects, random)
    plan = plan_parts(cube, sentences=20, names=names["name"].tolist()[:100])
    forms = [move(form) for name in plan.names for form in variants(name).values()]
    level = cube.original[plan.rows, :1]
    table = part_table(cube, "score", plan, level + forms + _noise(random, (len(plan.rows), len(forms))))
    shares = part_shares(table)
    explained = shares[FIRST] + shares[REST]
    own = shares[FIRST] / explained
    interaction = (table["interaction_low"] <= 0) & (table["interaction_high"] >= 0)
    return explained, own, own >= SHARE, 1.0, float(interaction.mean())


def study(names: pd.DataFrame, effects: np.ndarray, random: np.random.Generator) -> ScoreCube:
    """A study in which names move the score by their effects, with the noise of single cells and of names."""
    level = random.normal(size=(SENTENCES, 1))
    own = NOISE * random.normal(size=NAMES)
    scores = level + effects + own + _noise(random, (SENTENCES, NAMES))
    texts = [f"He counted to {i}." for i in range(SENTENCES)]
    table = pd.DataFrame({"sentence_id": [str(i) for i in range(SENTENCES)], "text": texts, "anchor": "He"})
    return ScoreCube(
        table.assign(start=0, end=2, role="subject"),
        names,
        (Target("score", -10.0, 10.0),),
        level.astype(np.float32),
        scores[:, :, None].astype(np.float32),
    )


def people(random: np.random.Generator) -> pd.DataFrame:
    """First names of the United States and last words of public figures, put together at random."""
    first, last = _lists()
    found = pd.DataFrame()
    while len(found) < NAMES:
        rows = first.iloc[random.integers(0, len(first), 2 * NAMES)]
        names = rows["name"].to_numpy() + np.array([" "], object) + random.choice(np.array(last, object), len(rows))
        drawn = pd.DataFrame({"name": names, "gender": rows["gender"].to_numpy()})
        found = pd.concat([found, drawn]).drop_duplicates("name").head(NAMES)
    return found.reset_index(drop=True).assign(career=random.choice(["actor", "leader", "singer"], NAMES))


@cache
def _lists() -> tuple[pd.DataFrame, list[str]]:
    figures = name_lists.load("public-figures").table["name"]
    return name_lists.load("us-first-names").table, [name.split()[-1] for name in figures]


def _noise(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return random.normal(size=shape)


def _standard(effect: pd.Series) -> np.ndarray:
    values = effect.to_numpy(np.float64)
    return (values - values.mean()) / values.std()


CAUSES: Mapping[str, tuple[str, Callable[[pd.DataFrame], pd.Series]]] = {
    "rare words": ("frequency", lambda names: -names["frequency"]),
    "long names, by letters": ("length", lambda names: names["letters"]),
    "long names, by subwords": ("length", lambda names: names["subwords"]),
    "a word inside": ("word", lambda names: names["word"]),
    "a group of two (gender)": ("gender", lambda names: (names["gender"] == "female").astype(float)),
    "a group of three (career)": ("career", lambda names: (names["career"] == "actor").astype(float)),
    "perplexity": ("perplexity", lambda names: names["perplexity"]),
    "one part": ("first part", lambda names: names["letters"]),
}


def markdown(causes: Sequence[Planted], *, repetitions: int) -> str:
    """The table of planted causes."""
    lines = [
        f"{repetitions} simulated studies a cause, {NAMES} names redrawn each time, {SENTENCES} sentences; one",
        "factor alone moves the score, and each name also moves it by half as much of its own.",
        "",
        "| planted cause | R² | its share of R² | studies with ≥ 80 % | its interval excludes 0 | "
        "those of other factors include 0 |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {c.cause} | {c.r_squared:.2f} | {_percent(c.share)} | {_percent(c.found)} | "
        f"{'–' if c.cause == 'one part' else _percent(c.sure)} | {_percent(c.others)} |"
        for c in causes
    ]
    return "\n".join(lines)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


if __name__ == "__main__":
    sys.exit(main())
