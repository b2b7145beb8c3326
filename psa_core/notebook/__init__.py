"""A cube in a notebook: it shows itself, and answers with tables, charts and sentences.

`ScoreCube` finds these functions by their names when somebody asks: ``cube.names()``, ``cube.flips()``,
``cube.chart("names")``, ``cube.finding("thresholds")``. They only choose among what `tables` and `charts` have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from psa_core import report, stats, tables
from psa_core.charts.bar_order import BarOptions
from psa_core.charts.curves import CurveOptions
from psa_core.charts.print.figures import name_figure, threshold_figure
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError
from psa_core.folders import results
from psa_core.notebook._shown import Chart, Finding, markup_of
from psa_core.study import perturbation_of
from psa_core.tables import findings
from psa_core.tables.formatting import BASELINES

__all__ = ["Chart", "Finding", "chart", "finding", "flips", "markup", "names", "read", "save"]
LARGEST_CHART = 60
MOST_EXTREME = 15


def read(folder: str | Path) -> ScoreCube:
    """Open a result folder; see `folders.results.read`."""
    return results.read(Path(folder))


def save(cube: ScoreCube, folder: str | Path) -> None:
    """Write a result folder with its report; see `folders.results.write`."""
    results.write(cube, Path(folder), report.render)


def names(cube: ScoreCube, target: str | None = None, **options: Any) -> pd.DataFrame:
    """What each name does to a target (the first one unless named), furthest first; options as `tables.name_table`."""
    options.setdefault("baseline", tables.default_baseline(cube))
    table = tables.name_table(cube, _target(cube, target), **options)
    order = table["score_sens"].abs().sort_values(ascending=False, kind="stable").index
    return table.loc[order].reset_index(drop=True)


def flips(cube: ScoreCube, target: str | None = None, **options: Any) -> pd.DataFrame:
    """Every flip with its text, largest change first; options as `tables.find_flips` and, of rows, ``order, limit``."""
    of_rows = {key: options.pop(key) for key in ("order", "offset", "limit") if key in options}
    table = tables.find_flips(cube, _target(cube, target), **options).frame(**of_rows)
    texts = perturbation_of(cube)
    cells = zip(table.pop("sentence_position"), table.pop("name_position"), strict=True)
    return table.assign(text=[texts.text(int(s), int(n)) for s, n in cells])


def chart(cube: ScoreCube, kind: str = "names", target: str | None = None, **options: Any) -> Chart:
    """A figure that shows itself, with the sentence that says what is in it.

    Parameters
    ----------
    cube : ScoreCube
    kind : {"names", "thresholds"}
        Figure 1 or Figure 2 of the paper.
    target : str, optional
        By default the first one.
    **options
        For names: ``baseline``, ``correction``, ``colour_by``, ``section_by`` (group columns), ``limit`` (so many
        highest and lowest names; 0 for all). For thresholds: ``names``, ``threshold``.

    Raises
    ------
    PsaError
        When the kind, the target or an option's value is unknown.
    """
    return Chart(_of(CHARTS, "chart", kind)(cube, _target(cube, target), **options), finding(cube, kind, target))


def finding(cube: ScoreCube, kind: str = "names", target: str | None = None) -> Finding:
    """What a result says, in one sentence: of ``names``, ``thresholds``, ``sentences`` or the whole ``corpus``."""
    return Finding(_of(FINDINGS, "finding", kind)(cube, _target(cube, target)))


def markup(cube: ScoreCube) -> str:
    """A study as HTML: its size, and a finding for each target."""
    return markup_of(cube, {target.name: finding(cube, "corpus", target.name) for target in cube.targets})


def _name_chart(
    cube: ScoreCube, target: str, *, baseline: stats.Baseline | None = None, correction: str = "holm", **options: Any
) -> str:
    origin = baseline or tables.default_baseline(cube)
    options.setdefault("limit", 0 if cube.shape[1] <= LARGEST_CHART else MOST_EXTREME)
    table = tables.name_table(cube, target, baseline=origin, correction=correction)
    return name_figure(table, BarOptions(axis_title=f"Mean change of {target} from {BASELINES[origin]}", **options))


def _threshold_chart(cube: ScoreCube, target: str, *, threshold: float | None = None, **options: Any) -> str:
    table = tables.label_dist_table(cube, target, **options)
    return threshold_figure(
        table, CurveOptions(_threshold(cube, target) if threshold is None else threshold, target=target)
    )


def _about_names(cube: ScoreCube, target: str) -> str:
    baseline = tables.default_baseline(cube)
    return str(findings.name_finding(tables.name_table(cube, target, baseline=baseline), target, baseline=baseline))


def _about_thresholds(cube: ScoreCube, target: str) -> str:
    table = tables.label_dist_table(cube, target)
    return str(findings.threshold_finding(table, target, threshold=_threshold(cube, target)))


def _about_sentences(cube: ScoreCube, target: str) -> str:
    return str(
        findings.sentence_finding(tables.sentence_table(cube, target), target, threshold=_threshold(cube, target))
    )


def _about_corpus(cube: ScoreCube, target: str) -> str:
    return str(findings.corpus_finding(tables.summary(cube)[target], target))


CHARTS: Mapping[str, Callable[..., str]] = MappingProxyType({"names": _name_chart, "thresholds": _threshold_chart})
FINDINGS: Mapping[str, Callable[[ScoreCube, str], str]] = MappingProxyType(
    {
        "names": _about_names,
        "thresholds": _about_thresholds,
        "sentences": _about_sentences,
        "corpus": _about_corpus,
    }
)


def _of(known: Mapping[str, Callable[..., str]], what: str, kind: str) -> Callable[..., str]:
    if kind not in known:
        raise OptionError(what, got=repr(kind)[:60], expected=", ".join(known))
    return known[kind]


def _target(cube: ScoreCube, target: str | None) -> str:
    return cube.targets[0].name if target is None else target


def _threshold(cube: ScoreCube, target: str) -> float:
    return cube.targets[cube.target_index(target)].default_threshold
