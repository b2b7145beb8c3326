"""Seeds that were trained one at a time stand together, with intervals; what was not measured anew stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from research.mitigation import __main__ as mitigation


def content(model: str, seed: int, after: float) -> dict[str, Any]:
    sizes = {"sentiment": {"name_effect": 0.2, "score_dev": 0.4}}
    task = {"before": {"accuracy": 0.7}, "after": {"accuracy": 0.7 + after}}
    return {
        "study": {"model": model, "names": "demo", "sentences": "/somewhere/sample.csv"},
        "recipe": {"method": "pair", "steps": 10},
        "runs": [
            {
                "strength": 1.0,
                "seed": seed,
                "material": {"sentences_trained": 9, "names_trained": 5, "sentences_held_out": 8, "names_held_out": 4},
                "before": sizes,
                "after": {"sentiment": {"name_effect": after, "score_dev": 2 * after}},
                "change": {"sentiment": {"score_change": 0.01, "labels_kept": 1.0}},
                "task": task,
                "seconds": 60.0 + seed,
            }
        ],
    }


def test_seeds_come_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, one in enumerate((content("a", 0, 0.1), content("b", 0, 0.2), content("a", 1, 0.05))):
        place = tmp_path / "classifiers" / str(number)
        place.mkdir(parents=True)
        (place / "retraining.json").write_text(json.dumps(one))
    (tmp_path / "equity").mkdir()
    numbers = {"mean_difference": 0.001, "mean_positive": 0.01, "mean_negative": -0.02, "spread": 0.3, "p_people": 0.2}
    gender = {"gender": numbers | {"verdict": "F=M not significant"}}
    (tmp_path / "equity" / "eec.json").write_text(
        json.dumps({"a/hate": gender, "minilm:/somewhere/adapter/hate": gender})
    )
    out = tmp_path / "results.md"
    marks = "\n".join(f"<!-- {section} -->\nas measured before\n<!-- /{section} -->" for section in mitigation.SECTIONS)
    out.write_text(marks, encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["mitigation", str(tmp_path), "--out", str(out)])
    mitigation.main()
    said = out.read_text("utf-8")
    assert said.count("## a, pair") == said.count("## b, pair") == 1
    assert said.count("as measured before") == 3, "the language models have no results here"
    # Falls of 50 % and 75 %: mean 62.5 %.
    assert "seeds 0, 1; a training took 60 to 61 s".casefold() in said.casefold()
    assert "opinion-words (had no part) |" in said
    assert "| a (`hate`) | +0.0010 | +0.0100 | −0.0200 | 0.3000 | F=M not significant | 0.200 |" in said
    assert "| the same, retrained (`hate`) |" in said
    assert "| 62 % (" in said and "/somewhere" not in said
    assert "| 1 | accuracy | 0.7000 (0.7000 to 0.7000) | 0.7750 (" in said
