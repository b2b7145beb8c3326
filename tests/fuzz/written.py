"""What audits of language models read: continuations, templates and values, judges' questions, result folders."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

from pages.ui.results import retrain_results
from psa_core import generators
from psa_core.asking import prices
from psa_core.audits import chats
from psa_core.audits._running import Running
from psa_core.audits.chats.grader import JUDGED
from psa_core.audits.generation import AUDIT
from psa_core.audits.generation.cube import GenerationCube
from psa_core.audits.generation.result import GenerationResult, texts_table
from psa_core.audits.generation.tables import tables
from psa_core.cube import Target
from psa_core.inputs import prompts
from psa_core.models import predictions
from psa_core.models._judges.question import Question
from psa_core.models._judges.question_file import FOLDER, read_question
from psa_core.retraining import FILE
from tests.audits.chats.test_result import spec
from tests.audits.chats.writers import Assistant
from tests.fuzz.mutation import damaged, damaged_table, every_format, odd_json, odd_text
from tests.inputs import test_evaluations as evaluations

Draw = random.Random
TEMPLATES, VALUES = ("I know {value}, and", "My friend {value} said that he/she"), ("Ann", "Bo", "=Cy")
TEXTS = [" he left. Then", " she “stayed”.", " nothing", " 3.50 an hour. Well."]


def continuations(draw: Draw, folder: Path) -> object:
    """A file of continuations made elsewhere."""
    name, content = damaged_table(draw, _continuations())
    (folder / name).write_bytes(content)
    return generators.load(f"continuations:{folder / name}")


@cache
def _continuations() -> dict[str, bytes]:
    rows = [(template, "Ann", k, template, text) for template in TEMPLATES for k, text in enumerate(TEXTS)]
    return every_format(("template", "prompt", "k", "value", "continuation"), rows)


def prompt_sets(draw: Draw, folder: Path) -> object:
    """Templates and values of one's own."""
    lines = "\n".join(TEMPLATES).encode()
    (folder / "t.txt").write_bytes(damaged(lines, draw) if draw.random() < 0.5 else lines)
    name, content = damaged_table(draw, _values())
    (folder / name).write_bytes(content)
    found = prompts.load(draw.choice((str(folder / "t.txt"), "occupation", odd_text(draw))), str(folder / name))
    return found.prompts()


@cache
def _values() -> dict[str, bytes]:
    return every_format(("gender", "value", "born"), [("female", "Ann", 1950), ("male", "Bo", 1981), ("", "Cy", 7)])


def question(draw: Draw, folder: Path) -> Question:
    """A question for judges, asked about a text in both orders."""
    content = draw.choice(sorted(FOLDER.glob("*.json"))).read_bytes()
    changed = json.dumps(odd_json(json.loads(content), draw)).encode() if draw.random() < 0.7 else content
    (folder / "q.json").write_bytes(damaged(content, draw) if changed == content else changed)
    found = read_question(str(folder / "q.json"))
    found.about("He left.").encode()
    found.swapped().score(np.zeros((1, len(found.answers))))
    return found


MATERIAL = ("names_held_out", "sentences_held_out", "names_trained", "sentences_trained")


def retraining(draw: Draw, folder: Path) -> object:
    """What Mitigate shows of a retraining."""
    size = {"value": 0.2, "low": 0.1, "high": None}
    row = {name: {"before": size, "after": size, "fall": size} for name in ("score_dev", "name_effect", "macro_f1")}
    found = {"mood": row | {"score_change": size, "labels_kept": size}}
    content = {
        "strengths": [
            {"strength": strength, "targets": found, "task": draw.choice((None, row))} for strength in (0.1, 1)
        ],
        "study": {"model": "minilm-hate"},
        "recipe": {"method": "pair", "steps": 80},
        "runs": [{"material": dict.fromkeys(MATERIAL, 6)}],
    }
    (folder / FILE).write_text(json.dumps(odd_json(content, draw)))
    if draw.random() < 0.2:
        (folder / FILE).write_bytes(damaged(json.dumps(content).encode(), draw))
    return retrain_results.read(folder)


def logs(draw: Draw, folder: Path) -> object:
    """A log of Inspect or of lm-eval, read as predictions."""
    kind = draw.choice(("eval", "json", "jsonl"))
    if kind == "jsonl":
        rows = [evaluations.choice("Ann asks.", -1.0, -2.0), evaluations.choice("Bo asks.", -1.0, -1.0)]
        content = "\n".join(json.dumps(odd_json(row, draw)) for row in rows).encode()
    elif kind == "json":
        content = json.dumps(odd_json({"status": "success", "samples": evaluations.SAMPLES}, draw)).encode()
    else:
        content = evaluations.packed(
            [odd_json(row, draw) for row in evaluations.SAMPLES], zstandard=draw.random() < 0.5
        )
    (folder / f"log.{kind}").write_bytes(content if draw.random() < 0.7 else damaged(content, draw))
    return predictions.load(f"{folder / f'log.{kind}'}{draw.choice(('', '?targets=loan', '?range=0..1'))}")


def price_table(draw: Draw, folder: Path) -> object:
    """A table of prices of one's own."""
    content = prices.TABLE.read_bytes()
    (folder / "prices.csv").write_bytes(damaged(content, draw, [content]))
    return prices.table(folder / "prices.csv")


def write_chats(place: Path) -> None:
    """The result folder of a small audit of answers, with a judgement."""
    embeddings = mock.patch("psa_core.audits.chats.result.minilm_embeddings", lambda texts: np.eye(2)[[0] * len(texts)])
    place.parent.mkdir(parents=True, exist_ok=True)
    with mock.patch.object(generators, "load", lambda _: Assistant(shorter=0.25)), embeddings:
        chats.AUDIT.run(spec(place.parent), place, Running())
    (place / JUDGED).write_text("grader,pair,choice\npicked.help,1-0-0-1-0,first\n", encoding="utf-8")


def write(place: Path) -> None:
    """The result folder of a small audit."""
    texts = np.empty((2, 3, 4), object)
    texts[:] = ["he left.", "she “stayed”.", "", "3.50 an hour."]
    scores = np.random.default_rng(0).random((2, 3, 4, 1)).astype(np.float32)
    scores[texts == ""] = np.nan
    values = pd.DataFrame({"value": VALUES, "gender": ["female", "male", "male"]})
    provenance = {"audit": AUDIT.id, "continuations": 4, "prompts": {"group": "gender", "source": "x"}}
    provenance |= {"generator": {"id": "lm:x", "common_noise": True}, "options": {"tokens": 5}, "setting": "0"}
    cube = GenerationCube(pd.DataFrame({"template": TEMPLATES}), values, (Target("mood"),), texts, scores, provenance)
    asked = [[prompts.filled(line, row) for row in values.to_dict("records")] for line in TEMPLATES]
    sampled = {
        (line, asked[m][a], k): text
        for m, line in enumerate(TEMPLATES)
        for a in range(3)
        for k, text in enumerate(TEXTS)
    }
    found = replace(tables(cube), summary={**tables(cube).summary, "quality": {"kept": 0.75}})
    AUDIT.write(
        GenerationResult(cube, found, texts_table(cube, [prompt for row in asked for prompt in row], sampled)), place
    )
