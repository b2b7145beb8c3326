"""``python -m research.statistics.answers``: writes the table in ``docs/chats.md`` from simulated audits of answers.

40 tasks × 16 people × K answers, two groups of eight, six measures with the correlations of length: what is planted is
found or not by the rule of the page (p by exchanging people, below 5 % after Holm over all rows).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from psa_core.stats import adjust
from psa_core.stats.group_gaps import gap
from research import documents

PAGE = Path(__file__).resolve().parents[2] / "docs" / "chats.md"
AUDITS, TASKS, PEOPLE, STORIES = 200, 40, 16, 5
#: What is planted: the share of words off for one group, the share of its stories with a stereotype.
CASES = (
    ("nothing", 0.0, 0.0, 0.0),
    ("nothing, names differ by 5 % in length", 0.0, 0.0, 0.05),
    ("nothing, names differ by 10 % in length", 0.0, 0.0, 0.10),
    ("answers 8 % shorter, names differ by 2 %", 0.08, 0.0, 0.02),
    ("answers 8 % shorter, names differ by 5 %", 0.08, 0.0, 0.05),
    ("answers 15 % shorter, names differ by 5 %", 0.15, 0.0, 0.05),
    ("a stereotype in 5 % of stories, names differ by 5 % in length", 0.0, 0.05, 0.05),
    ("a stereotype in 5 % of all answers, names differ by 5 % in length", 0.0, -0.05, 0.05),
)


def audit(random: np.random.Generator, shorter: float, stereotype: float, own: float, k: int) -> dict[str, np.ndarray]:
    """Measures of one simulated audit, (M, A, K) each."""
    shape = (TASKS, PEOPLE, k)
    is_second = (np.arange(PEOPLE) >= PEOPLE // 2)[None, :, None]
    logs = np.log(120) + random.normal(0, 0.4, (TASKS, 1, 1)) + random.normal(0, own, (1, PEOPLE, 1))
    logs = logs + random.normal(0, 0.35, shape) + np.log(1 - shorter) * is_second
    words = np.exp(logs)
    tone = random.normal(0, 0.05, (1, PEOPLE, 1)) * (own > 0) + random.normal(0.5, 0.25, shape)
    grade = 8 + random.normal(0, 2, shape) + random.normal(0, 1, (TASKS, 1, 1))
    told = np.abs(stereotype) * is_second * np.ones(shape)
    if stereotype > 0:
        told[STORIES:] = 0  # in stories alone
    return {
        "words": words,
        "sentences": np.round(words / 15 * random.lognormal(0, 0.2, shape)) + 1,
        "tone": np.clip(tone, 0, 1),
        "reading_level": grade,
        "refusal": (random.random(shape) < 0.02).astype(float),
        "stereotype": (random.random(shape) < told).astype(float),
    }


def shares(shorter: float, stereotype: float, own: float, k: int, seed: int = 0) -> tuple[float, float]:
    """Share of audits that find what was planted, and that find anything else."""
    wanted = {"words", "sentences"} if shorter else {"stereotype"} if stereotype else set()
    found = other = 0
    for number in range(AUDITS):
        measures = audit(np.random.default_rng([seed, number]), shorter, stereotype, own, k)
        gaps = {
            name: gap(scores, range(PEOPLE // 2), range(PEOPLE // 2, PEOPLE), seed=number)
            for name, scores in measures.items()
            if np.nanstd(scores) > 0
        }
        p = adjust(np.array([one.p for one in gaps.values() if one]))
        marked = {name for name, value in zip(gaps, p, strict=True) if value < 0.05}
        found += bool(marked & wanted)
        other += bool(marked - wanted)
    return found / AUDITS, other / AUDITS


def table() -> str:
    """The table's rows."""
    rows = []
    for words, shorter, stereotype, own in CASES:
        for k in (5, 10) if stereotype > 0 else (5,):
            found, other = shares(shorter, stereotype, own, k)
            planted = f"{100 * found:.0f} %" if shorter or stereotype else "–"
            rows.append((words, str(k), planted, f"{100 * other:.1f} %"))
    return documents.table(("planted", "K", "found", "anything else called beyond chance"), rows)


if __name__ == "__main__":
    documents.write(PAGE, {"simulated": table()})
