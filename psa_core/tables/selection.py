"""Selection rates and impact ratios by group of names, for the pages, ``selection.csv`` and published summaries."""

from __future__ import annotations

import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.inputs.groups import CROSS, columns_of, labels_of, parse_select
from psa_core.stats.selection_rates import select_at, select_top, selection_rates
from psa_core.tables.groups import group_columns
from psa_core.tables.labels import about, sample_size

CSV_COLUMNS = ["column", "group", "names", "texts", "selected", "rate", "impact_ratio", "low", "high"]
#: The headings of the summaries that Local Law 144's rules (6 RCNY § 5-303) ask to be published.
PUBLISHED = {
    "texts": "# of Applicants",
    "selected": "# Selected",
    "rate": "Selection Rate",
    "impact_ratio": "Impact Ratio",
}


def selection_table(
    cube: ScoreCube, target: str, column: str, *, select: str = "threshold", threshold: float | None = None
) -> pd.DataFrame:
    """How often texts with each group's names are selected.

    Parameters
    ----------
    column : str
        A group column of the names, or two crossed: ``gender*race``.
    select : str
        ``threshold``: texts whose score reaches it. ``top:K``: the K highest names of each sentence; names that tie for
        the last places share them.
    threshold : float, optional
        The target's own when not given.

    Returns
    -------
    DataFrame
        One row a group, in order of appearance: ``group``, ``names``, ``texts`` (sentence and name, with an answer),
        ``selected``, ``rate``, ``impact_ratio``, ``low``, ``high``, ``p_adjusted`` (see `stats.selection_rates`),
        ``is_lower`` (shown to be selected less often than the group with the highest rate), ``n`` (sentences).

    Raises
    ------
    CubeError, OptionError
        When the target, the column or `select` is none.
    """
    _, scores = cube.scores(target)
    kind, count = parse_select(select)
    level = cube.targets[cube.target_index(target)].default_threshold if threshold is None else threshold
    chosen = select_top(scores, count) if kind == "top" else select_at(scores, level)
    labels = labels_of(cube.names, column)
    groups = [label for label in dict.fromkeys(labels.tolist()) if label is not None]
    found = selection_rates(chosen, [labels == group for group in groups], families=cube.families)
    table = pd.DataFrame({"group": groups, **vars(found)})
    table["is_lower"] = (table["p_adjusted"] < stats.SIGNIFICANT) & (table["high"].isna() | (table["high"] < 1))
    return about(cube, target, table.assign(**sample_size(cube, len(groups))), select=select, threshold=float(level))


def selection_file_table(cube: ScoreCube, target: str) -> pd.DataFrame:
    """The selection rates of every group column and of the study's crossing, as in ``selection.csv``.

    Returns
    -------
    DataFrame
        `CSV_COLUMNS`; by the study's ``select``, at the target's threshold.
    """
    asked = cube.provenance.get("study", {})
    columns, groups = group_columns(cube), str(asked.get("groups") or "")
    if groups:
        crossed = CROSS.join(columns_of(cube.names, groups))
        columns += [
            column for column in dict.fromkeys([*columns_of(cube.names, groups), crossed]) if column not in columns
        ]
    select = str(asked.get("select") or "threshold")
    frames = [selection_table(cube, target, column, select=select).assign(column=column) for column in columns]
    return pd.concat(frames, ignore_index=True)[CSV_COLUMNS] if frames else pd.DataFrame(columns=CSV_COLUMNS)


def published_table(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """A `selection_table` in the columns that New York City's Local Law 144 has published.

    Returns
    -------
    DataFrame
        ``Category`` (crossed groups have a column for each), ``# of Applicants`` (here: texts), ``# Selected``,
        ``Selection Rate``, ``Impact Ratio``. Rates have two decimals there; here they have three.
    """
    parts = column.split(CROSS) if CROSS in column else ["Category"]
    names = pd.DataFrame([group.split(CROSS, len(parts) - 1) for group in table["group"]], columns=parts)
    numbers = table[list(PUBLISHED)].rename(columns=PUBLISHED).reset_index(drop=True)
    rounded = numbers.assign(**{heading: numbers[heading].round(3) for heading in ("Selection Rate", "Impact Ratio")})
    return pd.concat([names, rounded], axis=1)
