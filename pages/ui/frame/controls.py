"""Controls shared by the pages of a study, all bound to the one selection."""

from __future__ import annotations

from pathlib import PurePath

import streamlit as st

from pages.ui.frame import markup, shell, shown_names, state
from pages.ui.frame.keys import Key
from psa_core.cube import ScoreCube
from psa_core.plurals import counted
from psa_core.registry import in_short

_copy_link = st.components.v2.component(
    "psa_copy_link",
    html='<button type="button" aria-live="polite">Copy link</button>',
    css="""button { all: unset; cursor: pointer; font-size: 0.875rem; white-space: nowrap; padding: 0.3rem 0.5rem;
      border-radius: 0.5rem; color: var(--st-text-color) }
      button:hover { background: var(--st-secondary-background-color) }
      button:focus-visible { outline: 3px solid currentColor }""",
    js="""export default ({ parentElement }) => {
      const button = parentElement.querySelector("button");
      button.onclick = async () => {
        try { await navigator.clipboard.writeText(window.location.href); }
        catch {  // without https a browser has no clipboard for pages, but the old way
          const field = document.createElement("textarea");
          field.value = window.location.href;
          document.body.append(field);
          field.select();
          document.execCommand("copy");
          field.remove();
        }
        button.textContent = "Link copied";
        setTimeout(() => { button.textContent = "Copy link"; }, 2000);
      };
    }""",
)


def study_bar(cube: ScoreCube) -> None:
    """The open study, without what readers left out, and the selection, whose chips can be taken away; its buttons."""
    seen = state.view(cube)
    threshold = float(seen.threshold or 0)
    digits = max(f"{threshold:.2f}", f"{threshold:.6g}", key=len)  # two decimals, or as many as it has
    size = " × ".join(map(counted, cube.shape, (cube.noun, "name")))
    model, file = model_and_file(cube)
    chips = [("name", name) for name in seen.names] + ([("sentence", seen.sentence)] if seen.sentence else [])
    labels = shown_names.labels(cube)

    def take_away() -> None:
        kept = st.session_state[Key.CHIPS]
        names = tuple(value for kind, value in kept if kind == "name")
        state.choose(names=names, sentence=next((value for kind, value in kept if kind == "sentence"), None))

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="looked_at"):
        st.text(f"{file} · {size} · {model} · {seen.target} ≥ {digits}", width="content")
        if chips:
            st.session_state[Key.CHIPS] = chips
            st.multiselect(
                "Selection",
                chips,
                key=Key.CHIPS,
                format_func=lambda chip: f"{cube.noun} {chip[1]}" if chip[0] == "sentence" else labels[chip[1]],
                on_change=take_away,
                label_visibility="collapsed",
            )
        shell.link("present", "Present")
        _copy_link(key="copy_link", width="content", height="content")


def model_and_file(cube: ScoreCube) -> tuple[str, str]:
    """The model and the file of the sentences."""
    study = cube.provenance.get("study", {})
    file = cube.provenance.get("inputs", {}).get("sentences", {}).get("source", study.get("sentences", "sentences"))
    return in_short(str(study.get("model", "model"))), PurePath(str(file)).name


def target_picker(cube: ScoreCube) -> str:
    """Choose the target; shown only when the model has several."""
    chosen = str(state.view(cube).target)
    names = [target.name for target in cube.targets]
    if len(names) > 1:
        st.session_state[Key.TARGET] = chosen
        st.segmented_control(
            "Target",
            names,
            key=Key.TARGET,
            required=True,
            format_func=markup.literal,
            on_change=lambda: state.choose(target=st.session_state[Key.TARGET]),
        )
    return chosen


def threshold_slider(cube: ScoreCube) -> float:
    """Choose the target's threshold for the whole app; needs no model call."""
    target = state.target_of(cube)
    chosen = float(state.view(cube).threshold or 0.0)
    st.session_state[Key.THRESHOLD] = chosen
    st.container(key="threshold").slider(
        "Threshold: a text gets the label when its score is at least this",
        min_value=float(target.low),
        max_value=float(target.high),
        step=(target.high - target.low) / 200,
        key=Key.THRESHOLD,
        on_change=lambda: state.choose(threshold=st.session_state[Key.THRESHOLD], at_pause=True),
    )
    return chosen
