"""The texts of a study as a table, to be scored elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from psa_core.study.execution import Plan

COLUMNS = ("text_id", "sentence_id", "name", "text")


def rows(planned: Plan) -> Iterator[tuple[str, str, str, str]]:
    """Each text of a study with its sentence and name; an empty name is the original sentence."""
    names = ["", *planned.names.table["name"]]
    perturbation, originals = planned.perturbation, planned.perturbation.originals()
    for position, sentence in enumerate(planned.selection.sentences["sentence_id"]):
        texts = [originals[position], *perturbation.row(position)]
        for column, (name, text) in enumerate(zip(names, texts, strict=True)):
            yield str(position * len(names) + column + 1), sentence, name, text
