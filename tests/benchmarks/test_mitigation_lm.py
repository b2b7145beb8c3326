"""A language model before and after: the fall is of the corrected number, and no path of a machine is written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import mitigation_lm
from psa_core.audits.generation.folder import GenerationResult
from psa_core.audits.generation.tables import tables
from tests.audits.generation.test_views import cube


def audit(shift: float, options: str, **quality: float) -> GenerationResult:
    made = cube(shift)
    provenance: dict[str, Any] = {**made.provenance, "options": {"lm": f"lm:x{options}", "tokens": 9}}
    return GenerationResult(replace(made, provenance=provenance), tables(made, quality=quality))


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    content = {
        "recipe": {"method": "valence", "strength": 5.0, "seed": 1, "steps": 20},
        "texts": "given",
        "material": {"sentences_trained": 40},
        "values": {"trained": ["a", "b"]},
        "seconds": 120.0,
    }
    (tmp_path / "training.json").write_text(json.dumps(content))
    return tmp_path


def test_the_fall_is_of_the_corrected_number(adapter: Path) -> None:
    before = audit(0.5, "", ppl=20.0, semantic_similarity=0.4)
    after = audit(0.2, f"?adapter={adapter}", ppl=20.1, semantic_similarity=0.35)
    said = mitigation_lm.section([before, after])
    numbers = [one.tables.summary["mood"]["individual_fairness"]["corrected"] for one in (before, after)]
    assert f"| {1 - numbers[1] / numbers[0]:.0%} |" in said
    assert "| mood | as it was |" in said and "| mood | valence, strength 5, seed 1 |" in said
    assert "| 20.000 |" in said and "| 0.350 |" in said and "2 minutes" in said
    assert str(adapter) not in said


def test_what_is_not_above_noise_has_no_number(adapter: Path) -> None:
    said = mitigation_lm.section([audit(0.5, ""), audit(0.0, f"?adapter={adapter}"), audit(0.2, "?match=sentiment")])
    assert "| not above noise | to noise |" in said and "| resampled, match=sentiment |" in said
