"""Continuations appended to disk as they are generated, so that a killed run loses one batch at most."""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from psa_core import options
from psa_core.asking.journal import appending
from psa_core.folders.results import DAMAGES, read_scores
from psa_core.generators import Batch, Draw, Generator, Sampling
from psa_core.inputs import json_file
from psa_core.models._base import digest

CONTINUATIONS, MANIFEST = "continuations.parquet", "manifest.json"
Key = tuple[str, str, int]


@dataclass(frozen=True)
class Journal:
    """The continuations of one result folder, finished or not, which may not exist yet.

    They are known by (template, prompt, k) under one setting of the generator; another model, seed, temperature or
    length begins anew. While a run goes on they are in a hidden file beside the folder, which receives them at the end.
    """

    folder: Path
    setting: str

    @classmethod
    def of(cls, folder: Path, generator: Generator, sampling: Sampling) -> Journal:
        # The setting is everything that a continuation depends on, beside its template, prompt and number.
        return cls(Path(folder), digest([generator.fingerprint, *options.key_parts(sampling)]))

    @property
    def path(self) -> Path:
        place = self.folder.resolve()
        return place.with_name(f".psa-continuations-{digest([place.name])}.jsonl")

    def known(self) -> dict[Key, str]:
        """Texts as sampled, of a finished result and of a run that was stopped, under this setting."""
        found: dict[Key, str] = {}
        with suppress(*DAMAGES):  # there is no result, or a damaged one: generate the continuations again
            if json_file.read(self.folder / MANIFEST).get("setting") == self.setting:
                table = read_scores(self.folder / CONTINUATIONS)
                rows = zip(table["template"], table["prompt"], table["k"], table["sampled"], strict=True)
                found = {(template, prompt, int(k)): text for template, prompt, k, text in rows}
        for line in self.path.read_bytes().splitlines() if self.path.is_file() else ():
            # The last line may be one that was being written when a run was killed.
            with suppress(ValueError, KeyError, TypeError, RecursionError):
                row = json.loads(line)
                if row["setting"] == self.setting and isinstance(row["text"], str):
                    found[row["stream"], row["prompt"], row["k"]] = row["text"]
        return found

    def writing(self) -> AbstractContextManager[IO[bytes]]:
        """The file that `append` writes to; only one run at a time may write for a folder."""
        return appending(self.path, self.folder, "generating")

    def append(self, file: IO[bytes], draws: list[Draw], batch: Batch) -> None:
        """Write a batch, and wait until it is on the disk."""
        for position, text in zip(batch.positions, batch.texts, strict=True):
            draw = draws[position]
            line = {"setting": self.setting, "stream": draw.stream, "prompt": draw.prompt, "k": draw.k, "text": text}
            file.write(json.dumps(line, ensure_ascii=True).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def discard(folder: Path) -> None:
    """Remove what is beside a result folder; its content is in the folder now."""
    Journal(folder, "").path.unlink(missing_ok=True)


def key_of(draw: Draw) -> Key:
    return draw.stream, draw.prompt, draw.k
