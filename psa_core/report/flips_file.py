"""All flips with their texts: with readers' judgements, or as labelled texts to train on."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np
import pandas as pd

from psa_core import stats, tables
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.inputs.limits import FLIPS, within
from psa_core.study import perturbation_of

COLUMNS = ["sentence_id", "name", "target", "threshold", "original", "perturbed", "direction"]


def flip_rows(cube: ScoreCube, target: str, *, threshold: float, judged: pd.DataFrame) -> pd.DataFrame:
    """One row per flip, largest change first, as many of them as `limits.FLIPS` has room for.

    `judged` has ``sentence_id, name, target, verdict, reader``, one row per judgement. The columns are those of
    ``flips.csv`` with ``original_text``, ``text`` (with the name), and ``judgements`` (``reader: verdict``, joined by
    semicolons).
    """
    flips = tables.find_flips(cube, target, threshold=threshold).frame()
    texts = perturbation_of(cube, target)
    cells = list(zip(flips["sentence_position"].tolist(), flips["name_position"].tolist(), strict=True))
    with_names = list(within((texts.text(s, n) for s, n in cells), FLIPS.value))
    flips, cells = flips.head(len(with_names)), cells[: len(with_names)]
    verdicts = defaultdict[tuple[str, str], list[str]](list)
    for row in judged[judged["target"] == target].itertuples():
        verdicts[str(row.sentence_id), str(row.name)].append(f"{row.reader}: {row.verdict}")
    keys = zip(flips["sentence_id"].astype(str), flips["name"].astype(str), strict=True)
    return flips[COLUMNS].assign(
        original_text=[texts.texts[s] for s, _ in cells],
        text=with_names,
        judgements=["; ".join(verdicts[key]) for key in keys],
    )


def training_rows(cube: ScoreCube, target: str, *, label_column: str = "") -> pd.DataFrame:
    """The flips as labelled texts to train on: each text with a name, labelled as its sentence is without it.

    ``text, label, sentence_id, name, target``: every sentence that has a flip as it is (empty ``name``), then with each
    name that flips it. The label is what `label_column` of the sentences holds; without it the model's own (0 or 1) of
    the original sentence at the target's threshold, which makes a model steadier, not more right. Raises `CubeError`
    when the target or the column is unknown.
    """
    flips, texts = tables.find_flips(cube, target), perturbation_of(cube, target)
    labels = stats.labels_at(cube.scores(target)[0], flips.threshold).astype(int)
    if label_column:
        if label_column not in cube.sentences:
            known = ", ".join(cube.sentences.columns)
            raise CubeError("label column", got=repr(label_column)[:60], expected=f"a column of the sentences: {known}")
        labels = cube.sentences[label_column].to_numpy()
    cells: list[tuple[int, int | None]] = [(int(s), None) for s in np.unique(flips.sentence)]
    cells += [(int(s), int(n)) for s, n in zip(flips.sentence, flips.name, strict=True)]
    cells.sort(key=lambda cell: (cell[0], -1 if cell[1] is None else cell[1]))
    rows = np.array([s for s, _ in cells], dtype=np.int64)
    names = cube.names["name"].tolist()
    return pd.DataFrame(
        {
            "text": [texts.texts[s] if n is None else texts.text(s, n) for s, n in cells],
            "label": labels[rows],
            "sentence_id": cube.sentences["sentence_id"].to_numpy()[rows],
            "name": ["" if n is None else names[n] for _, n in cells],
            "target": target,
        }
    )


def json_lines(rows: pd.DataFrame) -> bytes:
    """A table as JSON lines: one object per row, numbers as numbers."""
    lines = (json.dumps(row, ensure_ascii=False) for row in rows.to_dict("records"))
    return "".join(f"{line}\n" for line in lines).encode("utf-8")
