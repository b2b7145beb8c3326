"""A wheel made from this checkout, installed aside, works outside of it: command, library, dashboard, assets, pages."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import urllib.request
from contextlib import suppress
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = """
from streamlit.testing.v1 import AppTest
from psa_core.registry import home
page = AppTest.from_file(str(home() / "app.py"), default_timeout=120).run()
assert not page.exception, page.exception
print(page.title[0].value)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the wheel was unpacked; everything that it depends on comes from the environment of the tests."""
    pytest.importorskip("hatchling", reason="hatchling is not installed (requirements-dev.txt)")
    place = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    alone = ["--no-deps", "--no-index"]
    subprocess.run([*pip, "wheel", *alone, "--no-build-isolation", "-w", str(place), str(ROOT)], check=True)
    (wheel,) = place.glob("*.whl")
    subprocess.run([*pip, "install", *alone, "--target", str(place / "site"), str(wheel)], check=True)
    return place / "site"


@pytest.fixture(scope="module")
def about(site: Path) -> Message:
    """What the wheel says of itself to an index."""
    return Parser().parsestr(next(site.glob("psa_dashboard-*.dist-info/METADATA")).read_text(encoding="utf-8"))


def elsewhere(site: Path, place: Path) -> dict[str, Any]:
    """How a program of that installation is run in an empty folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PSA_", "PYTHON", "STREAMLIT"))}
    folders = {"PYTHONPATH": str(site), "PSA_CACHE_DIR": str(place / "cache"), "PSA_RUNS_DIR": str(place / "runs")}
    (place / "empty").mkdir(exist_ok=True)
    return {"cwd": place / "empty", "env": kept | folders, "text": True}


def outside(site: Path, place: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a program of that installation in an empty folder."""
    return subprocess.run(command, capture_output=True, **elsewhere(site, place))


@pytest.mark.slow
def test_the_main_job_runs_from_the_wheel(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    study = ["--sentences", "sample", "--names", "demo", "--model", "profanity-check", "--sample", "8"]
    done = outside(site, tmp_path, str(site / "bin" / "psa"), "run", *study, "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert json.loads((out / "manifest.json").read_text(encoding="utf-8"))["cells"] == 8 * 20
    assert (out / "report.html").is_file()


@pytest.mark.slow
def test_the_dashboard_s_first_page_runs_from_the_wheel(site: Path, tmp_path: Path) -> None:
    done = outside(site, tmp_path, sys.executable, "-c", PAGE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "Same sentence, different name"


@pytest.mark.slow
def test_pytest_finds_the_fixture_of_an_installed_wheel(site: Path, tmp_path: Path) -> None:
    done = outside(site, tmp_path, sys.executable, "-m", "pytest", "--fixtures", "-p", "no:cacheprovider")
    assert re.search(r"psa -- \S*site/psa_core/pytest_plugin.py", done.stdout), done.stdout[-2000:]


@pytest.mark.slow
def test_everything_that_the_checkout_has_for_the_dashboard_is_in_the_wheel(site: Path) -> None:
    found = [ROOT / "app.py", ROOT / ".streamlit" / "config.toml"]
    found += [path for room in ("pages", "assets", "static") for path in (ROOT / room).rglob("*")]
    files = [path.relative_to(ROOT) for path in found if path.is_file() and path.suffix != ".pyc"]
    assert len(files) > 100
    assert [name for name in files if not (site / "psa_core" / "_dashboard" / name).is_file()] == []
    about = next(site.glob("psa_dashboard-*.dist-info"))
    assert {path.name for path in (about / "licenses").iterdir()} == {"LICENSE", "NOTICE.md"}


@pytest.mark.slow
def test_the_command_of_the_package_s_name_opens_the_dashboard(site: Path, tmp_path: Path) -> None:
    # What `uvx psa-dashboard` and `pipx run psa-dashboard` run once they have installed it.
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(site / "bin" / "psa-dashboard"), "--port", str(port), "--", "--server.headless=true"]
    log = (tmp_path / "log").open("w")
    server = subprocess.Popen(command, stdout=log, stderr=log, **elsewhere(site, tmp_path))
    answer = ""
    try:
        while not answer and server.poll() is None:
            with suppress(URLError, ConnectionError), urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
                answer = page.read().decode()
    finally:
        server.terminate()
        server.wait(20)
        log.close()
    assert "<title>Streamlit</title>" in answer, (tmp_path / "log").read_text()


@pytest.mark.slow
def test_the_wheel_is_small_and_an_index_can_show_it(site: Path, about: Message) -> None:
    (wheel,) = site.parent.glob("*.whl")
    assert wheel.stat().st_size < 15e6  # adapters included, 10 MB
    assert about["Name"] == "psa-dashboard" and about["License-Expression"] == "Apache-2.0"
    assert {"Programming Language :: Python :: 3.11", "Programming Language :: Python :: 3.13"} <= set(
        about.get_all("Classifier", [])
    )
    words = about.get_payload()
    assert "# Same sentence, different name" in words
    assert re.findall(r"\]\((?!https?:)[^)]*\)", words) == []  # a relative link leads nowhere on an index
