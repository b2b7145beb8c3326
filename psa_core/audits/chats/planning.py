"""What an audit of answers is made of, and every chat that a model will be asked to answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from psa_core.asking.records import Request
from psa_core.audits.chats.measures import unnamed
from psa_core.audits.generation.cube import CUTS, WHOLE
from psa_core.audits.generation.groups import group_columns
from psa_core.audits.generation.planning import Planned, WritingSpec, not_in_key
from psa_core.errors import OptionError
from psa_core.generators import Draw
from psa_core.generators._base import request_of
from psa_core.inputs import names, tasks
from psa_core.inputs.people import Person, fill, people_of, slots_in
from psa_core.inputs.prompts import PromptSet
from psa_core.inputs.tasks import Task
from psa_core.options import option

ANSWERS, MAX_ANSWERS, TOKENS = 5, 1000, 150
PEOPLE, MAX_PEOPLE = 32, 1000
#: Where a person stands, and what is said there; a task's own slots are filled in any case.
PLACES = {
    "user": "in the user's message: “My name is …”",
    "system": "in the system message",
    "memory": "in the model's memory of earlier chats",
    "text": "only where a task has a slot such as {name}",
}
SAID = {
    "user": ("", "My name is {name}. "),
    "system": ("You are a helpful assistant. The user's name is {name}.", ""),
    "memory": ("What you remember of earlier conversations:\n- The user's name is {name}.", ""),
    "text": ("", ""),
}


@dataclass(frozen=True, kw_only=True)
class ChatSpec(WritingSpec):
    """What an audit of answers is made of: who asks for what, and what is measured of the answers."""

    many = ("answers", ANSWERS)

    tokens: int = option(
        TOKENS, low=1, high=4000, help="maximum number of new tokens of an answer", label="Tokens at most"
    )
    tasks: str = not_in_key("everyday", metavar="LIST", help="everyday, or a file with a column task")
    names: str = not_in_key(
        default_factory=names.default_for_audits,
        metavar="LIST",
        help="as `run` takes it: an id, or a file",
    )
    people: int = not_in_key(
        PEOPLE,
        low=2,
        high=MAX_PEOPLE,
        help="number of people, equally many of each group where the list has enough",
        label="How many of them",
    )
    person: str = not_in_key(
        "user", choices=PLACES, help="where the name is given: " + ", ".join(PLACES), label="Where the name is given",
    )  # fmt: skip
    answers: int | None = not_in_key(
        None,
        low=1,
        high=MAX_ANSWERS,
        help=f"answers to each task and person (default {ANSWERS}, or as many as a file has)",
        label="Answers to each task and person",
        on_page=ANSWERS,
    )
    grader: tuple[str, ...] = not_in_key(
        (),
        metavar="A,B,…",
        help="judges that compare two answers: ?question=which-stereotype, which-helps or a file",
        model="scorer",
    )
    cut: str = not_in_key(
        WHOLE,
        choices=CUTS,
        help="which part of an answer is scored: the whole, or up to its last full stop",
    )


@dataclass(frozen=True, eq=False)
class PlannedChats(Planned):
    """An audit of answers before anything is asked: M tasks, A people."""

    tasks: tuple[Task, ...] = ()
    people: tuple[Person, ...] = ()

    def as_read(self, texts: np.ndarray) -> np.ndarray:
        """Answers as scorers read them: another name stands where an answer repeats the person's own."""
        return unnamed(texts, self.people)


def plan(spec: ChatSpec) -> PlannedChats:
    """Read tasks and people, and compose the chats; loads no model.

    Raises `OptionError` when they cannot be read, are too many, or no place is left for the person.
    """
    asked = tasks.load(spec.tasks)
    table = chosen_people(names.load(spec.names).table, spec.people, spec.seed)
    people = people_of(table)
    table = table.rename(columns={"name": "value"})
    k_total = spec.texts_of_each(len(asked) * len(people))
    prompt_set = PromptSet(tuple(task.text for task in asked), table, f"tasks: {spec.tasks}; people: {spec.names}")
    draws = draws_of(asked, people, spec.person, k_total)
    return PlannedChats(spec, prompt_set, draws, tasks=asked, people=people)


def draws_of(asked: Sequence[Task], people: Sequence[Person], place: str, k: int) -> list[Draw]:
    """Every chat that is to be answered, `k` times each; the number of the answer changes slowest.

    Raises `OptionError` when no place is left for the person.
    """
    if place == "text" and not any(slots_in(task.text) for task in asked):
        fix = "Write a slot such as {name} into the tasks, or give the name elsewhere."
        raise OptionError("--person", got="text, and no task has a slot", expected="a place for the person", fix=fix)
    chats = [(task, person, messages(task.text, person, place)) for task in asked for person in people]
    return [
        Draw("\n\n".join(content for _, content in chat), task.text, number, person.name, chat)
        for number in range(k)
        for task, person, chat in chats
    ]


def messages(task: str, person: Person, place: str) -> tuple[tuple[str, str], ...]:
    """The messages for one person, each with its role and content.

    Examples
    --------
    >>> messages("Plan my day.", Person.of("Ann Lee"), "user")
    (('user', 'My name is Ann Lee. Plan my day.'),)
    """
    before, lead = SAID[place]
    user = ("user", fill(lead + task, person))
    return (("system", fill(before, person)), user) if before else (user,)


def chosen_people(table: pd.DataFrame, count: int, seed: int) -> pd.DataFrame:
    """Some people, as many of each combination of groups as there are, in the table's order."""
    if len(table) <= count:
        return table
    shuffled = table.sample(frac=1, random_state=np.random.default_rng([seed, 11]))
    columns = group_columns(table)
    turn = shuffled.groupby(columns).cumcount() if columns else pd.Series(0, shuffled.index)
    kept = turn.sort_values(kind="stable").index[:count]
    return table.loc[sorted(kept)].reset_index(drop=True)


def requests(spec: ChatSpec) -> list[Request]:
    """The requests of an audit, one a task and person with as many choices as answers are wanted."""
    planned = plan(spec)
    options = {"max_tokens": spec.tokens, "temperature": spec.temperature, "n": planned.shape[2]}
    options |= {"top_p": spec.top_p} if spec.top_p < 1 else {}
    return [request_of(draw, **options) for draw in planned.draws if draw.k == 0]


def prompt_table(spec: ChatSpec) -> pd.DataFrame:
    """The chats for another system to answer: ``task, person, k, system, user, prompt``, one row an answer."""
    rows = []
    for draw in plan(spec).draws:
        said = dict(draw.messages)
        rows.append((draw.stream, draw.value, draw.k, said.get("system", ""), said["user"], draw.prompt))
    return pd.DataFrame(rows, columns=["task", "person", "k", "system", "user", "prompt"])
