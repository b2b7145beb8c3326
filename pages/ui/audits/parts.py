"""Parts that several audits have: the choice of a model, and two texts beside each other with their different words."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import SequenceMatcher
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.audits import frame
from pages.ui.audits.frame import AuditPage
from pages.ui.frame import address, cached, markup, visitor
from psa_core import generators, trust
from psa_core.audits.generation.planning import default_scorers
from psa_core.charts.drawing import Drawing
from psa_core.claims.formatting import duration

#: Texts longer than this have no words marked: comparing them would take long.
MAX_COMPARED = 6000
#: Tokens a second on two processor cores, for the estimate of a generator that gives none.
TOKENS_PER_SECOND = 130


def ask_model(
    page: AuditPage,
    label: str,
    name: str,
    ready: Mapping[str, str],
    kinds: Mapping[str, Any],
    *,
    check: Callable[[str], str] = visitor.check,
    **arguments: Any,
) -> str:
    """The id of the chosen model, checked by `check`; empty while the argument of a kind is not typed.

    `label` is the widget's text and `name` its key; `ready` maps ids to titles (an empty id stands for no model) and
    `kinds` ids to plug-ins whose ids have an argument. Further arguments go to the select box.
    """
    titles = {**ready, **{f"{item}:": f"{plugin.title} …" for item, plugin in kinds.items()}}
    words = {"format_func": lambda item: titles.get(item, item)}
    chosen = str(st.selectbox(label, list(titles), **page.kept(name), **words, **arguments))
    if chosen.endswith(":") and chosen in titles:
        argument = kinds[chosen[:-1]].argument.capitalize()
        typed = st.text_input(argument, key=page.key(f"{name}_{chosen}"), max_chars=visitor.MAX_ID_LENGTH).strip()
        return check(f"{chosen}{typed}") if typed else ""
    return check(chosen) if chosen else ""  # what a client sends need not be one of the options


def ask_generator(page: AuditPage) -> str:
    """A packaged language model, or one by id; empty while nothing is typed."""
    who = visitor.origin()
    ready = {card.id: card.title for card in generators.cards()}
    kinds = {item: plugin for item, plugin in generators.plugins().items() if trust.offered_to(plugin.takes, who)}
    return ask_model(page, "Language model", "lm", ready, kinds, check=lambda chosen: generators.check(chosen, who))


def ask_scorers(page: AuditPage, help: str) -> list[str]:
    """What scores the texts that are written, any number of models."""
    cards = {card.id: card for card in cached.model_cards() if card.targets}
    chosen = st.multiselect(
        "Scores",
        list(cards),
        default=[item for item in default_scorers() if item in cards],
        format_func=lambda item: cards[item].title if item in cards else item,
        wrap=True,
        help=help,
        **page.kept("scorers"),
    )
    return [visitor.check(item) for item in chosen]


def time_to_write(tokens: int) -> str:
    """How long a packaged language model writes, in words."""
    return f"about {duration(tokens / TOKENS_PER_SECOND)}"


def squares(drawing: Drawing, key: str, alt: str, choices: Mapping[str, Collection[str]] | None = None) -> None:
    """Coloured squares; a click sets the linked widgets of `choices` to a square's row and column, if these may be."""
    click = partial(take_click, key, choices) if choices else "ignore"
    width = "content" if "width" in drawing.spec else "stretch"
    st.vega_lite_chart(drawing.rows, drawing.spec, alt=alt, key=key, width=width, on_select=click)


def take_click(key: str, choices: Mapping[str, Collection[str]]) -> None:
    """Choose the square that was clicked in a chart."""
    points = st.session_state[key]["selection"].get("square", [])
    clicked = dict(zip(choices, (points[0]["row"], points[0]["column"]), strict=True)) if points else {}
    if clicked and all(clicked[name] in known for name, known in choices.items()):
        address.put_all(clicked)


def words_apart(page: AuditPage, found: pd.DataFrame, sides: tuple[str, str]) -> None:
    """Words that texts to or about one side have and the other's hardly, with how many have them; nothing without."""
    if len(found):
        st.subheader("Words that differ", anchor=False)
        heads = dict(zip(("count_a", "count_b"), sides, strict=True))
        shown = found[["word", "count_a", "count_b", "p_adjusted"]]
        frame.table(page, shown, "Words by the number of texts that have them", words="Words beyond chance alone.",
                    **heads)  # fmt: skip


def column(title: str, score: str, text: str, colour: str, spans: Sequence[markup.Span] = ()) -> str:
    """A text under its title and score, a block of `markup.side_by_side`."""
    reading = f"{markup.SERIF}; font-size: 1.02rem; line-height: 1.45; overflow-wrap: anywhere; white-space: pre-wrap"
    return (
        f'<div style="flex: 1 1 14rem; min-width: 0; border-left: 4px solid {colour}; padding-left: 0.7rem">'
        f'<div style="font-size: 0.85rem"><b>{html.escape(title)}</b> '
        f'<span style="{markup.DIGITS}">{html.escape(score)}</span></div>'
        f'<div style="{reading}">{markup.marked(text, spans)}</div></div>'
    )


def score_text(score: float) -> str:
    """A score of one text, whatever it counts.

    Examples
    --------
    >>> score_text(0.997), score_text(85000.0), score_text(-0.5)
    ('1.00', '85,000', '−0.50')
    """
    return f"{score:,.{0 if float(score).is_integer() else 2}f}".replace("-", "−")


def differing(first: str, second: str) -> tuple[list[markup.Span], list[markup.Span]]:
    """Spans of the words in which two texts differ; none where one of them is long, or they share few words.

    Examples
    --------
    >>> differing("She ran.", "He ran.")
    ([(0, 3)], [(0, 2)])
    """
    spans: tuple[list[markup.Span], list[markup.Span]] = ([], [])
    if max(len(first), len(second)) > MAX_COMPARED:
        return spans
    words = [list(re.finditer(r"\S+", text)) for text in (first, second)]
    compared = SequenceMatcher(None, *([word[0] for word in part] for part in words), autojunk=False)
    if 2 * sum(block.size for block in compared.get_matching_blocks()) < min(map(len, words)):
        return spans  # of texts that have little in common almost all would be marked
    for tag, *bounds in compared.get_opcodes():
        for part, side, (start, stop) in zip(words, spans, (bounds[:2], bounds[2:]), strict=True):
            if tag != "equal" and stop > start:
                last = part[stop - 1]
                side.append((part[start].start(), last.start() + len(last[0].rstrip(".,;:!?")) or last.end()))
    return spans
