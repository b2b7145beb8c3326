"""Resampling at decoding, measured on continuations that are there: no language model is asked."""

from __future__ import annotations

import numpy as np

from psa_core.audits.generation.cube import GenerationCube
from psa_core.generators._matching import CANDIDATES, nearest
from psa_core.stats.wasserstein import individual_fairness


def section(cube: GenerationCube, *, kept: int = 8, draws: int = 20) -> str:
    """Markdown section on resampling, from continuations that are there: some are kept of each prompt's candidates.

    The cube's first scorer matches; the others had no part. `kept` are drawn from `CANDIDATES` times as many, each
    time.
    """
    rows = [
        "| score | any of them | nearest to the common distribution | values assigned at random |",
        "|---|---|---|---|",
    ]
    ways = [[_kept(cube, kept, seed, matched=matched) for seed in range(draws)] for matched in (False, True)]
    for number, name in enumerate(cube.scorers):
        plain, matched = [[scores[..., number] for scores in way] for way in ways]
        dealt = [_dealt(scores, seed) for seed, scores in enumerate(plain)]
        cells = [f"{np.mean([individual_fairness(one) for one in some]):.3f}" for some in (plain, matched, dealt)]
        role = "matches" if number == 0 else "had no part"
        rows.append(f"| {name} ({role}) | {' | '.join(cells)} |")
    templates, values, _ = cube.shape
    return (
        f"I.F. of {templates} templates × {values} values of the packaged example, {kept} of {CANDIDATES * kept} "
        f"continuations kept, mean of {draws} draws. The matching score is alike by construction; what counts is the "
        "other one, and whether it is above what assigning values at random shows.\n\n" + "\n".join(rows)
    )


def _kept(cube: GenerationCube, kept: int, seed: int, *, matched: bool) -> np.ndarray:
    """Scores (M, A, kept, T) of the continuations that are kept."""
    rng = np.random.default_rng(seed)
    templates, values, _ = cube.shape
    scores = np.empty((templates, values, kept, len(cube.targets)))
    for m in range(templates):
        some = [rng.permutation(np.flatnonzero(cube.kept[m, a]))[: CANDIDATES * kept] for a in range(values)]
        pool = np.concatenate([cube.scores[m, a, rows, 0] for a, rows in enumerate(some)])
        for a, rows in enumerate(some):
            chosen = nearest(cube.scores[m, a, rows, 0], pool, kept) if matched else range(kept)
            scores[m, a] = cube.scores[m, a, rows[list(chosen)]]
    return scores


def _dealt(scores: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.stack([rng.permutation(rows.ravel()).reshape(rows.shape) for rows in scores])
