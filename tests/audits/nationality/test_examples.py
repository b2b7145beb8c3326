"""The sentences of a cell are those that change class, and a draw is cut where the names stand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psa_core.audits.nationality import examples, findings
from psa_core.audits.nationality.tables import OVERALL, country_table
from psa_core.cube import ScoreCube, Target

WORDS = st.lists(st.text("abc '.", max_size=6), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def cube():
    names = pd.DataFrame({"name": ["A 1", "A 2", "B 1"], "country": list("AAB"), "iso3": list("XXY"), "draw": "1"})
    sentences = pd.DataFrame({"sentence_id": ["1", "2"]}).assign(text="x", anchor="", start=0, end=0, role="subject")
    perturbed = np.float32([[[0.6], [0.4], [0.45]], [[0.2], [0.9], [0.3]]])
    return ScoreCube(sentences, names, (Target("hate"),), np.float32([[0.4], [0.6]]), perturbed)


def test_draws_that_enter_and_leave_the_class(cube):
    table = examples.changed_draws(cube, "A", "hate")
    rows = table[["sentence_position", "name_position", "change"]].to_numpy().tolist()
    assert rows == [[1, 0, "leaves"], [0, 0, "enters"]]
    assert table["delta"].tolist() == pytest.approx([-0.4, 0.2])
    opposite = examples.changed_draws(cube, "A", "not hate")
    assert opposite["change"].tolist() == ["enters", "leaves"]
    assert examples.changed_draws(cube, "B", "hate")["change"].tolist() == ["leaves"]


def test_a_draw_is_cut_where_the_people_stood():
    text, drawn = "Ann met Bob Hill's dog.", "Chloé met Jean Petit's dog."
    found = examples.pieces(text, "0:3 8:16", drawn)
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
    found = examples.pieces(text, spans, drawn)
    assert "".join(piece.text for piece in found if piece.kind != "come") == text
    assert "".join(piece.text for piece in found if piece.kind != "gone") == drawn


def test_a_text_that_is_no_draw_is_shown_whole():
    kinds = [piece.kind for piece in examples.pieces("Ann left.", "0:3", "Nothing alike")]
    assert kinds == ["gone", "come"]


def test_the_finding_names_the_class_that_changes_most(cube):
    words = findings.finding(country_table(cube))
    assert words == (
        "With names from B, 100.0 % fewer sentences are predicted as hate (0 instead of 1). Between countries, “hate” "
        "runs from −100.0 % (B) to +0.0 % (A)."
    )


def test_the_score_finding_gives_both_ends_with_their_intervals(cube):
    words = findings.score_finding(country_table(cube), ["hate"])
    assert "moves by −0.125" in words and "with names from B" in words and "+0.025" in words


def test_the_hyphen_of_a_country_is_no_minus_sign(cube):
    country = {"A": "Guinea-Bissau", "B": "Timor-Leste"}
    table = country_table(replace(cube, names=cube.names.assign(country=cube.names["country"].map(country))))
    words = findings.finding(table) + findings.score_finding(table, ["hate"])
    assert "Guinea-Bissau" in words and "Timor-Leste" in words and "−100.0 %" in words


def test_nothing_changes():
    rows = [("A", "hate", 10, 10, 0.0, 0.0, 0.0, 0.0), ("B", "hate", 10, 10, 0.0, 0.0, 0.0, 0.0)]
    columns = ["country", "target", "original_count", "perturbed_count", "change_percent"]
    table = pd.DataFrame(rows, columns=[*columns, "delta", "delta_low", "delta_high"])
    assert findings.finding(table) == "No predicted class changes its size with the country of the names."
    assert "whatever the country" in findings.score_finding(table, ["hate"])


def test_correlations_in_words():
    row = {"country": OVERALL, "target": "hate", "global_r": 0.3, "local_r": -0.25}
    words = findings.correlation_finding(pd.DataFrame([row]))
    assert "within one sentence, the less expected the words, the lower “hate” (r = −0.25)" in words
    assert "across all texts, the less expected the words, the higher “hate” (r = +0.30)" in words
    empty = pd.DataFrame([row | {"global_r": None, "local_r": None}]).astype({"global_r": float, "local_r": float})
    assert "Nothing varies enough" in findings.correlation_finding(empty)


def test_names_left_out_in_words():
    assert findings.left_out({}) == ""
    words = findings.left_out({"Japan": 250, "India": 67})
    assert words == "317 names that are not in Latin letters were left out (Japan 250, India 67)."
