"""The public demo: its limits are settings, and its start answers as a shared server does."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError

import pytest
import yaml

from psa_core.inputs.limits import LIMITS

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "demo"
DOCKERFILE = (DEMO / "Dockerfile").read_text(encoding="utf-8")


def settings() -> dict[str, str]:
    """What the container sets."""
    lines = re.findall(r"^ENV (.*)$", DOCKERFILE, re.MULTILINE)
    return dict(pair.split("=", 1) for line in lines for pair in shlex.split(line))


def test_every_limit_is_one_and_smaller_than_a_server_s() -> None:
    known = {limit.setting: limit for limit in LIMITS}
    limited = {name: int(value) for name, value in settings().items() if name.startswith("PSA_MAX_")}
    assert len(limited) > 10
    for name, value in limited.items():
        assert 0 < value < known[name].default, name


def test_the_space_reads_the_port_that_the_start_listens_on() -> None:
    card = yaml.safe_load((DEMO / "README.md").read_text(encoding="utf-8").split("---")[1])
    assert card["sdk"] == "docker" and len(card["short_description"]) <= 60
    assert f"EXPOSE {card['app_port']}\n" in DOCKERFILE
    assert f"${{PORT:-{card['app_port']}}}" in (DEMO / "start").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_start_answers(tmp_path: Path) -> None:
    psa = tmp_path / "bin" / "psa"
    psa.parent.mkdir()
    psa.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m psa_core "$@"\n', encoding="utf-8")
    psa.chmod(0o755)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PSA_", "STREAMLIT"))}
    own = {"PATH": f"{psa.parent}:{kept['PATH']}", "PYTHONPATH": str(ROOT), "PORT": port}
    places = {f"PSA_{room}_DIR": str(tmp_path / room) for room in ("RUNS", "CACHE")}
    log = (tmp_path / "log").open("w")
    server = subprocess.Popen(
        [DEMO / "start"], env=kept | settings() | own | places, cwd=tmp_path, stdout=log, stderr=log
    )
    answer = ""
    try:
        while not answer and server.poll() is None:
            with suppress(URLError, ConnectionError), urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
                answer = page.read().decode()
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)
        log.close()
    assert "<title>Streamlit</title>" in answer, (tmp_path / "log").read_text()
