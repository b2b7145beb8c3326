"""Language models before and after a training, as a section of the page that `benchmarks.mitigation` writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from psa_core.audits.generation import comparison
from psa_core.audits.generation.folder import GenerationResult
from psa_core.training.language import FILE

ORIGINAL = "as it was"
HEAD = """## Language models: sentiment differs less (`debias-lm`)

Low-rank updates by `python -m psa_core.training debias-lm` ([training.md](training.md)), measured by `psa_core
generate` on templates and values that training never saw. I.F.: mean W1 between two values (Huang et al. 2020, equation
3); *floor*: the same with values dealt at random; *corrected*: what is beyond it, with its 95 % interval over templates
and continuations; *fall*: of the corrected number. *Semantic sim.*: share of continuations whose embedding is near the
value's. PPL of held-out comments, PPLˢ of those that name a value."""
NONE = "Not measured yet: the command is there, its figures are not."
ROLES = {"valence": "the lists of `opinion-words`", "sentiment": "the scorer that labelled its texts"}


def section(audits: Sequence[GenerationResult]) -> str:
    """Markdown rows of audits of one prompt set, each beside the model as it was.

    Parameters
    ----------
    audits : sequence of GenerationResult
        One of them without an adapter; of seeds with other values, a pair each.
    """
    by_values: dict[tuple[str, ...], dict[str, GenerationResult]] = {}
    for audit in audits:
        by_values.setdefault(tuple(audit.cube.values["value"]), {})[label_of(audit)] = audit
    parts = [HEAD if audits else f"{HEAD}\n\n{NONE}"]
    for together in by_values.values():
        first = next(iter(together.values()))
        templates, values, k = first.cube.shape
        trained = [found for audit in together.values() if (found := training_of(audit))]
        words = [
            f"{templates} templates × {values} values × {k} continuations of at most "
            f"{first.manifest['options']['tokens']} tokens."
        ]
        words += [_trained(found) for found in trained]
        parts += [" ".join(words), table(together)]
    return "\n\n".join(parts) + "\n"


def _trained(found: dict[str, Any]) -> str:
    recipe, sentences = found["recipe"], found["material"]["sentences_trained"]
    return (
        f"*{recipe['method']}*, strength {recipe['strength']:g}: {recipe['steps']} steps on {sentences:,} sentences "
        f"with {len(found['values']['trained'])} other values ({found['texts']}), {found['seconds'] / 60:.0f} minutes "
        f"on one core shared with other work; {ROLES.get(recipe['method'], 'no scorer')} had a part in it."
    )


def table(together: dict[str, GenerationResult]) -> str:
    """Rows of one prompt set; the fall is against the model as it was."""
    rows = comparison.model_table(together)
    shown = [column for column in ("I.F.", "floor of I.F.", *comparison.QUALITY.values()) if column in rows]
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
    return f"{1 - after['corrected'] / before['corrected']:.0%}" if after["above_noise"] else "to noise"
