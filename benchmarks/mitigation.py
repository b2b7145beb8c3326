"""``python -m benchmarks.mitigation FOLDER… --out FILE.md``: result folders of retrainings as one page of tables.

Folders of one classifier and recipe are put together, so that seeds may be trained one at a time. Result folders of
``generate`` are language models before and after a training, those of ``eec`` a classifier before and after.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import mitigation_eec, mitigation_lm
from psa_core.audits.generation import folder
from psa_core.audits.generation.cube import GenerationCube
from psa_core.generators._matching import CANDIDATES, nearest
from psa_core.registry import ASSETS
from psa_core.stats.transport import individual_fairness
from psa_core.training.counterfactual import FILE
from psa_core.training.counterfactual.card import sensitivity_table, task_table
from psa_core.training.counterfactual.seeds import over_seeds

HEAD = """# Results of mitigation

Classifiers trained on so that their answers move less with a name ([training.md](training.md)), measured on
names and sentences that training never saw. Each seed deals the list's names anew into those trained on and those
measured. *Name effect*: mean over the held-out names of the size of a name's effect against the names' mean.
*ScoreDev*: mean over sentences of the standard deviation over these names. *Originals*: sentences as they are.
Means over seeds with 95 % t intervals.

This page is written by `python -m benchmarks.mitigation`.
"""


NONE = "Not measured yet over three seeds.\n"


def page(contents: list[dict[str, Any]]) -> str:
    """Markdown with a section for each classifier and recipe.

    Parameters
    ----------
    contents : list of mapping
        What ``retraining.json`` files hold.
    """
    together = defaultdict(list)
    for content in contents:
        together[json.dumps([content["study"]["model"], content["study"]["names"], content["recipe"]])] += [content]
    return "\n".join([HEAD, *([_section(part) for part in together.values()] or [NONE])])


def _section(contents: list[dict[str, Any]]) -> str:
    whole = {**contents[0], **over_seeds([run for content in contents for run in content["runs"]])}
    study, recipe, words = whole["study"], whole["recipe"], whole["runs"][0]["material"]
    seconds = [run["seconds"] for run in whole["runs"]]
    lines = [
        f"## {study['model']}, {recipe['method']}",
        f"Trained on: {words['sentences_trained']:,} sentences × {words['names_trained']} names of `{study['names']}`, "
        f"{recipe['steps']} steps. Measured: {words['sentences_held_out']:,} sentences of "
        f"`{Path(study['sentences']).name}` × {words['names_held_out']} other names. Seeds "
        f"{', '.join(map(str, whole['seeds']))}; a training took {min(seconds):.0f} to {max(seconds):.0f} s "
        "on one core shared with other work.",
        sensitivity_table(whole),
        *([task_table(whole)] if whole["strengths"][0]["task"] else []),
    ]
    return "\n\n".join(lines) + "\n"


def resampling(cube: GenerationCube, *, kept: int = 8, draws: int = 20) -> str:
    """Markdown section on resampling, from continuations that are there: some are kept of each prompt's candidates.

    Parameters
    ----------
    cube : GenerationCube
        Its first scorer matches; the others had no part.
    kept : int
        Continuations kept of `CANDIDATES` times as many, drawn anew each time.
    draws : int
    """
    rows = [
        "| score | any of them | nearest to the common distribution | values dealt at random |",
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
        "## Resampling at decoding (`?match=sentiment`)\n\n"
        f"I.F. of {templates} templates × {values} values of the packaged example, {kept} of {CANDIDATES * kept} "
        f"continuations kept, mean of {draws} draws. The matching score is alike by construction; what counts is the "
        "other one, and whether it is above what dealing values at random shows.\n\n" + "\n".join(rows) + "\n"
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


def main() -> None:
    """Read the folders and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    audits = [place for place in options.folders if folder.is_generation(place)]
    equity = [place for place in options.folders if (place / mitigation_eec.FILE).is_file()]
    retrained = [place for place in options.folders if place not in (*audits, *equity)]
    parts = [page([json.loads((place / FILE).read_text("utf-8")) for place in retrained])]
    parts += [mitigation_eec.section(place) for place in equity]
    parts.append(mitigation_lm.section([folder.read(place) for place in audits]))
    parts.append(resampling(folder.read(ASSETS / "examples" / "occupations").cube))
    options.out.write_text("\n".join(parts), "utf-8")


if __name__ == "__main__":
    main()
