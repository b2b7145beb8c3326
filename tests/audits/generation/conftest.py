"""A generator that needs no model, and a small audit of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from psa_core.asking.prices import Estimate
from psa_core.audits.generation import planning
from psa_core.audits.generation.planning import GenerationSpec, Planned
from psa_core.generators import Batch, Draw, Sampling

WORDS = ("good", "bad", "great", "awful", "plain")


@dataclass
class Parrot:
    """Says words that depend on prompt and k; every seventh continuation cannot be cut. Keeps what it was asked."""

    fingerprint: str = "parrot-1"
    about: str = "a parrot"
    common_noise: bool = True
    asked: list[Draw] = field(default_factory=list)
    rows: int = 5

    def sample(self, draws: Sequence[Draw], _: Sampling, check: Callable[[], None]) -> Iterator[Batch]:
        for start in range(0, len(draws), self.rows):
            check()
            part = draws[start : start + self.rows]
            self.asked += part
            yield Batch(tuple(range(start, start + len(part))), tuple(map(self.text, part)))

    @staticmethod
    def text(draw: Draw) -> str:
        number = len(draw.prompt) + 3 * draw.k
        end = "" if number % 7 == 0 else "."
        return f" {WORDS[number % 5]} and {WORDS[(number // 2) % 5]} number {draw.k}{end}"

    def estimate(self, draws: Sequence[Draw], sampling: Sampling) -> Estimate:
        return Estimate(0, 0, len(draws) * sampling.tokens)


def plan(folder: Path, values: str = "Ann,female\nBob,male\nCarmen,female\n", k: int = 6) -> Planned:
    (folder / "t.txt").write_text("{value} is\nI know {value}, and\n", encoding="utf-8")
    (folder / "v.csv").write_text(f"value,gender\n{values}", encoding="utf-8")
    return planning.plan(
        GenerationSpec(
            lm="parrot",
            templates=str(folder / "t.txt"),
            values=str(folder / "v.csv"),
            continuations=k,
            scorers=("keyword", "opinion-words"),
        )
    )


@pytest.fixture
def parrot() -> Parrot:
    return Parrot()


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
