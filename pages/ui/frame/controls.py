"""Controls of the pages of a study, bound to the one selection or to the address, and names as they are shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.ui.frame import address, markup, shell, state
from pages.ui.frame.components import component
from pages.ui.frame.keys import Key
from pages.ui.frame.typography import in_words
from psa_core.charts.caption import model_and_file
from psa_core.claims.formatting import Words
from psa_core.cube import ScoreCube
from psa_core.folders.view import obfuscated
from psa_core.plurals import counted

CHIPS, TARGET, THRESHOLD = "chips", "target_picker", "threshold_slider"
_copy_link = component("copy_link", '<button type="button" aria-live="polite">Copy link</button>')


def study_bar(cube: ScoreCube) -> None:
    """The open study, without what readers left out, and the selection, whose chips can be taken away; its buttons."""
    seen = state.view(cube)
    threshold = float(seen.threshold or 0)
    target = cube.targets[cube.target_index(str(seen.target))]
    at = max(f"{threshold:.2f}", f"{threshold:.6g}", key=len)  # two decimals, or as many as it has
    at = Words.of(target).at(threshold) if target.is_in_points else at
    size = " × ".join(map(counted, cube.shape, (cube.noun, "name")))
    model, file = model_and_file(cube)
    chips = [("name", name) for name in seen.names] + ([("sentence", seen.sentence)] if seen.sentence else [])
    labels = labels_of(cube.names["name"].astype(str).tolist())

    def take_away() -> None:
        kept = st.session_state[CHIPS]
        names = tuple(value for kind, value in kept if kind == "name")
        state.choose(names=names, sentence=next((value for kind, value in kept if kind == "sentence"), None))

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="looked_at"):
        st.text(f"{file} · {size} · {model} · {seen.target} ≥ {at}", width="content")
        if chips:
            st.session_state[CHIPS] = chips
            st.multiselect(
                "Selection",
                chips,
                key=CHIPS,
                format_func=lambda chip: f"{cube.noun} {chip[1]}" if chip[0] == "sentence" else labels[chip[1]],
                on_change=take_away,
                label_visibility="collapsed",
            )
        shell.link("present", "Present")
        _copy_link(key="copy_link", width="content", height="content")


def target_picker(cube: ScoreCube) -> None:
    """Choose the target; shown only when the model has several."""
    names = [target.name for target in cube.targets]
    if len(names) > 1:
        st.session_state[TARGET] = state.view(cube).target
        st.segmented_control(
            "Target",
            names,
            key=TARGET,
            required=True,
            format_func=markup.literal,
            on_change=lambda: state.choose(target=st.session_state[TARGET]),
        )


def threshold_slider(cube: ScoreCube) -> None:
    """Choose the target's threshold for the whole app; needs no model call."""
    seen = state.view(cube)
    target = cube.targets[cube.target_index(str(seen.target))]
    st.session_state[THRESHOLD] = float(seen.threshold or 0.0)
    st.container(key="threshold").slider(
        "Threshold: a text gets the label when its score is at least this",
        min_value=float(target.low),
        max_value=float(target.high),
        step=(target.high - target.low) / 200,
        format="percent" if target.is_in_points else None,
        key=THRESHOLD,
        on_change=lambda: state.choose(threshold=st.session_state[THRESHOLD], at_pause=True),
    )


def choose(
    label: str,
    options: Collection[Any],
    key: str,
    first: Any = None,
    *,
    box: bool = False,
    words: Callable[[Any], str] | None = None,
    clears: tuple[str, ...] = (),
    **how: Any,
) -> Any:
    """One of some options, bound to the address: values, or a mapping from values to the words for them.

    It is a row of segments or a select `box`; without a choice it is the `first` given, else the first of all. `words`
    says how a value is shown where that is neither in the mapping nor the value itself; `clears` as in
    `address.linked`. Further arguments go to the widget.
    """
    if words is None:
        words = (lambda item: in_words(options.get(item, item))) if isinstance(options, Mapping) else str
    link = address.linked(key, next(iter(options)) if first is None else first, options, clears=clears)
    if box:
        return st.selectbox(label, list(options), format_func=words, **how, **link)
    return st.segmented_control(label, list(options), required=True, format_func=words, **how, **link)


def _hidden_names() -> dict[str, Any]:
    return address.linked(Key.HIDE_NAMES, False, read=lambda text: text == "True")


def are_names_hidden() -> bool:
    """Whether names are shown as initials, in this session or by its link."""
    _hidden_names()
    return bool(st.session_state[Key.HIDE_NAMES])


def labels_of(names: Sequence[str]) -> dict[str, str]:
    """Maps each name to the label shown for it."""
    return obfuscated(names) if are_names_hidden() else dict(zip(names, names, strict=True))


def hide_switch() -> None:
    """Show initials instead of names on every page of a study, and for whoever gets its link."""
    tip = (
        "Shows initials in charts, tables, cards and report.html, for a screenshot; so does a link that is copied now. "
        "Data files that you download have the names."
    )
    st.toggle("Hide names", help=tip, **_hidden_names())
