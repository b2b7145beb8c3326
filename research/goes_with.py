"""``python -m research.goes_with``: what names' effects go with, and which findings repeat on a second corpus.

Three packaged models, 100 public figures, and sentences of two corpora; the section between ``<!-- why -->`` of
``docs/results.md`` is written by it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from psa_core import models, study
from psa_core.cache import CachedScorer, ScoreCache
from psa_core.cube import ScoreCube
from psa_core.study import StudySpec
from psa_core.tables.corpus import word_table
from psa_core.tables.factors import OF_THE_NAME, FactorAnalysis, factor_regression
from psa_core.tables.pairs import Replicability, order_in_both, order_replicability
from psa_core.tables.parts import part_shares, part_table, plan_parts
from research import documents
from research.documents import signed
from research.results import corpora
from research.results.studies import PLAIN

WORK = Path(__file__).resolve().parents[1] / "out" / "results"
MODELS = {"profanity-check": "toxicity", "vader": "sentiment", "minilm-sentiment": "sentiment"}
#: Corpora of ``research.results``; the models learned from neither.
CORPORA = {"Reddit": "reddit", "Twitter": "news"}
FACTORS = (*OF_THE_NAME, "gender", "career")
SENTENCES, PART_SENTENCES = 200, 5
#: Sentences of the adapter, which costs a hundred times as much.
FEWER = 40
WORDS = 6


@dataclass(frozen=True, eq=False)
class Found:
    """What one model shows on one corpus."""

    cube: ScoreCube
    why: FactorAnalysis
    again: Replicability
    parts: dict[str, float]
    words: list[str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the studies and write the section; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m research.goes_with", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the corpora")
    parser.add_argument("--work", type=Path, default=WORK, help="folder for the studies' inputs")
    parser.add_argument("--sentences", type=int, default=SENTENCES, help="of the two plain models")
    parser.add_argument("--adapters", type=int, default=FEWER, help="sentences of the adapter")
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--out", type=Path, metavar="FILE", help="docs/results.md")
    options = parser.parse_args(arguments)
    if options.out:
        documents.require(options.out, ["why"])
    options.work.mkdir(parents=True, exist_ok=True)
    sources = {source.id: source for source in corpora.SOURCES}
    files = {corpus: corpora.write(sources[key], options.data, options.work) for corpus, key in CORPORA.items()}
    found = {
        model: {
            corpus: measured(model, file, options.sentences if model in PLAIN else options.adapters)
            for corpus, file in files.items()
        }
        for model in options.models
    }
    text = markdown(found)
    if options.out:
        documents.write(options.out, {"why": text})
    else:
        print(text, end="")
    return 0


def measured(model: str, path: Path, sentences: int) -> Found:
    """One study, and everything that is said of it."""
    target = MODELS[model]
    spec = StudySpec(
        sentences=str(path), text_column="text", names="public-figures", model=model, sample=sentences, balance=True
    )
    scorer = models.load(model)
    cache = ScoreCache.open()
    cube = study.execute(study.plan(spec), scorer, cache=cache)
    plan = plan_parts(cube, sentences=PART_SENTENCES)
    index = cube.target_index(target)
    texts = list(plan.texts)
    scores = CachedScorer(scorer, cache).score(texts)[:, index].reshape(len(plan.rows), -1)
    words = word_table(cube, target)
    more = words[(words["p_adjusted"] < 0.05) & (words["log_odds"] > 0)]["word"].head(WORDS).tolist()
    print(f"{model} on {path.name}: {cube.shape}", file=sys.stderr)
    why = factor_regression(cube, target, FACTORS)
    return Found(
        cube, why, order_replicability(cube, target), part_shares(part_table(cube, target, plan, scores)), more
    )


def markdown(found: dict[str, dict[str, Found]]) -> str:
    """The tables of the section."""
    both = list(CORPORA)
    lines = [
        "Reddit comments and tweets on news and people, from the corpora above, and 100 public figures. Shares of the",
        "variance of the names' effects; in brackets where no coefficient of the factor can be told from 0 (Holm).",
        "Correlation is not causation.",
        "",
        "| model, target | corpus, sentences | R² (adjusted) | "
        + " | ".join(FACTORS)
        + " | order repeats (95 %) | first part alone |",
        "|---|---|---|" + "---|" * (len(FACTORS) + 2),
    ]
    for model, by_corpus in found.items():
        for corpus, one in by_corpus.items():
            shares = one.why.shares.set_index("factor")
            cells = [
                _share(shares.loc[factor, "share"], bool(shares.loc[factor, "is_significant"])) for factor in FACTORS
            ]
            value, low, high = one.again.reliability
            cells += [_bounded(value, low, high), _percent(one.parts.get("first part"))]
            fit = f"{_number(one.why.r_squared)} ({_number(one.why.adjusted)})"
            lines.append(f"| {model}, {MODELS[model]} | {corpus}, {one.cube.shape[0]} | {fit} | {' | '.join(cells)} |")
    lines += ["", "| model | names in one order on both | coefficients found on the first | found on the second, too |"]
    lines += ["|---|---|---|---|"]
    lines += [_repeats(model, by_corpus[both[0]], by_corpus[both[1]]) for model, by_corpus in found.items()]
    lines += [
        "",
        "| model | corpus | stand out from the factors (three furthest) | words where names move it more |",
        "|---|---|---|---|",
    ]
    for model, by_corpus in found.items():
        for corpus, one in by_corpus.items():
            far = one.why.unexplained[one.why.unexplained["p_adjusted"] < 0.05].head(3)
            names = ", ".join(
                f"{row.name_} {signed(row.residual, 2)}" for row in far.rename(columns={"name": "name_"}).itertuples()
            )
            lines.append(f"| {model} | {corpus} | {names or 'none'} | {', '.join(one.words) or 'none shown'} |")
    return "\n".join(lines) + "\n"


def _repeats(model: str, first: Found, second: Found) -> str:
    agreement = order_in_both(first.cube, second.cube, (MODELS[model], MODELS[model]))
    order = _bounded(agreement.order.r, agreement.order.low, agreement.order.high) if agreement else "–"
    one, two = first.why.coefficients, second.why.coefficients
    significant = one[one["p_adjusted"] < 0.05]
    held = two.set_index("label")
    again = [
        label
        for label, coefficient in zip(significant["label"], significant["coefficient"], strict=True)
        if label in held.index
        and held.loc[label, "p_adjusted"] < 0.05
        and np.sign(held.loc[label, "coefficient"]) == np.sign(coefficient)
    ]
    listed = [
        f"{label} {signed(coefficient, 2)}"
        for label, coefficient in zip(significant["label"], significant["coefficient"], strict=True)
    ]
    return f"| {model} | {order} | {'; '.join(listed) or 'none'} | {'; '.join(again) or 'none'} |"


def _share(share: float, significant: bool) -> str:
    words = f"{100 * share:.0f} %"
    return words if significant else f"({words})"


def _bounded(value: float, low: float, high: float) -> str:
    return f"{_number(value)} ({_number(low)} to {_number(high)})" if low == low else f"{_number(value)} (no interval)"


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


if __name__ == "__main__":
    sys.exit(main())
