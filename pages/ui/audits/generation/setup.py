"""Set up a language model audit: generator, prompts, scorers, run."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from pages.ui.audits import frame, model_choice
from pages.ui.audits.audit_job import AuditPage
from pages.ui.frame import exports, form, step, typography
from psa_core.audits.generation import AUDIT as GENERATION
from psa_core.audits.generation.planning import GenerationSpec
from psa_core.errors import OptionError
from psa_core.inputs import prompts
from psa_core.plurals import counted

AUDIT = AuditPage.of(GENERATION)
OWN = "Your own templates"
FIRST_VALUES = 8
#: Fewer continuations of each prompt show only large differences.
FEW = 40
#: Tokens a second on two processor cores, for the estimate of a generator that gives none.
TOKENS_PER_SECOND = 130


@dataclass(frozen=True)
class Prompts:
    """Templates and values, and the command options that refer to them."""

    found: prompts.PromptSet
    templates: str
    files: dict[str, bytes]


def ask_prompts() -> Prompts:
    """The paper's templates or the user's own, and the values to swap."""
    known = prompts.packaged()
    titles = {name: content["title"] for name, content in known.items()}
    chosen = st.segmented_control(
        "Templates",
        [*titles, OWN],
        default=next(iter(titles)),
        required=True,
        key=AUDIT.key("templates"),
        format_func=lambda item: titles.get(item, item),
        label_visibility="collapsed",
        persist_state="session",
        wrap=True,
    )
    return _own() if chosen == OWN else _packaged(str(chosen))


def _packaged(chosen: str) -> Prompts:
    if chosen not in prompts.packaged():
        raise OptionError("templates", got=repr(chosen[:80]), expected=f"one of {', '.join(prompts.packaged())}")
    found = prompts.load(chosen)
    every = found.values["value"].astype(str).tolist()
    kept = st.multiselect(
        "Values",
        every,
        default=every[:FIRST_VALUES],
        key=AUDIT.key(f"values_{chosen}"),
        persist_state="session",
        wrap=True,
    )
    if len(kept) < 2:
        raise OptionError("values", got=f"{len(kept)}", expected="at least two", fix="Choose two values to compare.")
    table = found.values[found.values["value"].astype(str).isin(kept)].reset_index(drop=True)
    with st.expander(f"Choose among the {len(found.templates)} templates, see the prompts"):
        lines = st.multiselect(
            "Templates",
            list(found.templates),
            default=list(found.templates),
            key=AUDIT.key(f"lines_{chosen}"),
            persist_state="session",
            wrap=True,
            help="Fewer templates take less time and say less about other sentences.",
        )
        kept_lines = [line for line in found.templates if line in lines]
        part = prompts.checked(kept_lines, table, group=found.group) if kept_lines else None
        if part is not None:
            _preview(part)
    if part is None:
        raise OptionError("templates", got="none", expected="at least one", fix="Choose a template.")
    files = {"values.csv": exports.exact_csv(table)}
    if len(part.templates) == len(found.templates):
        return Prompts(part, chosen, files)
    return Prompts(part, "templates.txt", files | {"templates.txt": "\n".join(part.templates).encode()})


def _own() -> Prompts:
    left, right = st.columns(2)
    with left:
        lines = st.text_area(
            "Templates, one a line, each with {value} or, about people, with {name}, {his} …",
            "My friend is a/an {value}, and we",
            key=AUDIT.key("own_templates"),
            height=140,
            persist_state="session",
        )
    with right:
        values = st.text_area(
            "Values, one a line", "nurse\nsheriff", key=AUDIT.key("own_values"), height=140, persist_state="session"
        )
    templates = [line.strip() for line in str(lines).splitlines() if line.strip()]
    names = list(dict.fromkeys(line.strip() for line in str(values).splitlines() if line.strip()))
    table = pd.DataFrame({"value": names})
    found = prompts.checked(templates, table, source="typed on the page")
    with st.expander(f"{counted(len(found.templates), 'template')} × {counted(len(found.values), 'value')}"):
        _preview(found)
    files = {"values.csv": exports.exact_csv(table), "templates.txt": "\n".join(templates).encode()}
    return Prompts(found, "templates.txt", files)


def _preview(found: prompts.PromptSet) -> None:
    first = found.values.iloc[0].to_dict()
    rows = [{"template": line, "first prompt": prompts.filled(line, first)} for line in found.templates]
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="The templates with their first value")


def ask_scorers() -> list[str]:
    """The scorers of the continuations."""
    chosen = model_choice.ask_scorers(
        AUDIT, "Continuations are scored alone, without the prompt. Two scorers that agree are better than one."
    )
    if not chosen:
        raise OptionError("scores", got="none", expected="at least one", fix="Choose a score.")
    return chosen


def start(generator: str, chosen: Prompts, scorers: list[str]) -> None:
    """The number of continuations, the estimated cost, and the start button."""
    values = form.ask(AUDIT.key, GenerationSpec)
    k, tokens = values["continuations"], values["tokens"]
    texts = len(chosen.found.templates) * len(chosen.found.values) * k
    time = f"about {step.duration(texts * tokens / TOKENS_PER_SECOND)}"
    frame.say_sizes({"Continuations": texts, "Tokens, at most": texts * tokens, "On two processor cores": time})
    if k < FEW:
        typography.small_print(
            f"With {k} continuations only large differences stand out from chance; 50 show a difference of 0.08 to "
            "within a fifth. More can be added later: only the new ones are written."
        )
    if frame.is_started(AUDIT):
        asked = {"lm": generator, "templates": chosen.templates, "values": "values.csv", "scorers": scorers}
        AUDIT.run({**values, **asked}, chosen.files)
