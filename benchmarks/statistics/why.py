"""``python -m benchmarks.statistics.why``: are planted causes found, and is an order that is noise called so?

It writes its tables between the marks ``<!-- why -->`` of ``docs/statistics.md``; ``python -m benchmarks.statistics``
leaves them as they are.
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
from scipy.stats import spearmanr

from benchmarks.results.sections import replaced
from benchmarks.statistics.checks import Check
from psa_core.cube import ScoreCube, Target
from psa_core.inputs import names as name_lists
from psa_core.stats.reliability import order_agreement, order_reliability, top_stability
from psa_core.tables.factors import measured_factors, why_table
from psa_core.tables.parts import FIRST, REST, part_shares, part_table, plan_parts, variants

NAMES, SENTENCES, NOISE = 120, 60, 0.5
FACTORS = ("length", "frequency", "word", "perplexity", "gender", "career")
ORDER_NAMES, ORDER_SENTENCES = 30, 60
SHARE = 0.8


@dataclass(frozen=True)
class Planted:
    """What came of one planted cause.

    Attributes
    ----------
    cause : str
    r_squared : float
        Mean share of the variance of the names' effects that all factors go with.
    share : float
        Mean share of that which the planted factor has.
    found : float
        Studies in which it has 80 % or more of it.
    sure : float
        Studies in which the interval of one of its columns leaves out 0.
    others : float
        Intervals of the other factors' columns that hold 0.
    """

    cause: str
    r_squared: float
    share: float
    found: float
    sure: float
    others: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the simulation; returns the exit code: 0, or 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.statistics.why", description=__doc__)
    parser.add_argument(
        "--repetitions", type=int, default=200, help="simulated studies a cause (200: about 10 minutes)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, metavar="FILE", help="docs/statistics.md")
    options = parser.parse_args(arguments)
    page = options.out.read_text(encoding="utf-8") if options.out else "<!-- why --><!-- /why -->"
    replaced(page, {"why": ""})  # a page without marks is better known of now
    causes = list(planted_causes(options.repetitions, seed=options.seed))
    checks = list(order_checks(3 * options.repetitions // 2, seed=options.seed))
    tops = list(top_rows(options.repetitions // 4, seed=options.seed))
    text = markdown(causes, checks, tops, repetitions=options.repetitions)
    if options.out:
        options.out.write_text(replaced(page, {"why": text}), encoding="utf-8")
    else:
        print(text, end="")
    kept = all(check.holds for check in checks) and all(cause.share >= SHARE for cause in causes)
    return 0 if kept else 1


def planted_causes(repetitions: int, *, seed: int = 0) -> Iterator[Planted]:
    """Studies in which one factor alone moves the score, on names drawn anew each time."""
    for cause in CAUSES:
        random = np.random.default_rng([seed, *cause.encode()])
        drawn = [planted(cause, random) for _ in range(repetitions)]
        yield Planted(cause, *np.mean(drawn, axis=0).tolist())
        print(f"{cause}: {np.mean(drawn, axis=0).round(3)}", file=sys.stderr)


def planted(cause: str, random: np.random.Generator) -> tuple[float, float, float, float, float]:
    """One study: R², the planted factor's share of it, is that enough, is it sure, the others that hold 0."""
    names = people(random)
    if cause == "one part":
        return _one_part(names, random)
    measured = measured_factors(names["name"].tolist()).assign(gender=names["gender"], career=names["career"])
    # Words that are rare surprise a language model; a stand-in, since 200 lists of names are too many to ask one.
    measured["perplexity"] = -measured["frequency"] + random.normal(0, measured["frequency"].std(), NAMES)
    factor, effect = CAUSES[cause]
    cube = study(names, _standard(effect(measured)), random)
    perplexity = dict(zip(names["name"], measured["perplexity"], strict=True))
    why = why_table(cube, "score", FACTORS, perplexity=perplexity)
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


def noises(random: np.random.Generator) -> dict[str, np.ndarray]:
    """One study each of scorers that are pure noise."""
    shape = (ORDER_SENTENCES, ORDER_NAMES)
    normal = random.normal(size=shape)
    groups = random.integers(0, 3, ORDER_NAMES)
    return {
        "normal": normal,
        "uniform in [0, 1]": random.random(shape),
        "1 in 2 % of the cells": (random.random(shape) < 0.02).astype(float),
        "heavy tails (t, 2 degrees)": random.standard_t(2, size=shape),
        "sentences of different noise": normal * np.exp(random.normal(size=(ORDER_SENTENCES, 1))),
        "names of different noise": normal * np.exp(0.5 * random.normal(size=ORDER_NAMES)),
        "groups of names that move together": 0.3 * normal + random.normal(size=(ORDER_SENTENCES, 3))[:, groups],
    }


def order_checks(repetitions: int, *, seed: int = 0) -> Iterator[Check]:
    """How often the interval of the reliability holds what it should."""
    random = np.random.default_rng([seed, 1])
    held: dict[str, list[bool]] = {}
    for repetition in range(repetitions):
        drawn = noises(random)
        for scorer, scores in drawn.items():
            _, low, high = order_reliability(scores, seed=repetition)
            held.setdefault(f"Reliability of pure noise holds 0: {scorer}", []).append(low <= 0 <= high)
        agreement = order_agreement(drawn["normal"].mean(axis=0), drawn["uniform in [0, 1]"].mean(axis=0))
        held.setdefault("Agreement of two studies of pure noise holds 0", []).append(
            agreement.low <= 0 <= agreement.high
        )
    for claim, shares in held.items():
        yield _check(claim, shares, high=0.97)
    effects = random.normal(size=ORDER_NAMES)
    for noise in (8.0, 3.0):
        truth = _repeats(random, effects, noise)
        shares = []
        for repetition in range(repetitions // 2):
            scores = effects + noise * random.normal(size=(ORDER_SENTENCES, ORDER_NAMES))
            _, low, high = order_reliability(scores, seed=repetition)
            shares.append(low <= truth <= high)
        # Names are taken as drawn from many, which makes the interval wide for the names at hand.
        yield _check(f"Reliability holds the true one, {truth:.2f}", shares, high=1.0)


def _check(claim: str, held: list[bool], *, high: float) -> Check:
    setting = f"{ORDER_SENTENCES} sentences × {ORDER_NAMES} names"
    return Check(claim, setting, float(np.mean(held)), 0.93, high, len(held))


def _repeats(random: np.random.Generator, effects: np.ndarray, noise: float) -> float:
    """Mean rank correlation of two studies' orders."""
    error = noise / np.sqrt(ORDER_SENTENCES)
    pairs = effects + error * random.normal(size=(400, 2, len(effects)))
    return float(np.mean([spearmanr(one, two)[0] for one, two in pairs]))


def top_rows(repetitions: int, *, seed: int = 0) -> Iterator[tuple[int, float, float, float]]:
    """Sentences of the study, then the median and the quartiles of what it says that a stable top ten takes."""
    random = np.random.default_rng([seed, 2])
    effects = random.standard_t(4, size=60)
    for sentences in (100, 400, 1600):
        found = [
            top_stability(effects + 8 * random.normal(size=(sentences, 60)), seed=repetition).sentences
            for repetition in range(max(4, repetitions))
        ]
        low, middle, high = np.quantile(found, [0.25, 0.5, 0.75], method="inverted_cdf")
        yield sentences, float(middle), float(low), float(high)
    yield 0, _truly_stable(random, effects, 8.0), np.nan, np.nan


def _truly_stable(random: np.random.Generator, effects: np.ndarray, noise: float) -> float:
    """From how many sentences on two studies' top tens share nine names, by drawing them."""
    for sentences in np.unique(np.round(np.geomspace(50, 50_000, 120)).astype(int)):
        drawn = effects + noise / np.sqrt(sentences) * random.normal(size=(600, len(effects)))
        far = np.argsort(-np.abs(drawn - np.median(drawn, axis=1, keepdims=True)), axis=1)[:, :10]
        shared = [len(set(one) & set(two)) / 10 for one, two in zip(far[::2], far[1::2], strict=True)]
        if np.mean(shared) >= 0.9:
            return float(sentences)
    return np.inf


def markdown(
    causes: Sequence[Planted],
    checks: Sequence[Check],
    tops: Sequence[tuple[int, float, float, float]],
    *,
    repetitions: int,
) -> str:
    """The tables of the page."""
    lines = [
        f"{repetitions} simulated studies a cause, {NAMES} names drawn anew each time, {SENTENCES} sentences; one",
        "factor alone moves the score, and each name also moves it by half as much of its own.",
        "",
        "| planted cause | R² | its share of R² | studies with ≥ 80 % | its interval leaves out 0 | others hold 0 |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {c.cause} | {c.r_squared:.2f} | {_percent(c.share)} | {_percent(c.found)} | "
        f"{'–' if c.cause == 'one part' else _percent(c.sure)} | {_percent(c.others)} |"
        for c in causes
    ]
    lines += ["", "| promise | study | must lie in | measured | holds |", "|---|---|---|---|---|"]
    lines += [
        f"| {c.claim} | {c.setting} | {100 * c.low:.0f} % to {100 * c.high:.0f} % | "
        f"{100 * c.measured:.1f} ± {200 * c.error:.1f} % | {'yes' if c.holds else '**no**'} |"
        for c in checks
    ]
    truth = next(middle for sentences, middle, *_ in tops if not sentences)
    lines += [
        "",
        f"| a study of | says that nine in ten of the top ten take (truly {truth:,.0f}) | half of the studies |",
    ]
    lines += ["|---|---|---|"]
    lines += [
        f"| {sentences:,} sentences | {middle:,.0f} | {low:,.0f} to {high:,.0f} |"
        for sentences, middle, low, high in tops
        if sentences
    ]
    return "\n".join(lines) + "\n"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


if __name__ == "__main__":
    sys.exit(main())
