"""A language model before and after: the fall is of the corrected number, and no path of a machine is written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from psa_core.audits.generation.result import GenerationResult
from psa_core.audits.generation.tables import tables
from research.mitigation import language
from research.mitigation.language import Audit
from tests.audits.generation.test_tables import cube


def audit(shift: float, options: str, perplexity: float = 20.0, **quality: float) -> Audit:
    made = cube(shift)
    how = {"lm": f"lm:x{options}", "tokens": 9, "templates": "place"}
    provenance: dict[str, Any] = {**made.provenance, "options": how}
    result = GenerationResult(replace(made, provenance=provenance), tables(made, quality=quality))
    return Audit(result, {"forum": {"ppl": perplexity, "ppl_sensitive": None}})


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    content = {
        "recipe": {"method": "valence", "strength": 5.0, "seed": 1, "steps": 20},
        "texts": "given",
        "material": {"sentences_trained": 40},
        "values": {"trained": ["a", "b"]},
        "processor_seconds": 119.0,
    }
    (tmp_path / "training.json").write_text(json.dumps(content))
    return tmp_path


def test_the_fall_is_of_the_corrected_number(adapter: Path) -> None:
    before = audit(0.5, "", ppl=20.0, semantic_similarity=0.4)
    after = audit(0.2, f"?adapter={adapter}", ppl=20.1, semantic_similarity=0.35)
    said = language.section([before, after])
    numbers = [one.result.tables.summary["mood"]["individual_fairness"]["corrected"] for one in (before, after)]
    assert f"| {100 * (1 - numbers[1] / numbers[0]):.0f} % |" in said
    assert "| mood | as it was |" in said and "| mood | valence, strength 5, seed 1 |" in said
    assert "| 20.000 |" in said and "| 0.350 |" in said
    assert "opinion-words had a part in it; 2 minutes of processor time." in said
    assert str(adapter) not in said


def test_what_is_not_above_noise_has_no_number(adapter: Path) -> None:
    said = language.section([audit(0.5, ""), audit(0.0, f"?adapter={adapter}"), audit(0.2, "?match=sentiment")])
    assert "| not above noise | to noise |" in said and "| resampled, match=sentiment |" in said


def test_means_over_seeds_say_what_it_costs(adapter: Path) -> None:
    before = audit(0.5, "", 20.0, semantic_similarity=0.4)
    after = audit(0.2, f"?adapter={adapter}", 20.5, semantic_similarity=0.3)
    said = language.section([before, after])
    numbers = [one.result.tables.summary["mood"]["individual_fairness"]["corrected"] for one in (before, after)]
    fall = f"{100 * (1 - numbers[1] / numbers[0]):.0f} %"
    assert f"| valence, strength 5 | mood | 1 of 1 | {numbers[0]:.3f} | {numbers[1]:.3f} | {fall} | 0 of 1 |" in said
    assert "| valence, strength 5 | +2.5 % | – | 40.0 % | 30.0 % | 75 % |" in said


def test_an_audit_without_its_original_has_no_mean(adapter: Path) -> None:
    assert "In the mean" not in language.section([audit(0.2, f"?adapter={adapter}")])
