"""Set up a language model audit: generator, prompts, scorers, run."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from pages.ui.audits import form, model_choice
from pages.ui.audits.audit_job import AuditPage
from pages.ui.frame import cached, exports, permissions, typography
from psa_core import generators, trust
from psa_core.audits.generation import AUDIT as GENERATION
from psa_core.audits.generation.planning import GenerationSpec, default_scorers
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
    """Templates and values, and what the command is told of them."""

    found: prompts.PromptSet
    templates: str
    files: dict[str, bytes]


def ask_generator() -> str:
    """A packaged language model, or one that is named; empty while nothing is typed."""
    who = permissions.origin()
    ready = {card.id: card.title for card in generators.cards()}
    kinds = {item: plugin for item, plugin in generators.plugins().items() if trust.offered_to(plugin.takes, who)}
    return model_choice.ask(
        AUDIT, "Language model", "lm", ready, kinds, check=lambda generator: generators.check(generator, who)
    )


def ask_prompts() -> Prompts:
    """The paper's templates, or the user's own; the values that are exchanged."""
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
            "Templates, one a line, each with {value}",
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
    """Who scores the continuations; each on its own."""
    cards = {card.id: card for card in cached.model_cards() if card.targets}
    chosen = st.multiselect(
        "Scores",
        list(cards),
        default=[item for item in default_scorers() if item in cards],
        key=AUDIT.key("scorers"),
        format_func=lambda item: cards[item].title if item in cards else item,
        persist_state="session",
        wrap=True,
        help="Continuations are scored alone, without the prompt. Two scorers that agree are better than one.",
    )
    if not chosen:
        raise OptionError("scores", got="none", expected="at least one", fix="Choose a score.")
    return [permissions.check(item) for item in chosen]


def start(generator: str, chosen: Prompts, scorers: list[str]) -> None:
    """How many, what it will take, and the button."""
    values = form.ask(AUDIT, GenerationSpec)
    k, tokens = values["continuations"], values["tokens"]
    texts = len(chosen.found.templates) * len(chosen.found.values) * k
    minutes = texts * tokens / TOKENS_PER_SECOND / 60
    with st.container(horizontal=True):
        st.metric("Continuations", f"{texts:,}", border=True)
        st.metric("Tokens, at most", f"{texts * tokens:,}", border=True)
        st.metric("On two processor cores", f"about {max(1, round(minutes)):,} min", border=True)
    if k < FEW:
        typography.small_print(
            f"With {k} continuations only large differences stand out from chance; 50 show a difference of 0.08 to "
            "within a fifth. More can be added later: only the new ones are written."
        )
    if not st.button("Run the audit", type="primary", key=AUDIT.key("start"), icon=":material/play_arrow:"):
        return
    asked = {"lm": generator, "templates": chosen.templates, "values": "values.csv", "scorers": scorers}
    AUDIT.run({**values, **asked}, chosen.files)
