"""Results of a nationality audit: heat map, world map, tables, correlations, sentences, export."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.audits import frame
from pages.ui.audits.nationality import examples
from pages.ui.audits.nationality.setup import AUDIT
from pages.ui.frame import columns, exports, typography
from psa_core.audits.nationality import findings
from psa_core.audits.nationality.people_finder import MULTILINGUAL
from psa_core.audits.nationality.perturbation import KEPT, LONE, MENTIONS, NO_PERSON, NOT_LOOKED_AT, READ
from psa_core.audits.nationality.reliability import country_finding, country_reliability
from psa_core.audits.nationality.result import NationalityResult
from psa_core.audits.nationality.tables import OVERALL
from psa_core.charts.country_heat import Block, country_heat
from psa_core.charts.country_map import CONFIG, HEIGHT, country_map
from psa_core.charts.print import audits
from psa_core.charts.print.caption import Caption
from psa_core.cube import ScoreCube
from psa_core.plurals import counted, verb
from psa_core.tables.formatting import Finding, number
from psa_core.tables.replicability import Replicability

HEAT_KEY = AUDIT.key("heat")
PLAIN = {"displayModeBar": False}
MAX_SIDE_BY_SIDE, BESIDE_HEIGHT = 4, 330
LABELS_WIDE = 1.4  # countries' names, in columns of numbers


def show(run_id: str, folder: Path) -> None:
    """Everything, from the finding to the download."""
    opened: NationalityResult = frame.opened(AUDIT.audit.id, run_id, str(folder))
    typography.finding(findings.finding(opened.countries))
    typography.second(findings.score_finding(opened.countries, opened.moved_targets))
    _account(opened)
    country, target = examples.ask(opened)
    left, right = _side_by_side(opened)
    with left:
        _table_one(opened, country, target)
    with right:
        _world(opened, target)
    if target in {one.name for one in opened.cube.targets}:
        typography.second(country_finding(_again(run_id, target, opened.cube), target))
    examples.show(opened, country, target)
    _correlations(opened)
    frame.end(AUDIT, folder, opened.countries, file="countries.csv", key="countries_csv")


@st.cache_data(max_entries=24, show_spinner=False)
def _again(run_id: str, target: str, _cube: ScoreCube) -> Replicability:
    return country_reliability(_cube, target)


def _words(opened: NationalityResult, title: str, finding: Finding | str) -> Caption:
    """What a picture of this audit says when it stands alone."""
    account, options = opened.manifest["account"], opened.manifest["options"]
    return Caption(title, str(finding), f"{options['model']} · {counted(account[KEPT], 'sentence')} with a person")


def _account(opened: NationalityResult) -> None:
    """What was used, and what was left out and why."""
    manifest = opened.manifest
    account, options = manifest["account"], manifest["options"]
    parts = [
        f"{account[KEPT]:,} of {counted(account[READ], 'sentence')}, {counted(int(options['draws']), 'name')} each for "
        f"{counted(opened.cube.names['country'].nunique(), 'country')}, by {options['model']}.",
        f"{account[NO_PERSON]:,} had no person.",
    ]
    if unseen := account[NOT_LOOKED_AT]:
        parts.append(f"{unseen:,} were not looked at, since the sample was full.")
    female, male, unknown = (account[MENTIONS[gender]] for gender in ("female", "male", ""))
    parts.append(
        f"Of {counted(female + male + unknown, 'mention')} {female:,} {verb(female, 'are', 'is')} female by title, "
        f"first name or pronouns, {male:,} male; {_of_unknown_gender(account, unknown)}"
    )
    finder = str(manifest.get("people_finder", ""))
    pipeline = "multilingual pipeline" if finder.startswith(MULTILINGUAL) else "English pipeline"
    if options.get("people"):
        pipeline = f"pipeline {str(options['people'])[:80]}"
    parts.append(f"People were found by spaCy's {pipeline}.")
    parts.append(findings.left_out(manifest["names_not_in_latin_letters_left_out"]))
    typography.small_print(" ".join(filter(None, parts)))


def _of_unknown_gender(account: Mapping[str, int], unknown: int) -> str:
    """What mentions get whose gender cannot be told; audits of an earlier version did not count last names alone."""
    alone = account.get(LONE)
    if alone is None:
        return f"the gender of {unknown:,} is unknown."
    return f"{unknown - alone:,} have an unknown gender and get first names of either; {alone:,} are last names alone."


def _side_by_side(opened: NationalityResult) -> tuple[Any, Any]:
    """Places for the heat map and the map of the world: beside each other when the first is narrow."""
    return (st.container(), st.container()) if _is_wide(opened) else tuple(st.columns([7, 5], gap="medium"))


def _is_wide(opened: NationalityResult) -> bool:
    return len(opened.matrix("change_percent").columns) + len(opened.moved_targets) > MAX_SIDE_BY_SIDE


def _table_one(opened: NationalityResult, country: str, target: str) -> None:
    """Table 1 of the paper: heat map and table."""
    st.header("Table 1: change of each predicted class, by country", anchor=False)
    blocks = _blocks(opened)
    alone = [[block] for block in blocks] if _is_wide(opened) else [blocks]
    places = st.columns([sum(len(block.values.columns) for block in part) + LABELS_WIDE for part in alone])
    for position, (place, part) in enumerate(zip(places, alone, strict=True)):
        key = f"{HEAT_KEY}_{position}" if position else HEAT_KEY
        place.plotly_chart(
            country_heat(part, selected=(country, target)),
            key=key,
            config=PLAIN,
            width="content",
            on_select=partial(examples.take_click, key),
            selection_mode="points",
            alt=f"Heat map of countries by predicted class. {findings.finding(opened.countries)}",
        )
    typography.small_print(_how_to_read(opened))
    with exports.row():
        words = _words(opened, "Change of each predicted class, by country", findings.finding(opened.countries))
        exports.picture_buttons(partial(audits.country_heat, blocks), "countries", words, key=AUDIT.key("heat_picture"))
    with st.expander("As a table"):
        st.dataframe(
            opened.countries,
            hide_index=True,
            column_config=columns.config(opened.countries),
            placeholder="–",
            alt="Table 1 as numbers",
        )


def _original_counts(opened: NationalityResult) -> pd.Series:
    return opened.countries.groupby("target")["original_count"].first()


def _blocks(opened: NationalityResult) -> list[Block]:
    changes, counts = opened.matrix("change_percent"), _original_counts(opened)
    blocks = [Block("Change in %", changes, [f"of {counts[name]:,.0f}" for name in changes.columns])]
    deltas = opened.matrix("delta", opened.moved_targets)
    return blocks if deltas.empty else [Block("Δ × 100", 100 * deltas, [""] * deltas.shape[1], "+.2f"), *blocks]


def _how_to_read(opened: NationalityResult) -> str:
    words = (
        "Δ: mean change of the score. Change in %: of the number of sentences predicted as the class. Orange is more, "
        "blue is less. Click a square, or choose above, to read its sentences."
    )
    counts, least = _original_counts(opened), findings.MIN_COUNT
    if few := [name for name in opened.matrix("change_percent").columns if counts[name] < least]:
        words += f" {', '.join(few)}: fewer than {least} original sentences, so one sentence is many percent."
    return words


def _world(opened: NationalityResult, target: str) -> None:
    """The chosen column on a map."""
    counted = target in opened.matrix("change_percent").columns
    column, words = ("change_percent", "change in %") if counted else ("delta", "mean change of the score")
    rows = opened.countries[opened.countries["target"] == target]
    values = rows[["country", "iso3"]].assign(value=rows[column])
    st.header("The chosen column on the map", anchor=False)
    height = HEIGHT if _is_wide(opened) else BESIDE_HEIGHT
    title = f"{target}: {words}"
    picture = country_map(values, title=title, number="+.1f" if counted else "+.3f", height=height)
    known = values.dropna(subset=["value"]).sort_values("value")
    said_so = f"World map of {len(known)} countries"
    if len(known):
        low, high = known.iloc[0], known.iloc[-1]
        ends = [number(row["value"], digits=2, signed=True) for row in (low, high)]
        said_so += f", from {ends[0]} ({low['country']}) to {ends[1]} ({high['country']})"
    st.plotly_chart(picture, key=AUDIT.key("map"), config=CONFIG, alt=f"{said_so}.")
    typography.small_print("Grey is a change of zero. A country that is only an outline is not in this audit.")
    with exports.row():
        still = partial(audits.country_map, values, title=title)
        exports.picture_buttons(still, f"map.{target}", _words(opened, title, said_so), key=AUDIT.key("map_picture"))


def _correlations(opened: NationalityResult) -> None:
    """Tables 2 to 5 of the paper."""
    table = opened.correlations
    if table is None:
        typography.small_print(
            "Correlations with perplexity (the paper's Tables 2 to 5) need a language model in step 3."
        )
        return
    st.header("Tables 2 to 5: scores and perplexity", anchor=False)
    typography.second(findings.correlation_finding(table))
    blocks = []
    for column, title in (
        ("global_r", "Global r × 100"),
        ("local_r", "Local r × 100"),
    ):
        matrix = 100 * table.pivot(index="country", columns="target", values=column).astype(float)
        matrix = matrix.reindex(index=table["country"].unique(), columns=table["target"].unique())
        blocks.append(Block(title, matrix, [""] * matrix.shape[1], "+.1f", limit=50))
    alt = f"Heat map of correlations. {findings.correlation_finding(table)}"
    st.plotly_chart(country_heat(blocks), key=AUDIT.key("correlations"), config=PLAIN, width="content", alt=alt)
    with exports.row():
        still = partial(audits.country_heat, blocks)
        words = _words(opened, "Scores and log-perplexity, by country", findings.correlation_finding(table))
        exports.picture_buttons(still, "correlations", words, key=AUDIT.key("correlations_picture"))
    typography.small_print(
        "Pearson correlation between score and log-perplexity. Global: over all texts of a country; its p-value takes "
        "the texts as independent. Local: among the draws of one sentence, averaged over the sentences, so that the "
        f"sentence's own meaning cancels out. {OVERALL}: all countries together."
    )
    with st.expander("As a table"):
        in_words = columns.config(table)
        st.dataframe(table, hide_index=True, column_config=in_words, placeholder="–", alt="Correlations as numbers")
        exports.csv_button(pd.DataFrame(table), "correlations.csv", key=AUDIT.key("correlations_csv"))
