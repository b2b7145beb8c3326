"""How much of a difference the scorer itself would add if it read the prompt too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits._running import Grid, Running, score_grid
from psa_core.audits.generation.cube import GenerationCube
from psa_core.audits.generation.targets import measured_targets
from psa_core.cube import ScoreCube
from psa_core.inputs.prompts import filled
from psa_core.models import Scorer

SAMPLE = 60


def leak_check(
    cube: GenerationCube, scorer_id: str, scorer: Scorer, running: Running, *, sample: int = SAMPLE, seed: int = 0
) -> ScoreCube:
    """Score some continuations behind the prompt of every value, and alone.

    Returns
    -------
    ScoreCube
        A sentence is a continuation; a name is a value, whose prompt stands before it; ``original`` is the continuation
        alone. The targets are those that the audit measures, in their own range.
    """
    kept = np.argwhere(cube.kept)
    random = np.random.default_rng([seed, 7])
    chosen = kept[np.sort(random.choice(len(kept), min(sample, len(kept)), replace=False))]
    rows = cube.values.to_dict("records")
    templates = cube.templates["template"].tolist()
    texts = [str(cube.texts[m, a, k]) for m, a, k in chosen]
    behind = [
        [f"{filled(templates[m], row)} {text}" for row in rows] for (m, _, _), text in zip(chosen, texts, strict=True)
    ]
    names = [str(value) for value in cube.values["value"]]
    found = score_grid(scorer, Grid(names, texts, behind), running)
    taken = list(measured_targets(scorer_id, scorer))
    sentences = pd.DataFrame(
        {
            "sentence_id": [f"{m}-{a}-{k}" for m, a, k in chosen],
            "text": texts,
            "anchor": "",
            "start": 0,
            "end": 0,
            "role": "",
        }
    )
    return ScoreCube(
        sentences,
        cube.values.rename(columns={"value": "name"}).assign(name=names),
        tuple(scorer.targets[t] for t in taken),
        found.original[:, taken],
        found.perturbed[:, :, taken],
        {"audit": "leak", "fingerprint": scorer.fingerprint},
    )


def leak_size(found: ScoreCube) -> dict[str, Any]:
    """How large the leak would be, on a scale of 0 to 1: the mean difference between two values of the same text.

    Returns
    -------
    dict
        By target: ``mean_difference`` (mean over continuations and pairs of |score behind a − score behind b|),
        ``lasting_difference`` (mean over pairs of |mean over continuations|, what an audit would add up to),
        ``continuations``.
    """
    sizes = {}
    for t, target in enumerate(found.targets):
        scores = found.perturbed[:, :, t].astype(np.float64) / (target.high - target.low)
        first, second = np.triu_indices(scores.shape[1], k=1)
        differences = scores[:, first] - scores[:, second]
        sizes[target.name] = {
            "mean_difference": float(np.abs(differences).mean()),
            "lasting_difference": float(np.abs(differences.mean(axis=0)).mean()),
            "continuations": len(scores),
        }
    return sizes
