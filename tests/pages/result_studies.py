"""Studies for the tests of the result pages: small, with flips, and with names and sentences that mean harm."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import cache

import numpy as np
import pandas as pd

from psa_core import jobs
from psa_core.cube import ScoreCube, Target
from psa_core.study import StudySpec

EVIL_NAME = "<img src=x onerror=alert(1)>"
MARKDOWN_NAME = "![x](http://evil.example/x.png)"
EVIL_TEXT = "He said <script>alert(2)</script> and ![y](http://evil.example/y.png)"
TARGETS = (Target("toxicity", meaning="more toxic"), Target("calm"))
SPEC = StudySpec(sentences="sample", names="demo", model="keyword", anchors="pronouns")


@cache
def cube(sentences: int = 40) -> ScoreCube:
    """Twelve names in three groups; the first raises the score by 0.3, so that it flips labels."""
    random = np.random.default_rng(3)
    names = [f"Person {letter}" for letter in "ABCDEFGHIJ"] + [EVIL_NAME, MARKDOWN_NAME]
    original = random.uniform(0.1, 0.9, sentences)
    effects = np.concatenate([[0.3], random.normal(0, 0.02, 11)])
    perturbed = original[:, None] + effects + random.normal(0, 0.02, (sentences, 12))
    texts = [f"He counted to {i}." for i in range(sentences)]
    texts[0] = EVIL_TEXT
    table = pd.DataFrame({"sentence_id": [f"s{i}" for i in range(sentences)], "text": texts})
    provenance = {"study": asdict(SPEC), "targets": [asdict(target) for target in TARGETS]}
    second = np.clip(1 - perturbed, 0, 1)
    return ScoreCube(
        table.assign(anchor="He", start=0, end=2, role="subject"),
        pd.DataFrame({"name": names, "gender": ["female", "male"] * 6, "career": ["actor", "leader", "singer"] * 4}),
        TARGETS,
        np.stack([original, 1 - original], axis=1).astype(np.float32),
        np.stack([np.clip(perturbed, 0, 1), second], axis=2).astype(np.float32),
        provenance | {"account": {"read": sentences + 2, "no anchor": 2, "kept": sentences}},
    )


def wide(names: int = 70) -> ScoreCube:
    """So many names that only the ends of the list have bars."""
    narrow = cube()
    moved = narrow.original[:, None] + np.linspace(-0.2, 0.2, names, dtype=np.float32)[None, :, None]
    table = pd.DataFrame({"name": [f"Person {number:02d}" for number in range(names)], "gender": ["f", "m"] * 35})
    return replace(narrow, names=table, perturbed=np.clip(moved, 0, 1))


def keep(study: ScoreCube | None = None) -> str:
    """Give a study a run of its own in this test's folder."""
    return jobs.keep(study or cube(), lambda _: "<!doctype html>")
