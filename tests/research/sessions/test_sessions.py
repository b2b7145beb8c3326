"""The sessions benchmark: bounded, on loopback, and its table finds its place in the docs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

from research.sessions import __main__ as sessions
from research.sessions.servers import free_ports, nginx_configuration, served


def test_the_configuration_is_that_of_the_docs_with_other_ports() -> None:
    text = nginx_configuration(9000, [9001, 9002, 9003])
    assert [line.strip() for line in text.splitlines() if "server 127" in line or "listen" in line] == [
        "server 127.0.0.1:9001;",
        "server 127.0.0.1:9002;",
        "server 127.0.0.1:9003;",
        "listen 127.0.0.1:9000;",
    ]
    assert "8501" not in text.partition("events")[2]


def test_ports_are_free_and_differ() -> None:
    assert len(set(free_ports(5))) == 5


@pytest.mark.parametrize("numbers", ["0", "201", "5,1000", "-1"])
def test_counts_are_bounded(numbers: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["sessions", f"--sessions={numbers}"])
    with pytest.raises(SystemExit):
        sessions.main()
    assert "expected numbers from 1 to 200" in capsys.readouterr().err


def test_a_row_says_whether_the_aim_was_met() -> None:
    row = sessions.Row("*Try it*", 1, 20, np.array([1.0, 1.4, 9.0]), wall=2.0, busy=0.04)
    assert str(row) == "| *Try it* | 1 | 20 | 1.40 s | 9.00 s | 1.5 | 40 ms | ≤ 1.5 s: met |"
    assert "**missed**" in str(sessions.Row("*Try it*", 1, 50, np.array([4.1]), wall=1.0, busy=0.1))


@pytest.mark.slow
def test_visitors_are_served_side_by_side(tmp_path: Path) -> None:
    """Also shows that the messages are those of the installed Streamlit."""
    with served(1, tmp_path) as at:
        row = asyncio.run(sessions.measure(sessions.DOINGS[1], at, 3, 2, run_id=""))
    assert len(row.seconds) == 6
    assert (row.seconds > 0).all() and row.busy > 0
