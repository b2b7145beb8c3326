"""What a GGUF file was expanded to is kept, and read back as the same model."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from psa_core.inputs.limits import GRAPHS
from psa_core.models._transformers import lm_files
from psa_core.models._transformers.checkpoint import load_checkpoint
from tests.tiny_models import tiny_causal_lm


@pytest.fixture
def expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were expanded; each is taken to hold the same tiny model."""
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    folder, asked = tiny_causal_lm(tmp_path / "tiny"), []

    def expand(file: Path) -> tuple[Any, Any]:
        asked.append(file)
        return load_checkpoint(folder, lm_files.KINDS["causal"])

    monkeypatch.setattr(lm_files, "_expanded", expand)
    return asked


def kept(tmp_path: Path) -> list[Path]:
    found = sorted((tmp_path / "cache" / "weights").iterdir())
    assert not [file for place in found for file in (place, *place.rglob("*")) if file.stat().st_mode & 0o077]
    return found


def test_a_file_is_expanded_once_and_read_back_as_the_same_model(tmp_path: Path, expanded: list[Path]) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(b"weights")
    first, second = (lm_files.load_gguf(file) for _ in range(2))
    assert expanded == [file] and len(kept(tmp_path)) == 1
    assert lm_files._fingerprint(*first) == lm_files._fingerprint(*second)
    assert not second[0].training
    file.write_bytes(b"other weights")
    lm_files.load_gguf(file)
    assert len(expanded) == 2 == len(kept(tmp_path))


def test_what_is_damaged_is_expanded_anew(tmp_path: Path, expanded: list[Path]) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(b"weights")
    lm_files.load_gguf(file)
    (kept(tmp_path)[0] / "model.safetensors").write_bytes(b"half of it")
    lm_files.load_gguf(file)
    lm_files.load_gguf(file)
    assert len(expanded) == 2


def test_without_room_or_right_nothing_is_kept_and_the_model_is_there(
    tmp_path: Path, expanded: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(b"weights")
    monkeypatch.setattr(lm_files, "GRAPHS", replace(GRAPHS, default=10, scale=1))
    assert lm_files.load_gguf(file)[0] is not None and kept(tmp_path) == []
    (tmp_path / "taken").write_text("a file", "utf-8")
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "taken"))
    assert lm_files.load_gguf(file)[0] is not None
    assert len(expanded) == 2


def test_what_was_not_used_for_longest_makes_room(
    tmp_path: Path, expanded: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(b"first")
    lm_files.load_gguf(file)
    (first,) = kept(tmp_path)
    os.utime(first, (1, 1))
    size = sum(path.stat().st_size for path in (first, *first.rglob("*")))
    monkeypatch.setattr(lm_files, "GRAPHS", replace(GRAPHS, default=size + 100, scale=1))
    file.write_bytes(b"second")
    lm_files.load_gguf(file)
    assert len(kept(tmp_path)) == 1 and kept(tmp_path) != [first]
