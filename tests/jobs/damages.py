"""Run folders that something has damaged: a file missing, cut, of another kind, or full of what it should not hold."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

Damage = Callable[[Path], None]
JSON_FILES = ("job.json", "status.json", "result/manifest.json")
FILES = (*JSON_FILES, "result/sentences.csv", "result/names.csv", "result/judgements.csv", "title.txt")
CONTENTS = {
    "empty": b"",
    "zeros": bytes(500),
    "binary": bytes(range(256)) * 4,
    "no_object": b"[1, 2]",
    "null": b"null",
    "empty_object": b"{}",
    "deep": b'{"a":' * 100_000,
    "half_a_character": b'{"command": "\\ud800", "state": "\\ud800", "study": {"model": "\\ud800"}}',
    "quotes": b'"' * 1001,
}
ODD = (3, None, "x", [1], {"a": 1}, -1, 1.5, True, 10**400)
FIELDS = {
    "job.json": (
        "command",
        "study",
        "study.model",
        "study.sentences",
        "study.switched",
        "study.subjects",
        "study.seed",
        "arguments",
    ),
    "status.json": ("state", "sentences_done", "texts_per_second", "seconds_left", "message", "unknown"),
    "result/manifest.json": (
        *("targets", "targets.low", "targets.name", "targets.unknown", "name_columns"),
        *("study", "inputs", "inputs.sentences", "account", "notes", "versions", "fingerprint", "audit"),
    ),
}


def damages() -> dict[str, Damage]:
    """Every damage by what it does."""
    found: dict[str, Damage] = {}
    for file in FILES:
        found[f"{file} missing"] = lambda run, file=file: (run / file).unlink(missing_ok=True)
        found[f"{file} a folder"] = _folder(file)
        found[f"{file} a link to itself"] = _loop(file)
        found[f"{file} a pipe"] = _pipe(file)
        for name, content in CONTENTS.items():
            found[f"{file} {name}"] = lambda run, file=file, content=content: _write(run / file, content)
        found[f"{file} half"] = lambda run, file=file: _write(
            run / file, _content(run / file)[: len(_content(run / file)) // 2]
        )
    for file, fields in FIELDS.items():
        for field, value in product(fields, ODD):
            found[f"{file} {field}={str(value)[:20]}"] = _changed(file, field, value)
    for file in ("result/scores.toxicity.parquet",):
        found[f"{file} missing"] = lambda run, file=file: (run / file).unlink()
        for at in range(0, 12):
            found[f"{file} flipped at {at}/12"] = _flipped(file, at / 12)
    found["the result a file"] = lambda run: (shutil.rmtree(run / "result"), _write(run / "result", b""))[1]
    found["the result empty"] = lambda run: (shutil.rmtree(run / "result"), (run / "result").mkdir())[1]
    return found


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b"sentence_id,name"


def _write(path: Path, content: bytes) -> None:
    path.unlink(missing_ok=True)
    path.write_bytes(content)


def _folder(file: str) -> Damage:
    def damage(run: Path) -> None:
        (run / file).unlink(missing_ok=True)
        (run / file).mkdir()

    return damage


def _loop(file: str) -> Damage:
    def damage(run: Path) -> None:
        (run / file).unlink(missing_ok=True)
        (run / file).symlink_to(run / file)

    return damage


def _pipe(file: str) -> Damage:
    def damage(run: Path) -> None:
        (run / file).unlink(missing_ok=True)
        os.mkfifo(run / file)

    return damage


def _changed(file: str, field: str, value: Any) -> Damage:
    def damage(run: Path) -> None:
        content = json.loads((run / file).read_text())
        name, _, inner = field.partition(".")
        place = content[name] if inner else content
        (place[0] if isinstance(place, list) else place)[inner or name] = value
        _write(run / file, json.dumps(content).encode())

    return damage


def _flipped(file: str, share: float) -> Damage:
    def damage(run: Path) -> None:
        content = bytearray((run / file).read_bytes())
        content[int(share * len(content))] ^= 0xFF
        _write(run / file, bytes(content))

    return damage


def runs_with(whole: Path, root: Path) -> Iterator[tuple[str, str]]:
    """Copies of a run, each with another damage: what was done, and the copy's run id."""
    for number, (name, damage) in enumerate(damages().items()):
        run_id = f"damaged-{number:012d}"
        shutil.copytree(whole, root / run_id)
        damage(root / run_id)
        yield name, run_id
