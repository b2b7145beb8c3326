from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from psa_core import metrics, stats
from psa_core.cube import ScoreCube
from psa_core.methods import plugins
from psa_core.stats.associations import word_odds
from psa_core.tables import sentence_table, summary, target_summary
from psa_core.tables.corpus import place_table, sentence_words, word_table
from tests.pages import result_studies
from tests.tables.conftest import sentences


def test_two_sentences_three_names_by_hand(cube: ScoreCube) -> None:
    numbers = summary(cube)["toxicity"]
    assert numbers["score_dev"]["value"] == pytest.approx((0.125 / 3) ** 0.5)
    assert numbers["score_range"] == {"value": 0.5, "low": 0.5, "high": 0.5}
    assert numbers["mean_abs_delta"]["value"] == pytest.approx(0.5 / 3)
    assert numbers["label_dist"]["value"] == pytest.approx(1 / 3)
    assert numbers["label_dist"]["threshold"] == 0.5
    assert numbers["flips"]["value"] == pytest.approx(1 / 3)
    assert (numbers["flips"]["up"], numbers["flips"]["down"]) == (1, 1)
    assert numbers["size"] == {"sentences": 2, "names": 3}
    # two sentences: no correlation, and no NaN, which JSON does not have
    assert numbers["sensitivity_correlation"] == {"r": None, "p": None, "low": None, "high": None}


def test_is_json_for_one_sentence_too(cube: ScoreCube) -> None:
    for some in (cube, cube.rows(np.array([0]))):
        numbers = summary(some)
        assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers
    assert summary(cube.rows(np.array([0])))["toxicity"]["score_dev"]["low"] is None


def test_every_target_and_every_metric_per_sentence(cube: ScoreCube) -> None:
    numbers = summary(cube)
    assert list(numbers) == ["toxicity", "sentiment"]
    for method in plugins().values():
        if method.axis == "sentence":
            assert set(numbers["sentiment"][method.id]) == {"value", "low", "high"}


def test_equals_the_metrics_within_their_intervals(large_cube: ScoreCube) -> None:
    numbers, scores = summary(large_cube)["toxicity"], large_cube.scores("toxicity")
    expected = {
        "score_dev": metrics.score_dev(*scores),
        "score_range": metrics.score_range(*scores),
        "label_dist": metrics.label_dist(*scores, 0.5),
    }
    for metric, value in expected.items():
        assert numbers[metric]["value"] == pytest.approx(value)
        assert numbers[metric]["low"] < value < numbers[metric]["high"]
    correlation = metrics.sensitivity_correlation(*scores)
    assert list(numbers["sensitivity_correlation"].values()) == pytest.approx(list(correlation))


def test_threshold_can_be_moved(cube: ScoreCube) -> None:
    assert target_summary(cube, "toxicity", threshold=0.25)["label_dist"]["value"] == pytest.approx(1 / 6)
    assert target_summary(cube, "sentiment")["label_dist"]["threshold"] == 0.0


def test_no_share_of_labels_that_change_is_more_than_all(cube: ScoreCube) -> None:
    scores = np.full((8, 5, 1), 0.75, np.float32)
    scores[0, :2] = 0.25
    names = pd.DataFrame({"name": list("ABCDE")})
    target = cube.targets[:1]
    almost = ScoreCube(sentences(8), names, target, np.full((8, 1), 0.25, np.float32), scores)
    flips = target_summary(almost, "toxicity")["flips"]
    assert flips["value"] == pytest.approx(38 / 40) and flips["low"] < 0.95 and flips["high"] == 1.0
    scores[:, :3] = 0.25
    fewer = target_summary(replace(almost, perturbed=scores), "toxicity")["flips"]
    assert fewer["value"] == pytest.approx(0.4) and fewer["high"] < 1


def test_repeats_itself(large_cube: ScoreCube) -> None:
    assert summary(large_cube) == summary(large_cube)


def test_a_row_per_sentence_by_hand(cube: ScoreCube) -> None:
    table = sentence_table(cube, "toxicity")
    assert table["sentence_id"].tolist() == ["s0", "s1"]
    assert table["genre"].tolist() == ["forum", "forum"]
    assert table["original"].tolist() == [0.5, 0.25]
    assert table["mean"].tolist() == [0.5, 0.25]
    assert table["score_dev"].tolist() == pytest.approx([(0.125 / 3) ** 0.5] * 2)
    assert table["score_range"].tolist() == [0.5, 0.5]
    assert table["mean_abs_delta"].tolist() == pytest.approx([0.5 / 3, 0.5 / 3])
    assert table["flips_up"].tolist() == [0, 1]
    assert table["flips_down"].tolist() == [1, 0]
    assert table["flips"].tolist() == [1, 1]
    assert table["lowest_name"].tolist() == ["Ben", "Cy"]
    assert table["highest_name"].tolist() == ["Ada", "Ben"]


def test_threshold_decides_the_flips(cube: ScoreCube) -> None:
    assert sentence_table(cube, "toxicity", threshold=0.25)["flips"].tolist() == [0, 1]
    assert sentence_table(cube, "toxicity", threshold=0.9)["flips"].tolist() == [0, 0]


def test_columns_average_to_the_corpus_metrics(large_cube: ScoreCube) -> None:
    table = sentence_table(large_cube, "toxicity")
    assert table["score_dev"].mean() == pytest.approx(metrics.score_dev(*large_cube.scores("toxicity")))
    assert table["score_range"].mean() == pytest.approx(metrics.score_range(*large_cube.scores("toxicity")))


def test_every_metric_per_sentence_has_a_column(cube: ScoreCube) -> None:
    per_sentence = {method.id for method in plugins().values() if method.axis == "sentence"}
    assert per_sentence <= set(sentence_table(cube, "toxicity").columns)


@pytest.fixture(scope="module")
def worded() -> ScoreCube:
    """Names move only the sentences that say stupid; every third of these has its anchor at the end."""
    small = result_studies.cube(40)
    texts = [f"He is {'stupid' if i % 2 else 'tall'} and he ran." for i in range(40)]
    texts = [f"They often ran to see {'stupid ' * (i % 2)}him" if i % 3 == 0 else text for i, text in enumerate(texts)]
    starts = [len(text) - 3 if text.endswith("him") else 0 for text in texts]
    sentences = small.sentences.assign(
        text=texts,
        start=starts,
        end=[start + (3 if start else 2) for start in starts],
        anchor=["him" if start else "He" for start in starts],
        role=["object" if start else "subject" for start in starts],
    )
    original = np.full((40, 2), 0.5, np.float32)
    moved = np.where(["stupid" in text for text in texts], 0.3, 0.01)
    perturbed = 0.5 + moved[:, None, None] * np.ones((40, 12, 2))
    return replace(small, sentences=sentences, original=original, perturbed=perturbed.astype(np.float32))


def test_an_anchor_is_no_word_of_its_sentence(worded: ScoreCube) -> None:
    assert sentence_words(worded)[1] == {"is", "stupid", "and", "he", "ran"}
    assert "him" not in sentence_words(worded)[0]


def test_the_word_that_goes_with_sensitivity_comes_first(worded: ScoreCube) -> None:
    table = word_table(worded, "toxicity")
    assert table["word"][0] == "stupid" and table["p_adjusted"][0] < 0.05
    moved = stats.sensitivities(*worded.scores("toxicity"))
    assert table["sensitivity"][0] == pytest.approx(moved[1::2].mean())


def test_roles_places_and_lengths_have_their_means(worded: ScoreCube) -> None:
    table = place_table(worded, "toxicity").set_index(["what", "value"])
    assert table.loc[("role", "object"), "sentences"] == 14
    assert table.loc[("place", "first third"), "sentences"] == 26
    assert table.loc[("place", "last third"), "mean"] == pytest.approx(table.loc[("role", "object"), "mean"])
    assert table.loc[("length", "1 to 10 words"), "sentences"] == 40
    assert (table["low"] <= table["mean"]).all() and (table["mean"] <= table["high"]).all()


def test_a_sentence_without_a_score_is_left_out_of_its_table_and_takes_no_other_with_it(worded: ScoreCube) -> None:
    perturbed = worded.perturbed.copy()
    perturbed[0, :, 0] = np.nan  # a judge gave no answer about the first one, whatever the name
    unanswered = {"missing": {"toxicity": {"no valid answer": 12}}}
    missing = replace(worded, perturbed=perturbed, provenance={**worded.provenance, **unanswered})
    without = worded.rows(np.arange(40) > 0)
    pd.testing.assert_frame_equal(word_table(missing, "toxicity"), word_table(without, "toxicity"))
    columns = ["what", "value", "mean"]
    pd.testing.assert_frame_equal(
        place_table(missing, "toxicity")[columns], place_table(without, "toxicity")[columns], rtol=1e-12
    )


def test_neutral_edits_are_counted_without_the_text_as_it_stands(large_cube: ScoreCube) -> None:
    controls = np.random.default_rng(1).normal(0.5, 0.1, (40, 4, 1)).astype(np.float32)
    assert target_summary(replace(large_cube, controls=controls), "toxicity")["controls"]["edits_a_text"] == 3


def test_words_are_those_of_the_half_that_moves_more() -> None:
    """Nine sentences in twenty move a lot, and one more a little: these ten are the upper half, whatever their mean."""
    moved = np.where(np.arange(20) < 9, 0.5, np.where(np.arange(20) == 9, 0.1, 0.0))
    words = [f"He is {'tall' if row < 10 else 'here'}." for row in range(20)]
    small = result_studies.cube(20)
    cube = replace(
        small,
        sentences=small.sentences.assign(text=words, start=0, end=2),
        original=np.full((20, 2), 0.2, np.float32),
        perturbed=np.broadcast_to((0.2 + moved)[:, None, None], small.perturbed.shape).astype(np.float32),
    )
    table, marked = (
        word_table(cube, "toxicity").set_index("word"),
        word_odds([frozenset(text[3:-1].split()) for text in words], np.arange(20) < 10),
    )
    assert table["log_odds"].tolist() == pytest.approx(marked.log_odds.tolist())


def test_lengths_end_at_ten_twenty_and_thirty_words_and_stand_in_their_order() -> None:
    counts = [31, 30, 21, 20, 11, 10, 1]
    small = result_studies.cube(7)
    texts = [" ".join(["He", *["ran"] * (count - 1)]) for count in counts]
    table = place_table(replace(small, sentences=small.sentences.assign(text=texts, start=0, end=2)), "toxicity")
    lengths = table[table["what"] == "length"]
    assert lengths["value"].tolist() == ["1 to 10 words", "11 to 20 words", "21 to 30 words", "more than 30 words"]
    assert lengths["sentences"].tolist() == [2, 2, 2, 1]


def test_the_trend_is_of_sensitivity_over_the_score(large_cube: ScoreCube) -> None:
    """Sentences of middle scores move most."""
    original = np.linspace(0.1, 0.9, 40)[:, None].astype(np.float32)
    moved = 0.1 - 0.2 * np.abs(original - 0.5)
    cube = replace(large_cube, original=original, perturbed=np.repeat((original + moved)[:, None], 12, axis=1))
    assert target_summary(cube, "toxicity")["sensitivity_trend"]["shape"] == "peak"
