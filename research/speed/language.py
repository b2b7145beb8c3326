"""Perplexity: the vocabulary at masked places only, and the beginning that texts share once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from psa_core import models
from psa_core.models._transformers.classifier import in_batches
from psa_core.models._transformers.language_models import MaskedScorer, as_tensors
from psa_core.scoring.backends.prefixes import PrefixForward
from psa_core.study import StudySpec, plan
from research.speed.families import SIZE
from research.speed.table import Row
from research.speed.texts import Grid
from research.speed.throughput import ratio

ROUNDS = 3
BUDGET = 2_048
SENTENCES, NAMES = 5, 100


def rows() -> Iterator[Row]:
    """Measure."""
    yield _masked()
    yield _causal()


def _masked() -> Row:
    with TemporaryDirectory() as folder:
        scorer: Any = models.load(f"lm:{_masked_model(Path(folder))}")
        token_ids = scorer.tokenize([text for sentence in range(6) for text in Grid(6, 4).row(sentence)])
        took = _in_turns(lambda: scorer.forward(token_ids), lambda: _whole_head(scorer, token_ids))
    return ratio("masked pseudo-perplexity / one full head a row", took, 1.7)


def _whole_head(scorer: MaskedScorer, token_ids: list[list[int]]) -> None:
    """Every mask of every row, with the vocabulary at each of its tokens."""
    import torch

    mask = scorer.tokenizer.mask_token_id
    masked = [[*row[:t], mask, *row[t + 1 :]] for row in token_ids for t in range(1, len(row) - 1)]
    for batch in in_batches(masked, BUDGET):
        ids, inside = as_tensors([masked[i] for i in batch], 0, device=scorer.device)
        with torch.inference_mode():
            scorer.model(input_ids=ids, attention_mask=inside.long())


def _masked_model(folder: Path) -> Path:
    import torch
    from transformers import BertConfig, BertForMaskedLM

    tokenizer: Any = models.load(next(c.id for c in models.cards() if c.id.startswith("minilm-"))).tokenizer  # type: ignore[attr-defined]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        BertForMaskedLM(BertConfig(vocab_size=len(tokenizer), **SIZE)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _causal() -> Row:
    scorer: Any = models.load("lm:smollm2")
    cells = plan(StudySpec(sentences="sample", names="public-figures", model="vader")).perturbation
    places = np.linspace(0, len(cells.originals()) - 1, SENTENCES).astype(int)
    token_ids = scorer.tokenize([text for place in places for text in cells.row(int(place))[:NAMES]])
    forward = PrefixForward(scorer)
    took = _in_turns(
        lambda: [forward([token_ids[i] for i in batch]) for batch in forward.plan(token_ids, BUDGET)],
        lambda: scorer.forward(token_ids),
    )
    return ratio(f"causal perplexity, {SENTENCES} sentences × {NAMES} names / each text whole", took, 1.4)


def _in_turns(ours: Callable[[], object], theirs: Callable[[], object]) -> np.ndarray:
    """Seconds of theirs over seconds of ours, one value a round."""
    return np.array([_seconds(theirs) / _seconds(ours) for _ in range(ROUNDS)])


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
