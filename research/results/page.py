"""The measured sections of ``docs/results.md``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from psa_core import stats, tables
from psa_core.cube import ScoreCube
from research.documents import interval, signed, table
from research.results.corpora import LEARNED_FROM, SOURCES, Source, is_unseen, seen
from research.results.studies import PLAIN, Studied

CAREERS = ("leader", "actor", "musician", "athlete")
#: One score of each model, where each would make the page too long.
SHOWN = {
    "profanity-check": "toxicity",
    "vader": "sentiment",
    "minilm-sentiment": "sentiment",
    "minilm-emotion": "anger",
    "minilm-hate": "hate",
    "minilm-offensive": "offensive",
}
#: Two models that measure about the same.
ALIKE = (
    ("vader", "minilm-sentiment"),
    ("profanity-check", "minilm-offensive"),
    ("profanity-check", "minilm-hate"),
    ("minilm-offensive", "minilm-hate"),
)
POSITIVE = ("sentiment",)
ENDS = 4
#: A corpus that the model learned from: shown, but no claim rests on it.
LEARNED = "†"
Cubes = Mapping[str, Sequence[ScoreCube]]  # by model, in the order of the corpora


def measured(studied: Sequence[Studied], data: Path) -> dict[str, str]:
    """Name of each section to its Markdown; without the adapters' own table where none was studied."""
    models = {one.model for one in studied}
    cubes = {model: [one.cube for one in studied if one.model == model] for model in SHOWN if model in models}
    adapters = {"table 2 of the adapters": _table_2(studied, of_plain=False)} if models - set(PLAIN) else {}
    return adapters | {
        "corpora": _corpora(studied, data),
        "table 2": _table_2(studied, of_plain=True),
        "correlations": _correlations(cubes),
        "names": _names(cubes),
        "careers": _careers(cubes),
        "again": _again(cubes),
    }


def _corpora(studied: Sequence[Studied], data: Path) -> str:
    """The table; of all sentences that the plain models were given it counts those that each model learned from."""
    full = {one.source.id: one.cube for one in studied if one.model == PLAIN[0]}
    rows = []
    for source in SOURCES:
        account = full[source.id].provenance["account"]
        sentences = full[source.id].sentences["text"].tolist()
        of_adapters = ", ".join(str(seen(sentences, model, data)) for model in LEARNED_FROM)
        numbers = (f"{account['read']:,}", f"{account['no anchor']:,}", f"{full[source.id].shape[0]:,}")
        rows.append((source.title, source.origin, *numbers, of_adapters, source.terms))
    adapters = ", ".join(model.removeprefix("minilm-") for model in LEARNED_FROM)
    headings = ("corpus", "from", "texts", "no pronoun", "studied", f"seen by {adapters}", "terms")
    return table(headings, rows)


def _table_2(studied: Sequence[Studied], *, of_plain: bool) -> str:
    headings = (
        "model", "target", "corpus", "sentences × names", "ScoreDev", "ScoreRange", "LabelDist",
        "sensitivity–score r", "p",
    )  # fmt: skip
    rows = []
    for one in studied:
        if (one.model in PLAIN) != of_plain:
            continue
        size = f"{one.cube.shape[0]:,} × {one.cube.shape[1]:,}"
        for target, metrics in tables.summary(one.cube).items():
            parts = [_bounded(metrics[name], "value") for name in ("score_dev", "score_range", "label_dist")]
            r = metrics["sensitivity_correlation"]
            source = one.source.id + ("" if is_unseen(one.source, one.model) else LEARNED)
            rows.append((one.model, target, source, size, *parts, _bounded(r, "r"), f"{r['p']:.3f}"))
    return table(headings, rows)


def _bounded(metric: Mapping[str, float], key: str) -> str:
    return interval(metric[key], metric["low"], metric["high"])


def _correlations(cubes: Cubes) -> str:
    """Where the paper's −0.48 is met, corrected over all correlations of the page."""
    found = {
        (model, source.id): tables.summary(cube)[target]["sensitivity_correlation"]
        for model, target, source, cube in _unseen(cubes)
    }
    return correlation_words({of: (r["r"], r["p"], r["low"], r["high"]) for of, r in found.items()})


def correlation_words(found: Mapping[tuple[str, str], tuple[float, float, float, float]]) -> str:
    """What correlations say together; `found` is r, p, low and high by model and corpus."""
    adjusted = stats.adjust([p for _, p, _, _ in found.values()])
    shown: dict[tuple[str, str], float] = {
        of: r
        for (of, (r, _, low, high)), p in zip(found.items(), adjusted, strict=True)
        if p < stats.SIGNIFICANT and (low > 0 or high < 0)
    }
    below, above = ([of for of, r in shown.items() if (r > 0) == positive] for positive in (False, True))
    values = [r for r, *_ in found.values()]
    both = sorted({model for model, _ in below} & {model for model, _ in above})
    places = ", ".join(f"{model} on {source} ({signed(r, 2)})" for (model, source), r in shown.items())
    words = (
        f"Of {len(found)} correlations (one score of each model, on corpora that it did not learn from; Holm over all "
        f"of them) {len(below)} {_are(len(below))} negative and {len(above)} {_are(len(above))} positive beyond chance"
        f"{': ' + places if places else ''}; r runs from {signed(min(values), 2)} to {signed(max(values), 2)}. The "
        "paper's is −0.48."
    )
    return f"{words} The sign differs between corpora for {', '.join(both)}." if both else words


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _unseen(cubes: Cubes) -> list[tuple[str, str, Source, ScoreCube]]:
    """Model, shown score, corpus and cube, without corpora that the model learned from."""
    return [
        (model, target, source, cube)
        for model, target in _chosen(cubes)
        for source, cube in zip(SOURCES, cubes[model], strict=True)
        if is_unseen(source, model)
    ]


def _names(cubes: Cubes) -> str:
    parts = []
    for model, target in _chosen(cubes):
        against_names = [tables.name_table(cube, target, baseline="names") for cube in cubes[model]]
        differ = ", ".join(f"{(each['p_adjusted'] < stats.SIGNIFICANT).sum()}" for each in against_names)
        each = [tables.name_table(cube, target) for cube in cubes[model]]
        effects = np.array([one["score_sens"] for one in each])
        order = np.argsort(effects.mean(axis=0), kind="stable")
        rows = [(each[0]["name"][n], *(_effect(one.iloc[n]) for one in each)) for n in (*order[:ENDS], *order[-ENDS:])]
        parts.append(
            f"**{target}, {model}**: {differ} of {len(order)} names differ from the typical name (Holm).\n\n"
            + table(("name", *(source.id for source in SOURCES)), rows)
        )
    return "\n\n".join(parts)


def _effect(row: pd.Series) -> str:
    text = signed(row["score_sens"])
    return f"{text} [{signed(row['ci_low'])}, {signed(row['ci_high'])}]"


def _careers(cubes: Cubes) -> str:
    """The table, and how often each career differs, on the paper's side or the other; corrected over the whole table.

    `group_table` corrects over the careers of one model and corpus; times their number, that holds over all.
    """
    groups = len(_unseen(cubes))
    rows, sides = [], {career: [0, 0, 0] for career in CAREERS}
    for model, target in _chosen(cubes):
        for career in CAREERS:
            found = [_career(cube, target, career) for cube in cubes[model]]
            cells = []
            for source, row in zip(SOURCES, found, strict=True):
                text, differs = signed(row["difference"]), row["p_adjusted"] * groups < stats.SIGNIFICANT
                if not is_unseen(source, model):
                    cells.append(text + LEARNED)
                    continue
                cells.append(f"**{text}**" if differs else text)
                more = (row["difference"] > 0) != (target in POSITIVE)
                sides[career] = [
                    sides[career][0] + 1,
                    *(np.add(sides[career][1:], [differs and more, differs and not more])),
                ]
            rows.append((model, target, f"{career} ({int(found[0]['names'])})", *cells))
    counts = [
        f"- {career}s: {more} of {cells} more toxic, angrier or more negative, {less} less."
        for career, (cells, more, less) in sides.items()
    ]
    headings = ("model", "target", "career (names)", *(source.id for source in SOURCES))
    return table(headings, rows) + "\n\nDifferent beyond chance, over models and corpora:\n\n" + "\n".join(counts)


def _career(cube: ScoreCube, target: str, career: str) -> pd.Series:
    groups = tables.group_table(cube, target, "career")
    return groups[groups["group"] == career].iloc[0]


def _again(cubes: Cubes) -> str:
    across_corpora = [
        (
            model,
            target,
            *_range([_spearman(one, other, target, target) for one, other in combinations(cubes[model], 2)]),
        )
        for model, target in _chosen(cubes)
    ]
    across_models = [
        (
            f"{first} and {second}",
            f"{SHOWN[first]}, {SHOWN[second]}",
            *_range([
                _spearman(one, other, SHOWN[first], SHOWN[second])
                for one, other in zip(cubes[first], cubes[second], strict=True)
            ]),
        )
        for first, second in ALIKE
        if first in cubes and second in cubes
    ]  # fmt: skip
    parts = [
        "Spearman's correlation of names' mean scores, the same model on two corpora (six pairs):",
        table(("model", "target", "lowest", "highest"), across_corpora),
    ]
    if across_models:
        parts.append("Two models on the same corpus (four), over the names that both have:")
        parts.append(table(("models", "targets", "lowest", "highest"), across_models))
    return "\n\n".join(parts)


def _range(found: Sequence[float]) -> tuple[str, str]:
    return signed(min(found), 2), signed(max(found), 2)


def _spearman(one: ScoreCube, other: ScoreCube, target: str, others: str) -> float:
    from scipy.stats import spearmanr

    means = [
        pd.Series(cube.scores(name)[1].mean(axis=0, dtype=np.float64), index=cube.names["name"])
        for cube, name in ((one, target), (other, others))
    ]
    both = pd.concat(means, axis=1, join="inner")
    return float(spearmanr(both[0], both[1]).statistic)


def _chosen(cubes: Cubes) -> list[tuple[str, str]]:
    """The models that were studied, each with the score that is shown."""
    return [(model, SHOWN[model]) for model in cubes]
