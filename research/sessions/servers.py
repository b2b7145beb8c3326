"""Dashboards started for a measurement: on loopback, with folders of their own, stopped at its end."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError

ROOT = Path(__file__).resolve().parent.parent.parent
HOST = "127.0.0.1"
TO_START = 120.0
TO_STOP = 20.0


@dataclass(frozen=True)
class Served:
    """One address and the server processes behind it."""

    address: str
    processes: tuple[int, ...]


@contextmanager
def served(count: int, place: Path) -> Iterator[Served]:
    """Start `count` server processes that share runs and cache; nginx in front of them when there are several."""
    ports = free_ports(count + 1)
    folders = {"PSA_RUNS_DIR": str(place / "runs"), "PSA_CACHE_DIR": str(place / "cache")}
    environment = os.environ | folders | {"STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32)}
    with ExitStack() as stack:
        started = [stack.enter_context(process(dashboard(port), environment, place)) for port in ports[:count]]
        if count > 1:
            configuration = place / "nginx.conf"
            configuration.write_text(nginx_configuration(ports[count], ports[:count]), encoding="utf-8")
            stack.enter_context(process(_nginx(configuration), environment, place))
        for port in ports if count > 1 else ports[:1]:
            wait_for(f"http://{HOST}:{port}/_stcore/health")
        yield Served(f"http://{HOST}:{ports[count if count > 1 else 0]}", tuple(started))


def nginx_configuration(port: int, servers: list[int]) -> str:
    """The configuration of the docs with these ports in place of its own."""
    text = (ROOT / "docs" / "nginx.conf").read_text(encoding="utf-8")
    lines = "\n".join(f"        server {HOST}:{each};" for each in servers)
    text = re.sub(r"(?:^ +server 127\.0\.0\.1:\d+;\n)+", lambda _: lines + "\n", text, flags=re.MULTILINE)
    return text.replace("listen 127.0.0.1:8500", f"listen {HOST}:{port}")


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody listens on."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind((HOST, 0))
        return [probe.getsockname()[1] for probe in probes]


def dashboard(port: int, script: str = "app.py") -> list[str]:
    """The command that serves a script of Streamlit on a port."""
    options = (f"--server.port={port}", f"--server.address={HOST}")
    return [sys.executable, "-m", "streamlit", "run", script, *options]


def _nginx(configuration: Path) -> list[str]:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        raise SystemExit("Several processes behind one address need nginx (Debian: nginx-light). Or give --servers 1.")
    return [program, "-p", str(configuration.parent), "-c", str(configuration)]


@contextmanager
def process(command: list[str], environment: dict[str, str], place: Path) -> Iterator[int]:
    """A process, ended when the block is left; what it says goes to the log of the place."""
    with (place / "log").open("ab") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(TO_STOP)


def wait_for(address: str) -> None:
    """Wait until somebody answers at an address."""
    until = time.monotonic() + TO_START
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise SystemExit(f"nobody answers at {address}")
