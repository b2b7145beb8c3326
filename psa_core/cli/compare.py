"""``psa_core compare``: Table 2 of the paper over result folders, as Markdown."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from psa_core import tables
from psa_core.cli._base import Command
from psa_core.cube import ScoreCube
from psa_core.folders import results

ENDS = 5


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", metavar="DIR", nargs="+", type=Path, help="result folders of `run`")


def _execute(options: argparse.Namespace) -> int:
    found = [results.read(folder) for folder in options.folders]
    names = [folder.resolve().name for folder in options.folders]
    distinct = len(set(names)) == len(names)  # a/out and b/out are two results
    labels = names if distinct else [str(folder) for folder in options.folders]
    cubes = dict(zip(labels, found, strict=True))
    print("| run | target | sentences × names | ScoreDev | ScoreRange | LabelDist | sensitivity–score r |")
    print("|---|---|---|---|---|---|---|")
    for name, cube in cubes.items():
        for target, metrics in tables.summary(cube).items():
            print(f"| {name} | {target} | {cube.shape[0]:,} × {cube.shape[1]:,} | {_cells(metrics)} |")
    for name, cube in cubes.items():
        for output in cube.targets:
            print(f"\nLowest and highest ScoreSens of {output.name}, {name}:\n")
            print(_ends(cube, output.name))
    return 0


def _cells(metrics: dict[str, dict[str, Any]]) -> str:
    parts = [_interval(metrics[metric], "value") for metric in ("score_dev", "score_range", "label_dist")]
    return " | ".join([*parts, _interval(metrics["sensitivity_correlation"], "r")])


def _interval(metric: dict[str, Any], key: str) -> str:
    if metric[key] is None:
        return "–"
    bounds = "" if metric["low"] is None else f" [{metric['low']:.3f}, {metric['high']:.3f}]"
    return f"{metric[key]:.3f}{bounds}"


def _ends(cube: ScoreCube, target: str) -> str:
    table = tables.name_table(cube, target).sort_values("score_sens", kind="stable")
    chosen = table if len(table) <= 2 * ENDS else table.iloc[[*range(ENDS), *range(len(table) - ENDS, len(table))]]
    rows = [
        f"| {row['name']} | {row['score_sens']:+.4f} [{row['ci_low']:+.4f}, {row['ci_high']:+.4f}] "
        f"| {row['p_adjusted']:.2g} |"
        for row in chosen.to_dict("records")
    ]
    return "\n".join(["| name | ScoreSens, 95 % interval | p (Holm) |", "|---|---|---|", *rows])


COMMAND = Command(
    "compare", "Print Table 2 and the extreme names of result folders, as Markdown.", _configure, _execute
)
