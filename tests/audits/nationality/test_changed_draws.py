"""The sentences of a cell are those that change class, and a draw is cut where the names stand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psa_core.audits.nationality import report, tables
from psa_core.audits.nationality.tables import country_table
from psa_core.cube import ScoreCube, Target

WORDS = st.lists(st.text("abc '.", max_size=6), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def cube():
    names = pd.DataFrame({"name": ["A 1", "A 2", "B 1"], "country": list("AAB"), "iso3": list("XXY"), "draw": "1"})
    sentences = pd.DataFrame({"sentence_id": ["1", "2"]}).assign(text="x", anchor="", start=0, end=0, role="subject")
    perturbed = np.float32([[[0.6], [0.4], [0.45]], [[0.2], [0.9], [0.3]]])
    return ScoreCube(sentences, names, (Target("hate"),), np.float32([[0.4], [0.6]]), perturbed)


def test_draws_that_enter_and_leave_the_class(cube):
    table = tables.changed_draws(cube, "A", "hate")
    rows = table[["sentence_position", "name_position", "change"]].to_numpy().tolist()
    assert rows == [[1, 0, "leaves"], [0, 0, "enters"]]
    assert table["delta"].tolist() == pytest.approx([-0.4, 0.2])
    opposite = tables.changed_draws(cube, "A", "not hate")
    assert opposite["change"].tolist() == ["enters", "leaves"]
    assert tables.changed_draws(cube, "B", "hate")["change"].tolist() == ["leaves"]


def test_a_draw_is_cut_where_the_people_stood():
    text, drawn = "Ann met Bob Hill's dog.", "Chloé met Jean Petit's dog."
    found = tables.pieces(text, "0:3 8:16", drawn)
    assert [(piece.kind, piece.text) for piece in found] == [
        ("gone", "Ann"),
        ("come", "Chloé"),
        ("same", " met "),
        ("gone", "Bob Hill"),
        ("come", "Jean Petit"),
        ("same", "'s dog."),
    ]


@given(WORDS, st.lists(st.text("xyz", min_size=1, max_size=5), min_size=4, max_size=4))
def test_pieces_give_both_texts_back(kept, names):
    gone = [f"N{number}" for number in range(len(kept) - 1)]
    text = "".join(piece for pair in zip(kept, [*gone, ""], strict=True) for piece in pair)
    drawn = "".join(piece for pair in zip(kept, [*names[: len(gone)], ""], strict=True) for piece in pair)
    ends = np.cumsum([len(piece) for pair in zip(kept, [*gone, ""], strict=True) for piece in pair])
    spans = " ".join(f"{ends[2 * i]}:{ends[2 * i + 1]}" for i in range(len(gone)))
    found = tables.pieces(text, spans, drawn)
    assert "".join(piece.text for piece in found if piece.kind != "come") == text
    assert "".join(piece.text for piece in found if piece.kind != "gone") == drawn


def test_a_text_that_is_no_draw_is_shown_whole():
    kinds = [piece.kind for piece in tables.pieces("Ann left.", "0:3", "Nothing alike")]
    assert kinds == ["gone", "come"]


def test_the_hyphen_of_a_country_is_no_minus_sign(cube):
    country = {"A": "Guinea-Bissau", "B": "Timor-Leste"}
    table = country_table(replace(cube, names=cube.names.assign(country=cube.names["country"].map(country))))
    words = str(report.score_finding(table.assign(delta_p_adjusted=0.01), ["hate"], 2))
    assert "Guinea-Bissau" in words and "Timor-Leste" in words and "−0.125" in words and "+0.025" in words


def test_nothing_changes():
    table = pd.DataFrame({"country": ["A", "B"], "target": "hate", "original_count": 10, "perturbed_count": 10})
    table = table.assign(change_percent=0.0, p_adjusted=1.0)
    assert report.class_finding(table, 20).headline == (
        "No predicted class changes its size with the country of the names."
    )


def test_names_left_out_in_words():
    assert report.left_out({}) == ""
    words = report.left_out({"Japan": 250, "India": 67})
    assert words == "317 names that are not in Latin letters were left out (Japan 250, India 67)."
