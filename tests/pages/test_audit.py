"""An audit that was added as a folder has a page: a form by its options, which stand in the address, and results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from psa_core import audits, cli, jobs, options
from tests.audits.test_audit import added
from tests.jobs.waiting import waiting_run

OpenPage = Callable[..., AppTest]
Words = Callable[[AppTest], str]
Run = Callable[[AppTest], AppTest]


FIELD = '    most: int = option(40, low=1, help="letters at most", label="Letters at most")\n'


@pytest.fixture(autouse=True)
def lengths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[audits.Audit]:
    """The audit of `tests.audits.test_audit`, in a folder that is not ours, with one more field."""
    yield from added(tmp_path, monkeypatch, FIELD)


def test_one_more_field_is_on_every_surface_and_in_the_key(
    open_page: OpenPage, run: Run, tmp_path: Path, lengths: audits.Audit
) -> None:
    for words, most in (([], 40), (["--most", "9"], 9)):
        out = tmp_path / f"out-{most}"
        assert cli.main(["lengths", "--texts", "one", *words, "--out", str(out)]) == 0
        manifest = json.loads((out / "manifest.json").read_text("utf-8"))
        assert manifest["options"]["most"] == most
        assert f"--most {most}" in lengths.commands(manifest)[0]
    page = open_page("audit", audit="lengths", lengths_most="9")
    assert page.number_input(key="lengths_most").value == 9
    page.number_input(key="lengths_most").set_value(12)
    assert run(page).query_params["lengths_most"] in ("12", ["12"])
    few, many = (lengths.spec(texts=("one",), most=most) for most in (9, 40))
    assert options.key_parts(few) != options.key_parts(many)


def test_the_form_starts_a_run_and_its_values_stand_in_the_address(
    open_page: OpenPage, run: Run, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []

    def submit(command: str, arguments: Any, *_: Any, **__: Any) -> str:
        started.extend([command, *arguments])
        return "x" * 20

    monkeypatch.setattr(jobs, "submit_audit", submit)
    page = open_page("audit", audit="lengths", lengths_least="7")
    assert page.number_input(key="lengths_least").value == 7
    assert page.number_input(key="lengths_least").label == "Letters at least"
    page.number_input(key="lengths_least").set_value(2)
    page.text_input(key="lengths_texts").set_value("one,three")
    page = run(page)
    assert page.query_params["lengths_least"] in ("2", ["2"])
    page.button(key="lengths_start").click().run()
    assert started == ["lengths", "--texts", "one,three", "--most", "40", "--least", "2"]
    odd = open_page("audit", audit="lengths", lengths_least="99")
    assert odd.number_input(key="lengths_least").value == 1, "what is no value is not heard"


def test_a_result_is_shown_with_its_finding_tables_and_limits(
    open_page: OpenPage, words_of: Words, tmp_path: Path
) -> None:
    assert cli.main(["lengths", "--texts", "one,three", "--out", str(tmp_path / "out")]) == 0
    run_id = waiting_run("lengths")
    (jobs.root() / run_id / jobs.RESULT).symlink_to(tmp_path / "out")
    jobs.write_status(jobs.root() / run_id, state="finished")
    page = open_page("audit", audit="lengths", lengths=run_id)
    said = words_of(page)
    assert "The longest text has 5 letters." in said and "Letters are no words." in said
    assert page.dataframe[0].value["length"].tolist() == [3, 5]


def test_an_unknown_audit_is_one_sentence(open_page: OpenPage) -> None:
    assert "There is no such audit here" in open_page("audit", audit="none").info[0].value
