"""What is trained in which order, and on which texts perplexity is measured."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from research.mitigation import train


def test_a_seed_is_done_before_the_next() -> None:
    found = [trial.name for trial in train.trials(["country", "name"], ["valence:5", "embedding:0.5"], [0, 1])]
    assert found[:4] == ["country-0-valence-5", "name-0-valence-5", "country-0-embedding-0.5", "name-0-embedding-0.5"]
    assert len(found) == 8 and all("-1-" in name for name in found[4:])
    assert train.Trial("country", "valence", 5.0, 1).original == "country-1"


def test_texts_that_name_a_value_are_among_those_measured(tmp_path: Path) -> None:
    plain = [f"Nothing of that {number}" for number in range(300)]
    naming = [f"The Nurse said {number}" for number in range(90)] + ["A nursery rhyme"]
    folder = tmp_path / "goemotions"
    folder.mkdir()
    for part in ("dev", "test"):
        pd.DataFrame({"text": plain + naming}).to_csv(folder / f"{part}.csv.gz", index=False)
    found = train.texts("reddit", ["nurse"], 3, tmp_path)
    assert len(found) == train.ANY + train.NAMING
    assert sum("Nurse" in text for text in found) == train.NAMING
    assert found == train.texts("reddit", ["nurse"], 3, tmp_path) != train.texts("reddit", ["nurse"], 4, tmp_path)
