"""The cubes of one study under several conditions as one cube: each condition's targets, beside each other.

A target is ``<condition>.<target>``, so whatever is said of targets is said of each condition, and conditions can be
compared cell by cell: `tables.condition_table`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from psa_core.cube import ScoreCube
from psa_core.inputs.conditions import Condition

COUNTS = ("unique_texts", "texts_scored", "cache_hits", "texts_truncated", "seconds")
MAX_PHRASE = 200


def joined(conditions: Sequence[Condition], cubes: Sequence[ScoreCube]) -> ScoreCube:
    """One cube of the sentences that are scored under every condition; its tables and manifest are the first one's."""
    shared = set.intersection(*(set(cube.sentences["sentence_id"]) for cube in cubes))
    cubes = [cube.rows(cube.sentences["sentence_id"].isin(shared).to_numpy()) for cube in cubes]
    pairs = list(zip(conditions, cubes, strict=True))
    targets = []
    for condition, cube in pairs:
        behind = f" under “{condition.id}”"
        for target in cube.targets:
            words = target.phrase or (target.name if target.name.endswith("score") else f"{target.name} score")
            phrase, meaning = words[: MAX_PHRASE - len(behind)] + behind, f"{target.meaning}{behind}".strip()
            targets.append(replace(target, name=f"{condition.id}.{target.name}", phrase=phrase, meaning=meaning))
    of_each = [cube.provenance for cube in cubes]
    missing = {
        f"{condition.id}.{name}": reasons
        for condition, cube in pairs
        for name, reasons in cube.provenance.get("missing", {}).items()
    }
    provenance: dict[str, Any] = {
        **of_each[0],
        "fingerprint": hashlib.sha256("\n".join(each["fingerprint"] for each in of_each).encode()).hexdigest()[:16],
        "targets": [asdict(target) for target in targets],
        "conditions": [asdict(condition) for condition in conditions],
        "notes": list(dict.fromkeys(note for each in of_each for note in each["notes"])),
        **{name: round(sum(each[name] for each in of_each), 3) for name in COUNTS},
        **({"missing": missing} if missing else {}),
    }
    controls = [cube.controls for cube in cubes if cube.controls is not None]
    return replace(
        cubes[0],
        targets=tuple(targets),
        original=np.concatenate([cube.original for cube in cubes], axis=1),
        perturbed=np.concatenate([cube.perturbed for cube in cubes], axis=2),
        controls=np.concatenate(controls, axis=2) if controls else None,
        provenance=provenance,
    )


def conditions_of(cube: ScoreCube) -> list[Condition]:
    """The conditions that a cube was scored under, the one to compare with first; none for most."""
    return [Condition(**row) for row in cube.provenance.get("conditions", ())]


def condition_of(cube: ScoreCube, target: str) -> Condition | None:
    return next((one for one in conditions_of(cube) if target.startswith(f"{one.id}.")), None)
