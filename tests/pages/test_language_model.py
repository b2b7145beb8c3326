"""The form that asks a language model at an address: its prompt, its price and one answer before anything else."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from psa_core import jobs, models
from psa_core.cube import Target
from psa_core.jobs._records import read_job
from psa_core.scoring import subprocess_scorer
from tests.asking.local_server import LocalServer

OpenPage = Callable[..., AppTest]
Words = Callable[[AppTest], str]
Run = Callable[[AppTest], AppTest]


def answer(body: dict[str, Any]) -> tuple[int, Any]:
    rows = [{"token": "Yes", "logprob": math.log(0.75)}, {"token": "No", "logprob": math.log(0.25)}]
    choice = {"message": {"content": "Yes"}, "logprobs": {"content": [{"token": "Yes", "top_logprobs": rows}]}}
    return 200, {"choices": [choice], "usage": {"prompt_tokens": 1000, "completion_tokens": 1}}


@pytest.fixture
def server() -> Iterator[LocalServer]:
    found = LocalServer(answer)
    yield found
    found.close()


def test_the_prompt_the_price_and_one_answer_come_before_the_run(
    server: LocalServer, open_page: OpenPage, run: Run, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_HISTORY", "1")
    started: list[str] = []
    monkeypatch.setattr(jobs.runs, "resume", started.append)
    page = open_page("new_study", study_model="own question")
    page.radio(key="study_asked").set_value("A model at an address")
    run(page)
    page.text_input(key="study_address").set_value(server.address)
    page.text_input(key="study_at_address").set_value("gpt-4o-mini")
    page.text_area(key="study_question").set_value("Would you rent this flat to this person?")
    page.text_input(key="study_system").set_value("You <b>manage</b> flats.")
    words = words_of(run(page))
    assert "You <b>manage</b> flats." in [text.value for text in page.text]
    study = words.partition("Asks a language model: ")[2].partition(" requests, about")[0]
    names = words.partition(" names, grouped")[0].rpartition(">")[2]
    assert int(study.replace(",", "")) % (int(names) + 1) == 0
    assert "With 20 answers per text, a name that differs by" in words and "at most $" in words
    page.number_input(key="study_most").set_value(2.5)
    assert server.asked == []
    page.button(key="study_trial").click()
    words = words_of(run(page))
    assert "Answer: Yes" in [text.value for text in page.text]
    assert "1,000 tokens read, 1 written, $0.0002" in words and "Chance of “Yes”: 75 %" in words
    asked = server.asked[-1]
    assert asked["model"] == "gpt-4o-mini" and asked["messages"][0] == {
        "role": "system",
        "content": "You <b>manage</b> flats.",
    }
    page.button(key="study_run").click()
    page.run(timeout=60)
    assert read_job(jobs.run_path(started[0])).most == 2.5
    model = jobs.spec_at(jobs.run_path(started[0])).model
    assert model == f"ask:{server.address}?question=own-question.json&model=gpt-4o-mini"


def test_try_it_asks_about_its_own_sentence_and_keeps_the_question(
    server: LocalServer, open_page: OpenPage, run: Run, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_HISTORY", "1")
    page = open_page("try_it", try_sentence="{name} asks for a loan <b>today</b>.")
    page.session_state["try_ask"] = True
    run(page)
    page.radio(key="study_asked").set_value("A model at an address")
    run(page)
    page.text_input(key="study_address").set_value(server.address)
    page.text_area(key="study_question").set_value("Do you grant it?")
    run(page)
    person = next(text.value for text in page.text if "asks for a loan <b>today</b>." in text.value)
    assert server.asked == []
    page.button(key="study_trial").click()
    assert "Chance of “Yes”: 75 %" in words_of(run(page))
    assert server.asked[-1]["messages"][0]["content"] == person


def test_a_trial_at_an_address_that_fails_is_asked_once(
    server: LocalServer, open_page: OpenPage, run: Run, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page would wait for every further attempt."""
    monkeypatch.setenv("PSA_HISTORY", "1")
    server.answer = lambda _: (503, {})
    page = open_page("new_study", study_model="own question")
    page.radio(key="study_asked").set_value("A model at an address")
    run(page)
    page.text_input(key="study_address").set_value(server.address)
    page.text_area(key="study_question").set_value("Do you grant it?")
    run(page)
    page.button(key="study_trial").click()
    assert "503" in words_of(run(page))
    assert len(server.asked) == 1


def test_the_packaged_model_answers_in_a_process_of_its_own(
    open_page: OpenPage, run: Run, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    class Answered:
        targets = (Target("yes"),)

        def score(self, texts: list[str]) -> np.ndarray:
            return np.full((len(texts), 1), 0.25, np.float32)

    monkeypatch.setattr(models, "load", lambda *_, **__: pytest.fail("loaded into the server's own process"))
    monkeypatch.setattr(subprocess_scorer, "load", lambda model_id, _: asked.append(model_id) or Answered())
    page = open_page("new_study", study_model="own question")
    page.text_area(key="study_question").set_value("Would you rent this flat to this person?")
    run(page)
    page.button(key="study_trial").click()
    assert "Yes score: 0.25" in words_of(run(page))
    assert asked and asked[0].startswith("ask:lm:smollm2?question=")


def test_a_number_is_asked_for_on_a_scale(open_page: OpenPage, run: Run, words_of: Words) -> None:
    page = open_page("new_study", study_model="own question")
    assert "study_asked" not in [item.key for item in page.radio]  # a visitor may not have this machine ask an address
    page.radio(key="study_answer_kind").set_value("A number")
    run(page)
    page.text_area(key="study_question").set_value("How suitable is this person?")
    assert "Returns number, 1 to 10: number in answer to: How suitable" in words_of(run(page))
    assert any("a number from 1 to 10" in text.value for text in page.text)


@pytest.mark.parametrize("typed", ["lm:owner/model", "lm:smollm2", "{address}?question=/etc/passwd"])
def test_what_a_visitor_types_as_an_address_is_one(
    typed: str, server: LocalServer, open_page: OpenPage, run: Run, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_HTTP_ALLOW", "*")
    page = open_page("new_study", study_model="own question")
    page.radio(key="study_asked").set_value("A model at an address")
    run(page)
    page.text_area(key="study_question").set_value("Would you rent this flat to this person?")
    page.text_input(key="study_address").set_value(typed.format(address=server.address))
    assert "That did not work" in words_of(run(page))
    assert "study_trial" not in [button.key for button in page.button] and server.asked == []
