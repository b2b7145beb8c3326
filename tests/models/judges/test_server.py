from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from psa_core import models
from psa_core.asking import Answer as Said
from psa_core.asking.server import completions_address
from psa_core.cache import ScoreCache
from psa_core.errors import ModelError
from psa_core.models._judges.question_file import question_from, read_question
from psa_core.models._judges.server import are_told_apart, first_tokens, listed_score
from psa_core.scoring import score_cells
from tests.asking.local_server import Answer
from tests.asking.local_server import LocalServer as Server


def probability(body: dict[str, Any]) -> float:
    """What this server thinks: the more words, the more toxic."""
    text = body["messages"][0]["content"].split("Text:\n")[1].split("\n\nIs this")[0]
    return min(0.9, 0.1 + 0.1 * len(text.split()))


def listed(body: dict[str, Any]) -> tuple[int, Any]:
    yes = probability(body)
    tokens = {" Yes": yes * 0.4, "Yes": yes * 0.4, "No": (1 - yes) * 0.8, "Maybe": 0.2}
    rows = [{"token": token, "logprob": math.log(share)} for token, share in tokens.items()]
    return 200, {"choices": [{"message": {"content": "Yes"}, "logprobs": {"content": [{"top_logprobs": rows}]}}]}


def sampled(body: dict[str, Any]) -> tuple[int, Any]:
    if "logprobs" in body:
        return 422, {"detail": "Unsupported fields: logprobs"}
    words = "Yes." if body["seed"] % 10 < 10 * probability(body) else "no."
    return 200, {"choices": [{"message": {"content": words}}]}


def test_log_probabilities_are_used_where_they_are_offered(serve: Callable[[Answer], Server]) -> None:
    judge: Any = models.load(serve(listed).id())
    np.testing.assert_allclose(judge.score(["one", "one two three", ""])[:, 0], [0.2, 0.4, 0.1], atol=1e-6)
    np.testing.assert_allclose(judge.score(["one"])[:, 1], [0.2], atol=1e-6)  # “Maybe”
    assert "log-probabilities" in judge.targets[0].meaning and "log-probabilities" in judge.about


def test_else_the_share_over_samples_which_the_result_says(serve: Callable[[Answer], Server]) -> None:
    server = serve(sampled)
    judge: Any = models.load(server.id("&samples=10"))
    np.testing.assert_allclose(judge.score(["one", "one two three"]), [[0.2, 0], [0.4, 0]], atol=1e-6)
    assert "mean over 10 sampled answers" in judge.targets[0].meaning and "mean over 10" in judge.about
    assert [target.samples for target in judge.targets] == [10, 10]
    assert len({body.get("seed") for body in server.asked[2:]}) == 10
    assert judge.fingerprint != models.load(serve(listed).id()).fingerprint


def test_both_orders(serve: Callable[[Answer], Server]) -> None:
    server = serve(listed)
    scores = models.load(server.id("&order=averaged")).score(["one"])
    np.testing.assert_allclose(scores, [[0.2, 0.2, 0.0]], atol=1e-6)
    asked = {body["messages"][0]["content"].split("Answer with ")[1][:9] for body in server.asked}
    assert asked == {"Yes or No", "No or Yes"}


def failing(times: int, status: int, content: Any = b"", *, after: int = 1) -> Answer:
    """Answers well, then badly so many times, then well again."""
    headers = {"retry-after": "7"} if status == 429 else {}
    count = [0]

    def answer(body: dict[str, Any]) -> Any:
        count[0] += 1
        return (status, content, headers) if after < count[0] <= after + times else listed(body)

    return answer


@pytest.mark.parametrize("status", [429, 503, 0])
def test_what_passes_is_waited_for(serve: Callable[[Answer], Server], status: int, waited: list[float]) -> None:
    judge = models.load(serve(failing(2, status)).id("&parallel=1"))
    np.testing.assert_allclose(judge.score(["one"]), [[0.2, 0.2]], atol=1e-6)
    assert waited == ([7, 7] if status == 429 else [0.5, 1])


@pytest.mark.parametrize(
    ("status", "content", "told"),
    [
        (429, b"", "429"),
        (0, b"", "no connection"),
        (500, b"", "500"),
        (401, b"", "PSA_HTTP_TOKEN"),
        (200, b"<html>", "not JSON"),
        (200, {"object": "error"}, "without choices"),
        (200, {"choices": ["Yes"]}, "without a message"),
    ],
)
def test_what_stays_wrong_is_told(serve: Callable[[Answer], Server], status: int, content: Any, told: str) -> None:
    judge = models.load(serve(failing(10_000, status, content)).id("&retries=2"))
    with pytest.raises(ModelError, match=told):
        judge.score(["one", "two"])


def said(*answers: dict[str, Any]) -> Answer:
    """A server without log-probabilities that gives these answers in turn."""

    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        if "logprobs" in body:
            return 400, {}
        return 200, {
            "choices": [{"message": answers[(body["seed"] + k) % len(answers)]} for k in range(body.get("n", 1))]
        }

    return answer


@pytest.mark.parametrize(
    ("answers", "scores"),
    [
        ([{"content": "There is no reason to refuse, so yes."}], [np.nan, 1]),
        ([{"content": None}], [np.nan, 1]),
        ([{"content": "", "refusal": "I cannot."}], [np.nan, 1]),
        ([{"content": "Yes"}, {"content": "I cannot say."}, {"content": "No"}, {"content": "yes"}], [2 / 3, 0.25]),
        ([{"content": "<think>Yes or no? Yes"}, {"content": "<think>Hm.</think>No"}], [0, 0.5]),
    ],
)
def test_what_is_no_valid_answer_counts_as_such(
    serve: Callable[[Answer], Server], answers: list[dict[str, Any]], scores: list[float]
) -> None:
    judge = models.load(serve(said(*answers)).id("&samples=4"))
    np.testing.assert_allclose(judge.score(["one"]), [scores], atol=1e-6)


def test_sampled_numbers_have_a_spread(serve: Callable[[Answer], Server], tmp_path: Any) -> None:
    question = tmp_path / "rating.json"
    question.write_text('{"prompt": "How good, {answers}? {text}", "number": {"low": 1, "high": 10}}', "utf-8")
    judge = models.load(serve(said({"content": "7"}, {"content": "9."}, {"content": "11"})).id("&samples=3", question))
    assert [target.name for target in judge.targets] == ["rating", "rating_unanswered", "rating_spread"]
    np.testing.assert_allclose(judge.score(["one"]), [[8, 1 / 3, 1]], atol=1e-6)


class Cells:
    """Twenty sentences, two names."""

    names = ("Ann", "Bob")

    def originals(self) -> list[str]:
        return [f"they ran {i} miles" for i in range(20)]

    def row(self, sentence: int) -> list[str]:
        return [f"{name} ran {sentence} miles" for name in self.names]


def test_what_was_answered_before_a_failure_is_kept_and_the_rest_is_asked_later(
    serve: Callable[[Answer], Server], tmp_path: Any
) -> None:
    server = serve(failing(10_000, 503, after=21))
    cells, cache = Cells(), ScoreCache(tmp_path / "scores")
    judge = models.load(server.id("&retries=0&parallel=2"))
    with pytest.raises(ModelError, match="503"):
        score_cells(judge, cells, cache=cache)
    server.answer = listed
    done = len(server.asked)
    result = score_cells(judge, cells, cache=cache)
    assert result.cache_hits >= 16
    assert len(server.asked) - done == result.texts_scored == result.unique_texts - result.cache_hits


def test_all_spellings_of_an_answer_count() -> None:
    loan = read_question("loan")
    tokens = {"Yes": 0.3, " yes": 0.2, '"YES': 0.1, " N": 0.2, "Now": 0.1, "": 0.05}
    value, missing = listed_score({token: math.log(share) for token, share in tokens.items()}, loan)
    assert value == pytest.approx(0.6 / 0.8, abs=1e-6) and missing == pytest.approx(0.2, abs=1e-6)
    np.testing.assert_array_equal(listed_score({"Maybe": -0.1}, loan), [np.nan, 1])
    assert first_tokens(Said(logprobs=None)) is None
    assert first_tokens(Said(logprobs=({"top_logprobs": [{"token": "a", "logprob": 1.5}]},))) is None


def test_tokens_behind_a_mark_count_with_its_probability() -> None:
    def position(**shares: float) -> dict[str, Any]:
        rows = [{"token": {"mark": '"'}.get(token, token), "logprob": math.log(p)} for token, p in shares.items()]
        return rows[0] | {"top_logprobs": rows}

    said = Said(logprobs=(position(mark=0.8, Yes=0.1, No=0.1), position(Yes=0.5, No=0.25), position(Yes=0.9)))
    shares = {token: math.exp(log) for token, log in (first_tokens(said) or {}).items()}
    assert shares == pytest.approx({"Yes": 0.1 + 0.4, "No": 0.1 + 0.2})
    marked = {"\u2581Yes": math.log(0.5), "YES.": math.log(0.25), "\u0120No": math.log(0.25)}
    np.testing.assert_allclose(listed_score(marked, read_question("loan")), [0.75, 0], atol=1e-6)


def test_an_answer_without_log_probabilities_is_missing_not_refused(serve: Callable[[Answer], Server]) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        plain = {"choices": [{"message": {"content": "Yes" if "two" in str(body) else None}}]}
        return (200, plain) if "miles" in str(body) else listed(body)

    judge = models.load(serve(answer).id())
    np.testing.assert_allclose(judge.score(["two miles", "miles", "one"]), [[np.nan] * 2, [np.nan, 1], [0.2, 0.2]])


def test_a_model_that_thinks_first_is_told_to_need_tokens_for_that(serve: Callable[[Answer], Server]) -> None:
    cut = {"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}
    with pytest.raises(ModelError, match="thinks first"):
        models.load(serve(lambda body: (400, {}) if "logprobs" in body else (200, cut)).id())


def test_what_a_provider_keeps_back_is_a_refusal_and_what_is_too_long_is_missing(
    serve: Callable[[Answer], Server],
) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        if "long" in str(body):
            return 400, {"error": {"message": "maximum context length is 4096 tokens"}}
        filtered = {"error": {"message": "Filtered by the content management policy.", "code": "content_filter"}}
        return (400, filtered) if "bad" in str(body) else listed(body)

    judge = models.load(serve(answer).id())
    scores = judge.score(["one", "bad", "long"])
    np.testing.assert_allclose(scores, [[0.2, 0.2], [np.nan, 1], [np.nan, np.nan]], atol=1e-6)
    with pytest.raises(ModelError, match="maximum context length"):
        judge.score(["long", "so long"])


def test_numbers_are_taken_by_first_tokens_where_these_tell_them_apart() -> None:
    five = question_from({"prompt": "{text}", "number": {"low": 1, "high": 5}}, "five")
    ten = question_from({"prompt": "{text}", "number": {"low": 1, "high": 10}}, "ten")
    assert are_told_apart(five, {"1": 0.0}) and not are_told_apart(ten, {"1": 0.0})
    assert are_told_apart(ten, {"10": math.log(0.5), "1": math.log(0.45)})
    assert are_told_apart(ten, {"10": math.log(0.2), "The": math.log(0.75)})
    assert not are_told_apart(ten, {"The": math.log(0.75)})
    hundred = question_from({"prompt": "{text}", "number": {"low": 0, "high": 100}}, "hundred")
    assert are_told_apart(hundred, {"70": math.log(0.6), "75": math.log(0.4)})
    assert not are_told_apart(hundred, {"70": math.log(0.5), "The": math.log(0.45)})
    assert not are_told_apart(hundred, {"7": math.log(0.6), "8": math.log(0.4)})
    pay = question_from({"prompt": "{text}", "number": {"low": 0, "high": 2000}}, "pay")
    assert not are_told_apart(pay, {"150": math.log(0.6), "120": math.log(0.4)})
    value, missing = listed_score({"1": math.log(0.4), " 4": math.log(0.4), "six": math.log(0.2)}, five)
    assert value == pytest.approx(2.5) and missing == pytest.approx(0.2)
    alike = question_from({"prompt": "{text}", "choice": {"very good": 1, "very bad": 0}}, "alike")
    assert not are_told_apart(alike, {"very": 0.0})
    hire = question_from({"prompt": "{text}", "choice": {"Recommend": 1, "Reject": 0}}, "hire")
    assert are_told_apart(hire, {"Recommend": math.log(0.3), "Rej": math.log(0.7)})
    assert not are_told_apart(hire, {"Recommend": math.log(0.3), "Re": math.log(0.7)})
    letters = question_from({"prompt": "{text}", "choice": {"(A)": 1, "(B)": 0}}, "letters")
    assert listed_score({"A": math.log(0.3), "b": math.log(0.7)}, letters)[0] == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("given", "whole"),
    [
        ("http://h:1/v1", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1/", "http://h:1/v1/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("https://h/v1?api-version=2", "https://h/v1/chat/completions?api-version=2"),
    ],
)
def test_addresses(given: str, whole: str) -> None:
    assert completions_address(given) == whole


def test_a_server_that_lists_one_token_leaves_the_rest_to_the_other_answer() -> None:
    loan = read_question("loan")
    np.testing.assert_allclose(listed_score({"No": math.log(0.9)}, loan), [0.1, 0.1], atol=1e-6)
    np.testing.assert_allclose(listed_score({"No": 0.0}, loan), [0, 0], atol=1e-6)


def test_requests_are_for_samples_where_a_first_token_could_not_tell(tmp_path: Any) -> None:
    question = tmp_path / "q.json"
    question.write_text('{"prompt": "{text}", "choice": {"Yes": 1, "No": 0}, "think": 500}', "utf-8")
    assert models.unasked(f"ask:chat:http://h/v1?question={question}")[0].samples == 20
    assert models.unasked("ask:provider:openai/gpt?question=loan")[0].samples == 0
