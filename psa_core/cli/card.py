"""``psa card``: what a study found, as a part of a model's card."""

from __future__ import annotations

import argparse
from pathlib import Path

from psa_core.cli._base import Command
from psa_core.folders import results, view, writing
from psa_core.report import model_card


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", type=Path, help="a result folder of `run`")
    parser.add_argument("--into", metavar="README.md", type=Path, help="write into this model card instead of printing")
    parser.add_argument(
        "--name", metavar="MODEL", help="the model's name in the metadata (default: the card's, else the study's model)"
    )


def _execute(options: argparse.Namespace) -> int:
    cube = view.shown(results.read(options.folder))
    existing = model_card.read(options.into) if options.into else ""
    card = str(model_card.card(cube, name=options.name, existing=existing))
    if options.into is None:
        print(card, end="")
        return 0
    with writing.atomic_file(options.into) as aside:
        aside.write_text(card, encoding="utf-8")
    print(f"{options.into}: the study's results are in its text and in its metadata")
    return 0


COMMAND = Command("card", "Write a study's results into a model card.", _configure, _execute)
