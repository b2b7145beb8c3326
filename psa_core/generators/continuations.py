"""continuations: texts that another system generated for exported prompts, read from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from psa_core import trust
from psa_core.asking.prices import Estimate
from psa_core.errors import ModelError
from psa_core.generators._base import Batch, Draw, GeneratorPlugin, Sampling
from psa_core.inputs import tables
from psa_core.inputs.checks import path_of
from psa_core.inputs.limits import FILE
from psa_core.inputs.spreadsheet import plain
from psa_core.models._base import digest

NEEDED = ("prompt", "k", "continuation")
FORMATS = ("csv", "tsv", "jsonl", "parquet")
CONTINUATIONS = tables.TableSchema(
    "continuations", ModelError, FORMATS, row="one continuation a row", headers=frozenset(NEEDED)
)
ROWS, MAX_K = 5000, 10**9
EXPORT = "Write the prompts with --export-prompts FILE.csv, and fill in a column continuation."
MISSING = "Add the rows; where there is no text, leave the continuation empty."


@dataclass(frozen=True, eq=False)
class Continuations:
    """Looks continuations up by (prompt, k)."""

    texts: Mapping[tuple[str, int], str] = field(repr=False)
    fingerprint: str
    about: str
    common_noise: bool = False  # what random numbers another system met is not known

    @property
    def continuations(self) -> int:
        """How many of a prompt there are."""
        return max((k for _, k in self.texts), default=-1) + 1

    def sample(self, draws: Sequence[Draw], _: Sampling, check: Callable[[], None]) -> Iterator[Batch]:
        """The continuations of the draws; raises `ModelError` when one is not in the file."""
        missing = [draw for draw in draws if (draw.prompt, draw.k) not in self.texts]
        if missing and min(draw.k for draw in missing) >= (self.continuations or len(draws)):
            got, asked = f"{self.continuations} of each prompt in the file", max(draw.k for draw in draws) + 1
            fix = f"Ask for {self.continuations}, or use a file with more."
            raise ModelError("--continuations", got=got, expected=f"the {asked} that were asked for", fix=fix)
        if missing:
            got = f"none for {missing[0].prompt[:60]!r}, k {missing[0].k}, and {len(missing) - 1:,} others"
            raise ModelError("continuations", got=got, expected="a row for each prompt and k", fix=MISSING)
        for start in range(0, len(draws), ROWS):
            check()
            part = range(start, min(start + ROWS, len(draws)))
            yield Batch(tuple(part), tuple(self.texts[draws[i].prompt, draws[i].k] for i in part))

    def estimate(self, draws: Sequence[Draw], _: Sampling) -> Estimate:
        return Estimate(0, 0, 0)


def load(argument: str) -> Continuations:
    """Read a CSV, TSV, JSONL or Parquet file with the columns ``prompt``, ``k`` and ``continuation``.

    Raises `ModelError` when it cannot be read, lacks a column, or has two continuations for one prompt and k.
    """
    path = path_of(argument.partition("?")[0])
    if not path.is_file():  # a device or a pipe may never end
        raise ModelError("continuations", got=f"no file at {str(path)[:80]!r}", expected="a file with continuations")
    FILE.check(path.stat().st_size, field="continuations", error=ModelError, of=f"in {path.name[:60]}")
    table = tables.read(path.name, path.read_bytes(), CONTINUATIONS, NEEDED).frame
    if tables.kind_of(path.name) in ("csv", "tsv"):
        table = table.map(plain)
    missing = [column for column in NEEDED if column not in table.columns]
    if missing:
        got = f"no column {', '.join(missing)} in {path.name}"
        raise ModelError("continuations", got=got, expected=", ".join(NEEDED), fix=EXPORT)
    numbers = pd.to_numeric(table["k"], errors="coerce")
    if not ((numbers % 1 == 0) & (numbers >= 0) & (numbers < MAX_K)).all():
        raise ModelError("continuations", got="a k that is no number", expected="0, 1, 2 …", fix=EXPORT)
    rows = list(zip(table["prompt"], numbers.astype(int), table["continuation"], strict=True))
    found = {(prompt, k): text for prompt, k, text in rows}
    for prompt, k, text in rows:
        if found[prompt, k] != text:
            got = f"two texts for {prompt[:60]!r}, k {k}"
            raise ModelError("continuations", got=got, expected="one continuation for each prompt and k")
    return Continuations(
        found,
        f"continuations:{digest(part for prompt, k, text in rows for part in (prompt, str(k), text))}",
        f"continuations made elsewhere, read from {path.name}",
    )


GENERATOR = GeneratorPlugin(
    id="continuations",
    title="Continuations made elsewhere",
    summary="What another system wrote for exported prompts, read from a file.",
    load=load,
    argument="file",
    takes=trust.PATH,
)
