"""The model card of a retrained classifier: what it was trained on, and its results on held-out names and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LIMITS = (
    "Measured on names and sentences that training never saw, drawn from one list and one kind of text: other names "
    "and other texts may move it more. That answers move less with a name says nothing of other words, and not that "
    "the classifier is right. The name's influence is less also where a name should matter."
)
SENSITIVITY = """
| strength | target | name effect before | after | fall | ScoreDev before | after | fall | originals move | keep label |
|---|---|---|---|---|---|---|---|---|---|
"""
TASK = """
| strength | metric | before | after | change |
|---|---|---|---|---|
"""


def card(content: Mapping[str, Any]) -> str:
    """Markdown card of a retraining, by what `retraining.json` holds."""
    recipe, spec, seeds, run = content["recipe"], content["study"], content["seeds"], content["runs"][0]
    counts = run["material"]
    settings = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in recipe.items())
    parts = [
        f"# {spec['model']}, retrained so that it moves less with the name",
        f"Low-rank updates of the last {recipe['layers']} layers (*{recipe['method']}*), trained on "
        f"{counts['sentences_trained']:,} sentences with {counts['names_trained']} names of `{spec['names']}`; "
        f"the other {counts['names_held_out']} names and {counts['sentences_held_out']:,} other sentences (of "
        f"`{spec['sentences']}`) were for measuring only. Settings: {settings}; seeds "
        f"{', '.join(map(str, seeds))}, each with its own split of the names.",
        f"## On names and sentences that training never saw\n\n{sensitivity_table(content)}",
        "*Name effect*: mean over names of the size of a name's effect against the names' mean. *ScoreDev*: "
        "mean over sentences of the standard deviation over names. *Originals*: mean size of the change of a "
        "sentence's score as it is, and the share that keep their label. Mean over seeds"
        + (" with 95 % t intervals." if len(seeds) > 1 else "; one seed gives no interval."),
    ]
    if content["strengths"][0]["task"]:
        measured = f"On {run['labelled']:,} labelled texts, none of which was trained on."
        parts.append(f"## The task\n\n{task_table(content)}\n\n{measured}")
    return "\n\n".join([*parts, f"## Limits\n\n{LIMITS}"]) + "\n"


def sensitivity_table(content: Mapping[str, Any]) -> str:
    """Markdown rows: strength and target, name effect and ScoreDev before and after, and how the originals fared."""
    rows = []
    for strength in content["strengths"]:
        for target, found in strength["targets"].items():
            cells = [f"{strength['strength']:g}", f"`{target}`"]
            for number in ("name_effect", "score_dev"):
                cells += [number_of(found[number][part]) for part in ("before", "after")]
                cells.append(percent_of(found[number]["fall"]))
            cells += [number_of(found["score_change"]), percent_of(found["labels_kept"])]
            rows.append(f"| {' | '.join(cells)} |")
    return SENSITIVITY.lstrip() + "\n".join(rows)


def task_table(content: Mapping[str, Any]) -> str:
    """Markdown rows: the task's score before and after."""
    rows = []
    for strength in content["strengths"]:
        for metric, found in strength["task"].items():
            cells = [number_of(found[part]) for part in ("before", "after", "change")]
            rows.append(f"| {strength['strength']:g} | {metric.replace('_', ' ')} | {' | '.join(cells)} |")
    return TASK.lstrip() + "\n".join(rows)


def number_of(found: Mapping[str, float | None]) -> str:
    """A number with its interval, where it has one."""
    text = f"{found['value']:.4f}"
    if found["low"] is not None:
        text += f" ({found['low']:.4f} to {found['high']:.4f})"
    return text.replace("-", "−")


def percent_of(found: Mapping[str, float | None]) -> str:
    """The same of a share, which is never above 100 %."""
    value, low, high = (None if found[part] is None else 100 * found[part] for part in ("value", "low", "high"))  # type: ignore[operator]
    text = f"{value:z.0f} %"
    if low is not None and high is not None:
        text += f" ({low:z.0f} to {min(high, 100):z.0f})"
    return text.replace("-", "−")
