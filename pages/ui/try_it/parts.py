"""The parts of one name in the typed sentence: each alone, in lower case, as initials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.frame import cached, typography
from pages.ui.try_it.one_sentence import Slotted, TableOne
from psa_core.claims.reasons import one_finding
from psa_core.tables.parts import one_name, variants


def parts(found: Slotted, table: TableOne, models: Sequence[str], labels: dict[str, str]) -> None:
    """Choose a name; see the effect of each part alone with every model."""
    several = [name for name in found.perturbation.names if len(name.split()) > 1]
    if not several:
        return
    leading = table.leading
    middle = float(np.median(leading.scores))
    first = max(several, key=lambda name: abs(leading.scores[table.names.index(labels[name])] - middle))
    with st.expander(
        "Which part of the name?", icon=":material/call_split:", on_change="rerun", key="try_parts"
    ) as part:
        if not part.open:
            return
        name = st.selectbox(
            "Name", several, index=several.index(first), format_func=lambda one: labels[one], key="try_parts_name"
        )
        forms = variants(str(name))
        texts = (found.texts[0], *replace(found.perturbation, names=tuple(forms.values())).row(0))
        columns = {}
        for model, panel in zip(models, table.panels, strict=True):
            targets = [target.name for target in cached.scorer(model).targets]
            scores = cached.scores(model, texts)[:, targets.index(panel.target.name)]
            rows = one_name(str(name), dict(zip(forms, scores[1:].tolist(), strict=True)), float(scores[0]))
            if labels[str(name)] == name:
                typography.second(f"{panel.model}: {one_finding(rows, panel.target)}")
            columns[f"{panel.target.name} · {panel.model}"] = rows["score"]
        shown = pd.DataFrame({"form": list(forms), **columns})
        if labels[str(name)] == name:
            shown.insert(1, "text", list(forms.values()))
        st.dataframe(shown, hide_index=True, alt="Scores of the parts of the name")
