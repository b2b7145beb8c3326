"""The picture of answers: narrow columns, escaped words, and only marked squares coloured."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psa_core.charts.answer_gaps import answer_gaps


def test_squares_say_what_is_marked_and_heads_are_wrapped_and_escaped() -> None:
    table = pd.DataFrame(
        {
            "measure": ["words", "distance"],
            "title": ["length in words", "distance from the answers to others"],
            "pair": "people with <b>X</b> names against people with African-American names",
            "short": ["+8 %", "−3 points of 100"],
            "words": ["8 % longer", "3 points of 100 nearer"],
            "strength": [3.0, -9.0],
            "is_marked": [True, False],
        }
    )
    figure = answer_gaps(table, selected=("words", table["pair"][0]))
    heat = figure.data[0]
    assert [">+8 %<" in heat.text[0][0], ">·<" in heat.text[1][0]] == [True, True]
    assert np.array(heat.z).ravel().tolist() == [3, 0]
    (head,) = figure.layout.xaxis.ticktext
    assert "people with &lt;b&gt;X&lt;/b&gt;<br>names against people<br>with African-American<br>names" in head
    assert ["distance from the<br>answers to others" in label for label in figure.layout.yaxis.ticktext] == [
        False,
        True,
    ]
    assert figure.layout.width < 358, "one column stands beside the labels on a phone"
    assert len(figure.layout.shapes) == 1
    assert "3 points of 100 nearer: could be chance" in str(figure.data[1])
