"""The generation cube refuses what does not fit; where continuations end."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psa_core.audits.generation.cube import GenerationCube, cut
from psa_core.cube import Target
from psa_core.errors import CubeError

TEMPLATES, VALUES = pd.DataFrame({"template": ["{value} is"]}), pd.DataFrame({"value": ["a", "b"]})
TEXTS = np.array([[["x.", ""], ["y.", "z."]]], object)
SCORES = np.array([[[[0.1], [np.nan]], [[0.2], [1.0]]]], np.float32)
ONE = (Target("s"),)


def test_fields_and_parts() -> None:
    cube = GenerationCube(TEMPLATES, VALUES, ONE, TEXTS, SCORES)
    assert cube.shape == (1, 2, 2)
    assert cube.kept.tolist() == [[[True, False], [True, True]]]
    assert cube.scored_by("s")[0, 1].tolist() == [np.float32(0.2), 1.0]
    two = GenerationCube(
        pd.DataFrame({"template": ["A {value}", "B {value}"]}), VALUES, ONE, np.repeat(TEXTS, 2, 0),
        np.stack([SCORES[0], SCORES[0] / 2]),
    )  # fmt: skip
    only = two.on("B {value}")
    assert only.shape == (1, 2, 2) and only.templates["template"].tolist() == ["B {value}"]
    assert only.scored_by("s")[0, 1].tolist() == pytest.approx([0.1, 0.5]) and two.on("") is two


@pytest.mark.parametrize(
    "wrong",
    [
        {"scores": SCORES[:, :, :1]},
        {"scores": np.nan_to_num(SCORES)},
        {"scores": SCORES * 2},
        {"texts": TEXTS[:, :1]},
        {"values": pd.DataFrame({"value": ["a", "a"]})},
        {"templates": pd.DataFrame({"text": ["a"]})},
        {"targets": (Target("s"), Target("s")), "scores": np.concatenate([SCORES, SCORES], axis=3)},
    ],
)
def test_what_does_not_fit(wrong: dict[str, object]) -> None:
    fields = {"templates": TEMPLATES, "values": VALUES, "targets": ONE, "texts": TEXTS, "scores": SCORES, **wrong}
    with pytest.raises(CubeError):
        GenerationCube(**fields)  # type: ignore[arg-type]


def test_unknown_scorer() -> None:
    with pytest.raises(CubeError, match="one of s"):
        GenerationCube(TEMPLATES, VALUES, ONE, TEXTS, SCORES).scored_by("t")


@pytest.mark.parametrize(
    ("sampled", "wanted"),
    [
        (" glad. Next week", "glad."),
        (" glad\nand then", "glad"),
        (" glad. And then\nso", "glad. And then"),
        (' said "no." And', 'said "no."'),
        (" paid 3.50 an hour", ""),
        (" see www.example.org for", ""),
        (" no end", ""),
        (" ... well", ""),
        ("\n\n", ""),
        (".", ""),
        (" wait... then", "wait..."),
        (" 5. Then", "5."),
        ("", ""),
    ],
)
def test_cut(sampled: str, wanted: str) -> None:
    assert cut(sampled) == wanted
