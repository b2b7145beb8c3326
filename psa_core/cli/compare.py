"""``psa_core compare``: Table 2 of the paper over result folders, as Markdown."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from psa_core import api, tables
from psa_core.claims.formatting import with_interval
from psa_core.claims.groups import condition_finding
from psa_core.cli._base import Command
from psa_core.inputs.groups import grouping
from psa_core.options import option
from psa_core.report.model_card import bracketed

ENDS = 5
ENDS_OF = ("before", "after", "difference")
COLUMNS = ("run", "target", "sentences × names", "ScoreDev", "ScoreRange", "LabelDist", "sensitivity–score r")


def _execute(
    folders: tuple[str, ...] = option(flag="folders", many=True, metavar="DIR", help="result folders of `run`"),
) -> int:
    studies = [api.open(folder) for folder in folders]
    names = [Path(folder).resolve().name for folder in folders]
    distinct = len(set(names)) == len(names)  # a/out and b/out are two results
    labels = names if distinct else [*folders]
    print(f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|")
    for row in api.compare(*studies, labels=labels).to_dict("records"):
        metrics = (*api.COMPARED, "sensitivity_correlation")
        intervals = " | ".join(bracketed(*(row[f"{each}{end}"] for end in ("", "_low", "_high"))) for each in metrics)
        print(f"| {row['study']} | {row['target']} | {row['sentences']:,} × {row['names']:,} | {intervals} |")
    for label, study in zip(labels, studies, strict=True):
        _print_conditions(label, study)
        for target in study.targets:
            print(f"\nLowest and highest ScoreSens of {target.name}, {label}:\n")
            print("| name | ScoreSens, 95 % interval | p (Holm) |\n|---|---|---|")
            table = study.name_effects(target.name, baseline="original").sort_values("score_sens", kind="stable")
            ends = table if len(table) <= 2 * ENDS else pd.concat([table.head(ENDS), table.tail(ENDS)])
            for row in ends.to_dict("records"):
                interval = f"{row['score_sens']:+.4f} [{row['ci_low']:+.4f}, {row['ci_high']:+.4f}]"
                print(f"| {row['name']} | {interval} | {row['p_adjusted']:.2g} |")
    return 0


def _print_conditions(label: str, study: api.Study) -> None:
    """What each condition of a study changes in the differences between groups of names."""
    for target in tables.condition_targets(study.cube):
        for column in grouping(study.cube.names):
            table = study.conditions(column, target)
            print(f"\n{condition_finding(table, target, column=column)}\n")
            print(f"| {label} | {column} | {target} before | after | change | p | beyond chance |")
            print("|---" * 7 + "|")
            for row in table.to_dict("records"):
                ends = (with_interval(row, each, f"{each}_low", f"{each}_high", signed=True) for each in ENDS_OF)
                p = "–" if pd.isna(row["p_adjusted"]) else f"{row['p_adjusted']:.2g}"
                is_beyond = "yes" if row["above_noise"] else "no"
                print(f"| {row['condition']} | {row['group']} | {' | '.join(ends)} | {p} | {is_beyond} |")


COMMAND = Command("compare", "Print Table 2 and the extreme names of result folders, as Markdown.", _execute)
