"""The cells and lines of a study's report, each against the number that it stands for."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from psa_core import anchors, tables
from psa_core.cube import ScoreCube, Target
from psa_core.report import _sections as sections
from psa_core.report.page import join
from psa_core.study import StudySpec


def cells(html: object) -> list[list[str]]:
    """The rows of a table with the text of their cells, headings first; what is small stands after a stroke."""
    rows = re.findall(r"<tr>(.*?)</tr>", str(html))
    found = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    return [[re.sub(r"<[^>]*>", "", cell.replace("<small>", " | ")) for cell in row] for row in found]


def study(**spec: Any) -> ScoreCube:
    """Three sentences with three names: He, He and She are replaced, and some labels change at 0.5."""
    scores = np.array([[0.625, 0.25, 0.5], [0.75, 0.125, 0.875], [0.25, 0.25, 0.375]])
    texts = ["He left.", "He stayed.", "She ran."]
    sentences = pd.DataFrame({"sentence_id": ["a", "b", "c"], "text": texts, "anchor": ["He", "He", "She"]})
    return ScoreCube(
        sentences.assign(start=0, end=[2, 2, 3], role="subject"),
        pd.DataFrame({"name": ["Ann", "Bo", "Cy"]}),
        (Target("toxicity"),),
        np.array([[0.5], [0.25], [0.375]], np.float32),
        scores[:, :, None].astype(np.float32),
        {
            "study": asdict(
                StudySpec(**({"sentences": "my.csv", "names": "demo", "model": "vader", "anchors": "pronouns"} | spec))
            )
        },
    )


MEASURES = (
    "Measures (Prabhakaran, Hutchinson and Mitchell 2019): ScoreSens is a name's mean change of the score; ScoreDev "
    "and ScoreRange are a sentence's standard deviation and range over names, averaged; LabelDist is the Jaccard "
    "distance between the labels before and after."
)
SCORES = "Scores: VADER scored each sentence as it is and with each name: 12 scores."


@pytest.mark.parametrize(
    ("spec", "limit", "mentions"),
    [
        ({}, ", at most 50 words each", "the first one"),
        ({"max_words": 30, "seed": 7}, ", at most 30 words each", "the first one"),
        ({"mentions": "all"}, ", at most 50 words each", "every mention that agrees with it"),
        ({"anchors": "person"}, "", "every one"),
        ({"anchors": "slots"}, "", "the first one"),
        ({"switched": (("1", 0), ("2", 4))}, ", at most 50 words each", "the first one"),
    ],
)
def test_the_method_says_what_was_drawn_replaced_and_scored(spec: dict[str, Any], limit: str, mentions: str) -> None:
    anchors, off = (
        spec.get("anchors", "pronouns"),
        "; a reader switched 2 words off or on" if "switched" in spec else "",
    )
    assert sections.method(study(**spec)) == [
        f"Sentences: 3 from my.csv{limit}, drawn at random with seed {spec.get('seed', 0)}.",
        f"Anchors: {anchors}; in each sentence {mentions} is replaced{off}.",
        "Names: 3 from demo.",
        SCORES,
        MEASURES,
    ]


def test_the_method_says_in_how_many_documents_a_reader_chose_the_person() -> None:
    for count, words in (
        (0, "replaced."),
        (1, "whom 1 document is about."),
        (2, "a reader chose whom 2 documents are about."),
    ):
        told = sections.method(replace(study(), provenance=study().provenance | {"subjects_chosen": count}))
        assert told[1].endswith(words)


def test_the_method_of_a_study_that_says_less_or_where_its_inputs_came_from() -> None:
    inputs = {"sentences": {"source": "the web"}, "names": {"source": "a census"}}
    told = sections.method(replace(study(), provenance=study().provenance | {"inputs": inputs}))
    assert told[0].startswith("Sentences: 3 from the web,") and told[2] == "Names: 3 from a census."
    for left_out, drawn in ({}, "all that could be used."), ({"not drawn: sample": 4}, "at random with seed 0."):
        account = {"read": 9, "kept": 3, **left_out}
        told = sections.method(replace(study(), provenance=study().provenance | {"account": account}))
        assert told[0].endswith(drawn)
    bare = sections.method(replace(study(), provenance={}))
    assert bare[0].startswith("Sentences: 3 from a file, ") and bare[0].endswith(" drawn at random with seed 0.")
    assert bare[1] == "Anchors: pronouns; in each sentence the first one is replaced."
    assert bare[2:4] == ["Names: 3 from a list.", SCORES.replace("VADER", "a model")]


def test_the_limits_say_what_the_numbers_do_not_and_what_the_anchors_miss() -> None:
    told = sections.limits(study())
    for number, words in (
        (0, "Whether a difference is a defect, a person has to judge"),
        (1, "assumes that a name should not matter. In some sentences it does"),
        (1, "means something else with every name."),
        (
            2,
            "a pronoun is not a name, so part of the difference from the original is the change from any pronoun",
        ),
        (2, "differences between names are free of it."),
        (3, "about other sentences of the same kind, not other kinds of text; noise floors are about other names."),
    ):
        assert words in told[number]
    found = sections.limits(replace(study(), provenance={"anchors": {"spec": "entities:PERSON"}}))
    assert found[:5] == told and len(found) == 6 and found[5] == anchors.kind("entities:PERSON").caution


@pytest.mark.parametrize(("reference", "against"), [("", "the rest"), ("m", "m")])
def test_groups_are_compared_with_the_reference_that_the_study_names(
    reference: str, against: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for drawn in ("name_figure", "label_dist_figure"):
        monkeypatch.setattr(sections, drawn, lambda *_: None)
    monkeypatch.setattr(sections, "figure_svg", lambda _: "<svg></svg>")
    monkeypatch.setattr(sections, "picture", lambda svg, words: words)
    cube = study(reference=reference)
    doubled = np.concatenate([cube.perturbed, cube.perturbed[:, :1]], axis=1)
    people = pd.DataFrame({"name": ["Ann", "Bo", "Cy", "Di"], "gender": ["f", "m", "m", "f"]})
    cube = replace(cube, names=people, perturbed=doubled)
    page = sections.target_section(cube, cube.targets[0], tables.target_summary(cube, "toxicity"))
    assert f"Difference from {against} (95 % interval)" in page


def test_the_question_names_every_target() -> None:
    asked = "Does VADER change its {} score when only the name in a sentence changes?"
    assert sections.question(study()) == asked.format("toxicity")
    three = tuple(Target(name) for name in ("toxicity", "anger", "joy"))
    cube = replace(study(), targets=three, original=np.zeros((3, 3)), perturbed=np.zeros((3, 3, 3)))
    assert sections.question(cube) == asked.format("toxicity, anger and joy")


def test_the_overview_has_each_measure_with_its_interval_under_its_heading() -> None:
    def interval(value: float) -> dict[str, Any]:
        return {"value": value, "low": value - 0.001, "high": value + 0.002}

    metrics = {"score_dev": interval(0.1), "score_range": interval(0.2), "label_dist": interval(0.3)}
    metrics["flips"] = {"value": 0.12345, "up": 1200, "down": 3400}
    metrics["sensitivity_correlation"] = {"r": -0.5, "low": -0.6, "high": -0.4}
    cube = study()
    header = ["Target", "ScoreDev", "ScoreRange", "LabelDist", "Labels that change", "Sensitivity–score r"]
    row = ["toxicity | flagged at 0.5 and above", "0.100 | 0.099 to 0.102", "0.200 | 0.199 to 0.202"]
    row += ["0.300 | 0.299 to 0.302", "12.35 % | 1,200 up, 3,400 down", "−0.500 | −0.600 to −0.400"]
    said = sections.overview(cube, {"toxicity": metrics})
    labels = "Labels come from each target's threshold, named in the first column."
    assert cells(said) == [header, row]
    assert f"Each with its 95 % interval over sentences. {labels}" in said.unescape()
    metrics["sensitivity_correlation"] = {"r": None, "low": None, "high": None}
    metrics["score_dev"] = {"value": 0.1, "low": None, "high": None}
    alone = sections.overview(cube.rows(np.arange(1)), {"toxicity": metrics})
    assert cells(alone)[1][1] == "0.100" and cells(alone)[1][-1] == "not defined"
    assert f"One sentence has no interval. {labels}" in alone.unescape()
    assert "Each with its 95 % interval" in sections.overview(cube.rows(np.arange(2)), {"toxicity": metrics})


def test_changed_labels_stand_with_their_scores_and_the_way_they_went() -> None:
    cube = study()
    target = Target("toxicity")
    shown = cells(sections._flips(cube, target, tables.find_flips(cube, "toxicity").frame(), None))
    assert shown == [
        ["Sentence", "Score", "Label"],
        ["HeCy stayed.", "0.25\xa0→\xa00.88", "0\xa0→\xa01"],
        ["HeAnn stayed.", "0.25\xa0→\xa00.75", "0\xa0→\xa01"],
        ["HeBo left.", "0.50\xa0→\xa00.25", "1\xa0→\xa00"],
    ]
    none = sections._flips(cube, target, tables.find_flips(cube, "toxicity", threshold=0.99).frame(), None)
    assert str(none) == "<p>No label changes at the threshold 0.5.</p>"


NUMBERS = {
    "sensitivity_correlation": dict.fromkeys(("r", "p", "low", "high")),
    "sensitivity_trend": {"shape": "unknown"},
    "size": {"sentences": 3},
}


def ranking(names: int) -> pd.DataFrame:
    effects = np.arange(names) / 100 - 0.0451
    return pd.DataFrame(
        {
            "name": [f"N{n}" for n in range(names)],
            "score_sens": effects,
            "ci_low": effects - 0.001,
            "ci_high": effects + 0.002,
            "p_adjusted": [0.001, 0.00099, 0.0516, *[1.0] * (names - 3)],
            "effect_size": [np.nan, *np.arange(names - 1) / 10],
            "label_dist": np.arange(names) / 100,
        }
    )


@pytest.mark.parametrize(("names", "shown"), [(10, [*range(9, -1, -1)]), (12, [11, 10, 9, 8, 7, 4, 3, 2, 1, 0])])
def test_both_ends_of_the_ranking_have_their_tests(names: int, shown: list[int]) -> None:
    head, *rows = cells(join(sections._statistics(study(), Target("toxicity"), ranking(names), NUMBERS, "original")))
    assert head == ["Name", "ScoreSens", "95 % interval", "adjusted p", "effect size", "LabelDist"]
    assert [row[0] for row in rows] == [f"N{n}" for n in shown]
    assert rows[-1] == ["N0", "−0.0451", "−0.0461 to −0.0431", "0.001", "–", "0.000"]
    assert rows[-2] == ["N1", "−0.0351", "−0.0361 to −0.0331", "&lt;\xa00.001", "0.00", "0.010"]
    assert rows[-3] == ["N2", "−0.0251", "−0.0261 to −0.0231", "0.052", "+0.10", "0.020"]
    against = join(sections._statistics(study(), Target("toxicity"), ranking(names), NUMBERS, "names"))
    assert cells(against)[0][1] == "Effect" and "Changes from the typical name; tests over sentences" in against


@pytest.mark.parametrize(("low", "high", "width"), [(0.0, 1.0, 0.01), (0.0, 50.0, 0.5), (-np.inf, np.inf, 0.0075)])
def test_how_many_sentences_would_be_needed_depends_on_the_range_of_the_scores(
    low: float, high: float, width: float
) -> None:
    target = Target("toxicity", low, high)
    cube = replace(study(), targets=(target,))
    said = str(join(sections._statistics(cube, target, ranking(10), NUMBERS, "original")))
    assert f"Only 3 sentences: for an interval of ±{width:g} about " in said
    alone = str(join(sections._statistics(cube.rows(np.arange(1)), target, ranking(10), NUMBERS, "original")))
    assert "Only 1 sentence: an interval needs at least 2" in alone


def test_groups_stand_with_their_differences_and_what_chance_gives() -> None:
    groups = pd.DataFrame(
        {
            "group": ["f", "m", "x"],
            "names": [3, 2, 1],
            "difference": [0.25, -0.125, 0.5],
            "difference_low": [0.2, -0.2, np.nan],
            "difference_high": [0.3, -0.1, np.nan],
            "without_furthest": [0.24, np.nan, 0.0],
            "noise_low": [-0.01, -0.02, -0.03],
            "noise_high": [0.01, 0.02, 0.03],
            "p_adjusted": [0.0001, np.nan, np.nan],
        }
    )
    header, *rows = cells(sections._group_table("gender", groups))
    assert header[1:] == [
        "Difference from the rest (95 % interval)", "Without its furthest name", "Random groups", "adjusted p",
    ]  # fmt: skip
    assert rows == [
        ["f (3)", "+0.2500 | +0.2000 to +0.3000", "+0.2400", "−0.0100 to +0.0100", "&lt;\xa00.001"],
        ["m (2)", "−0.1250 | −0.2000 to −0.1000", "–", "−0.0200 to +0.0200", "–"],
        ["x (1)", "+0.5000 | – to –", "0.0000", "−0.0300 to +0.0300", "one name"],
    ]
    groups.attrs = {"reference": "f*black"}
    assert cells(sections._group_table("gender", groups))[0][1] == "Difference from f × black (95 % interval)"


def test_selection_rates_stand_with_what_they_are_shares_of() -> None:
    rates = pd.DataFrame(
        {
            "group": ["f*b", "m*b", "x*b"],
            "names": [3, 2, 1],
            "texts": [3000, 2000, 1000],
            "selected": [1500.0, 1250.5, 10.0],
            "rate": [0.5, 0.62525, 0.01],
            "impact_ratio": [0.8, 1.0, 0.016],
            "low": [0.7, 1.0, 0.01],
            "high": [0.9, 1.0, 0.02],
            "is_lower": [True, False, False],
        }
    )
    assert cells(sections._selection_table("gender*race", rates)) == [
        ["gender × race (names)", "Selected", "Rate", "Impact ratio", "Clearly lower"],
        ["f × b (3)", "1,500 of 3,000", "0.500", "0.80 (95 % interval 0.70 to 0.90)", "yes"],
        ["m × b (2)", "1,250.5 of 2,000", "0.625", "1.00 (95 % interval 1.00 to 1.00)", "–"],
        ["x × b (1)", "10 of 1,000", "0.010", "one name", "–"],
    ]


def test_the_command_is_the_studys_own_unless_the_model_is_a_strangers() -> None:
    rerun = "psa run --from-manifest manifest.json --out again"
    own, comment, again = sections.commands(study())
    assert own.startswith("psa run --sentences my.csv") and own.endswith(" --out again")
    assert (comment, again) == ("\n\n# or, from this study's own folder\n", rerun)
    assert sections.commands(study(switched=(("a", 0),))) == [rerun]
    assert sections.commands(study(subjects=(("a", "Tom Ray"),))) == [rerun]
    assert sections.commands(replace(study(), provenance={})) == [rerun]
    for model in ("hf:somebody/model", "nothing-of-that-name"):
        first, warning = sections.commands(study(model=model))
        assert first == rerun and model in warning
        assert warning.endswith("has to be named by you: add --model and its id, if you know it.")


@pytest.mark.parametrize(
    ("names", "groups", "section", "colour", "limit"),
    [
        (60, {"gender": 3, "race": 4}, "gender", "race", 0),
        (61, {"gender": 3, "race": 4}, "gender", "race", 6),
        (61, {"race": 4}, "", "race", 16),
        (61, {}, "", "", 16),
        (61, {"age": 2, "gender": 3}, "age", "gender", 8),
    ],
)
def test_a_figure_has_sections_colours_and_as_many_names_as_fit(
    names: int, groups: dict[str, int], section: str, colour: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(sections, "name_figure", lambda _, options: asked.append(options))
    monkeypatch.setattr(sections, "figure_svg", lambda _: "<svg></svg>")
    monkeypatch.setattr(sections, "picture", lambda svg, words: words)
    tables_of = {column: pd.DataFrame({"group": range(size)}) for column, size in groups.items()}
    table = ranking(names).assign(n=30)
    words = sections._figure_1(study(), Target("toxicity", 0, 4), table, tables_of, "original", "Source")
    (options,) = asked
    assert (options.section_by, options.colour_by, options.limit) == (section, colour, limit)
    assert options.axis_title == "Mean change of the toxicity score from the original (ScoreSens)"
    assert options.score_range == 4 and options.band is None
    mark = " * and full colour: adjusted p < 0.05. Whiskers: 95 % interval over sentences."
    assert str(words).endswith(f"{mark}  Source.")
    untested = sections._figure_1(study(), Target("toxicity"), table.assign(p_adjusted=np.nan), {}, "names", "Source")
    assert "full colour" not in str(untested)
