"""``psa card``: what a study found, as a part of a model's card."""

from __future__ import annotations

from pathlib import Path

from psa_core.cli._base import FOLDER, Command
from psa_core.folders import results, view, writing
from psa_core.options import option
from psa_core.report import model_card


def _execute(
    folder: Path = FOLDER,
    into: Path | None = option(None, metavar="README.md", help="write into this model card instead of printing"),
    name: str | None = option(
        None, metavar="MODEL", help="the model's name in the metadata (default: the card's, else the study's model)"
    ),
) -> int:
    cube = view.shown(results.read(folder))
    existing = model_card.read(into) if into else ""
    card = str(model_card.card(cube, name=name, existing=existing))
    if into is None:
        print(card, end="")
        return 0
    with writing.atomic_file(into) as aside:
        aside.write_text(card, encoding="utf-8")
    print(f"{into}: the study's results are in its text and in its metadata")
    return 0


COMMAND = Command("card", "Write a study's results into a model card.", _execute)
