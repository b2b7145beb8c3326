"""What is written down holds: links lead somewhere, commands are commands, Python compiles, the example is executed."""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.execute import executed
from psa_core import cli

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
FENCE = re.compile(r"^( *)(`{3,})([^\n`]*)\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
PROGRAMS = (["psa"], ["python", "-m", "psa_core"], [".venv/bin/python", "-m", "psa_core"])


def prose(page: Path) -> str:
    return re.sub(r"(`+).+?\1", "", FENCE.sub("", page.read_text(encoding="utf-8")))


def blocks(page: Path) -> list[tuple[str, str]]:
    """Language and content of each fenced block."""
    return [(match[3].strip(), match[4]) for match in FENCE.finditer(page.read_text(encoding="utf-8"))]


def anchors(page: Path) -> set[str]:
    """Headings as links name them."""
    headings = re.findall(r"^#+ +(.+?) *$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)) for heading in headings)
    return {heading.lower().replace(" ", "-") for heading in plain}


def commands(page: Path) -> Iterator[list[str]]:
    """Arguments of each of our commands in a block; those with something left out (…) are no whole commands."""
    for language, content in blocks(page):
        if language not in ("", "sh", "bash", "console"):
            continue
        for line in content.replace("\\\n", " ").splitlines():
            words = shlex.split(line.split("#")[0].replace("\u2026]", "]")) if line.count("'") % 2 == 0 else []
            words = [word for word in words if "=" not in word or not word.isupper()]
            while words and re.fullmatch(r"\$|[A-Z_]+=\S*", words[0]):
                words = words[1:]
            for program in PROGRAMS:
                if words[: len(program)] == program and not re.search(r"\u2026|\||\[|\.\.\.", line):
                    yield words[len(program) :]


def test_links_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        for link in LINK.findall(prose(page)):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            there = (page.parent / path).resolve() if path else page
            if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
                broken.append(f"{page.name}: {link}")
    assert broken == []


def test_commands_are_commands(capsys: pytest.CaptureFixture[str]) -> None:
    parser = cli.parser()
    refused = []
    for page in PAGES:
        for words in commands(page):
            if words and words[0] != "&":
                try:
                    parser.parse_args(words)
                except SystemExit:
                    refused.append(f"{page.name}: {shlex.join(words)}")
    assert refused == [], capsys.readouterr().err


def test_the_container_runs_a_command() -> None:
    container = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    started = [json.loads(re.findall(rf"^{word} (.*)$", container, re.MULTILINE)[-1]) for word in ("ENTRYPOINT", "CMD")]
    psa, *words = [*started[0], *started[1]]
    assert psa == "psa" and words[0] == "app"
    cli.parser().parse_args(words)


@pytest.mark.slow
def test_the_site_is_built(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="Sphinx is not installed (requirements-dev.txt)")
    command = [sys.executable, "-m", "sphinx", "-q", "-d", tmp_path / "trees", ROOT / "docs"]
    done = subprocess.run([*command, tmp_path / "site"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "psa_core.study.run" in (tmp_path / "site" / "reference.html").read_text(encoding="utf-8")


def test_python_compiles() -> None:
    for page in PAGES:
        for language, content in blocks(page):
            if language == "python":
                compile(content, str(page), "exec", flags=ast.PyCF_ONLY_AST)


def test_the_page_on_the_command_line_is_not_the_only_one_with_commands() -> None:
    assert sum(1 for page in PAGES for _ in commands(page)) > 20


@pytest.mark.slow
def test_the_example_notebook_shows_what_it_showed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    kept = json.loads((ROOT / "docs" / "example.ipynb").read_text(encoding="utf-8"))
    assert [shown(cell) for cell in executed(kept)["cells"]] == [shown(cell) for cell in kept["cells"]]


def shown(cell: dict) -> list[list[str]]:
    """What a cell's outputs are: pictures, tables, texts; their words may change without the page being wrong."""
    return [sorted(output.get("data", {"text": ""})) for output in cell.get("outputs", [])]
