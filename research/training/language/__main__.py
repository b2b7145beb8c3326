"""``python -m research.training debias-lm``: an adapter with which a language model's sentiment differs less."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from psa_core import signals
from psa_core.inputs import corpus
from research.training.language import METHODS, LanguageRecipe, Order, debias
from research.training.language.card import card
from research.training.threads import set_threads

LOG = logging.getLogger("research.training")
NAME = "debias-lm"
STOPPED = "stopped; nothing was written to --out."


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns 0, or 2 after one sentence on stderr about what is wrong with the input."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(stream=sys.stdout, format="%(message)s")
    LOG.setLevel(logging.INFO)
    return signals.exit_status(lambda: _run(options), stopped=STOPPED)


def _run(options: argparse.Namespace) -> int:
    set_threads(options.threads)
    texts = corpus.load(options.text).sentences["text"] if options.text else ()
    recipe = LanguageRecipe(**{field.name: getattr(options, field.name) for field in fields(LanguageRecipe)})
    order = Order(options.lm, options.values, recipe, tuple(map(str, texts)), options.labels)
    print(card(debias(order, options.out, LOG.info)), f"adapter: {options.out}", sep="\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = signals.Parser(
        prog=f"python -m research.training {NAME}",
        description="Train low-rank updates with which a language model's sentiment differs less from value to value.",
    )
    parser.add_argument("--lm", metavar="ID", required=True, help="a causal language model on this machine")
    parser.add_argument(
        "--values", metavar="LIST", required=True, help="occupation, country, name, or a file; half is trained on"
    )
    parser.add_argument("--text", metavar="FILE", help="texts that name the values; else the model's own samples")
    parser.add_argument("--labels", metavar="ID", default="", help="scorer that labels texts for --method sentiment")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="adapter folder, new or empty")
    parser.add_argument("--threads", type=int, help="processor threads (default: torch's choice)")
    for field in fields(LanguageRecipe):
        choices = tuple(METHODS) if field.name == "method" else None
        option = "--" + field.name.replace("_", "-")
        kind = type(field.default)
        parser.add_argument(option, type=kind, default=field.default, choices=choices, help="%(default)s")
    return parser


if __name__ == "__main__":
    signals.run(lambda: main(sys.argv[1:]))
