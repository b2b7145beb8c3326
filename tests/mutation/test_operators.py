"""The mutants of a small file: what is changed, what is left alone, and that a test would see the change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.mutation.operators import Mutant, mutants, mutated

SOURCE = '''"""More or less a docstring: 1 < 2."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numbers import Number
LIMIT = 0.05
ROUNDING = 1e-9
SEED = 7
RANDOM = np.random.default_rng([SEED, 1])
SETTING = dict(help="less than 5", default=None)


def verdict(p: float, effect: float, *, seed: int = 3) -> str:
    """Say more or less what was found."""
    if p < LIMIT and not seed:
        raise ValueError("more than 5")
    return f"{max(p, effect):.2f} is higher than usual" if effect - p > 0 else "no more than usual"
'''


def made(folder: Path) -> list[Mutant]:
    (folder / "verdict.py").write_text(SOURCE, encoding="utf-8")
    return mutants(folder / "verdict.py", folder)


def test_each_kind_of_change_is_made_and_messages_docstrings_and_seeds_are_left_alone(tmp_path: Path) -> None:
    found = made(tmp_path)
    after = {mutant.after for mutant in found}
    assert {mutant.kind for mutant in found} == {
        "comparison",
        "condition",
        "constant",
        "function",
        "arithmetic",
        "word",
    }
    assert "LIMIT = 0.1" in after and "if p <= LIMIT and (not seed):" in after and "if p < LIMIT or not seed:" in after
    assert not any(
        "seed: int=4" in text
        or "SEED" in text
        or "ROUNDING" in text
        or "CHECKING:" in text
        or "than 5" in text
        or "than 6" in text
        or "2 <" in text
        for text in after
    )
    assert sum("lower than usual" in text for text in after) == 1
    assert {mutant.function for mutant in found} == {"", "verdict"}


def test_the_changed_tree_does_what_the_mutant_says(tmp_path: Path) -> None:
    answers = {}
    for mutant in made(tmp_path):
        scope: dict = {"np": np}
        exec(compile(mutated(mutant, tmp_path), "verdict.py", "exec"), scope)
        answers[mutant.after] = scope["LIMIT"], said(scope["verdict"])
    right = "0.75 is higher than usual"
    assert answers["LIMIT = 0.1"] == (0.1, right)
    assert answers["if p < LIMIT and seed:"] == (0.05, right)
    assert answers["if p < LIMIT or not seed:"] == (0.05, right)
    assert {(0.05, "0.50 is higher than usual"), (0.05, "0.75 is lower than usual")} <= set(answers.values())


def said(verdict: Callable[[float, float], str]) -> str:
    try:
        return verdict(0.5, 0.75)
    except ValueError as error:
        return str(error)
