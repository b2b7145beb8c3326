"""A cube as one file: what was saved comes back, and a damaged file is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from psa_core.errors import RunFolderError
from psa_core.folders import cube_file
from tests.pages import result_studies


@pytest.mark.parametrize("edits", [0, 3])
def test_the_same_cube_comes_back(tmp_path: Path, edits: int) -> None:
    cube = result_studies.cube(4)
    cube = replace(cube, controls=np.full((4, 1 + edits, 2), 0.5, np.float32) if edits else None)
    cube_file.save(cube, tmp_path / "partial.npz")
    found = cube_file.load(tmp_path / "partial.npz")
    assert found.sentences.equals(cube.sentences) and found.names.equals(cube.names)
    assert found.targets == cube.targets and found.provenance == json.loads(json.dumps(cube.provenance))
    np.testing.assert_array_equal(found.original, cube.original)
    np.testing.assert_array_equal(found.perturbed, cube.perturbed)
    assert (found.controls is None) == (not edits)
    assert not edits or found.controls.shape == (4, 4, 2)


def test_nothing_scored_yet_and_a_damaged_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="nothing scored yet"):
        cube_file.load(tmp_path / "partial.npz")
    (tmp_path / "partial.npz").write_bytes(b"PK damaged")
    with pytest.raises(RunFolderError, match=r"a damaged file partial\.npz"):
        cube_file.load(tmp_path / "partial.npz")


def test_a_file_that_holds_a_program_is_not_read(tmp_path: Path) -> None:
    cube = result_studies.cube(4)
    cube_file.save(cube, tmp_path / "partial.npz")
    with np.load(tmp_path / "partial.npz") as arrays:
        content = dict(arrays)
    np.savez(tmp_path / "partial.npz", **{**content, "controls": np.array([{"not": "numbers"}], dtype=object)})
    with pytest.raises(RunFolderError, match="damaged"):
        cube_file.load(tmp_path / "partial.npz")
