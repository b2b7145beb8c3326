"""Language models before and after a training, as a section of the page that `research.mitigation` writes."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from psa_core.audits.generation import AUDIT, report
from psa_core.audits.generation.result import GenerationResult
from psa_core.retraining.measure import interval, percent_of
from research.documents import signed
from research.training.language import FILE

PERPLEXITY = "perplexity.json"

ORIGINAL = "as it was"
#: Scores that had a part in a training by a method.
PARTS = {"valence": "opinion-words", "sentiment": "minilm-sentiment"}
CORPUS_NUMBERS = {"ppl": "PPL", "ppl_sensitive": "PPLˢ"}


@dataclass(frozen=True, eq=False)
class Audit:
    """A result folder of ``generate``; ``ppl`` and ``ppl_sensitive`` by corpus, where they were measured."""

    result: GenerationResult
    perplexity: dict[str, dict[str, float | None]]

    @property
    def attribute(self) -> str:
        """Which templates, by id."""
        return str(self.result.manifest["options"]["templates"])

    @property
    def training(self) -> dict[str, Any] | None:
        """How its adapter was trained; None where it has none."""
        return training_of(self.result)


def read(place: Path) -> Audit:
    """An audit, with the perplexities that `research.mitigation.train` measured."""
    file = place / PERPLEXITY
    return Audit(AUDIT.read(place), json.loads(file.read_text("utf-8")) if file.is_file() else {})


def section(audits: Sequence[Audit]) -> str:
    """Markdown of one attribute: what trainings do in the mean over seeds, then each audit beside the model as it was.

    One of the `audits` of each prompt set has no adapter; of seeds with other values there is a pair each.
    """
    parts: list[str] = []
    if pairs := pairs_of(audits):
        parts += ["In the mean over seeds:", fairness_table(pairs), quality_table(pairs), "One by one:"]
    for together in _by_values(audits):
        first = together[0].result
        templates, values, k = first.cube.shape
        words = [
            f"{templates} templates × {values} values × {k} continuations of at most "
            f"{first.manifest['options']['tokens']} tokens."
        ]
        words += [_trained(found) for audit in together if (found := audit.training)]
        parts += [" ".join(words), table({label_of(audit.result): audit.result for audit in together})]
    return "\n\n".join(parts)


def pairs_of(audits: Sequence[Audit]) -> list[tuple[Audit, Audit]]:
    """The model as it was and each training of it, measured with the same values."""
    found = []
    for together in _by_values(audits):
        before = next((audit for audit in together if label_of(audit.result) == ORIGINAL), None)
        found += [] if before is None else [(before, audit) for audit in together if audit.training]
    return found


def _by_values(audits: Sequence[Audit]) -> list[list[Audit]]:
    found = defaultdict(list)
    for audit in audits:
        found[tuple(audit.result.cube.values["value"])].append(audit)
    return list(found.values())


def fairness_table(pairs: Sequence[tuple[Audit, Audit]]) -> str:
    """Rows of training and score: corrected I.F. before and after, means over seeds; the fall with interval."""
    heads = (
        "training",
        "score",
        "seeds above noise before",
        "I.F. corrected before",
        "after",
        "fall",
        "no longer above noise",
    )
    rows = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for training, some in by_training(pairs).items():
        for score in some[0][0].result.cube.scorers:
            part = " (had a part)" if PARTS.get(training.partition(",")[0]) == score else ""
            numbers = [[one.result.tables.summary[score]["individual_fairness"] for one in pair] for pair in some]
            above = [(before, after) for before, after in numbers if before["above_noise"]]
            seeds = f"{len(above)} of {len(some)}"
            if not above:
                rows.append(f"| {training} | {score}{part} | {seeds} | not above noise | | | |")
                continue
            means = [sum(pair[end]["corrected"] for pair in above) / len(above) for end in (0, 1)]
            falls = interval([1 - after["corrected"] / before["corrected"] for before, after in above])
            lost = sum(not after["above_noise"] for _, after in above)
            cells = [training, score + part, seeds, *(f"{mean:.3f}" for mean in means),
                     percent_of(falls), f"{lost} of {len(above)}"]  # fmt: skip
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def quality_table(pairs: Sequence[tuple[Audit, Audit]]) -> str:
    """Rows of a training: what it costs, means over seeds."""
    corpora = list(pairs[0][0].perplexity)
    changes = [f"{words}, {corpus}" for corpus in corpora for words in CORPUS_NUMBERS.values()]
    heads = ("training", *changes, "semantic sim. before", "after", "kept")
    rows = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for training, some in by_training(pairs).items():
        cells = [training]
        for corpus in corpora:
            cells += [_rise(some, corpus, number) for number in CORPUS_NUMBERS]
        similar = [[similarity(one) for one in pair] for pair in some]
        means = [sum(pair[end] for pair in similar) / len(similar) for end in (0, 1)]
        cells += [*(f"{100 * mean:.1f} %" for mean in means), f"{100 * means[1] / means[0]:.0f} %" if means[0] else "–"]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def by_training(pairs: Sequence[tuple[Audit, Audit]]) -> dict[str, list[tuple[Audit, Audit]]]:
    """The pairs of each training, one a seed, by `training_words`."""
    found = defaultdict(list)
    for before, after in pairs:
        found[training_words(after)].append((before, after))
    return dict(sorted(found.items()))


def _rise(some: Sequence[tuple[Audit, Audit]], corpus: str, number: str) -> str:
    """How much a perplexity rises, mean over seeds."""
    known = [[one.perplexity.get(corpus, {}).get(number) for one in pair] for pair in some]
    rises = [after / before - 1 for before, after in known if before and after]
    return f"{signed(100 * sum(rises) / len(rises), 1)} %" if rises else "–"


def similarity(audit: Audit) -> float:
    """Share of continuations that are about their value."""
    return float((audit.result.tables.summary.get("quality") or {}).get("semantic_similarity") or 0.0)


def _trained(found: dict[str, Any]) -> str:
    recipe, sentences = found["recipe"], found["material"]["sentences_trained"]
    computed = found.get("processor_seconds")
    took = f"; {computed / 60:.0f} minutes of processor time" if computed else ""
    return (
        f"*{recipe['method']}*, strength {recipe['strength']:g}: {recipe['steps']} steps on {sentences:,} sentences "
        f"with {len(found['values']['trained'])} other values ({found['texts']}); "
        f"{PARTS.get(recipe['method'], 'no scorer')} had a part in it{took}."
    )


def training_words(audit: Audit) -> str:
    """Method and strength, the same for all seeds; `ORIGINAL` for the model without a training."""
    recipe = (audit.training or {}).get("recipe")
    return ORIGINAL if recipe is None else f"{recipe['method']}, strength {recipe['strength']:g}"


def table(together: dict[str, GenerationResult]) -> str:
    """Rows of one prompt set; the fall is against the model as it was."""
    rows = report.model_table(together)
    shown = [column for column in ("I.F.", "floor of I.F.", *report.SHORT_QUALITY.values()) if column in rows]
    heads = ["score", "model", *shown[:2], "I.F. corrected", "fall", *shown[2:]]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for row in rows.to_dict("records"):
        score, label = str(row["score"]), str(row["audit"])
        numbers = [_number(row[column]) for column in shown]
        cells = [score, label, *numbers[:2], str(row["I.F. corrected"]), _fall(together, score, label), *numbers[2:]]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def label_of(audit: GenerationResult) -> str:
    """What an audit's model is, without a path of the machine that made it."""
    options, training = _options(audit), training_of(audit)
    if training:
        recipe = training["recipe"]
        return f"{recipe['method']}, strength {recipe['strength']:g}, seed {recipe['seed']}"
    return f"resampled, match={options['match'][0]}" if "match" in options else ORIGINAL


def training_of(audit: GenerationResult) -> dict[str, Any] | None:
    """How its adapter was trained; None where it has none."""
    adapter = _options(audit).get("adapter")
    return None if adapter is None else dict(json.loads((Path(adapter[0]) / FILE).read_text("utf-8")))


def _options(audit: GenerationResult) -> dict[str, list[str]]:
    return parse_qs(str(audit.manifest["options"]["lm"]).partition("?")[2])


def _number(value: Any) -> str:
    return "–" if value is None or value != value else f"{value:.3f}"


def _fall(together: dict[str, GenerationResult], score: str, label: str) -> str:
    if label == ORIGINAL or ORIGINAL not in together:
        return ""
    before, after = (together[name].tables.summary[score]["individual_fairness"] for name in (ORIGINAL, label))
    if not before["above_noise"]:
        return "–"
    if not after["above_noise"]:
        return "to noise"
    return f"{100 * (1 - after['corrected'] / before['corrected']):z.0f} %".replace("-", "−")
