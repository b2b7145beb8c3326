"""``psa app``: one's own dashboard answers to this machine alone; visitors' lists nothing of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from psa_core import cli
from psa_core.registry import home

ROOT = Path(__file__).resolve().parents[2]
Started = Callable[..., tuple[list[str], dict[str, str]]]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """What a command would become: its words, and its environment."""

    def start(*arguments: str) -> tuple[list[str], dict[str, str]]:
        calls: list[tuple[list[str], dict[str, str]]] = []
        monkeypatch.setattr(os, "execve", lambda _, command, environment: calls.append((command, environment)))
        cli.main(["app", *arguments])
        ((command, environment),) = calls
        return command, environment

    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    return start


def settings(command: list[str], name: str) -> list[str]:
    return [value for option, value in pairwise(command) if option == f"--server.{name}"]


def test_the_app_is_that_of_the_checkout() -> None:
    assert home() == ROOT


def test_your_own_dashboard_listens_and_answers_to_this_machine_only(started: Started) -> None:
    command, environment = started("--port", "8600")
    assert command[:5] == [sys.executable, "-P", "-m", "streamlit", "run"]
    assert command[5] == str(ROOT / "app.py")
    assert settings(command, "address") == ["localhost"] and settings(command, "port") == ["8600"]
    assert settings(command, "allowedHosts") == ["localhost", "127.0.0.1"]
    assert environment["PSA_HISTORY"] == "1"


def test_where_there_is_a_screen_the_browser_opens(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    assert settings(started()[0], "headless") == ["false"]
    assert settings(started("--shared")[0], "headless") == []


def test_visitors_get_nothing_of_this_machine(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_HISTORY", "1")
    command, environment = started("--shared", "--address", "0.0.0.0", "--host", "psa.example.org")
    assert "PSA_HISTORY" not in environment
    assert settings(command, "address") == ["0.0.0.0"]
    assert settings(command, "allowedHosts") == ["psa.example.org"]


def test_further_options_are_streamlit_s(started: Started) -> None:
    assert started("--", "--server.maxUploadSize", "50")[0][-2:] == ["--server.maxUploadSize", "50"]


@pytest.mark.parametrize("options", [["--address", "0.0.0.0"], ["--host", "psa.example.org"]])
def test_nobody_else_gets_to_your_own_dashboard(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["app", *options]) == 2
    assert "add --shared" in capsys.readouterr().err


@pytest.mark.parametrize("port", ["-1", "65536"])
def test_a_port_is_one(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["app", "--port", port]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_settings_that_are_wrong_start_no_server(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("it was started"))
    monkeypatch.setenv("PSA_MAX_OPENED_MB", "plenty")
    assert cli.main(["app"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("psa app: PSA_MAX_OPENED_MB: got 'plenty', expected") and told.count("\n") == 1


def test_a_server_with_wrong_settings_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_MAX_OPENED_MB", "plenty")
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    assert not page.exception
    assert any("PSA_MAX_OPENED_MB" in text.value for text in page.text)
