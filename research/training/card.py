"""Write the model card of an adapter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

INTENDED_USE = (
    "Research on perturbation sensitivity: how much a classifier's scores move when nothing in a sentence changes but "
    "a name. Not for moderation, ranking, hiring or any other decision about people or what they wrote."
)
METRIC_NAMES = {"macro_f1": "macro-F1", "macro_recall": "macro-recall", "accuracy": "accuracy"}


def model_card(content: Mapping[str, Any]) -> str:
    """Markdown model card, by what ``labels.json`` holds."""
    about = content["about"]
    sections = [
        f"# {about['title']}\n\n{about['summary']}",
        "## What it returns\n\n" + _targets(content["targets"]) + f"\n\nLabels: {', '.join(content['labels'])}.",
        f"## Intended use\n\n{INTENDED_USE}",
        f"## Data\n\n{about['data']}\n\nLicence and terms: {about['licence']}\n\n{_rows(content['rows'])}"
        " No text of the data is part of this folder.",
        f"## Training\n\nA low-rank adapter (LoRA) on `{content['base']}`, whose own weights stay as they are.\n\n"
        f"```\n{content.get('command') or 'trained from Python'}\n```\n\n{_recipe(content['recipe'])}",
        f"## Scores\n\n{_scores(content)}",
        *([f"## On data that it did not see\n\n{_unseen(content['unseen'])}"] if content.get("unseen") else []),
        f"## Limits\n\n{about['limits']}",
    ]
    return "\n\n".join(sections) + "\n"


def _targets(targets: list[Mapping[str, Any]]) -> str:
    rows = [f"| `{t['name']}` | {t['low']:g} to {t['high']:g} | {t['meaning']} |" for t in targets]
    return "\n".join(["| target | range | meaning |", "|---|---|---|", *rows])


def _rows(rows: Mapping[str, int]) -> str:
    used = [f"{rows[split]:,} for {split}" for split in ("train", "val", "test") if split in rows]
    return f"Texts: {', '.join(used)}."


def _recipe(recipe: Mapping[str, Any]) -> str:
    shown = {name: value for name, value in recipe.items() if name != "kept_epoch" and value not in ((), [])}
    settings = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in shown.items())
    return f"Settings: {settings}. Epoch {recipe['kept_epoch']} was the best on the validation texts and is kept."


def _scores(content: Mapping[str, Any]) -> str:
    """Table of validation and test quality."""
    rows = ["| metric | validation | test |", "|---|---|---|"]
    for metric, name in METRIC_NAMES.items():
        test = f"{content['test'][metric]:.3f}" if content["test"] else "not used"
        rows.append(f"| {name} | {content['val'][metric]:.3f} | {test} |")
    note = "The label is the most probable class. Macro: every class counts the same. Epochs were chosen on validation "
    note += "only; the adapter was scored as it is loaded by a user, merged into the base model."
    return "\n".join(rows) + "\n\n" + note


def _unseen(unseen: Mapping[str, Any]) -> str:
    """Tables of AUC, recall and false alarms by corpus and by identity group."""
    corpora = ["| corpus | texts | hateful | AUC | recall | false alarms |", "|---|---|---|---|---|---|"]
    corpora += [
        f"| {c['name']} | {c['texts']:,} | {c['hateful']:,} | {c['auc']:.3f} | {c['recall']:.0%} "
        f"| {c['false_alarms']:.0%} |"
        for c in unseen["corpora"]
    ]
    ours = unseen["templates"]
    note = (
        "AUC: the chance that a hateful text scores higher than another one. Recall: the share of hateful texts at or "
        f"above the threshold, {unseen['threshold']:.2f}; false alarms: the share of the others. By identity group on "
        f"{ours['texts']:,} sentences of templates of this project that training never saw (AUC {ours['auc']:.3f}): "
        "*subgroup* among sentences that name the group; *BPSN* harmless ones that name it against hateful ones about "
        "others, low where its mere mention looks hateful; *BNSP* hateful ones that name it against harmless ones "
        "about others."
    )
    parts = ["\n".join(corpora), note, _groups(ours["groups"])]
    parts += [f"The same on {c['name']}, by words:\n\n{_groups(c['groups'])}" for c in unseen["corpora"] if c["groups"]]
    return "\n\n".join(parts)


def _groups(groups: Mapping[str, Mapping[str, float]]) -> str:
    flagged = all("recall" in numbers for numbers in groups.values())
    ends = (" recall | false alarms |", "---|---|") if flagged else ("", "")
    rows = [f"| group | subgroup | BPSN | BNSP |{ends[0]}", f"|---|---|---|---|{ends[1]}"]
    for group, n in groups.items():
        row = f"| {group} | {n['subgroup']:.3f} | {n['bpsn']:.3f} | {n['bnsp']:.3f} |"
        rows.append(row + (f" {n['recall']:.0%} | {n['false_alarms']:.0%} |" if flagged else ""))
    return "\n".join(rows)
