"""Damaged documents, answers, conditions, tasks, questions and evidence, given to the command line."""

from __future__ import annotations

import csv
import io
import json
import random
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

from psa_core import cli
from psa_core.errors import PsaError
from psa_core.models._judges.question_file import FOLDER
from tests.fuzz.mutation import damaged, damaged_table, every_format, odd_json, odd_text
from tests.inputs import test_documents

Draw = random.Random
STUDY = ("--sentences", "letters.csv", "--names", "demo", "--anchors", "slot")
LETTERS = "sentence_id,text\na,{name} asked for {his} key.\nb,Dear {name} thanks.\n"


class RefusedError(PsaError):
    """What the command line said, as it said it."""

    def __init__(self, said: str) -> None:
        Exception.__init__(self, said)
        self.said = said

    def __str__(self) -> str:
        return self.said


def told(folder: Path, *arguments: str) -> None:
    """Run a command in the folder: status 0, or 2 with one sentence and nothing written."""
    (folder / "letters.csv").write_text(LETTERS, encoding="utf-8")
    said, out = io.StringIO(), folder / "out"
    paths = [str(folder / part) if part == "letters.csv" else part for part in arguments]
    with redirect_stdout(io.StringIO()), redirect_stderr(said):
        status = cli.main([*paths, "--out", str(out)])
    if status == 0:
        return
    assert status == 2, f"status {status}: {said.getvalue()}"
    assert not out.exists(), "it was refused, and something was written"
    assert said.getvalue().count("\n") == 1, said.getvalue()
    raise RefusedError(said.getvalue().strip())


def documents(draw: Draw, folder: Path) -> object:
    """A damaged document among others in a zip, a damaged zip, or a document by itself."""
    files = dict(_documents())
    changed = draw.choice([*files])
    files[changed] = damaged(files[changed], draw, list(files.values()))
    name, content = changed, files[changed]
    if draw.random() < 0.6:
        name, content = "cvs.zip", _zipped(files, draw)
    (folder / name).write_bytes(content)
    return told(folder, "sentences", "--sentences", str(folder / name), "--max-words", "900")


@cache
def _documents() -> dict[str, bytes]:
    text = "He wrote to her about his old house. "
    return {"a.md": f"# Ann\n\n{text}".encode(), "b.docx": test_documents.docx(), "c.pdf": test_documents.pdf(text)}


def _zipped(files: dict[str, bytes], draw: Draw) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", draw.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))) as archive:
        for name, content in files.items():
            archive.writestr(draw.choice((name, f"cvs/{name}", f"../{name}", name.upper())), content)
    return damaged(packed.getvalue(), draw) if draw.random() < 0.5 else packed.getvalue()


def answers(draw: Draw, folder: Path) -> object:
    """A file of answers, some lines odd."""
    lines = _answers(folder)
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(lines))
        row = json.loads(lines[place])
        if "response" in row and draw.random() < 0.9:
            row["response"] = odd_json(row["response"], draw)
        else:
            row = odd_json(row, draw)
        lines[place] = json.dumps(row).encode()
    content = b"\n".join(lines)
    (folder / "a.jsonl").write_bytes(content if draw.random() < 0.9 else damaged(content, draw))
    options = draw.choice(("", "", "", "?question=loan", "?order=both", f"?{odd_text(draw)}"))
    return told(folder, "run", *STUDY, "--no-cache", "--model", f"answers:{folder / 'a.jsonl'}{options}")


def _answers(folder: Path) -> list[bytes]:
    """What a provider would send back for the study, with Yes and No in turns."""
    told(folder, "requests", *STUDY, "--model", "ask:chat:http://localhost:9/v1?question=loan")
    requests = [json.loads(line) for line in (folder / "out").read_text("utf-8").splitlines()]
    (folder / "out").unlink()
    said = [{"message": {"role": "assistant", "content": word}, "finish_reason": "stop"} for word in ("Yes", "No")]
    rows = [
        {
            "custom_id": row["custom_id"],
            "response": {"status_code": 200, "body": {"model": "m", "choices": [said[n % 2]]}},
        }
        for n, row in enumerate(requests)
    ]
    return [json.dumps(row).encode() for row in rows]


def conditions(draw: Draw, folder: Path) -> object:
    """A table of conditions."""
    rows = [("none", "", "", ""), ("told", "Be fair.", "By law:\nnobody.", ""), ("hidden", "", "=1+1", "initials")]
    name, content = _table(draw, ("condition", "system", "context", "names"), rows)
    (folder / name).write_bytes(content)
    given = str(folder / name) if draw.random() < 0.9 else f"none,{odd_text(draw)}"
    return told(folder, "texts", *STUDY, "--conditions", given)


def evidence(draw: Draw, folder: Path) -> object:
    """A list of names with shares, and a rule about them."""
    rows = [("Ann Lee", "female", "0.99", "0.7"), ("Bo Kim", "male", "0.02", "nan"), ("Al Ray", "male", "1e-3", "")]
    name, content = _table(draw, ("name", "gender", "p_female", "p_black"), rows)
    (folder / name).write_bytes(content)
    rules = ("p_female>=.9", "p_black >= 0.5, p_female>=0", "p_female>=2", f"p_{odd_text(draw)}>=.5", odd_text(draw))
    rule = draw.choice(rules)
    return told(folder, "texts", *STUDY[:2], "--names", str(folder / name), f"--evidence={rule}")


SLOTS = (
    "name",
    "first",
    "last",
    "title",
    "initials",
    "email",
    "he",
    "Him",
    "his",
    "is/are",
    "himself",
    "nobody",
    "",
    "{",
)


def people(draw: Draw, folder: Path) -> object:
    """A list of people with parts of names, put into the slots of a text or in the place of a person."""
    rows = [("Ann", "Lee", "female", "Dr"), ("Bo", "van Kim", "male", ""), ("", "O’Neil", "nonbinary", "Prof.")]
    name, content = _table(draw, ("first", "last", "gender", "title"), rows)
    (folder / name).write_bytes(content)
    pieces = [f"{{{slot}}}" for slot in draw.choices(SLOTS, k=4)] + ["{name}", "Jane Doe lost her", odd_text(draw)]
    texts = [("a", " ".join(draw.sample(pieces, 5))), ("b", "Dear {title} {last}, thanks. Jane Doe wrote to us.")]
    with (folder / "slots.csv").open("w", encoding="utf-8", errors="replace", newline="") as file:
        csv.writer(file).writerows([("sentence_id", "text"), *texts])
    anchors = draw.choice(("slot", "slot", "person"))
    given = ("--sentences", str(folder / "slots.csv"), "--names", str(folder / name), "--anchors", anchors)
    return told(folder, "texts", *given)


def tasks(draw: Draw, folder: Path) -> object:
    """A table of tasks for an assistant."""
    rows = [("Write {name} a letter.", "work", ""), ("What should {name} earn?", "pay", "$"), ("Hello", "", "years")]
    name, content = _table(draw, ("task", "domain", "number"), rows)
    (folder / name).write_bytes(content)
    prompts = folder / "prompts.csv"
    return told(folder, "chats", "--tasks", str(folder / name), "--people", "2", "--export-prompts", str(prompts))


def asked(draw: Draw, folder: Path) -> object:
    """A question for judges, as requests."""
    content = json.loads(draw.choice(sorted(FOLDER.glob("*.json"))).read_bytes())
    changed = json.dumps(odd_json(content, draw)).encode()
    (folder / "q.json").write_bytes(changed if draw.random() < 0.8 else damaged(changed, draw))
    model = f"ask:chat:http://localhost:9/v1?question={folder / 'q.json'}"
    return told(folder, "requests", *STUDY, "--model", model)


def _table(draw: Draw, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> tuple[str, bytes]:
    """The table in some format with odd cells, or damaged; and the name of its file."""
    if draw.random() < 0.5:
        return damaged_table(draw, every_format(columns, rows))
    odd = [tuple(odd_text(draw) if draw.random() < 0.1 else cell for cell in row) for row in rows]
    written = io.StringIO()
    csv.writer(written).writerows([columns, *odd])
    return "a.csv", written.getvalue().encode("utf-8", "replace")
