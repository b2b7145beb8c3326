from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psa_core.registry import ASSETS
from research.training.hate.unseen import at_threshold, auc, best_threshold, by_group, group_aucs, main


def test_group_aucs_by_hand() -> None:
    member = np.array([1, 1, 1, 0, 0, 0], bool)
    hateful = np.array([1, 1, 0, 1, 0, 0], bool)
    scores = np.array([0.9, 0.2, 0.6, 0.5, 0.3, 0.1])
    assert auc(hateful, scores) == pytest.approx(6 / 9)
    found = group_aucs(member, hateful, scores)
    assert found["subgroup"] == 0.5  # 0.9 > 0.6 > 0.2
    assert found["bpsn"] == 0.0  # harmless and named, 0.6, above hateful and not named, 0.5
    assert found["bnsp"] == 0.75  # 0.9 and 0.2 against 0.3 and 0.1


def test_threshold_by_hand() -> None:
    hateful = np.array([1, 1, 0, 0], bool)
    scores = np.array([0.9, 0.4, 0.6, 0.1])
    assert at_threshold(hateful, scores, 0.6) == {"recall": 0.5, "false_alarms": 0.5}  # at the threshold is flagged
    # From .11 to .40 both hateful texts and one of the others are flagged; above .60, one and none: the same gain.
    assert best_threshold(hateful, scores) == 0.11


def test_groups_with_too_few_texts_are_left_out() -> None:
    texts = pd.DataFrame({"text": ["women"] * 50 + ["jews"] * 10, "hateful": [True, False] * 30})
    assert list(by_group(texts, np.linspace(0, 1, 60))) == ["women"]


@pytest.mark.slow
def test_the_card_says_how_it_does_on_what_it_did_not_see(tmp_path: Path) -> None:
    adapter = tmp_path / "adapter"
    shutil.copytree(ASSETS / "models" / "minilm-offensive", adapter)
    corpus = tmp_path / "corpus.csv"
    corpus.write_text(
        "text,label_name\nyou fucking idiot,bad\nI like tea,good\nshut up asshole,bad\nok,good\n", "utf-8"
    )
    assert main([str(adapter), "--corpus", f"a small set={corpus}:bad", "--threshold-on", f"v={corpus}:bad"]) == 0
    content = json.loads((adapter / "labels.json").read_text("utf-8"))
    unseen = content["unseen"]
    assert content["targets"][0]["threshold"] == unseen["threshold"] < 0.5
    assert unseen["corpora"][0]["recall"] == 1.0 and unseen["corpora"][0]["false_alarms"] == 0.0
    assert unseen["corpora"][0]["auc"] == 1.0 and set(unseen["templates"]["groups"]) >= {"women", "Muslims"}
    card = (adapter / "README.md").read_text("utf-8")
    assert "| a small set | 4 | 2 | 1.000 | 100% | 0% |" in card and "| Muslims |" in card


def test_bad_input_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    adapter = str(ASSETS / "models" / "minilm-offensive")
    assert main([str(tmp_path)]) == 2
    assert main([adapter, "--corpus", "no file"]) == 2
    assert main([adapter, "--corpus", f"name={tmp_path / 'none.csv'}:bad"]) == 2
    (tmp_path / "one.csv").write_text("text,label_name\na,bad\n", "utf-8")
    assert main([adapter, "--corpus", f"name={tmp_path / 'one.csv'}:bad"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 4
