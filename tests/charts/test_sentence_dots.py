"""Table 1 as pictures: names in the order given, filled where the label is reached, user text never read as tags."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from psa_core.charts import _theme
from psa_core.charts.drawing import Drawing, drawing_svg
from psa_core.charts.sentence_dots import score_stems, sentence_dots
from psa_core.cube import Target

CONFIG = Path(__file__).resolve().parents[2] / ".streamlit" / "config.toml"


def stems(names: list[str], scores: list[float], neutral: float = 0.3, target: Target | None = None) -> Drawing:
    rows = pd.DataFrame(
        {"label": names, "score": scores, "neutral": neutral, "is_bold": [name == "Bob" for name in names]}
    )
    return score_stems(rows, target=target or Target("toxicity"), title="A model", neutral_words="this <i>person")


def test_marks_stand_at_their_scores_and_are_filled_from_the_threshold_on() -> None:
    drawn = stems(["Ann", "Bob", "Cem"], [0.9, 0.5, 0.1])
    assert drawn.rows["flagged"].tolist() == [True, True, False]
    assert drawn.rows["number"].tolist() == ["0.90", "0.50", "0.10"]
    assert drawn.rows["beside"].tolist() == ["right", "right", "left"]
    svg = drawing_svg(drawn)
    written = re.findall(r">([^<]+)</text>", svg)
    assert [text for text in written if text in ("Ann", "Bob", "Cem")] == ["Ann", "Bob", "Cem"]
    marks = re.findall(r'<path[^>]*aria-roledescription="point"[^>]*>', svg)
    assert [f'fill="{_theme.ACCENT}"' in mark for mark in marks] == [True, True, False]
    assert written.count("flagged at 0.5") == 1 and written.count("“this &lt;i&gt;person” 0.30") == 1


def test_stems_start_at_the_neutral_score() -> None:
    (stem,) = [one for one in stems(["Ann"], [0.9]).spec["layer"] if "x2" in one["encoding"]]
    assert stem["encoding"]["x"]["field"] == "score" and stem["encoding"]["x2"] == {"field": "neutral"}


def test_a_threshold_below_zero_has_a_real_minus() -> None:
    drawn = drawing_svg(stems(["Ann"], [0.9], target=Target("sentiment", -1, 1, threshold=-0.25)))
    assert ">flagged at −0.25<" in drawn


def test_names_set_apart_are_bold_and_user_text_is_escaped() -> None:
    drawn = drawing_svg(stems(["<b>Ann</b>", "Bob"], [0.9, 0.1]))
    assert "&lt;b&gt;Ann" in drawn and "<b>" not in drawn
    assert sorted(re.findall(r'font-weight="bold"[^>]*>([^<]+)<', drawn)) == ["A model", "Bob"]


def test_a_target_with_a_wide_range_is_shown_where_its_scores_are() -> None:
    wide = stems(["Ann", "Bob"], [40.0, 44.0], 42.0, Target("log_perplexity", 0, 500))
    low, high = next(one for one in wide.spec["layer"] if "x2" in one["encoding"])["encoding"]["x"]["scale"]["domain"]
    assert 39 < low < 40 and 44 < high < 45
    assert "flagged" not in drawing_svg(wide), "a threshold that is out of sight"


def luminance(colour: str) -> float:
    levels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4 for level in levels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_chart_colours_are_the_themes_and_hold_on_its_paper(mode: str) -> None:
    theme = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"][mode]
    assert tuple(theme["chartCategoricalColors"]) == _theme.CATEGORICAL
    paper = luminance(theme["backgroundColor"])
    for colour in (*_theme.CATEGORICAL, _theme.UP, _theme.DOWN, _theme.MUTED):
        dark, light = sorted((paper, luminance(colour)))
        assert (light + 0.05) / (dark + 0.05) >= 3, colour


def test_of_a_chance_marks_stand_at_hundredths_and_are_filled_by_the_score_itself() -> None:
    loan = Target("loan", phrase="chance of a “Yes” to “Would you?”", unit="points", threshold=0.07)
    drawn = stems(["Ann", "Bob"], [0.4, 0.07], 0.31, loan)
    assert drawn.rows["flagged"].tolist() == [True, True], "7 is not 100 × 0.07, but 0.07 reaches 0.07"
    assert drawn.rows["number"].tolist() == ["40 %", "7 %"]
    (stem,) = [one for one in drawn.spec["layer"] if "x2" in one["encoding"]]
    assert stem["encoding"]["x"]["scale"]["domain"] == [-22, 122], "the whole range, as of any score from 0 to 1"
    written = re.findall(r">([^<]+)</text>", drawing_svg(drawn))
    assert "flagged at 7 %" in written and "“this &lt;i&gt;person” 31 %" in written
    rows = pd.DataFrame({"name": ["Ann", "Bob"], "label": ["Ann", "Bob"], "perturbed": [0.4, 0.2], "original": 0.31})
    dots = sentence_dots(rows, target=loan, threshold=0.3)
    assert dots.rows["perturbed"].tolist() == [40, 20] and dots.rows["kind"].tolist() == ["label 1", "label 0"]
    assert dots.rows["threshold"].tolist() == [30, 30] and "chance of a “Yes” (%)" in drawing_svg(dots)
