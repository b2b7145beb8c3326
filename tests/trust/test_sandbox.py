"""What a process can still do that has given up everything else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from psa_core.inputs import bounded
from psa_core.inputs.limits import ASK_MEMORY, ASK_SECONDS
from psa_core.models._transformers import render_within_limits
from psa_core.trust import sandbox
from psa_core.trust.sandbox import Sandbox

ROOT = Path(__file__).resolve().parents[2]
KERNEL = pytest.mark.skipif(not sandbox.landlock(), reason="no Landlock in this kernel: Python's audit events only")
TRIES = """
import sys; sys.path.insert(0, sys.argv[1])
from psa_core.trust import sandbox
exec(sys.argv[3])
sandbox.enter()
import ctypes, json, os, socket, subprocess
from pathlib import Path
def works(what):
    try:
        what()
    except (OSError, subprocess.SubprocessError):
        return False
    return True
place, parent = Path(sys.argv[2]), f"/proc/{os.getppid()}"
libc = ctypes.CDLL(None)
print(json.dumps({
    "own": works(lambda: (Path(os.environ["HOME"]) / "x").write_text("x")),
    "given": works((place / "given" / "x").read_text),
    "write given": works(lambda: (place / "given" / "y").write_text("x")),
    "secret": works((place / "secret").read_text),
    "link": works((place / "given" / "link").read_text),
    "list": works(lambda: os.listdir(place)) and sys.platform == "linux",
    "write": works(lambda: (place / "new").write_text("x")),
    "checkout": works(Path(sys.argv[1], "README.md").read_text),
    "passwords": works(Path("/etc/passwd").read_text),
    "parent": works(lambda: Path(parent, "environ").read_bytes()),
    "by C": libc.open(str(place / "secret").encode(), 0) >= 0,
    "child": works(lambda: subprocess.run([sys.executable, "-c", f"open({str(place / 'secret')!r})"], check=True)),
    "connect": works(lambda: socket.create_connection(("127.0.0.1", int(sys.argv[4])), 1)),
    "packages": works(lambda: __import__("numpy")),
    "environment": sorted(os.environ),
}))
"""


def tried(place: Path, first: str = "") -> dict[str, object]:
    import socket

    (place / "given").mkdir()
    (place / "given" / "x").write_text("x")
    (place / "secret").write_text("x")
    (place / "given" / "link").symlink_to(place / "secret")
    (place / "home").mkdir()
    box = Sandbox(reads=(str(place / "given"),), scratch=str(place / "home"))
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = subprocess.run(
            [sys.executable, "-P", "-c", TRIES, str(ROOT), str(place), first, str(server.getsockname()[1])],
            env=box.environment(),
            cwd=place / "home",
            stdout=subprocess.PIPE,
            check=True,
        )
    found: dict[str, object] = json.loads(done.stdout)
    return found


@KERNEL
def test_it_reads_what_it_was_given_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "secret")
    monkeypatch.setenv("HF_TOKEN", "secret")
    monkeypatch.setenv("PSA_HTTP_TOKEN", "secret")
    found = tried(tmp_path)
    names = set(found.pop("environment"))
    assert {name for name, works in found.items() if works} == {"own", "given", "packages"}
    assert not names & {"MY_API_KEY", "HF_TOKEN", "PSA_HTTP_TOKEN"}


def test_without_the_kernels_help_python_code_opens_and_asks_nothing(tmp_path: Path) -> None:
    found = tried(tmp_path, "sandbox._limit_files = sandbox._refuse_sockets = lambda *_: False")
    held = {"secret", "link", "write", "checkout", "passwords", "connect"}
    assert not {name for name in held if found[name]}
    assert found["own"] and found["given"] and found["packages"]


def test_what_has_a_process_of_its_own_has_one_in_there_too() -> None:
    process = bounded.Resident(ASK_SECONDS, ASK_MEMORY, Sandbox())
    try:
        given = "{{ messages[0]['content'] }}", {}, [[{"role": "user", "content": "hello"}]], "one that works"
        assert process.call(render_within_limits, *given) == ["hello"]
    finally:
        process.end()


def test_its_environment_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_SECRET_ACCESS_KEY", "PSA_HTTP_ALLOW", "PSA_LOGIN", "SSH_AUTH_SOCK", "STREAMLIT_X", "LD_PRELOAD"):
        monkeypatch.setenv(name, "x")
    own = Sandbox(scratch="/nowhere").environment()
    assert set(own) - set(os.environ) <= {*sandbox.OFFLINE, sandbox.SETTING, "XDG_CACHE_HOME", "XDG_CONFIG_HOME"} | {
        *("HF_HOME", "TMPDIR", "TEMP", "TMP", "HOME")
    }
    assert not {"AWS_SECRET_ACCESS_KEY", "PSA_HTTP_ALLOW", "PSA_LOGIN", "SSH_AUTH_SOCK", "LD_PRELOAD"} & set(own)
    assert own["HOME"] == own["TMPDIR"] == own["HF_HOME"] == "/nowhere" and own["HF_HUB_OFFLINE"] == "1"


def test_without_a_setting_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(sandbox.SETTING, raising=False)
    sandbox.enter()
    assert sandbox.entered() is None
