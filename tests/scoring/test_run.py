"""What a run scores, in which order, what it remembers and when it stops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from psa_core.cube import Target
from psa_core.errors import Cancelled, ModelError
from psa_core.scoring import ScoringOptions, score, score_cells, score_slices


def expected(cells, one):
    original = np.array([one(text) for text in cells.originals()], dtype=np.float32)
    rows = range(len(original))
    perturbed = np.array([[one(text) for text in cells.row(s)] for s in rows], dtype=np.float32)
    return original, perturbed


def test_score_keeps_the_order_of_texts_and_scores_equal_ones_once(checksum):
    texts = ["b", "a", "b", "ccc", "a"]
    scores = score(checksum, texts)
    assert scores.dtype == np.float32
    np.testing.assert_array_equal(scores, np.array([checksum.one(text) for text in texts], dtype=np.float32))
    assert sorted(checksum.asked) == ["a", "b", "ccc"]


def test_score_of_no_texts_has_a_column_per_target(checksum, characters):
    assert score(checksum, []).shape == (0, 2)
    assert score(characters, []).shape == (0, 1)


def test_cells_hold_the_score_of_their_text(checksum, make_cells):
    cells = make_cells()
    scores = score_cells(checksum, cells)
    original, perturbed = expected(cells, checksum.one)
    np.testing.assert_array_equal(scores.original, original)
    np.testing.assert_array_equal(scores.perturbed, perturbed)
    assert scores.perturbed.dtype == np.float32
    assert sorted(scores.order) == list(range(7))
    assert (scores.unique_texts, scores.cache_hits, scores.texts_scored) == (7 * 5, 0, 7 * 5)


def test_equal_cells_are_scored_once(checksum, slots):
    # the second sentence is the first; "they" as a name repeats the original of each
    cells = slots(("{} ran.", "{} ran.", "{} sat."), ("they", "Ann"))
    scores = score_cells(checksum, cells)
    assert sorted(checksum.asked) == ["Ann ran.", "Ann sat.", "they ran.", "they sat."]
    assert scores.unique_texts == scores.texts_scored == 4
    np.testing.assert_array_equal(scores.perturbed[0], scores.perturbed[1])
    np.testing.assert_array_equal(scores.perturbed[:, 0], scores.original)


def test_token_scorers_give_the_same_scores_as_one_by_one(characters, make_cells):
    cells = make_cells()
    scores = score_cells(characters, cells)
    original, perturbed = expected(cells, lambda text: characters.score([text])[0])
    np.testing.assert_array_equal(scores.original, original)
    np.testing.assert_array_equal(scores.perturbed, perturbed)


def test_a_repeat_scores_nothing(checksum, make_cells, cache):
    first = score_cells(checksum, make_cells(), cache=cache)
    checksum.asked.clear()
    second = score_cells(checksum, make_cells(), cache=cache)
    assert checksum.asked == []
    assert (second.cache_hits, second.texts_scored) == (35, 0)
    np.testing.assert_array_equal(first.perturbed, second.perturbed)


def test_one_more_name_scores_one_text_a_sentence(checksum, make_cells, cache):
    score_cells(checksum, make_cells(7, 4), cache=cache)
    checksum.asked.clear()
    assert score_cells(checksum, make_cells(7, 5), cache=cache).texts_scored == 7
    assert all("Namex 4" in text for text in checksum.asked)


def test_a_study_without_a_cache_scores_all_again(checksum, make_cells, cache):
    score_cells(checksum, make_cells(), cache=cache)
    assert score_cells(checksum, make_cells(), cache=cache).texts_scored == 0
    assert score_cells(checksum, make_cells()).texts_scored == 35


def test_another_fingerprint_is_another_scorer(checksum, make_cells, cache):
    score_cells(checksum, make_cells(), cache=cache)
    checksum.fingerprint = "checksum-2"
    assert score_cells(checksum, make_cells(), cache=cache).cache_hits == 0


def test_windows_report_progress_and_publish_the_finished_sentences(checksum, make_cells):
    cells, seen = make_cells(6, 4), []

    def keep(window):
        seen.append((window, window.partial()))

    whole = score_cells(checksum, cells, options=ScoringOptions(window_texts=10), on_window=keep)
    assert [window.sentences_done for window, _ in seen] == [2, 4, 6]
    assert [window.texts_done for window, _ in seen] == [10, 20, 30]
    assert {window.texts_total for window, _ in seen} == {30}
    assert seen[0][0].seconds_left > 0 and seen[-1][0].seconds_left == 0
    part = seen[0][1]
    np.testing.assert_array_equal(part.order, whole.order[:2])
    np.testing.assert_array_equal(part.perturbed[part.finished], whole.perturbed[part.finished])
    unfinished = np.setdiff1d(np.arange(6), part.finished)
    assert np.isnan(part.perturbed[unfinished]).all() and np.isnan(part.original[unfinished]).all()


def test_the_order_depends_on_the_seed_and_nothing_else(checksum, make_cells):
    one = score_cells(checksum, make_cells(40), options=ScoringOptions(seed=3, window_texts=1))
    two = score_cells(checksum, make_cells(40), options=ScoringOptions(seed=3))
    other = score_cells(checksum, make_cells(40), options=ScoringOptions(seed=4))
    np.testing.assert_array_equal(one.order, two.order)
    assert (one.order != other.order).any()
    np.testing.assert_array_equal(one.perturbed, other.perturbed)


def test_a_request_to_stop_is_honoured_and_what_was_scored_is_kept(checksum, make_cells, cache):
    windows = []
    options = ScoringOptions(window_texts=10)
    with pytest.raises(Cancelled):
        score_cells(
            checksum,
            make_cells(6, 4),
            options=options,
            cache=cache,
            on_window=windows.append,
            should_stop=lambda: len(windows) == 2,
        )
    resumed = score_cells(checksum, make_cells(6, 4), options=options, cache=cache)
    assert (resumed.cache_hits, resumed.texts_scored) == (20, 10)


def test_until_precision_stops_with_the_finished_sentences(checksum, make_cells):
    cells = make_cells(400, 3)
    options = ScoringOptions(window_texts=40, until_precision=0.2)
    scores = score_cells(checksum, cells, options=options)
    done = scores.finished
    assert 30 <= len(done) < 400
    assert len(checksum.asked) == 4 * len(done) == scores.texts_scored
    assert np.isfinite(scores.perturbed[done]).all()
    assert widest_interval(scores, len(done)) < 0.2
    assert len(done) <= 40 or widest_interval(scores, len(done) - 10) >= 0.2  # not one window later than needed


def widest_interval(scores, sentences):
    rows = scores.order[:sentences]
    difference = scores.perturbed[rows].astype(float) - scores.original[rows][:, None]
    deviation = difference.std(axis=0, ddof=1)
    return float((2 * stats.t.ppf(0.975, sentences - 1) * deviation / np.sqrt(sentences)).max())


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (np.zeros((2, 2)), "shape"),
        (np.array([[0.1], [np.nan]]), "missing or infinite score for text 2 of 2"),
        (np.array([["a"], ["b"]]), "numbers"),
    ],
)
def test_a_scorer_that_does_not_answer_as_one_must_is_named(answer, words):
    class Wrong:
        fingerprint = "wrong-1"
        targets = (Target("only"),)

        def score(self, texts):
            return answer

    with pytest.raises(ModelError, match=words):
        score(Wrong(), ["a", "b"])


def test_slices_are_the_scores_in_order_and_can_be_left_off(checksum):
    texts = [f"text {number}" for number in range(300)]
    slices = list(score_slices(checksum, texts))
    np.testing.assert_array_equal(np.concatenate(slices), score(checksum, texts))
    assert len(slices[0]) == 1 and len(slices) > 1
    assert list(score_slices(checksum, [])) == []
