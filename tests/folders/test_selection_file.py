"""selection.csv and groups.csv of an exported folder, counted again by pandas from the folder's own scores."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psa_core.cube import ScoreCube, Target
from psa_core.folders import results

COLUMNS = {"gender": ["gender"], "colour": ["colour"], "gender*colour": ["gender", "colour"]}


def exported(folder: Path, select: str, *, missing: float) -> pd.DataFrame:
    """A random study with ties, written to a folder; its scores as a long table, missing answers left out."""
    random = np.random.default_rng(5)
    names = pd.DataFrame({"name": [f"n{number}" for number in range(12)], "gender": ["female", "male"] * 6})
    names["colour"] = ["green"] * 5 + ["red"] * 6 + [""]
    scores = random.integers(0, 8, (30, 12, 1)) / 8
    scores[random.random(scores.shape) < missing] = np.nan
    texts = pd.DataFrame({"sentence_id": [f"s{number}" for number in range(30)], "text": "He left."})
    study = {"sentences": "x", "names": "y", "model": "z", "groups": "gender*colour", "select": select}
    cube = ScoreCube(
        texts.assign(anchor="He", start=0, end=2, role="subject"),
        names,
        (Target("score"),),
        np.full((30, 1), 0.5, np.float32),
        scores.astype(np.float32),
        {
            "study": study,
            "targets": [asdict(Target("score"))],
            "missing": {"score": {"no answer": 1}} if missing else {},
        },
    )
    results.write(cube, folder, lambda _: "<!doctype html>")
    wide = pd.read_parquet(folder / "scores.score.parquet").drop(columns="original")
    long = wide.melt("sentence_id", var_name="name", value_name="score").dropna()
    return long.merge(names, on="name")


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("select", ["threshold", "top:4"])
def test_rates_and_ratios_of_the_folder_equal_those_of_pandas(select: str, missing: float, tmp_path: Path) -> None:
    long = exported(tmp_path / "out", select, missing=missing)
    if select == "threshold":
        long["selected"] = (long["score"] >= 0.5) * 1.0
    else:  # names that tie for the last places share them
        scores = long.groupby("sentence_id")["score"]
        above, with_ties = scores.rank(method="min", ascending=False) - 1, scores.rank(method="max", ascending=False)
        long["selected"] = ((4 - above) / (with_ties - above)).clip(0, 1)
    written = pd.read_csv(tmp_path / "out" / "selection.csv").set_index(["column", "group"])
    for column, by in COLUMNS.items():
        counted = long[(long[by] != "").all(axis=1)].groupby(by, sort=False)["selected"].agg(["size", "sum", "mean"])
        for group, row in counted.iterrows():
            found = written.loc[(column, group if isinstance(group, str) else "*".join(group))]
            ratio = row["mean"] / counted["mean"].max()
            assert found["texts"] == row["size"]
            assert found[["selected", "rate", "impact_ratio"]].tolist() == pytest.approx(
                [row["sum"], row["mean"], ratio]
            )


def test_crossed_groups_of_the_folder_equal_those_of_pandas_where_answers_are_missing(tmp_path: Path) -> None:
    long = exported(tmp_path / "out", "threshold", missing=0.2)
    written = pd.read_csv(tmp_path / "out" / "groups.csv").set_index(["column", "group"])
    known = long[long["colour"] != ""]
    is_cell = known["gender"].eq("female") & known["colour"].eq("green")
    by_text = known.groupby(["sentence_id", is_cell])["score"].mean().unstack()
    expected = (by_text[True] - by_text[False]).mean()  # a text without an answer for either has no difference
    assert written.loc[("gender*colour", "female*green"), "difference"] == pytest.approx(expected, abs=1e-6)
    cells = known.groupby(["sentence_id", "gender", "colour"])["score"].mean().unstack([1, 2])
    of = {(gender, colour): cells[gender, colour] for gender in ("female", "male") for colour in ("green", "red")}
    added = of["female", "green"] - of["female", "red"] - of["male", "green"] + of["male", "red"]
    assert written.loc[("gender:colour", "female*green"), "difference"] == pytest.approx(added.mean(), abs=1e-6)
