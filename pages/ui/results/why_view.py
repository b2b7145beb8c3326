"""Why names move the score: their parts, associated factors, and the sentences in which it happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.frame import cached, exports, markup, shell, state, typography
from pages.ui.frame.typography import in_words
from pages.ui.results import study_model
from pages.ui.results.context import StudyContext
from pages.ui.results.names_view import name_table
from psa_core import models, stats
from psa_core.charts import intervals as charts
from psa_core.charts._theme import of_changes
from psa_core.charts.intervals import metric_intervals
from psa_core.claims import reasons
from psa_core.claims.formatting import p_text
from psa_core.errors import PsaError
from psa_core.models.lm import CARD as PERPLEXITY_CARD
from psa_core.plurals import counted
from psa_core.study.conditions import condition_of
from psa_core.tables import parts
from psa_core.tables.corpus import place_table, sentence_words, word_table
from psa_core.tables.factors import OF_THE_NAME, factor_regression, first_choice, group_factors, number_factors

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


def because(study: StudyContext) -> None:
    """The parts of the name with the largest effect, scored in the background; a fragment polls for them."""
    means = stats.mean_by_name(study.cube.scores(study.target.name)[1])
    several = [name for name in study.cube.names["name"] if len(name.split()) > 1]
    model, place = study_model.told(study)
    origin = study_model.allowed(study.run, model)
    if not several or origin is None:
        return
    effects = dict(zip(study.cube.names["name"], np.nan_to_num(np.abs(means - np.nanmedian(means))), strict=True))
    strongest = max(several, key=lambda name: effects[name])
    plan = parts.plan_parts(study.cube, study.target.name, sentences=BECAUSE_SENTENCES, names=[strongest])
    texts = list(plan.texts)
    going = not study_model.score(model, origin, texts).ended.is_set()

    @st.fragment(run_every=study_model.LOOK_SECONDS if going else None)
    def look() -> None:
        found = study_model.score(model, origin, texts)
        if found.scores is not None:
            _show_because(study, plan, found.scores[:, place].reshape(len(plan.rows), -1))
        elif found.error is not None:
            typography.small_print(f"The words of the name could not be scored. {found.error.full_message}")
        else:
            with _room():
                label = study.labels[strongest]
                typography.small_print(f"The words of {label} are being scored one by one ({len(texts)} texts).")
        if going and found.ended.is_set():
            st.rerun()  # once, and nobody looks any more

    look()


def _room() -> DeltaGenerator:
    """As high as the chart before it is there, so that nothing below moves; only where one comes."""
    return st.container(key="why_because")


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
    table = study.in_unit(table, "effect", "low", "high")
    rows = table.assign(value=table["effect"], label=table["text"] + table["variant"].map(lambda v: f" · {v}"))
    title = of_changes("Change of the score", study.target.scale)
    drawing = metric_intervals(rows, title=title)
    with _room():
        typography.second(found.headline)
        typography.small_print(found.evidence)
        exports.figure(drawing, alt="Effects of a name and of its parts alone, with intervals")


def _on_request(key: str, measure: Callable[[], Any], *, button: str, label: str, icon: str, failed: str) -> Any:
    """What was measured after a click on a button, kept for the session under `key`; None until somebody clicks."""
    if key not in st.session_state and st.button(label, key=button, icon=f":material/{icon}:"):
        with shell.show_errors(failed):
            st.session_state[key] = measure()
        st.rerun()
    return st.session_state.get(key)


def factors(study: StudyContext) -> None:
    """What the names' effects are associated with: a forest plot, shares of variance, and unexplained names."""
    st.header("What is associated with it?", anchor=False)
    measured = _perplexity(study)
    of_perplexity = [PERPLEXITY] if measured else []
    chosen = st.multiselect(
        "Factors",
        [*OF_THE_NAME, *of_perplexity, *group_factors(study.cube), *number_factors(study.cube)],
        default=[*first_choice(study.cube), *of_perplexity],
        key=f"why_factors {study.run} {measured is not None}",
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
    title = f"Factors associated with the names' effects on {study.words.phrase}, in standard deviations"
    with left:
        exports.figure(
            charts.coefficients(study.in_unit(why.coefficients, "in_score"), scale=study.target.scale),
            alt="Coefficients of the factors associated with the names' effects",
            note="Least squares over names with robust (HC3) intervals: how many standard deviations an effect is "
            "further up where the factor is one standard deviation larger, or where a name is in the group, the other "
            "factors being equal. How frequent words are: package wordfreq (Speer 2022). Subwords: MiniLM's.",
            stem=f"factors.{study.target.name}",
            words=study.caption(title),
            key="factors",
            table=why.coefficients,
        )
    with right:
        exports.figure(
            charts.shares(why.shares),
            alt="Each factor's share of the variance",
            note=f"Shares of the variance of the names' effects; together {100 * why.r_squared:.0f} % "
            f"({100 * max(0.0, why.adjusted):.0f} % without what as many random factors would explain). Pale: no "
            "coefficient of the factor is clearly different from zero.",
        )
    typography.second(reasons.unexplained_finding(replace(why, unexplained=study.shown(why.unexplained))))
    table = study.in_unit(why.unexplained.head(LEFT_SHOWN), "effect", "expected", "residual")
    heads = {
        "name": exports.head("Name", 220),
        "effect": exports.head("Effect", help=f"Against the typical name{study.of_points}"),
        "expected": exports.head("Predicted", help="From the factors"),
        "residual": exports.head("Difference"),
        "p_adjusted": "p",
    }
    table = table.assign(p_adjusted=table["p_adjusted"].map(p_text))[[*heads]]
    _three_digits(study, table, "why_left", "Names that differ most from what the factors predict", heads)


def _three_digits(study: StudyContext, table: pd.DataFrame, key: str, alt: str, heads: dict[str, Any]) -> None:
    digits = dict.fromkeys(table.select_dtypes("number"), study.digits(3))
    name_table(study, table, key, alt=alt, digits=digits, heads=heads)


def _perplexity(study: StudyContext) -> dict[str, float] | None:
    """Each name's log-perplexity in sampled sentences; None until it is requested."""
    if PERPLEXITY_CARD.id not in {card.id for card in models.cards()} or len(study.cube.names) > PERPLEXITY_NAMES:
        return None
    rows = np.random.default_rng(0).permutation(len(study.cube.sentences))[:PERPLEXITY_SENTENCES]
    texts = [text for row in rows for text in study.perturbation.row(int(row))]

    def measure() -> dict[str, float]:
        scores = cached.kept_scores(cached.scorer(PERPLEXITY_CARD.id), texts)[:, 0].reshape(len(rows), -1)
        return dict(zip(study.cube.names["name"], scores.mean(axis=0).tolist(), strict=True))

    found: dict[str, float] | None = _on_request(
        f"why_perplexity of {study.run}",
        measure,
        button="why_perplexity",
        label=f"Measure how unexpected each name is ({len(texts):,} texts by a small language model)",
        icon="psychology_alt",
        failed="Perplexity could not be measured",
    )
    return found


def all_parts(study: StudyContext) -> None:
    """How much of the effects one part of the name explains, for all names; on request, since it needs the model."""
    st.header("Which part of the name?", anchor=False)
    try:
        plan = parts.plan_parts(study.cube, study.target.name)
    except PsaError as error:
        typography.second(error.full_message)
        return
    model, place = study_model.told(study)
    if not model:
        typography.small_print("The parts of the names cannot be scored: the model of this study cannot be asked here.")
        return
    key = f"why_parts of {study.run} {condition_of(study.cube, study.target.name) or ''}"
    origin = None
    if key not in st.session_state:
        typography.small_print(
            "Each part of a name alone in the anchor's place (Dick, Cheney, Dick Cheney), in lower case, and as "
            "initials, in a few sampled sentences. This asks the model of the study."
        )
        if (origin := study_model.confirmed(study.run, model)) is None:
            return

    def measure() -> np.ndarray:
        scores = cached.kept_scores(cached.scorer(model, origin), list(plan.texts))
        return scores.reshape(len(plan.rows), -1, scores.shape[1])

    scores = _on_request(
        key,
        measure,
        button="why_parts",
        label=in_words(f"Score the parts ({plan.texts.cells:,} texts of {counted(len(plan.rows), 'sentence')})"),
        icon="call_split",
        failed="The model of this study cannot be asked",
    )
    if scores is None:
        return
    table = parts.part_table(study.cube, study.target.name, plan, scores[..., place])
    shown = study.shown(table)
    hidden = (shown["name"] != table["name"]).to_numpy()
    split = shown["name"][hidden].str.split()
    shown.loc[hidden, parts.FIRST], shown.loc[hidden, parts.REST] = split.str[0], split.str[1:].str.join(" ")
    typography.second(reasons.part_finding(shown, study.target, sentences=len(plan.rows)))
    if shares := parts.part_shares(table):
        words = ", ".join(f"{part} {100 * share:.0f} %" for part, share in shares.items())
        typography.small_print(f"Shares of the differences between whole names: {words}.")
    heads: dict[str, Any] = {"name": "Name"} | PART_COLUMNS
    ordered = table.sort_values("whole", key=abs, ascending=False, kind="stable")[[*heads]]
    ordered = study.in_unit(ordered, *PART_COLUMNS)
    _three_digits(study, ordered, "why_parts_table", "Effects of each name's parts alone", heads)
    typography.small_print(
        f"Effects against the typical name in the same sentences{study.of_points}, {len(parts.VARIANTS)} forms per "
        "name; “added together” is the full name's effect minus both parts'."
    )
    exports.csv_button(table, f"parts.{study.target.name}.csv", key="parts_csv")


def where(study: StudyContext) -> None:
    """Words associated with more sensitivity, and sensitivity by the anchor's position."""
    st.header(in_words("In which sentences?"), anchor=False)
    words = study.compute_slowly(word_table)
    typography.second(reasons.where_finding(words, study.target))
    left, right = st.columns([6, 5], gap="large")
    with left:
        word = _words(study, words)
    head, three, change = exports.head, f"%.{study.digits(3)}f", CHANGE + study.of_points
    heads = {
        "what": head("By", 56),
        "value": head("", 140),
        "sentences": head(in_words("Sentences"), 90),
        "mean": head("Change", 66, three, help=change),
        "low": head("95 % low", 82, three),
        "high": head("95 % high", 82, three),
    }
    with right:
        alt = "How far names move the score by the anchor's role and place and the sentence's length"
        exports.table(study.in_unit(study.compute(place_table), "mean", "low", "high"), alt, heads)
    if word:
        _sentences_with(study, word)
    exports.csv_button(words, f"words.{study.target.name}.csv", key="words_csv")


def _words(study: StudyContext, table: pd.DataFrame) -> str | None:
    """Chart of the words with the strongest associations; returns the clicked one."""
    if table.empty:
        typography.small_print("No word is in five sentences or more.")
        return None
    ends = table if len(table) <= 2 * EACH_SIDE else pd.concat([table.head(EACH_SIDE), table.tail(EACH_SIDE)])
    ratios = {column: np.exp(ends[column]) for column in ("log_odds", "low", "high")}
    ends = study.in_unit(ends, "sensitivity")
    shown, head = ends.assign(p_adjusted=ends["p_adjusted"].map(p_text), **ratios), exports.head
    heads = {
        "word": head("Word", 96),
        "sentences": head(in_words("Sentences"), 90),
        "log_odds": head("Odds", 70, "× %.2f", help=ODDS),
        "low": head("95 % low", 82, "× %.2f"),
        "high": head("95 % high", 82, "× %.2f"),
        "p_adjusted": head("p", 60),
        "sensitivity": head("Change", 66, f"%.{study.digits(3)}f", help=CHANGE + study.of_points),
    }
    alt, how = "Words associated with more or less sensitivity", {"on_select": "rerun", "selection_mode": "single-row"}
    event = exports.table(shown, alt, heads, key="why_words", **how)
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
    key, ids = f"why_found {word}", tuple(table["sentence_id"].astype(str))

    def take() -> None:
        ticked = [row for row in st.session_state[key]["selection"]["rows"] if row < len(ids)]
        state.choose(sentence=ids[ticked[0]] if ticked else None)

    heads = {
        "change": exports.head("Mean change", 110, f"%.{study.digits(3)}f"),
        "text": exports.head(in_words("Sentence"), "large"),
    }
    clicks = {"on_select": take, "selection_mode": "single-row"}
    exports.table(study.in_unit(table[[*heads]], "change"), "Sentences with the word", heads, key=key, **clicks)
    shell.link("sentences", "Read the selected sentence on Sentences")
