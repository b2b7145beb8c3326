"""Results of a nationality audit: heat map, world map, tables, correlations, sentences, export."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from pages.ui.audits import frame
from pages.ui.audits.nationality import examples
from pages.ui.audits.nationality.setup import AUDIT
from pages.ui.frame import cached, typography
from psa_core.audits.nationality import findings
from psa_core.audits.nationality.perturbation import KEPT
from psa_core.audits.nationality.result import NationalityResult
from psa_core.audits.nationality.tables import OVERALL
from psa_core.charts._altair import drawing_svg
from psa_core.charts.country_heat import Block, country_heat, printed_width
from psa_core.charts.country_map import HEIGHT, country_map
from psa_core.charts.print.caption import Caption
from psa_core.charts.print.figures import figure_svg
from psa_core.claims.formatting import Finding, number
from psa_core.cube import ScoreCube
from psa_core.plurals import counted
from psa_core.stats import SIGNIFICANT

HEAT_KEY = AUDIT.key("heat")
PLAIN = {"displayModeBar": False}
MAX_SIDE_BY_SIDE, BESIDE_HEIGHT, MAP_WIDTH = 4, 330, 820
LABELS_WIDE = 1.4  # countries' names, in columns of numbers


def show(run_id: str, folder: Path) -> None:
    """Everything, from the finding to the download."""
    opened: NationalityResult = cached.audit(AUDIT.audit.id, run_id, folder)
    classes, scores = opened.findings
    typography.finding(classes)
    typography.second(str(scores))
    typography.small_print(findings.account(opened.manifest, opened.cube))
    country, target = examples.ask(opened)
    # The heat map and the map of the world: beside each other when the first is narrow.
    is_wide = len(opened.matrix("change_percent").columns) + len(opened.moved_targets) > MAX_SIDE_BY_SIDE
    left, right = (st.container(), st.container()) if is_wide else st.columns([7, 5], gap="medium")
    with left:
        _table_one(opened, country, target, is_wide=is_wide)
    with right:
        _world(opened, target, height=HEIGHT if is_wide else BESIDE_HEIGHT)
    if target in {one.name for one in opened.cube.targets}:
        typography.second(str(_order(run_id, target, opened.cube)))
    examples.show(opened, country, target)
    _correlations(opened)
    frame.end(AUDIT, folder, opened.countries, file="countries.csv", key="countries_csv")


@st.cache_data(max_entries=24, show_spinner=False)
def _order(run_id: str, target: str, _cube: ScoreCube) -> Finding:
    return findings.order_finding(_cube, target)


def _words(opened: NationalityResult, title: str, finding: str) -> Caption:
    """The caption of an exported figure of this audit."""
    account, options = opened.manifest["account"], opened.manifest["options"]
    return Caption(title, finding, f"{options['model']} · {counted(account[KEPT], 'sentence')} with a person")


def _table_one(opened: NationalityResult, country: str, target: str, *, is_wide: bool) -> None:
    """Table 1 of the paper: heat map and table."""
    st.header("Table 1: change of each predicted class, by country", anchor=False)
    counts = opened.countries.groupby("target")["original_count"].first()
    changes, deltas = opened.matrix("change_percent"), opened.matrix("delta", opened.moved_targets)
    notes = [f"of {counts[name]:,.0f}" for name in changes.columns]
    blocks = [Block("Change in %", changes, notes, marks=opened.matrix("p_adjusted") < SIGNIFICANT)]
    if not deltas.empty:
        marks = opened.matrix("delta_p_adjusted", opened.moved_targets) < SIGNIFICANT
        blocks.insert(0, Block("Δ × 100", 100 * deltas, [""] * deltas.shape[1], "+.2f", marks=marks))
    finding = str(opened.findings[0])
    alone = [[block] for block in blocks] if is_wide else [blocks]
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
            alt=f"Heat map of countries by predicted class. {finding}",
        )
    words = (
        "Δ: mean change of the score. Change in %: of the number of sentences predicted as the class. Orange is more, "
        "blue is less; “·” behind a number: could be chance. Click a square, or choose above, to read its sentences."
    )
    if few := [name for name in changes.columns if counts[name] < findings.MIN_COUNT]:
        words += f" {', '.join(few)}: fewer than {findings.MIN_COUNT} original sentences, so one is many percent."
    typography.small_print(words)
    caption = _words(opened, "Change of each predicted class, by country", finding)
    frame.picture(AUDIT, partial(_paper, blocks), "countries", caption)
    with st.expander("As a table"):
        frame.table(AUDIT, opened.countries, "Table 1 as numbers")


def _paper(blocks: list[Block]) -> str:
    return figure_svg(country_heat(blocks), width=printed_width(blocks))


def _world(opened: NationalityResult, target: str, *, height: int) -> None:
    """The chosen column on a map."""
    counted = target in opened.matrix("change_percent").columns
    column, words = ("change_percent", "change in %") if counted else ("delta", "mean change of the score")
    rows = opened.countries[opened.countries["target"] == target]
    values = rows[["country", "iso3"]].assign(value=rows[column])
    st.header("The chosen column on the map", anchor=False)
    title = f"{target}: {words}"
    drawing = country_map(values, title=title, number="+.1f" if counted else "+.3f", height=height)
    known = values.dropna(subset=["value"]).sort_values("value")
    alt = f"World map of {len(known)} countries"
    if len(known):
        low, high = known.iloc[0], known.iloc[-1]
        ends = [number(row["value"], digits=2, signed=True) for row in (low, high)]
        alt += f", from {ends[0]} ({low['country']}) to {ends[1]} ({high['country']})"
    st.vega_lite_chart(drawing.rows, drawing.spec, key=AUDIT.key("map"), alt=f"{alt}.")
    typography.small_print("Grey is a change of zero. A country that is only an outline is not in this audit.")
    still = partial(drawing_svg, drawing, width=MAP_WIDTH)
    frame.picture(AUDIT, still, f"map.{target}", _words(opened, title, alt))


def _correlations(opened: NationalityResult) -> None:
    """Tables 2 to 5 of the paper."""
    table = opened.correlations
    if table is None:
        typography.small_print(
            "Correlations with perplexity (the paper's Tables 2 to 5) need a language model in step 3."
        )
        return
    st.header("Tables 2 to 5: scores and perplexity", anchor=False)
    finding = str(findings.correlation_finding(table))
    typography.second(finding)
    blocks = []
    for column, title in (("global_r", "Global r × 100"), ("local_r", "Local r × 100")):
        matrix = 100 * table.pivot(index="country", columns="target", values=column).astype(float)
        matrix = matrix.reindex(index=table["country"].unique(), columns=table["target"].unique())
        blocks.append(Block(title, matrix, [""] * matrix.shape[1], "+.1f", limit=50))
    alt = f"Heat map of correlations. {finding}"
    st.plotly_chart(country_heat(blocks), key=AUDIT.key("correlations"), config=PLAIN, width="content", alt=alt)
    caption = _words(opened, "Scores and log-perplexity, by country", finding)
    frame.picture(AUDIT, partial(_paper, blocks), "correlations", caption)
    typography.small_print(
        "Pearson correlation between score and log-perplexity. Global: over all texts of a country; its p-value takes "
        "the texts as independent. Local: among the draws of one sentence, averaged over the sentences, so that the "
        f"sentence's own meaning cancels out. {OVERALL}: all countries together."
    )
    with st.expander("As a table"):
        frame.table(AUDIT, table, "Correlations as numbers", csv="correlations.csv")
