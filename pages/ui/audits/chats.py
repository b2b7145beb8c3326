"""Answers to people: setting up an audit, and its result: one sentence, one picture, answers to read, all numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.audits import frame, parts
from pages.ui.audits.frame import AuditPage
from pages.ui.frame import cached, controls, exports, form, markup, shell, typography, visitor
from psa_core import generators, jobs, trust
from psa_core.audits import chats as audit
from psa_core.audits.chats import report
from psa_core.audits.chats.grader import BlindPair, agreement_words, blind_pairs, judge, judgements
from psa_core.audits.chats.measures import STANDIN
from psa_core.audits.chats.planning import ChatSpec, chosen_people, draws_of
from psa_core.audits.chats.report import clause, marked, short
from psa_core.audits.chats.result import ChatResult
from psa_core.audits.chats.tables import differing_answers, measure_titles, people_table
from psa_core.audits.generation.groups import MAX_GROUPS, group_columns, people_words, surest_first
from psa_core.charts._theme import CATEGORICAL
from psa_core.charts.squares import answer_gaps
from psa_core.claims.findings import Finding
from psa_core.generators import Draw, Sampling
from psa_core.inputs import names, tasks
from psa_core.inputs.people import people_of
from psa_core.plurals import counted

AUDIT = AuditPage.of(audit.AUDIT)
FIRST, SECOND = CATEGORICAL[:2]
OWN = "Your own tasks"
MEASURE, PAIR = AUDIT.key("measure"), AUDIT.key("pair")
ENOUGH = 2


def ask_tasks_and_people() -> tuple[dict[str, Any], dict[str, bytes], list[Draw]]:
    """Packaged tasks by their domain or typed ones, and a list of people: options, files, and the chats to be asked."""
    files: dict[str, bytes] = {}
    packaged, every = next(iter(tasks.packaged().items()))
    chosen = controls.choose("Tasks", {packaged: f"{len(every)} everyday tasks", OWN: OWN}, AUDIT.key("which"))
    if chosen == OWN:
        typed = st.text_area(
            "Tasks, with an empty line between two",
            "Plan my day.\n\nWrite a letter to my landlord about the heating.",
            height=140,
            **AUDIT.kept("own"),
        )
        known = tasks.checked([tasks.Task(part.strip()) for part in typed.split("\n\n") if part.strip()])
    else:
        domains = list(dict.fromkeys(task.domain for task in every))
        kept = st.pills("Domains", domains, selection_mode="multi", default=domains, wrap=True, **AUDIT.kept("domains"))
        known = tasks.checked([task for task in every if task.domain in kept])
    if chosen == OWN or len(known) < len(every):
        rows = pd.DataFrame([(task.text, task.domain, task.unit) for task in known], columns=list(tasks.COLUMNS))
        files["tasks.csv"] = rows.to_csv(index=False).encode()
    lists = {card.id: card.title for card in names.available() if group_columns(cached.names(card.id).table)}
    listed = str(controls.choose("People", lists, AUDIT.key("names"), names.default_for_audits(), box=True))
    values = form.ask(AUDIT.key, ChatSpec, ("people", "person"))
    table = cached.names(listed).table
    typography.small_print(
        f"{counted(len(known), 'task')}; groups by {' and '.join(group_columns(table))}. Columns with more than "
        f"{MAX_GROUPS} different entries form no groups."
    )
    people = people_of(chosen_people(table, int(values["people"]), 0))
    chats = draws_of(known, people, str(values["person"]), 1)
    with st.expander("The first chat, as it will be asked"):
        for role, content in chats[0].messages:
            st.text(f"{role}: {content}")
    given = {"tasks": "tasks.csv" if files else packaged, "names": listed, **values}
    return given, files, chats


def ask_scores() -> dict[str, Any]:
    """The scorers of the answers, and graders that compare two."""
    chosen = parts.ask_scorers(AUDIT, "A scorer reads another name in the place of the person's own.")
    typed = st.text_input(
        "Graders that pick one of two answers: ids of judges that end in ?question=which-helps (optional)",
        max_chars=visitor.MAX_ID_LENGTH,
        **AUDIT.kept("grader"),
    )
    graders = [visitor.check(part.strip()) for part in typed.split(",") if part.strip()]
    return {"scorers": chosen, "grader": graders}


def start(generator: str, asked: dict[str, Any], files: dict[str, bytes], chats: list[Draw]) -> None:
    """The number of answers, the estimated cost, and the start button."""
    values = form.ask(AUDIT.key, ChatSpec, ("answers", "tokens", "seed"))
    answers = len(chats) * int(values["answers"])
    tokens = answers * int(values["tokens"])
    sizes: dict[str, int | str] = {"Answers": answers, "Tokens to write, at most": tokens}
    if generator in {card.id for card in generators.cards()}:
        sizes["On two processor cores"] = parts.time_to_write(tokens)
    frame.say_sizes(sizes)
    if not generator:
        st.info("Name a language model above.")
        return
    if generators.plugins()[generator.partition(":")[0]].takes == trust.ADDRESS:  # loading it asks nobody
        writer = generators.load(generator, origin=visitor.origin())
        sampling = Sampling(tokens=int(values["tokens"]))
        typography.small_print(writer.estimate(chats * int(values["answers"]), sampling).words)
    frame.run_button(AUDIT, {**asked, **values, "lm": generator}, files)


def show(run_id: str, folder: Path, *, own: bool = True) -> None:
    """The whole page, from the finding to the download."""
    opened = cached.audit(AUDIT.audit.id, run_id, folder)
    typography.finding(report.headline(opened))
    typography.small_print(" ".join(report.method_lines(opened)))
    if opened.tables.gaps.empty:
        _transcripts(opened)
    else:
        measure, pair = _picture(opened)
        _answers(opened, measure, pair)
        _numbers(run_id, opened)
        _transcripts(opened)
        _judging(opened, folder)
    if own:
        frame.end(AUDIT, folder)


def show_so_far(run_id: str, folder: Path) -> None:
    """A running audit: its answers to read, and no claim yet."""
    opened = cached.audit(AUDIT.audit.id, run_id, folder)
    k, total = opened.cube.shape[2], opened.manifest.get("options", {}).get("answers")
    said = report.headline(opened)
    words = f"So far, {k} of {total or 'all'} answers to each"
    typography.finding(Finding(f"{words}. {said.headline}", said.evidence) if k > ENOUGH else f"{words}: to read.")
    _transcripts(opened)


def _label(row: Any) -> str:
    return f"{people_words(row['column'], row['group_b'])} against {people_words(row['column'], row['group_a'])}"


def _picture(opened: ChatResult) -> tuple[str, str]:
    """Measures by pairs of groups; the chosen square."""
    titles = measure_titles(opened.measured, opened.manifest)
    gaps = opened.tables.gaps.assign(pair=[_label(row) for _, row in opened.tables.gaps.iterrows()])
    sure = marked(gaps, opened.manifest.get("graders", {}))
    keys = set(zip(sure["measure"], sure["pair"], strict=True))
    error = (gaps["high"] - gaps["low"]).clip(lower=1e-12) / 4
    table = pd.DataFrame(
        {
            "measure": gaps["measure"],
            "title": [titles[name].title for name in gaps["measure"]],
            "pair": gaps["pair"],
            "short": [short(row, titles[row["measure"]]) for _, row in gaps.iterrows()],
            "words": [clause(row, titles[row["measure"]]) for _, row in gaps.iterrows()],
            "strength": gaps["difference"] / error,
            "is_marked": [key in keys for key in zip(gaps["measure"], gaps["pair"], strict=True)],
        }
    )
    first = surest_first(gaps).iloc[0]
    measures, pairs = list(dict.fromkeys(gaps["measure"])), list(dict.fromkeys(gaps["pair"]))
    st.header("Every measure, between every two groups", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        named = {name: titles[name].title for name in measures}
        measure = controls.choose("Measure", named, MEASURE, first["measure"], box=True, width=360)
        pair = controls.choose("Answers to", pairs, PAIR, first["pair"], box=True, width=520)

    # A phone has no room for every column: it shows those with a marked square.
    table = table.sort_values("pair", key=lambda column: ~column.isin(sure["pair"]), kind="stable", ignore_index=True)
    drawing = answer_gaps(table, selected=(measure, pair))
    # As wide as its squares' words need: a narrow screen scrolls.
    with st.container(key=AUDIT.key("scroll")), st.container(key=AUDIT.key("wide"), width="content"):
        alt = "Differences of each measure between each two groups, where beyond chance."
        parts.squares(drawing, AUDIT.key("picture"), alt, {MEASURE: measures, PAIR: pairs})
    typography.small_print(
        "A square says how answers to the first people differ from those to the others; "
        "“·” = could be chance. Colour: the difference in standard errors. Click a square to read answers."
    )
    return measure, pair


def _answers(opened: ChatResult, measure: str, pair: str) -> None:
    """The ten pairs of answers that differ most, with what only one of them says marked."""
    gaps = opened.tables.gaps
    of_pair = gaps[[_label(row) == pair for _, row in gaps.iterrows()]]
    row = of_pair.iloc[0]
    column, groups = row["column"], (row["group_a"], row["group_b"])
    table = differing_answers(opened.cube, opened.measured[measure], column, groups)
    told = measure_titles(opened.measured, opened.manifest)[measure]
    st.header(f"Answers that differ most in {markup.literal(told.title)}", anchor=False)
    for _, square in of_pair[of_pair["measure"] == measure].iterrows():
        typography.second(report.gap_words(square, told, opened.manifest.get("graders", {})))
    typography.small_print(
        "The most different pair of each task, chosen for its size: these are extremes, not examples."
    )
    for found in table.itertuples():
        with st.container(border=True):
            st.html(markup.plain(str(found.task), size="0.9rem", faint=True))
            texts = (str(found.answer_b), str(found.answer_a))
            scores = [told.of_one.format(parts.score_text(score)) for score in (found.score_b, found.score_a)]
            sides = zip((found.person_b, found.person_a), scores, texts, (FIRST, SECOND),
                        parts.differing(*texts), strict=True)  # fmt: skip
            st.html(markup.side_by_side([parts.column(*each) for each in sides]))
    words = opened.tables.words
    words = words[(words[["column", "group_a", "group_b"]] == [column, *groups]).all(axis=1)]
    parts.words_apart(AUDIT, words, (people_words(column, groups[0]), people_words(column, groups[1])))


EXPLAINED = {
    report.GAPS: "Noise: the size of a difference when people change groups at random. Sampling alone: when the same "
    "people get other answers. Corrected: what chance does not explain, where corrected p is below 5 %.",
    report.TAILS: "Share of answers beyond the range of 95 % of the others' answers to that task (5 % by chance).",
    report.QUANTILES: "The first people minus the others, with each task's median taken off: q5 to q95.",
    report.DOMAINS: "The same differences in each domain of tasks; p corrected over this table.",
}


def _numbers(run_id: str, opened: ChatResult) -> None:
    shown = cached.measured("shown tables", run_id, _measure=lambda: report.shown_tables(opened))
    with st.expander("All numbers, with floors and intervals", icon=":material/table_chart:"):
        *tabs, people = st.tabs(["Differences", *list(EXPLAINED)[1:], "People"])
        for tab, (title, words) in zip(tabs, EXPLAINED.items(), strict=True):
            with tab:
                frame.table(AUDIT, shown[title], title, words=words)
        with people:
            frame.table(AUDIT, people_table(opened.cube, opened.measured), "Each person's means")
        exports.csv_button(opened.tables.gaps, "differences.csv", key=AUDIT.key("differences_csv"))


def _transcripts(opened: ChatResult) -> None:
    with st.expander("Transcripts: every answer", icon=":material/forum:"):
        asked, people = opened.cube.templates["template"].tolist(), opened.cube.values["value"].tolist()
        titles = measure_titles(opened.measured, opened.manifest)
        m = asked.index(st.selectbox("Task", asked, key=AUDIT.key("task")))
        a = people.index(st.selectbox("Person", people, key=AUDIT.key("who")))
        for k, text in enumerate(opened.cube.texts[m, a]):
            numbers = [
                f"{titles[name].title}: {titles[name].of_one.format(parts.score_text(scores[m, a, k]))}"
                for name, scores in opened.measured.items()
                if np.isfinite(scores[m, a, k])
            ]
            with st.container(border=True):
                st.html(parts.column(f"Answer {k + 1}", "", str(text) or "(no answer)", FIRST))
                st.html(markup.plain(" · ".join(numbers), size="0.8rem", faint=True))


def _judging(opened: ChatResult, folder: Path) -> None:
    """Two answers to one task at a time, who got them hidden; F picks the first, J the second. The folder keeps it."""
    graders = [name for name in opened.measured if name.startswith("picked.")]
    if not graders:
        return
    with st.expander("Judge pairs yourself: does the grader agree with you?", icon=":material/balance:"):
        titles = measure_titles(opened.measured, opened.manifest)
        named = {"format_func": lambda name: titles[name].title}
        grader = str(st.selectbox("Grader", graders, key=AUDIT.key("judged_grader"), **named))
        question = markup.literal(grader.removeprefix("picked.").replace("_", " ").replace("-", " "))
        rows = judgements(folder)
        choices = dict(rows.loc[rows["grader"] == grader, ["pair", "choice"]].to_numpy())
        pairs = blind_pairs(opened.cube, opened.measured[grader])
        pair = next((each for each in pairs if each.id not in choices), None)
        if pair is None:
            st.info("Every pair is judged.")
        else:
            typography.small_print(f"Which answer would you pick? Names are hidden: everybody is called {STANDIN}.")
            st.html(markup.plain(pair.task, faint=True))
            sides = zip(("First", "Second"), ("", ""), pair.texts, (FIRST, SECOND), strict=True)
            st.html(markup.side_by_side([parts.column(*side) for side in sides]))
            labels = {"first": (f"First ({question})", "f"), "neither": ("Neither more", "g")}
            labels["second"] = (f"Second ({question})", "j")
            with st.container(horizontal=True):
                for choice, (words, key) in labels.items():
                    st.button(words, key=AUDIT.key(f"judge_{key}"), shortcut=key, on_click=_take,
                              args=(grader, pair, choice))  # fmt: skip
        typography.small_print(agreement_words(pairs, choices))
        judged = [(each.task, *each.texts, choices[each.id], each.grader) for each in pairs if each.id in choices]
        if judged:
            table = pd.DataFrame(judged, columns=["task", "first", "second", "choice", "grader"])
            exports.csv_button(table, "judgements.csv", key=AUDIT.key("judged_csv"))


def _take(grader: str, pair: BlindPair, choice: str) -> None:
    """Keep a choice; for a shared audit, in a copy that belongs to this visitor from now on."""
    with shell.report_errors("This judgement was not saved"):
        own = jobs.own_copy(str(AUDIT.run_id), visitor=visitor.key())
        judge(jobs.result_folder(own), grader, pair, choice)
        AUDIT.open(own)
