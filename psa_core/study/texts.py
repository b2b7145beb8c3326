"""The texts of a study as a table, to be scored elsewhere."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain
from typing import IO

from psa_core.study.execution import Plan

COLUMNS = ("text_id", "sentence_id", "name", "text")


def write(planned: Plan, stream: IO[str]) -> None:
    """Write them as CSV, each exactly as it is: a program scores them."""
    writer = csv.writer(stream)
    writer.writerow(COLUMNS)
    writer.writerows(rows(planned))


def rows(planned: Plan) -> Iterator[tuple[str, str, str, str]]:
    """Each text of a study with its sentence and name; the original sentence has an empty name."""
    names = ["", *planned.names.table["name"]]
    perturbation, originals = planned.perturbation, planned.perturbation.originals()
    for position, sentence in enumerate(planned.selection.sentences["sentence_id"]):
        texts = chain([originals[position]], perturbation.stream(position))
        for column, (name, text) in enumerate(zip(names, texts, strict=True)):
            yield str(position * len(names) + column + 1), sentence, name, text
