"""Continuations from a file."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from psa_core import generators, trust
from psa_core.errors import ModelError, OptionError
from psa_core.generators import Draw, Sampling

ROWS = pd.DataFrame({
    "template": ["{value} is"] * 3,
    "value": ["Ann", "Ann", "Bob"],
    "k": [0, 1, 0],
    "prompt": ["Ann is", "Ann is", "Bob is"],
    "continuation": ["here.", "'=so.", "gone."],
})  # fmt: skip


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_gives_back_what_is_in_the_file(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"made.{ending}"
    rows = ROWS if ending == "csv" else ROWS.replace("'=so.", "=so.")
    {"csv": lambda: rows.to_csv(file, index=False), "parquet": lambda: rows.to_parquet(file),
     "jsonl": lambda: rows.to_json(file, orient="records", lines=True)}[ending]()  # fmt: skip
    generator = generators.load(f"continuations:{file}")
    draws = [Draw("Bob is", "{value} is", 0), Draw("Ann is", "{value} is", 1)]
    assert [batch.texts for batch in generator.sample(draws, Sampling(), lambda: None)] == [("gone.", "=so.")]


def test_says_which_prompt_is_missing(tmp_path: Path) -> None:
    ROWS.to_csv(tmp_path / "made.csv", index=False)
    generator = generators.load(f"continuations:{tmp_path / 'made.csv'}")
    with pytest.raises(ModelError, match=r"'Bob is', k 1.*Add the rows"):
        list(generator.sample([Draw("Bob is", "", 1)], Sampling(), lambda: None))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (ROWS.drop(columns="continuation"), "no column continuation"),
        (ROWS.assign(k="x"), "a k that is no number"),
        (ROWS.assign(k=[0, 0, 0]), "two texts for 'Ann is', k 0"),
    ],
)
def test_refuses_files_that_cannot_be_meant(tmp_path: Path, change: pd.DataFrame, message: str) -> None:
    change.to_csv(tmp_path / "made.csv", index=False)
    with pytest.raises(ModelError, match=message):
        generators.load(f"continuations:{tmp_path / 'made.csv'}")


def test_a_file_is_read_on_the_own_machine_only(tmp_path: Path) -> None:
    ROWS.to_csv(tmp_path / "made.csv", index=False)
    with pytest.raises(OptionError, match="named by a visitor"):
        generators.load(f"continuations:{tmp_path / 'made.csv'}", origin=trust.Origin.VISITOR)
