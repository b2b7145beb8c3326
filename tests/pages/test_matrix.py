"""Matrix: every cell of the study is sent, and a click selects its sentence and its name."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from psa_core.claims.reasons import cluster_finding
from psa_core.tables.matrix import matrix
from tests.pages import result_studies

pytestmark = pytest.mark.slow
OpenPage = Callable[..., AppTest]
Run = Callable[[AppTest], AppTest]
Words = Callable[[AppTest], str]


def sent(page: AppTest) -> dict[str, object]:
    """What the picture was given, and what is selected in it."""
    *_, picture, selection = page.get("bidi_component")  # behind what the bar of the study has
    return json.loads(picture.proto.json) | json.loads(selection.proto.json)


def test_every_cell_is_sent_in_the_order_of_the_matrix(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("sentences", sentences_part="matrix", run=result_studies.keep())
    found = matrix(result_studies.cube(), "toxicity", baseline="original")
    data = sent(page)
    cells = np.frombuffer(base64.b64decode(str(data["cells"])), "<i2").reshape(found.values.shape)
    assert cells * data["unit"] == pytest.approx(found.values, abs=1e-4)
    assert html.escape(cluster_finding(found).headline) in words_of(page)
    assert "Click a cell to read its sentence;" in words_of(page)


def test_the_selected_cell_is_read_below(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("sentences", sentences_part="matrix", run=result_studies.keep(), s="s3", names=["Person A"])
    assert "Person A counted to 3." in words_of(page)
    found = matrix(result_studies.cube(), "toxicity", baseline="original")
    data = sent(page)
    assert (data["row"], data["columns"]) == (found.rows.tolist().index(3), [found.columns.tolist().index(0)])


def test_a_click_selects_sentence_and_name(run: Run) -> None:
    def click() -> None:
        from pages.ui.results import matrix_view

        matrix_view._take(["s0", "s1"], ["Ann", "Bo"])

    page = AppTest.from_function(click)
    page.session_state["matrix"] = {"cell": {"row": 1, "column": 0}}
    view = run(page).session_state["view"]
    assert (view.sentence, view.names) == ("s1", ("Ann",))
    for sent in ("1", {"row": "1", "column": 0}, {"row": 1.5, "column": 0}, {"row": 9, "column": 0}, {}):
        page.session_state["matrix"] = {"cell": sent}  # what a client sends need not be a cell
        assert run(page).session_state["view"] == view
