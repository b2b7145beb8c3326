"""Step 5 of a new study: the estimate and the start button."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import streamlit as st

from pages.ui.frame import address, cached, form, markup, state, uploads, visitor
from pages.ui.frame.typography import in_words
from pages.ui.study import language_model, plans
from pages.ui.study.plans import Source
from psa_core import jobs, models
from psa_core.asking.prices import price_of
from psa_core.claims.answers import sampling_plan
from psa_core.claims.formatting import duration, speed
from psa_core.inputs import conditions
from psa_core.inputs.conditions import Condition
from psa_core.inputs.limits import RUN_DAYS, RUNS_DISK_EACH
from psa_core.plurals import counted
from psa_core.study import Plan, StudySpec, preview


def ask_controls() -> int:
    """How many neutral edits each text gets, as a floor beneath what the names do."""
    return int(form.ask(lambda name: f"study_{name}", StudySpec, ("controls",))["controls"])


@dataclass(frozen=True)
class ChosenConditions:
    """The conditions, how the study names them, and the uploaded file if there is one."""

    spec: str = ""
    conditions: tuple[Condition, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)


def ask_conditions(*taken: str) -> ChosenConditions:
    """Conditions to score every text under: packaged ones, or a file with a name unlike the other files'."""
    known = conditions.packaged()
    with st.expander("Conditions", icon=":material/rule:"):
        st.caption(
            "Score every text under each condition, for example what a language model is told first, and see whether "
            "the difference between groups of names changes. The first one is compared with the others."
        )
        chosen = st.multiselect(
            "Packaged conditions",
            list(known),
            help="; ".join(f"{item}: {one.words}" for item, one in known.items()),
            **address.linked("study_conditions", [], known),
        )
        st.caption(f"Or {conditions.EXPECTED}.")
        upload = uploads.ask_file("Your own conditions", ("csv", "tsv"), key="study_conditions_file", read=_read)
    if upload:
        spec = plans.unique_name(upload.name, "conditions", *taken)
        return ChosenConditions(spec, _read(upload), {spec: upload.content})
    if chosen:  # a change is seen beside the study as it is
        spec = ",".join(dict.fromkeys([next(iter(known)), *chosen]))
        return ChosenConditions(spec, conditions.load(spec)) if "," in spec else ChosenConditions()
    return ChosenConditions()


def _read(upload: uploads.Upload) -> tuple[Condition, ...]:
    return conditions.read(upload.name, upload.content)


def ask_most(planned: Plan, files: Mapping[str, bytes]) -> float | None:
    """What asking an address takes and shows, and the sum to stop before; None for no limit, and for other models."""
    with language_model.questions(files, planned.spec.model) as read:
        note = preview.notice(planned, read)
        if not note:
            return None
        asked = models.unasked(read)[0]
        price = price_of(asked.of)
    target = replace(asked.targets[0], samples=asked.samples or preview.SAMPLES)
    shown = sampling_plan(target, len(planned.selection.sentences), len(planned.names.table))
    st.html(markup.plain(f"{note} {shown}", size="0.95rem"))
    if price is None:
        st.caption("A limit needs a price: name a table of your own in `PSA_PRICES`.")
        return None
    link = address.linked("study_most", 0.0)
    most = st.number_input("Stop before this is spent, in dollars (0: no limit)", min_value=0.0, width=360, **link)
    return float(most) or None


def price(planned: Plan, source: Source, *, is_upload: bool = False) -> float | None:
    """Pairs, distinct texts, and the seconds that the run will take; None where no model was timed.

    A model that comes with a file is not timed here; one from a hub is loaded only when asked for.
    """
    sentences, names = len(planned.selection.sentences), len(planned.names.table)
    ready = planned.spec.model in {card.id for card in cached.model_cards()}
    if is_upload or (not ready and not st.toggle("Load the model now to estimate the time", key="study_load_model")):
        size = f"{counted(sentences, planned.corpus.noun)} × {counted(names, 'name')}"
        under = f", each scored under {counted(len(planned.conditions), 'condition')}" if planned.conditions else ""
        st.markdown(f"{size} = **{planned.cells:,} {planned.corpus.noun}–name pairs**{under}.")
        return None
    cost = plans.price(planned, planned.spec.model, source)
    with st.grid(min_column_width=175):  # or the longest label is cut off on a phone
        for label, value in {
            "Sentences": f"{sentences:,}",
            "Names": f"{names:,}",
            "Text–name pairs": f"{planned.cells:,}",
            "Texts to score": f"{'' if cost.exact else 'at most '}{cost.texts:,}",
            "Estimated time": duration(cost.seconds),
        }.items():
            st.metric(in_words(label), value, border=True)
    before = f"{duration(cost.reading)} to find the words to replace, " if cost.reading >= 1 else ""
    st.caption(
        f"{speed(cost.texts_per_second)}, measured on some of them; {before}"
        f"{duration(plans.AROUND_SECONDS)} to start and to write the results. "
        "Texts scored before are taken from the cache."
    )
    if too_long := plans.too_long(planned):
        st.html(markup.plain(too_long))
    return cost.seconds


def start(planned: Plan, files: dict[str, bytes], seconds: float | None, most: float | None = None) -> str | None:
    """The button that queues the study for a worker; returns the run's id when pressed."""
    run_id = None
    if st.button("Run the study", type="primary", key="study_run", icon=":material/play_arrow:"):
        run_id = jobs.submit(
            planned.spec, files, seconds=seconds, most=most, origin=visitor.origin(), visitor=visitor.key()
        )
        state.choose(run=run_id)
    if not jobs.own_machine():
        st.caption(
            f"It is kept until nobody has opened it for {RUN_DAYS.words}. When your runs take more than "
            f"{RUNS_DISK_EACH.words} together, those opened longest ago are deleted."
        )
    return run_id
