from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from research.documents import replaced
from research.statistics import Check, generation, page
from research.statistics import __main__ as command

KEPT = Check("Kept", "10 sentences", 0.95, 0.93, 0.97, 400)
BROKEN = Check("Broken", "10 sentences", 0.5, 0.93, 0.97, 400)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Check]:
    """The checks that the command is made to measure."""
    found = [KEPT]
    monkeypatch.setattr(command, "run_checks", lambda repetitions, seed: iter(found))
    monkeypatch.setattr(command, "run_claims", lambda repetitions, seed: iter(()))
    monkeypatch.setattr(command, "unseen_jumps", lambda sentences, repetitions: 0.0)
    monkeypatch.setattr(
        command, "power_table", lambda repetitions, seed: pd.DataFrame({"sentences": [30], "detectable": [0.9]})
    )
    return found


def test_prints_its_tables(measured: list[Check], capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([]) == 0
    assert "| Kept |" in capsys.readouterr().out


def test_writes_between_the_marks(measured: list[Check], tmp_path: Path) -> None:
    out = tmp_path / "statistics.md"
    out.write_text("words\n<!-- simulation -->\n<!-- /simulation -->\n", encoding="utf-8")
    assert command.main(["--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert text.startswith("words\n")
    assert "| Kept |" in text


def test_the_commands_leave_each_others_tables_alone() -> None:
    shipped = (Path(__file__).parents[3] / "docs" / "statistics.md").read_text(encoding="utf-8")
    names = replaced(shipped, {page.SECTION: "NAMES"})
    both = replaced(names, {generation.SECTION: "AUDITS"})
    assert both.count("NAMES\n") == 1 == both.count("AUDITS\n")
    assert replaced(replaced(shipped, {generation.SECTION: "AUDITS"}), {page.SECTION: "NAMES"}) == both


def test_a_broken_promise_is_an_exit_code(measured: list[Check]) -> None:
    measured.append(BROKEN)
    assert command.main([]) == 1


def test_bad_input_is_one_sentence(measured: list[Check], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = tmp_path / "plain.md"
    plain.write_text("no marks", encoding="utf-8")
    for arguments in (["--repetitions", "1"], ["--out", str(tmp_path / "absent.md")], ["--out", str(plain)]):
        assert command.main(arguments) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert plain.read_text(encoding="utf-8") == "no marks"
