"""Set up an audit of answers: generator, tasks, people, scorers, run."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.audits import frame, model_choice
from pages.ui.audits.audit_job import AuditPage
from pages.ui.frame import form, permissions, step, typography
from psa_core import generators, trust
from psa_core.audits import chats as audit
from psa_core.audits.chats.planning import (
    MAX_GROUPS,
    ChatSpec,
    chosen_people,
    draws_of,
    group_columns,
)
from psa_core.errors import OptionError
from psa_core.generators import Draw, Sampling
from psa_core.inputs import names, tasks
from psa_core.inputs.people import people_of
from psa_core.plurals import counted

AUDIT = AuditPage.of(audit.AUDIT)
OWN = "Your own tasks"
#: Tokens a second on two processor cores, for the estimate of a generator that gives none.
TOKENS_PER_SECOND = 130


def ask_tasks_and_people() -> tuple[dict[str, Any], dict[str, bytes], list[Draw]]:
    """Packaged tasks by their domain or typed ones, and a list of people: options, files, and the chats to be asked."""
    files: dict[str, bytes] = {}
    packaged = next(iter(tasks.packaged()))
    chosen = st.segmented_control(
        "Tasks", [packaged, OWN], default=packaged, required=True, key=AUDIT.key("which"), persist_state="session",
        format_func=lambda item: f"{len(tasks.packaged()[item])} everyday tasks" if item == packaged else item,
    )  # fmt: skip
    if chosen == OWN:
        typed = st.text_area(
            "Tasks, with an empty line between two", "Plan my day.\n\nWrite a letter to my landlord about the heating.",
            key=AUDIT.key("own"), height=140, persist_state="session",
        )  # fmt: skip
        known = tasks.checked([tasks.Task(part.strip()) for part in typed.split("\n\n") if part.strip()])
    else:
        every = tasks.packaged()[packaged]
        domains = list(dict.fromkeys(task.domain for task in every))
        kept = st.pills("Domains", domains, selection_mode="multi", default=domains, key=AUDIT.key("domains"),
                        persist_state="session")  # fmt: skip
        known = tasks.checked([task for task in every if task.domain in kept])
    if chosen == OWN or len(known) < len(tasks.packaged()[packaged]):
        rows = pd.DataFrame([(task.text, task.domain, task.unit) for task in known], columns=list(tasks.COLUMNS))
        files["tasks.csv"] = rows.to_csv(index=False).encode()
    lists = {
        card.id: card.title
        for card in names.available()
        if group_columns(names.load(card.id, origin=permissions.origin()).table)
    }
    first = list(lists).index(names.default_for_audits())
    listed = str(st.selectbox("People", list(lists), index=first, key=AUDIT.key("names"),
                              format_func=lambda item: lists.get(item, item), persist_state="session"))  # fmt: skip
    if listed not in lists:
        raise OptionError("people", got=repr(listed[:60]), expected=f"one of {', '.join(lists)}")
    values = form.ask(AUDIT.key, ChatSpec, ("people", "person"))
    table = names.load(listed, origin=permissions.origin()).table
    typography.small_print(
        f"{counted(len(known), 'task')}; groups by {', '.join(group_columns(table))}. Columns with more than "
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
    chosen = model_choice.ask_scorers(AUDIT, "A scorer reads another name in the place of the person's own.")
    typed = st.text_input(
        "Graders that pick one of two answers: ids of judges that end in ?question=which-helps (optional)",
        key=AUDIT.key("grader"), max_chars=permissions.MAX_ID_LENGTH, persist_state="session",
    )  # fmt: skip
    graders = [permissions.check(part.strip()) for part in typed.split(",") if part.strip()]
    return {"scorers": chosen, "grader": graders}


def start(generator: str, asked: dict[str, Any], files: dict[str, bytes], chats: list[Draw]) -> None:
    """The number of answers, the estimated cost, and the start button."""
    values = form.ask(AUDIT.key, ChatSpec, ("answers", "tokens", "seed"))
    answers = len(chats) * int(values["answers"])
    tokens = answers * int(values["tokens"])
    sizes: dict[str, int | str] = {"Answers": answers, "Tokens to write, at most": tokens}
    if generator in {card.id for card in generators.cards()}:
        sizes["On two processor cores"] = f"about {step.duration(tokens / TOKENS_PER_SECOND)}"
    frame.say_sizes(sizes)
    if not generator:
        st.info("Name a language model above.")
        return
    if generators.plugins()[generator.partition(":")[0]].takes == trust.ADDRESS:  # loading it asks nobody
        sampling = Sampling(tokens=int(values["tokens"]))
        typography.small_print(
            generators.load(generator, origin=permissions.origin())
            .estimate(chats * int(values["answers"]), sampling)
            .words
        )
    if frame.is_started(AUDIT):
        AUDIT.run({**asked, **values, "lm": generator}, files)
