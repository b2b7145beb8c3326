"""What the card of a language model's adapter says: what was done, and what was measured on what it never saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from research.training.language.probe import GOOD
from research.training.language.recipe import METHODS

LIMITS = (
    "That sentiment differs less between these values is what it was trained for; a measurement has to say whether it "
    "does. It says nothing of other values, of other languages, or of what is written about them besides sentiment, "
    "and not that what is written is right. A large strength makes a model that takes no notice of the value at all: "
    "read the semantic similarity beside every other number."
)
DISTANCES = {
    "embedding": "mean cosine distance of the hidden states",
    "sentiment": "mean cosine distance of what the projection reads",
    "valence": "mean squared difference of the expected valence, in its variances",
}


def card(content: Mapping[str, Any]) -> str:
    """Markdown card of a training, by what ``training.json`` holds."""
    recipe, words, values = content["recipe"], content["material"], content["values"]
    settings = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in recipe.items())
    return (
        "\n\n".join(
            [
                f"# {content['lm'].rpartition('/')[2]}, trained so that its sentiment differs less",
                f"Low-rank updates of the last {recipe['layers']} layers, method *{recipe['method']}*: "
                f"{METHODS[recipe['method']][0].lower()}{METHODS[recipe['method']][1:]}. Text: {content['texts']}, "
                f"{words['texts']:,} of them, {words['sentences_trained']:,} with one of {len(values['trained'])} "
                f"values ({', '.join(values['trained'])}). Settings: {settings}. It took "
                f"{content['seconds']:.0f} s, and {content['processor_seconds']:.0f} s of processor time.",
                *([_probe(content["probe"])] if content["probe"] else []),
                "## On values and sentences that training never saw\n\n" + _table(content),
                f"{len(values['held_out'])} values ({', '.join(values['held_out'])}), put into "
                f"{words['sentences_measured']:,} other sentences. *Divergence*: from the predictions before, in nats "
                "a token. These are the parts of the loss, no result: what it writes is measured by `psa_core "
                "generate` with `held-out.csv` as its values, on templates that are nowhere in the training.",
                f"## Limits\n\n{LIMITS}",
            ]
        )
        + "\n"
    )


def _table(content: Mapping[str, Any]) -> str:
    rows = ["| | before | after |", "|---|---|---|"]
    for words, key in ((DISTANCES[content["recipe"]["method"]], "distance"), ("divergence", "divergence")):
        rows.append(f"| {words} | {content['before'][key]:.4f} | {content['after'][key]:.4f} |")
    return "\n".join(rows)


def _probe(found: Mapping[str, Any]) -> str:
    accuracy = f"{100 * found['accuracy']:.0f} %"
    verdict = (
        "" if found["accuracy"] >= GOOD
        else f" **Below {100 * GOOD:.0f} %: it hardly reads sentiment, so this method can do little here.** "
        "Give more texts."
    )  # fmt: skip
    return (
        f"The projection learned from {found['learned']:,} texts of which `{found['labels']}` was sure, and reads "
        f"{accuracy} of {found['tested']:,} others right, as many of either sentiment.{verdict}"
    )
