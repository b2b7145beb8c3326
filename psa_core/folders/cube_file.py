"""Save a cube as one file, replaced atomically while a run is going."""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import pandas as pd

from psa_core import atomic
from psa_core.cube import ScoreCube, Target
from psa_core.errors import RunFolderError
from psa_core.folders.results import DAMAGES
from psa_core.inputs import archives


def save(cube: ScoreCube, path: Path) -> None:
    """Write a cube as a numpy archive beside `path`, then put it in its place."""
    labels = {
        "sentences": cube.sentences.to_dict("list"),
        "names": cube.names.to_dict("list"),
        "targets": [asdict(target) for target in cube.targets],
        "provenance": dict(cube.provenance),
    }
    with atomic.replacing(path, durable=False) as aside, aside.open("wb") as stream:
        arrays: dict[str, Any] = {"original": cube.original, "perturbed": cube.perturbed, "labels": json.dumps(labels)}
        if cube.controls is not None:
            arrays["controls"] = cube.controls
        np.savez(stream, **arrays)


def load(path: Path) -> ScoreCube:
    """Read what `save` wrote; raises `RunFolderError` when there is none or it is damaged."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            labels = json.loads(str(arrays["labels"]))
            return ScoreCube(
                sentences=pd.DataFrame(labels["sentences"]),
                names=pd.DataFrame(labels["names"]),
                targets=tuple(Target(**target) for target in labels["targets"]),
                original=arrays["original"],
                perturbed=arrays["perturbed"],
                provenance=labels["provenance"],
                controls=arrays.get("controls"),
            )
    except FileNotFoundError as error:
        fix = "Come back in a minute, or open another study."
        raise RunFolderError(
            "study", got="nothing scored yet", expected="at least one scored sentence", fix=fix
        ) from error
    except (*DAMAGES, *archives.FAULTS, TokenError) as error:  # the header of an array is a Python expression
        raise RunFolderError(
            "partial result", got=f"a damaged file {path.name}", expected="the scores so far"
        ) from error
