"""Equity: setting up an Equity Evaluation Corpus audit, and its result from the finding to the pairs."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.audits import frame, parts
from pages.ui.audits.frame import AuditPage
from pages.ui.frame import address, cached, controls, exports, form, markup, shell, typography, uploads, visitor
from psa_core import models
from psa_core.audits import eec
from psa_core.audits.eec import corpus, report, tables
from psa_core.audits.eec.result import SPELLINGS, EquityResult, EquitySpec, sentences
from psa_core.charts._theme import DOWN, UP
from psa_core.charts.caption import Caption
from psa_core.charts.intervals import delta_boxes
from psa_core.claims.findings import Finding
from psa_core.claims.formatting import number
from psa_core.cube import ScoreCube
from psa_core.models import Purpose

AUDIT = AuditPage.of(eec.AUDIT)
LISTS = {
    "templates": "Templates: {person}, {object}, {reflexive}, {a}, {word}",
    "people": "People: their forms, gender, race and pair",
    "words": "Words: kind, emotion, word",
}
TASK_SCORES = "task-scores.csv"
COMPARISONS = {"gender": "Gender (female − male)", "race": "Race (African − European American)"}
PART_WORDS = {tables.ALL: "All rows", corpus.NEUTRAL: "Neutral rows"}
PAPER_TABLES = {("gender", "all"): "Table 5", ("gender", "neutral"): "Table 6", ("race", "all"): "Table 7"}
ORDERS = ("As listed", "By Δ-spread", "By task score")
VIEWS = ("By verdict", "System by system")
SIGNS = ("Both", "Δ > 0", "Δ < 0")
SHOWN = 8

#: Options of the audit, and the files that they name.
Asked = tuple[dict[str, Any], dict[str, bytes]]


def ask_systems() -> Asked:
    """Packaged models, models by id, and systems given only as a file of predictions."""
    cards = {card.id: card for card in cached.model_cards() if card.targets and not models.measures_perplexity(card.id)}
    kinds = {item: kind for item, kind in visitor.kinds().items() if not kind.perplexity}
    chosen = st.pills(
        "Packaged models",
        list(cards),
        selection_mode="multi",
        default=[item for item in cards if Purpose.FIRST_LOOK in cards[item].good_for],
        format_func=lambda item: cards[item].title,
        wrap=True,
        **AUDIT.kept("models"),
    )
    with st.expander("Another model, or a file of predictions"):
        typed = st.text_input(
            "Further models by their ids, separated by commas",
            placeholder=", ".join(f"{item}:<{kind.argument}>" for item, kind in kinds.items() if not kind.uploads)[:80],
            max_chars=visitor.MAX_ID_LENGTH,
            **AUDIT.kept("others"),
        )
        elsewhere = next(kind for kind in kinds.values() if kind.known_texts_only)
        st.caption(
            "A system that only you can run: download the sentences, score them, and upload a csv file with the "
            "column `text` and one column a score."
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            exports.csv_button(sentences(EquitySpec())[["text"]], "eec_texts.csv", key=AUDIT.key("texts"))
            st.markdown("The 8,640 sentences", width="content")
        upload = uploads.ask_file("Predictions", elsewhere.uploads, key=AUDIT.key("scores"))
        ranked = uploads.ask_file(
            "Task scores: a csv file with system and score; the systems are then sorted by how well they do their task",
            ("csv",),
            key=AUDIT.key("task_scores"),
        )
    others = [visitor.check(part.strip()) for part in typed.split(",") if part.strip()]
    files, options = dict[str, bytes](), dict[str, Any]()
    if upload is not None:  # its name stands in a list of model ids, whose options follow a question mark
        name = upload.name.replace(",", "_").replace("?", "_")
        taken = name.removesuffix(".csv") in (*corpus.PARTS, "task-scores")
        files[f"scores-{name}" if taken else name] = upload.content
    ids = [item for item in cards if item in chosen] + others + [f"{elsewhere.id}:{name}" for name in files]
    if ranked is not None:
        corpus.read_task_scores(ranked.content)  # a wrong file is told here
        files[TASK_SCORES], options["task_scores"] = ranked.content, TASK_SCORES
    return {"model": tuple(dict.fromkeys(ids)), **options}, files


def ask_sentences() -> tuple[corpus.Design, Asked]:
    """Spelling, and custom lists in place of the paper's."""
    spelling = str(form.ask(AUDIT.key, EquitySpec)["spelling"])
    design, files = corpus.published_design(spelling), {}
    with st.expander("Your own templates, people or words"):
        st.caption(
            "Download the paper's lists, change what you like, and upload them as csv. "
            "Lists that you do not upload stay the paper's."
        )
        for part in corpus.PARTS:
            left, right = st.columns([5, 2], vertical_alignment="bottom")
            with left:
                given = uploads.ask_file(LISTS[part], ("csv",), key=AUDIT.key(part))
            with right:
                published: pd.DataFrame = getattr(corpus.published_design(spelling), part)
                exports.csv_button(published, f"{part}.csv", key=AUDIT.key(f"{part}_csv"))
            if given is not None:
                files[f"{part}.csv"] = given.content
                design = replace(design, **{part: corpus.read_part(part, given.content)})
    return design, ({"spelling": spelling, **{Path(name).stem: name for name in files}}, files)


def start(systems: Asked, design: corpus.Design, texts: Asked) -> None:
    """The estimated cost and the start button."""
    rows, people, ids = len(design.rows), len(design.people), systems[0]["model"]
    if not ids:
        st.info("Choose at least one system in step 1.")
        return
    frame.say_sizes(
        {"Systems": len(ids), "Templates × words": rows, "People": people, "Sentences": rows * people},
        "Seconds for a lexicon or a linear model, well under a minute for each packaged transformer.",
    )
    frame.run_button(AUDIT, systems[0] | texts[0], systems[1] | texts[1])


@dataclass(frozen=True, eq=False)
class Seen:
    """The current view: one comparison on a subset of the rows, in one spelling."""

    run: str
    opened: EquityResult
    systems: dict[str, ScoreCube]
    kind: str
    part: str
    spelling: str
    table: pd.DataFrame

    @property
    def about(self) -> tuple[str, ...]:
        """What names this view, for what is measured of it once."""
        return self.run, self.kind, self.part, self.spelling


def show(run_id: str, folder: Path) -> None:
    """Everything, from the finding to the download."""
    opened: EquityResult = cached.audit(AUDIT.audit.id, run_id, folder)
    _assessed(run_id, opened.spelling, opened.systems)  # before anything stands there that would move
    with shell.headline_slot() as slot:
        seen = _ask(run_id, opened)
        if seen.table.empty:
            st.info("These people, templates or words have no such pairs. Choose another comparison or other rows.")
            return
        with slot:
            typography.finding(Finding(report.headline(seen.table, seen.kind), report.correction(seen.table)))
            typography.second(report.further(seen.table, seen.kind))
            if opened.respelled:
                changes = cached.measured("spelling", run_id, _measure=lambda: opened.spelling_table)
                typography.small_print(report.spelling_line(changes, opened.spelling))
    _figure(seen)
    _tables(seen)
    _pairs(seen)
    _first_names(seen)
    frame.end(AUDIT, folder, seen.table, file=f"eec_{seen.kind}_{seen.part}.csv", key="table_csv")


def _ask(run_id: str, opened: EquityResult) -> Seen:
    """Controls: gender or race, which rows, which spelling."""
    kinds = {kind: COMPARISONS[kind] for kind in opened.design.comparisons}
    of_rows = tables.parts_of(next(iter(opened.systems.values())))
    rows = {part: PART_WORDS.get(part, f"Rows about {part}") for part in of_rows}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kind = controls.choose("Compare", kinds, AUDIT.key("kind"), wrap=True)
        part = controls.choose("On", rows, AUDIT.key("part"), box=True, width=170)
        spelling = opened.spelling
        if opened.respelled:
            tip = "A system that is known by a file of predictions is left out where it does not have the sentences."
            spelling = controls.choose("Spelling", SPELLINGS, AUDIT.key("seen_spelling"), spelling, wrap=True, help=tip)
    systems = opened.systems if spelling == opened.spelling else opened.respelled
    table = tables.system_table(_assessed(run_id, spelling, systems), kind, part)
    return Seen(run_id, opened, systems, kind, part, spelling, table)


def _assessed(run_id: str, spelling: str, systems: dict[str, ScoreCube]) -> dict[str, dict[str, Any]]:
    return cached.measured("tests", run_id, spelling, _measure=lambda: tables.assess(systems))


def _figure(seen: Seen) -> None:
    """Figure 1 or 2 of the paper, with controls for the order of the systems and for showing every pair."""
    title = f"Figure {1 if seen.kind == 'gender' else 2}: Δ of every pair"
    task_scores = seen.opened.task_scores
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.header(title, anchor=False, width="content")
        with st.container(horizontal=True, width="content", vertical_alignment="center"):
            points = st.toggle("Show every pair", key=AUDIT.key("points"))
            orders = ORDERS if task_scores else ORDERS[:2]
            order = controls.choose("Order", orders, AUDIT.key("order"), label_visibility="collapsed")
    table = seen.table
    if order != ORDERS[0]:
        by_spread = order == ORDERS[1]
        table = table.sort_values("spread", ascending=False) if by_spread else tables.by_task_score(table, task_scores)
    find = partial(tables.delta_table, seen.systems, seen.kind, seen.part)
    deltas = cached.measured("deltas", *seen.about, _measure=find)
    verdicts, finding = tables.VERDICTS[seen.kind], report.headline(table, seen.kind)
    drawing = delta_boxes(deltas, table, verdicts, points=points)
    alt = f"Box plot of {len(deltas):,} score differences of {len(table)} scores. {finding}"
    note = (
        "Δ is the first side's score minus the second side's, for each template and word, as a share of the score's "
        "range, so that systems compare (the paper's scores all run from 0 to 1). The box holds the middle half of the "
        "pairs, whiskers reach 1.5 times as far. Δ-spread: the largest Δ minus the smallest. A triangle marks a "
        "difference that is significant with templates and people counted once."
    )
    stem, words = f"eec_{seen.kind}_{seen.part}", Caption(title, finding, "Equity Evaluation Corpus")
    chart = AUDIT.key("figure")
    exports.figure(drawing, alt=alt, note=note, stem=stem, words=words, key=stem, key_of_chart=chart, width=620)


def _tables(seen: Seen) -> None:
    """Tables 5 to 7 of the paper, and each system on its own."""
    name = PAPER_TABLES.get((seen.kind, seen.part), "As Tables 5 to 7")
    st.header(f"{name}: systems by verdict", anchor=False)
    _, *signs = tables.VERDICTS[seen.kind]
    first, second = ("women", "men") if seen.kind == "gender" else ("African American names", "European American names")
    typography.small_print(
        f"{signs[0]}: scores are significantly higher for {first}; {signs[1]}: for {second}, by the paper's test and "
        "with templates and people counted once. Δ: difference."
    )
    groups, single = st.tabs(VIEWS, **address.linked(AUDIT.key("tab"), VIEWS[0], VIEWS))
    with groups:
        means = dict(zip(("mean_positive", "mean_negative"), (f"Average Δ {sign}" for sign in signs), strict=True))
        by_verdict, signed = tables.group_table(seen.table, seen.kind), dict.fromkeys(means, 4)
        frame.table(AUDIT, by_verdict, f"{name} for the chosen systems", signed=signed, group="Bias group", **means)
    with single:
        t = st.column_config.NumberColumn(format="%.2f")
        shown = seen.table.assign(system=seen.table["system"].map(models.titled))
        frame.table(AUDIT, shown, "Every system's test", digits=4, t=t)


def _pairs(seen: Seen) -> None:
    """Choose a system and a score, then read its pairs; the default has the largest difference."""
    st.header("The pairs that differ most", anchor=False)
    choices = {
        f"{name} · {target.name}": (name, target.name) for name, cube in seen.systems.items() for target in cube.targets
    }
    most = report.largest(seen.table, seen.kind)
    first = f"{most['system']} · {most['target']}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        titles = {choice: f"{models.titled(name)} · {target}" for choice, (name, target) in choices.items()}
        chosen = controls.choose("System and score", titles, AUDIT.key("pair_system"), first, box=True, width=340)
        sign = controls.choose("Direction", SIGNS, AUDIT.key("sign"))
    system, target = choices.get(chosen, choices[first])  # what a client sends need not be one of them
    design = corpus.spelled(seen.opened.design, seen.spelling) if seen.opened.respelled else seen.opened.design
    find = partial(tables.pair_table, design, seen.systems[system], target, seen.kind, seen.part)
    table = cached.measured("pairs", *seen.about, system, target, _measure=find)
    if sign != SIGNS[0]:
        table = table[table["delta"] > 0] if sign == SIGNS[1] else table[table["delta"] < 0]
    shown = table[table["delta"] != 0].head(SHOWN)
    if shown.empty:
        st.info("No pair differs in this way.")
    else:
        st.html("".join(_pair(row) for row in shown.itertuples(index=False)))
    if shown["pair"].str.contains("average").any():
        st.caption("First names are compared by their average; the two most different sentences are shown.")
    with st.expander(f"All {len(table):,} pairs as a table"):
        frame.table(AUDIT, table, "Every pair with its scores", csv="eec_pairs.csv")
    with st.expander("Each person's mean score"):
        people = tables.person_table(seen.systems[system], target, seen.part)
        frame.table(AUDIT, people, "Mean score by person, highest first")


def _pair(row: Any) -> str:
    """One pair: Δ, then both sentences with the differing words marked."""
    lines = "".join(
        f'<div style="{markup.SERIF}; font-size: 1.1rem; line-height: 1.45; overflow-wrap: anywhere">'
        f'<span style="font-family: Inter, sans-serif; font-size: 0.95rem; {markup.DIGITS}; display: inline-block; '
        f'min-width: 4rem; opacity: 0.85">{number(score, digits=3)}</span>{markup.marked(text, spans)}</div>'
        for text, spans, score in zip(
            (row.first_text, row.second_text),
            parts.differing(str(row.first_text), str(row.second_text)),
            (row.first, row.second),
            strict=True,
        )
    )
    sign, colour = ("▲", UP) if row.delta > 0 else ("▼", DOWN)
    return (
        '<div style="display: flex; gap: 1.1rem; align-items: center; padding: 0.4rem 0">'
        f'<div style="min-width: 5.4rem; font-size: 1.5rem; font-weight: 650; color: {colour}; {markup.DIGITS}">'
        f"{sign} {number(row.delta, digits=3, signed=True)}</div>"
        f'<div style="flex: 1; min-width: 0">{lines}'
        f'<div style="font-size: 0.82rem; opacity: 0.75">{html.escape(f"{row.pair} · {row.emotion}")}</div></div></div>'
    )


def _first_names(seen: Seen) -> None:
    """Does the ranking of first names replicate with other templates, and what is it associated with?"""
    title = "Is the ranking of first names reliable?"
    with st.expander(title, icon=":material/help:", on_change="rerun", key=AUDIT.key("again")) as section:
        if not section.open:
            return
        with shell.show_errors("This cannot be computed for these people"):
            find = partial(tables.people_table, seen.systems)
            table = cached.measured("first names", seen.run, seen.spelling, _measure=find)
        titles = {"target": "Score", "associated with": "Associated with (share of variance)", "r_squared": "R²"}
        words = (
            "Sentences from one template are not independent, so each template counts once. Reliability: the expected "
            "rank correlation with the same number of new templates. Factors: how frequent a name is, whether it is a "
            "word, gender, race; only significant ones are listed."
        )
        alt = "Reliability of the ranking of first names by system, and the factors associated with it"
        frame.table(AUDIT, table, alt, words=words, digits=2, **titles)
