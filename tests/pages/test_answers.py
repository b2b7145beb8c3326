"""Answers to people: setting up, and a finished audit from its sentence to its transcripts."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from psa_core import generators, jobs, models
from psa_core.audits._running import Running
from psa_core.audits.chats import AUDIT
from psa_core.audits.chats.grader import judgements
from psa_core.audits.chats.result import SCORES
from psa_core.trust import Origin
from tests.audits.chats.test_grader import Picker
from tests.audits.chats.test_result import spec
from tests.audits.chats.writers import Assistant


@pytest.fixture
def finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("psa_core.audits.chats.result.minilm_embeddings", lambda texts: [[1.0, 0.0]] * len(texts))
    monkeypatch.setattr(generators, "load", lambda _: Assistant(shorter=0.3))
    load = models.load
    monkeypatch.setattr(models, "load", lambda item: Picker() if item.startswith("ask:") else load(item))
    AUDIT.run(spec(tmp_path, grader=("ask:x?question=which-helps",)), tmp_path / "out", Running())
    return jobs.adopt("chats", tmp_path / "out")


def test_a_finished_audit_says_one_sentence_and_shows_answers(finished: str, open_page, words_of) -> None:  # type: ignore[no-untyped-def]
    page = open_page("answers", chats=finished)
    said = words_of(page)
    assert "Answers to people read as women are" in said and "] shorter" in said
    assert "16 people" in said and "Answers that differ most in length in words" in said
    assert {tab.label for tab in page.tabs} == {"Differences", "Unusual answers", "Quantiles", "Domains", "People"}


def test_what_a_reader_judged_is_there_after_a_reload(finished: str, open_page, run, words_of) -> None:  # type: ignore[no-untyped-def]
    page = open_page("answers", chats=finished)
    assert "0 pairs judged" in words_of(page)
    page.button(key="chats_judge_f").click()
    run(page)
    said = words_of(open_page("answers", chats=finished))
    assert "1 pair judged; 10 in which you and the grader both pick one are needed." in said
    rows = judgements(jobs.result_folder(finished))
    assert rows["grader"].tolist() == ["picked.helps"] and rows["choice"].tolist() == ["first"]


def test_a_measure_of_an_opened_zip_is_never_markup(finished: str, tmp_path: Path, open_page) -> None:  # type: ignore[no-untyped-def]
    folder, name = jobs.result_folder(finished), "picked.[evil](http://evil.example)"
    pd.read_parquet(folder / SCORES).rename(columns={"picked.helps": name}).to_parquet(folder / SCORES)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["measures"] = [name if measure == "picked.helps" else measure for measure in manifest["measures"]]
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    AUDIT.rewrite(folder, tmp_path / "again")
    page = open_page("answers", chats=jobs.adopt("chats", tmp_path / "again"), chats_measure=name)
    shown = [*(button.label for button in page.button), *(header.value for header in page.header)]
    named = [words for words in shown if "evil" in words]
    assert len(named) == 3 and not [words for words in named if "[evil](" in words]


def test_a_price_is_said_before_a_provider_is_asked(open_page, run, words_of, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("pages.ui.frame.visitor.origin", lambda: Origin.OWN_MACHINE)
    page = open_page("answers")
    page.selectbox(key="chats_lm").set_value("chat:")
    page = run(page)
    address = "http://localhost:1/v1#model=gpt-4o-mini"
    page.text_input(key="chats_lm_chat:").set_value(address)
    page = run(page)
    assert "tokens to read and up to 960,000 to write: at most $0." in words_of(page)


def test_setting_up_says_what_it_will_take(open_page, run, words_of) -> None:  # type: ignore[no-untyped-def]
    page = open_page("answers")
    metrics = {metric.label: metric.value for metric in page.metric}
    assert metrics["Answers"] == f"{40 * 32 * 5:,}"
    page.segmented_control(key="chats_which").set_value("Your own tasks")
    page = run(page)
    assert {metric.label: metric.value for metric in page.metric}["Answers"] == f"{2 * 32 * 5:,}"
    assert "My name is" in words_of(page)
