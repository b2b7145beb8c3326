"""The Vega-Lite drawings: valid, filled with the right rows, linked by name, and drawn without a browser."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from psa_core.charts import _theme, intervals, scatter, sentence_dots
from psa_core.charts.drawing import Drawing, drawing_svg
from psa_core.charts.scatter import trade_off
from psa_core.cube import Target

TOXICITY = Target("toxicity")


def svg(drawing: Drawing) -> str:
    """Draw as the dashboard does: the rows as the one data source."""
    import vl_convert

    rows = json.loads(drawing.rows.to_json(orient="records"))
    return vl_convert.vegalite_to_svg({**drawing.spec, "data": {"values": rows}, "width": 500})


def scores(count: int) -> pd.DataFrame:
    names = [f"name {i}" for i in range(count)]
    perturbed = np.linspace(0.1, 0.9, count)
    return pd.DataFrame(
        {"name": names, "label": [f"N{i}" for i in range(count)], "perturbed": perturbed, "original": 0.4}
    )


def test_many_rows_are_drawn_as_svg_too_where_letters_have_the_colour_of_the_page() -> None:
    drawing = sentence_dots.sentence_dots(scores(3000), target=TOXICITY, threshold=0.5)
    assert "currentColor" in json.dumps(drawing.spec)
    assert drawing.spec["usermeta"]["embedOptions"]["renderer"] == "svg"  # a canvas draws that colour black


@pytest.mark.parametrize("count", [1, 5, 60, 61, 500])
def test_sentence_dots_at_any_number_of_names(count: int) -> None:
    drawing = sentence_dots.sentence_dots(scores(count), target=TOXICITY, threshold=0.5, selected=("name 0",))
    assert drawing.rows["perturbed"].is_monotonic_decreasing
    assert (drawing.rows["kind"] == "label 1").sum() == (scores(count)["perturbed"] >= 0.5).sum()
    assert drawing.rows.loc[drawing.rows["ringed"], "name"].tolist() == ["name 0"]
    assert drawing.spec["height"] == (21 * count + 76 if count <= 60 else 480)
    drawn = svg(drawing)
    assert "original" in drawn and "threshold" in drawn and f">N{count - 1}<" in drawn


@pytest.mark.parametrize("count", [5, 100])
def test_sentence_dots_of_an_endless_target(count: int) -> None:
    target = Target("log-perplexity", low=0.0, high=float("inf"))
    drawn = svg(sentence_dots.sentence_dots(scores(count), target=target, threshold=0.5))
    assert "log-perplexity" in drawn


@pytest.mark.parametrize("perturbed", [np.linspace(0.1, 0.9, 100), np.full(100, 0.9), np.linspace(0, 1, 100) ** 9])
def test_written_names_lie_apart_above_and_below_the_dots(perturbed: np.ndarray) -> None:
    selected = tuple(f"name {i}" for i in range(40, 60))
    rows = scores(100).assign(perturbed=perturbed)
    drawing = sentence_dots.sentence_dots(rows, target=TOXICITY, threshold=0.5, selected=selected)
    written = drawing.rows[drawing.rows["beside"] != ""].sort_values("line")
    at_ends = written[~written["ringed"]]
    assert at_ends["rank"].sort_values().tolist() == [1, 2, 3, 98, 99, 100]
    assert ((at_ends["line"] < 1) | (at_ends["line"] > 100)).all()
    height = drawing.rows["line"].max() - drawing.rows["line"].min()
    assert (written["line"].diff().dropna() / height).min() > 0.04, "a line of 13 pixels on a plot of 400"
    assert written["ringed"].any()


def test_words_at_the_lines_do_not_collide() -> None:
    def sides(original: float, threshold: float) -> tuple[str, str]:
        rows = scores(2).assign(original=original)
        drawn = sentence_dots.sentence_dots(rows, target=TOXICITY, threshold=threshold).rows
        return drawn["original_side"].iloc[0], drawn["threshold_side"].iloc[0]

    assert sides(0.1, 0.5) == ("right", "right")
    assert sides(0.45, 0.5) == sides(0.3, 0.5) == sides(0.93, 0.98) == ("left", "right")
    assert sides(0.55, 0.5) == ("right", "left")
    assert sides(0.99, 0.5) == ("left", "right")
    assert sides(0.02, 0.04) == ("left", "right")


def test_a_drawing_as_a_file_is_dark_on_white() -> None:
    drawing = sentence_dots.sentence_dots(scores(100), target=TOXICITY, threshold=0.5)
    drawn = drawing_svg(drawing)
    assert drawn.startswith("<svg") and _theme.INK in drawn and 'fill="#FFFFFF"' in drawn
    assert "href" not in drawn and _theme.PAGE_INK not in drawn


def test_on_the_page_every_text_has_the_colour_of_the_pages_text() -> None:
    drawn = svg(sentence_dots.sentence_dots(scores(100), target=TOXICITY, threshold=0.5))
    texts = re.findall(r"<text[^>]*>", drawn)
    assert len(texts) > 10 and all(f'fill="{_theme.PAGE_INK}"' in text for text in texts)


def test_labels_are_text_in_the_drawing() -> None:
    rows = scores(3).assign(label=["<script>1</script>", "b", "c"])
    assert "<script>" not in svg(sentence_dots.sentence_dots(rows, target=TOXICITY, threshold=0.5))


def test_the_curve_through_a_hump_goes_up_and_comes_down() -> None:
    original = np.linspace(0, 1, 60)
    rows = pd.DataFrame({"sentence_id": range(60), "text": "", "original": original})
    near = scatter.score_scatter(rows.assign(mean_abs_delta=original * (1 - original))).rows["near"]
    assert near.iloc[30] > 1.5 * max(near.iloc[0], near.iloc[-1])
    assert scatter.score_scatter(rows[:5].assign(mean_abs_delta=0.1)).rows["near"].isna().all()


def test_score_scatter() -> None:
    rows = pd.DataFrame(
        {
            "sentence_id": ["a", "b", "c"],
            "text": ["x" * 500, "y", "z"],
            "original": [0.1, 0.5, 0.9],
            "mean_abs_delta": [0.3, 0.2, 0.1],
            "flips": [0, 3, 0],
        }
    )
    drawing = scatter.score_scatter(rows, target="toxicity", selected="b")
    assert drawing.rows["text"].str.len().max() == 80
    assert "flips" not in drawing.rows, "a moving threshold leaves the points alone"
    assert drawing.rows["ringed"].tolist() == [False, True, False]
    assert svg(drawing).count(_theme.ACCENT) >= 3
    names = [parameter["name"] for parameter in drawing.spec["params"]]
    assert names == [scatter.POINT]


def test_group_differences_against_their_floor() -> None:
    rows = pd.DataFrame(
        {
            "group": ["actor", "leader"],
            "names": [4, 6],
            "difference": [0.01, -0.05],
            "difference_low": [0.0, -0.06],
            "difference_high": [0.02, -0.04],
            "noise_low": [-0.02, -0.02],
            "noise_high": [0.02, 0.02],
            "p_noise": [0.4, 0.001],
            "above_noise": [False, True],
        }
    )
    drawing = intervals.group_differences(rows, target="toxicity")
    assert drawing.rows["kind"].tolist() == ["within", "outside"]
    drawn = svg(drawing)
    assert "actor (4)" in drawn and "leader (6)" in drawn


def test_comparison_is_sorted_and_names_are_written_where_they_differ() -> None:
    rows = pd.DataFrame({"label": ["a", "b"], "value": [0.1, 0.2], "low": [0.05, 0.1], "high": [0.2, 0.3]})
    assert intervals.metric_intervals(rows, title="ScoreDev").rows["label"].tolist() == ["b", "a"]
    assert "ScoreDev" in svg(intervals.metric_intervals(rows, title="ScoreDev"))
    names = [f"n{i}" for i in range(8)]
    effects = pd.DataFrame({"name": names, "first": 0.0, "second": np.arange(8) / 100})
    drawing = scatter.name_scatter(
        effects, titles=("A", "B"), selected=("n0",), labels={name: name.upper() for name in names}
    )
    assert drawing.rows.loc[drawing.rows["beside"] != "", "label"].tolist() == ["N4", "N5", "N6", "N7"]
    assert "N7" in svg(drawing)
    together = effects.assign(second=[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.0])
    drawing = scatter.name_scatter(together, titles=("A", "B"), selected=(), labels={name: name for name in names})
    assert (drawing.rows["beside"] != "").sum() == 1, "names at one spot are not written upon each other"


def test_mitigation_curves() -> None:
    rows = pd.DataFrame(
        {"names": [1, 10], "score_change": [0.1, 0.2], "list_dependence": [0.1, 0.0], "labels_changed": 1}
    )
    drawing = scatter.averaging_curves(rows, chosen=10)
    assert len(drawing.rows) == 4 and (drawing.rows["chosen"] == 10).all()
    assert "Names averaged over" in svg(drawing)
    before = pd.DataFrame({"before": [0.1, 0.9], "after": [0.2, 0.4], "changed": [False, True], "text": ["x", "y"]})
    drawn = scatter.original_scores(before, target="toxicity")
    assert drawn.rows["kind"].tolist() == ["label stays", "label changes"]
    assert "toxicity averaged over names" in svg(drawn)


def test_the_trade_off_of_strengths() -> None:
    table = pd.DataFrame({"strength": [1.0, 0.0], "cost": [0.1, 0.0], "score_dev": [0.1, 0.2], "low": 0.1, "high": 0.2})
    drawing = trade_off(table, chosen=1.0, cost="what it costs")
    assert drawing.rows["label"].tolist() == ["as it was", "1"]
    assert drawing.rows["picked"].tolist() == [False, True]
    assert "what it costs" in svg(drawing)


def test_tiny_changes_have_labels_that_differ() -> None:
    rows = pd.DataFrame({"sentence_id": range(30), "text": "", "original": np.linspace(0, 1, 30)})
    drawn = drawing_svg(scatter.score_scatter(rows.assign(mean_abs_delta=np.linspace(0, 1e-6, 30))))
    labels = re.findall(r">([\d.e−-]+)</text>", drawn)[11:]
    assert labels[0] == "0" and len(set(labels)) == len(labels) > 5
