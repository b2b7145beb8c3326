"""Why names move the score: their parts, associated factors, and the sentences in which it happens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.frame import cached, clicks, exports, markup, permissions, shell, state, typography
from pages.ui.frame.columns import signed
from pages.ui.frame.keys import Key
from pages.ui.frame.typography import in_words
from pages.ui.results import background, figure
from pages.ui.results.context import StudyContext
from pages.ui.results.names_view import p_text
from psa_core import models, stats
from psa_core.charts import intervals as charts
from psa_core.charts.intervals import metric_intervals
from psa_core.claims import reasons
from psa_core.errors import PsaError
from psa_core.models.lm import CARD as PERPLEXITY_CARD
from psa_core.plurals import counted
from psa_core.study.conditions import condition_of
from psa_core.tables import parts
from psa_core.tables.corpus import place_table, sentence_words, word_table
from psa_core.tables.factors import (
    OF_THE_NAME,
    FactorAnalysis,
    factor_regression,
    first_choice,
    group_factors,
    number_factors,
)
from psa_core.trust import Origin

#: Sentences in which the parts of one name are scored unasked: five texts each.
BECAUSE_SENTENCES = 12
#: Of the range of a study's scores: a model that differs by more from the study is not the one it was.
SAME = 0.01
PERPLEXITY = "perplexity"
PERPLEXITY_SENTENCES, PERPLEXITY_NAMES = 8, 400
LEFT_SHOWN, SENTENCES_SHOWN, EACH_SIDE = 12, 20, 12
PART_COLUMNS = {
    "whole": "Whole name", "first_alone": "First part alone", "rest_alone": "The rest alone",
    "interaction": "Added together", "lower_case": "lower case", "initials": "As initials",
}  # fmt: skip
CHANGE = "How far the names move the score in these sentences, up or down, on average"
ODDS = "Above 1: rather in sentences in which names move the score more"


def names_differ(study: StudyContext) -> bool:
    """Whether the names' effects differ by more than rounding; where they do not, the page says so instead."""
    means = stats.mean_by_name(study.cube.scores(study.target.name)[1])
    means = means[np.isfinite(means)]
    if means.size and np.ptp(means) <= parts.ROUNDING:
        typography.second(f"Every name has the same effect on {study.phrase}, so there is nothing to explain.")
        return False
    return True


def because(study: StudyContext) -> None:
    """The parts of the name with the largest effect, scored in the background; a fragment polls for them."""
    means = stats.mean_by_name(study.cube.scores(study.target.name)[1])
    several = [name for name in study.cube.names["name"] if len(name.split()) > 1]
    model, place = _asked(study)
    origin = _may_be_asked(study.run, model)
    if not several or origin is None:
        return
    effects = dict(zip(study.cube.names["name"], np.nan_to_num(np.abs(means - np.nanmedian(means))), strict=True))
    strongest = max(several, key=lambda name: effects[name])
    plan = parts.plan_parts(study.cube, study.target.name, sentences=BECAUSE_SENTENCES, names=[strongest])
    texts = [text for row in range(len(plan.rows)) for text in plan.texts.row(row)]
    going = background.score(model, origin, texts).is_going

    @st.fragment(run_every=background.LOOK_SECONDS if going else None)
    def look() -> None:
        found = background.score(model, origin, texts)
        if found.scores is not None:
            _show_because(study, plan, found.scores[:, place].reshape(len(plan.rows), -1))
        elif found.is_going:
            label = study.labels[strongest]
            typography.small_print(f"The words of {label} are being scored one by one ({len(texts)} texts).")
        elif found.error is not None:
            typography.small_print(f"The words of the name could not be scored. {found.error.full_message}")
        if going and not found.is_going:
            st.rerun()  # once, and nobody looks any more

    with st.container(key="why_because"):
        look()


def _asked(study: StudyContext) -> tuple[str, int]:
    """The study's model, told what the target's condition says, and the place of the target among its targets.

    A model that cannot be told it, as a file may claim, has no id.
    """
    model, name = str(study.cube.provenance.get("study", {}).get("model", "")), study.target.name
    condition = condition_of(study.cube, name)
    together = [one.name for one in study.cube.targets if condition_of(study.cube, one.name) == condition]
    if condition is not None and condition.system:
        try:
            model = models.told(model, condition.system)
        except PsaError:
            model = ""
    return model, together.index(name)


def _may_be_asked(run: str, model: str) -> Origin | None:
    """The origin with which the study's model may be loaded without asking; None if it may not."""
    origin = permissions.origin_of(run, model)
    try:
        models.check(model, origin)
    except PsaError:
        return None
    return origin


def _show_because(study: StudyContext, plan: parts.PartPlan, scores: np.ndarray) -> None:
    label, cells = study.labels[plan.names[0]], study.cube.scores(study.target.name)[1]
    known = cells[plan.rows, study.cube.names["name"].tolist().index(plan.names[0])]
    is_other = np.nanmax(np.abs(scores[:, 0] - known), initial=0.0) > SAME * (np.nanmax(cells) - np.nanmin(cells))
    if is_other and not study.target.samples:
        typography.small_print(f"The model does not score {label} as it did in this study, so its words say nothing.")
        return
    table = parts.because_table(study.cube, study.target.name, plan, scores)
    if label != plan.names[0]:  # names are hidden
        words = label.split()
        table = table.assign(text=[label, words[0], " ".join(words[1:])])
    found = reasons.because_finding(table, study.target)
    typography.second(found.headline)
    typography.small_print(found.evidence)
    rows = table.assign(value=table["effect"], label=table["text"] + table["variant"].map(lambda v: f" · {v}"))
    drawing = metric_intervals(rows, title="Change of the score")
    figure.show(drawing, alt="Effects of a name and of its parts alone, with intervals")


def factors(study: StudyContext) -> None:
    """What the names' effects are associated with: a forest plot, shares of variance, and unexplained names."""
    st.header("What is associated with it?", anchor=False)
    measured = _perplexity(study)
    options = [
        *OF_THE_NAME,
        *([PERPLEXITY] if measured else []),
        *group_factors(study.cube),
        *number_factors(study.cube),
    ]
    chosen = st.multiselect(
        "Factors",
        options,
        default=[*first_choice(study.cube), *([PERPLEXITY] if measured else [])],
        key=f"{Key.WHY_FACTORS} {study.run} {measured is not None}",
        format_func=markup.literal,
    )
    if not chosen:
        st.info("Choose at least one factor.")
        return
    try:
        why = study.compute_slowly(factor_regression, factors=tuple(chosen), perplexity=measured)
    except PsaError as error:
        typography.second(error.full_message)
        return
    typography.second(reasons.why_finding(why, study.target))
    if why.warning:
        st.warning(why.warning)
    left, right = st.columns([7, 5], gap="large")
    with left:
        figure.show(
            charts.coefficients(why.coefficients),
            alt="Coefficients of the factors associated with the names' effects",
            note="Least squares over names with robust (HC3) intervals: how many standard deviations an effect is "
            "further up where the factor is one standard deviation larger, or where a name is in the group, the other "
            "factors being equal. How frequent words are: package wordfreq (Speer 2022). Subwords: MiniLM's.",
            stem=f"factors.{study.target.name}",
            words=study.caption(
                f"Factors associated with the names' effects on {study.phrase}, in standard deviations"
            ),
            key="factors",
            table=why.coefficients,
        )
    with right:
        figure.show(
            charts.shares(why.shares),
            alt="Each factor's share of the variance",
            note=f"Shares of the variance of the names' effects; together {100 * why.r_squared:.0f} % "
            f"({100 * max(0.0, why.adjusted):.0f} % without what as many random factors would explain). Pale: no "
            "coefficient of the factor is clearly different from zero.",
        )
    _unexplained(study, why)


def _perplexity(study: StudyContext) -> Mapping[str, float] | None:
    """Each name's log-perplexity in sampled sentences; None until it is requested."""
    key = f"{Key.WHY_PERPLEXITY} of {study.run}"
    if key in st.session_state:
        found: Mapping[str, float] = st.session_state[key]
        return found
    if PERPLEXITY_CARD.id not in {card.id for card in models.cards()} or len(study.cube.names) > PERPLEXITY_NAMES:
        return None
    rows = np.random.default_rng(0).permutation(len(study.cube.sentences))[:PERPLEXITY_SENTENCES]
    texts = [text for row in rows for text in study.perturbation.row(int(row))]
    label = f"Measure how unexpected each name is ({len(texts):,} texts by a small language model)"
    if not st.button(label, key=Key.WHY_PERPLEXITY, icon=":material/psychology_alt:"):
        return None
    with shell.show_errors("Perplexity could not be measured"):
        scores = cached.kept_scores(cached.scorer(PERPLEXITY_CARD.id), texts)[:, 0].reshape(len(rows), -1)
    st.session_state[key] = dict(zip(study.cube.names["name"], scores.mean(axis=0).tolist(), strict=True))
    st.rerun()


def _unexplained(study: StudyContext, why: FactorAnalysis) -> None:
    """The names with the largest residuals; a click selects one."""
    as_shown = replace(why, unexplained=study.shown(why.unexplained))
    typography.second(reasons.unexplained_finding(as_shown))
    table = why.unexplained.head(LEFT_SHOWN)
    number = st.column_config.NumberColumn
    _name_table(
        study.shown(table).assign(p_adjusted=[p_text(p) for p in table["p_adjusted"]]),
        tuple(table["name"]),
        study,
        key=Key.WHY_LEFT,
        alt="Names that differ most from what the factors predict",
        columns={
            "name": st.column_config.TextColumn("Name", width=220),
            "effect": number("Effect", help="Against the typical name"),
            "expected": number("Predicted", help="From the factors"),
            "residual": number("Difference"),
            "p_adjusted": "p",
        },
    )


def _name_table(
    shown: pd.DataFrame,
    names: tuple[str, ...],
    study: StudyContext,
    *,
    key: Key,
    alt: str,
    columns: Mapping[str, object],
) -> None:
    """A table with one row per name; a click on a row selects its name."""
    clicks.tick(key, names, study.seen.names)
    table = shown[list(columns)]
    st.dataframe(
        signed(table, dict.fromkeys(table.select_dtypes("number"), 3)),
        hide_index=True,
        key=key,
        on_select=partial(clicks.take_rows, key, names),
        alt=alt,
        column_config=dict(columns),
    )


def all_parts(study: StudyContext) -> None:
    """How much of the effects one part of the name explains, for all names; on request, since it needs the model."""
    st.header("Which part of the name?", anchor=False)
    try:
        plan = parts.plan_parts(study.cube, study.target.name)
    except PsaError as error:
        typography.second(error.full_message)
        return
    model, place = _asked(study)
    if not model:
        typography.small_print("The parts of the names cannot be scored: the model of this study cannot be asked here.")
        return
    key = f"{Key.WHY_PARTS} of {study.run} {condition_of(study.cube, study.target.name) or ''}"
    if key not in st.session_state:
        typography.small_print(
            "Each part of a name alone in the anchor's place (Dick, Cheney, Dick Cheney), in lower case, and as "
            "initials, in a few sampled sentences. This asks the model of the study."
        )
        origin = confirmed(study.run, model)
        label = in_words(f"Score the parts ({plan.texts.cells:,} texts of {counted(len(plan.rows), 'sentence')})")
        if origin is None or not st.button(label, key=Key.WHY_PARTS, icon=":material/call_split:"):
            return
        with shell.show_errors("The model of this study cannot be asked"):
            texts = [text for row in range(len(plan.rows)) for text in plan.texts.row(row)]
            scores = cached.kept_scores(cached.scorer(model, origin), texts)
            st.session_state[key] = scores.reshape(len(plan.rows), -1, scores.shape[1])
        st.rerun()
    scores = st.session_state[key][..., place]
    table = parts.part_table(study.cube, study.target.name, plan, scores)
    shown = study.shown(table)
    hidden = (shown["name"] != table["name"]).to_numpy()
    shown.loc[hidden, parts.FIRST] = shown["name"][hidden].str.split().str[0]
    shown.loc[hidden, parts.REST] = shown["name"][hidden].str.split().str[1:].str.join(" ")
    typography.second(reasons.part_finding(shown, study.target, sentences=len(plan.rows)))
    if shares := parts.part_shares(table):
        words = ", ".join(f"{part} {100 * share:.0f} %" for part, share in shares.items())
        typography.small_print(f"Shares of the differences between whole names: {words}.")
    ordered = shown.sort_values("whole", key=abs, ascending=False, kind="stable")
    numbers = {column: st.column_config.NumberColumn(title) for column, title in PART_COLUMNS.items()}
    _name_table(
        ordered,
        tuple(table["name"][ordered.index]),
        study,
        key=Key.WHY_PARTS_TABLE,
        alt="Effects of each name's parts alone",
        columns={"name": "Name", **numbers},
    )
    typography.small_print(
        f"Effects against the typical name in the same sentences, {len(parts.VARIANTS)} forms per name; “added "
        "together” is the full name's effect minus both parts'."
    )
    with exports.row():
        exports.csv_button(table, f"parts.{study.target.name}.csv", key="parts_csv")


def confirmed(run: str, model: str) -> Origin | None:
    """The origin with which the study's model may be loaded; an id from a file has to be typed to confirm."""
    origin = _may_be_asked(run, model)
    if origin is not None:
        return origin
    st.html(markup.plain("The model of this study is not loaded: what a file names is only a suggestion."))
    with shell.report_errors("It cannot be loaded on this page"):
        permissions.check(model)
    if not permissions.is_offered(model):
        return None
    typed = st.text_input(
        "Type the model id to confirm that it may be loaded", key=f"{Key.MITIGATE_MODEL} {run}", max_chars=300
    )
    return permissions.origin() if typed.strip() == model else None


def where(study: StudyContext) -> None:
    """Words associated with more sensitivity, and sensitivity by the anchor's position."""
    st.header(in_words("In which sentences?"), anchor=False)
    words = study.compute_slowly(word_table)
    typography.second(reasons.where_finding(words, study.target))
    left, right = st.columns([7, 5], gap="large")
    with left:
        word = _words(words)
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    with right:
        st.dataframe(
            study.compute(place_table),
            hide_index=True,
            alt="How far names move the score by the anchor's role and place and the sentence's length",
            column_config={
                "what": text("By", width=56),
                "value": text("", width=140),
                "sentences": number(in_words("Sentences"), width=90),
                "mean": number("Change", format="%.3f", width=66, help=CHANGE),
                "low": number("95 % low", format="%.3f", width=82),
                "high": number("95 % high", format="%.3f", width=82),
            },
        )
    if word:
        _sentences_with(study, word)
    with exports.row():
        exports.csv_button(words, f"words.{study.target.name}.csv", key="words_csv")


def _words(table: pd.DataFrame) -> str | None:
    """Chart of the words with the strongest associations; returns the clicked one."""
    if table.empty:
        typography.small_print("No word is in five sentences or more.")
        return None
    ends = table if len(table) <= 2 * EACH_SIDE else pd.concat([table.head(EACH_SIDE), table.tail(EACH_SIDE)])
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    ratios = {column: np.exp(ends[column]) for column in ("log_odds", "low", "high")}
    event = st.dataframe(
        ends.assign(p_adjusted=[p_text(p) for p in ends["p_adjusted"]], **ratios),
        hide_index=True,
        key=Key.WHY_WORDS,
        on_select="rerun",
        selection_mode="single-row",
        alt="Words associated with more or less sensitivity",
        column_config={
            "word": text("Word", width=96),
            "sentences": number(in_words("Sentences"), width=90),
            "log_odds": number("Odds", format="× %.2f", width=70, help=ODDS),
            "low": number("95 % low", format="× %.2f", width=82),
            "high": number("95 % high", format="× %.2f", width=82),
            "p_adjusted": text("p", width=60),
            "sensitivity": number("Change", format="%.3f", width=66, help=CHANGE),
        },
    )
    rows = [row for row in event["selection"]["rows"] if row < len(ends)]
    typography.small_print(
        "× 2: the word is twice as likely in the half of the sentences that names change most as in "
        "the other half; × 0.5: half as likely. Click a row to read the sentences with that word."
    )
    return str(ends["word"].iloc[rows[0]]) if rows else None


def _sentences_with(study: StudyContext, word: str) -> None:
    """The sentences with a word, the most sensitive first; a click selects one on every page."""
    moved = stats.sensitivities(*study.cube.scores(study.target.name))
    rows = np.flatnonzero([word in own for own in sentence_words(study.cube)])
    rows = rows[np.argsort(-moved[rows], kind="stable")][:SENTENCES_SHOWN]
    table = study.cube.sentences.iloc[rows][["sentence_id", "text"]].assign(change=moved[rows])
    key, ids = f"{Key.WHY_FOUND} {word}", tuple(table["sentence_id"].astype(str))

    def take() -> None:
        ticked = [row for row in st.session_state[key]["selection"]["rows"] if row < len(ids)]
        state.choose(sentence=ids[ticked[0]] if ticked else None)

    st.dataframe(
        table[["change", "text"]],
        hide_index=True,
        key=key,
        on_select=take,
        selection_mode="single-row",
        alt="Sentences with the word",
        column_config={
            "change": st.column_config.NumberColumn("Mean change", format="%.3f", width=110),
            "text": st.column_config.TextColumn(in_words("Sentence"), width="large"),
        },
    )
    shell.link("sentences", "Read the selected sentence on Sentences")
