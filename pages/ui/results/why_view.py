"""The parts of Why that need no model: factors, their shares, the names they leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.frame import cached, clicks, exports, markup, shell, typography
from pages.ui.frame.keys import Key
from pages.ui.frame.page_scoring import PageScorer
from pages.ui.results import context, measured
from pages.ui.results.context import StudyContext
from pages.ui.results.names_view import p_text, shown
from psa_core import models
from psa_core.charts import factors as charts
from psa_core.charts._altair import drawing_svg
from psa_core.cube import ScoreCube
from psa_core.errors import PsaError
from psa_core.models.lm import CARD as PERPLEXITY_CARD
from psa_core.tables.factors import (
    OF_THE_NAME,
    FactorAnalysis,
    factor_regression,
    first_choice,
    group_factors,
    unexplained_finding,
    why_finding,
)

PERPLEXITY = "perplexity"
PERPLEXITY_SENTENCES, PERPLEXITY_NAMES = 8, 400
LEFT_SHOWN = 12


def factors(study: StudyContext, slot: DeltaGenerator) -> None:
    """What the names' effects go with: a forest plot, shares, and what is left."""
    st.header("What goes with it?", anchor=False)
    measured = _perplexity(study)
    chosen = _ask(study, measured)
    if not chosen:
        st.info("Choose at least one factor.")
        return
    try:
        why = _why(study.target_key, study.cube, tuple(chosen), _measured=measured, has_perplexity=measured is not None)
    except PsaError as error:
        typography.second(error.told)
        return
    with slot:
        typography.finding(why_finding(why, study.target.name))
    if why.warning:
        st.warning(why.warning)
    left, right = st.columns([7, 5], gap="large")
    with left:
        drawing = charts.coefficients(why.coefficients)
        st.vega_lite_chart(drawing.rows, drawing.spec, alt="Coefficients of what may go with the names' effects")
        typography.small_print(
            "Least squares over names with robust (HC3) intervals: how many standard deviations an effect is further "
            "up where the factor is one standard deviation larger, or where a name is in the group, the other factors "
            "being equal. How frequent words are: package wordfreq (Speer 2022). Subwords: MiniLM's."
        )
    with right:
        drawing_of_shares = charts.shares(why.shares)
        st.vega_lite_chart(drawing_of_shares.rows, drawing_of_shares.spec, alt="Each factor's share of the variance")
        typography.small_print(
            f"Shares of the variance of the names' effects; together {100 * why.r_squared:.0f} % "
            f"({100 * max(0.0, why.adjusted):.0f} % without what as many random factors would explain). Pale: no "
            "coefficient of the factor is clearly different from zero."
        )
    with exports.row():
        exports.csv_button(why.coefficients, f"factors.{study.target.name}.csv", key="factors_csv")
        words = study.words(f"What goes with the names' effects on {study.target.name}, in standard deviations")
        stem = f"factors.{study.target.name}"
        exports.picture_buttons(partial(drawing_svg, drawing), stem, words, key="factors_picture")
    _left_over(study, why)


def _ask(study: StudyContext, measured: Mapping[str, float] | None) -> list[str]:
    options = [*OF_THE_NAME, *([PERPLEXITY] if measured else []), *group_factors(study.cube)]
    wanted = [*first_choice(study.cube), *([PERPLEXITY] if measured else [])]
    key = f"{Key.WHY_FACTORS} {study.run} {measured is not None}"
    return st.multiselect("Factors", options, default=wanted, key=key, format_func=markup.literal)


@st.cache_resource(max_entries=32, show_spinner="Measuring the names", show_time=True)
def _why(
    key: context.TargetKey,
    _cube: ScoreCube,
    chosen: tuple[str, ...],
    *,
    _measured: Mapping[str, float] | None,
    has_perplexity: bool,
) -> FactorAnalysis:
    return factor_regression(_cube, key[1], chosen, perplexity=_measured)


def _left_over(study: StudyContext, why: FactorAnalysis) -> None:
    """The names that the factors leave furthest; a click on one selects it."""
    table = why.unexplained.head(LEFT_SHOWN)
    typography.second(unexplained_finding_shown(why, study.labels))
    names = tuple(table["name"])
    clicks.tick(Key.WHY_LEFT, names, study.seen.names)
    numbers = st.column_config.NumberColumn
    st.dataframe(
        shown(table, study).assign(p_adjusted=[p_text(p) for p in table["p_adjusted"]]),
        hide_index=True,
        key=Key.WHY_LEFT,
        on_select=partial(clicks.take_rows, Key.WHY_LEFT, names),
        alt="Names that differ most from what the factors predict",
        column_config={
            "name": st.column_config.TextColumn("Name", width=220),
            "effect": numbers("Effect", format="%+.3f", help="Against the typical name"),
            "expected": numbers("Factors say", format="%+.3f"),
            "residual": numbers("Left", format="%+.3f"),
            "p_adjusted": "p",
        },
    )


def unexplained_finding_shown(why: FactorAnalysis, labels: Mapping[str, str]) -> str:
    """The finding with names as they are shown."""
    from dataclasses import replace

    return unexplained_finding(replace(why, unexplained=why.unexplained.replace({"name": dict(labels)})))


def _perplexity(study: StudyContext) -> Mapping[str, float] | None:
    """Each name's log-perplexity in sampled sentences, once it was asked for; None before."""
    key = f"{Key.WHY_PERPLEXITY} of {study.run}"
    if key in st.session_state:
        found: Mapping[str, float] = st.session_state[key]
        return found
    if PERPLEXITY_CARD.id not in {card.id for card in models.cards()} or len(study.cube.names) > PERPLEXITY_NAMES:
        return None
    count = min(PERPLEXITY_SENTENCES, len(study.cube.sentences))
    texts = count * len(study.cube.names)
    label = f"Measure how unexpected each name is ({texts:,} texts by a small language model)"
    if not st.button(label, key=Key.WHY_PERPLEXITY, icon=":material/psychology_alt:"):
        return None
    perturbation = measured.perturbation(study)
    rows = np.random.default_rng(0).permutation(len(study.cube.sentences))[:count]
    with shell.show_errors("Perplexity could not be measured"):
        scores = scored_rows(cached.scorer(PERPLEXITY_CARD.id), [perturbation.row(int(row)) for row in rows])[..., 0]
    st.session_state[key] = dict(zip(study.cube.names["name"], scores.mean(axis=0).tolist(), strict=True))
    st.rerun()


def scored_rows(loaded: PageScorer, rows: Sequence[Sequence[str]]) -> np.ndarray:
    """Scores of rows of texts, float32 (rows, texts, T)."""
    scores = cached.kept_scores(loaded, [text for texts in rows for text in texts])
    return scores.reshape(len(rows), -1, scores.shape[1])
