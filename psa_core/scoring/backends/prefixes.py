"""Compute the shared prefix of texts once in causal language models.

The texts of one sentence are equal up to the name. What a causal model makes of a token depends on those before it
only, so the shared beginning is computed for one text, and the others go on from its keys and values. Besides, the
vocabulary is multiplied with no padding. Same weights, same float32 arithmetic, other order of summation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from psa_core.models._transformers.classifier import DEVICE_LOCKS, in_batches
from psa_core.models._transformers.language_models import OUTPUT_NUMBERS, as_tensors
from psa_core.scoring.backends.forward import Forward, TokenIds, Way

# A pass of its own costs as much as this many tokens more in another one.
_PASS = 64
# Most tokens of a pass over texts that share nothing.
_LOOSE = 1024


class PrefixForward(Forward):
    """Minus the log-likelihood of each row, float32 (B, 1), as `CausalScorer.forward` gives it.

    Raises `TypeError` when the model shows no head over its vocabulary.
    """

    def __init__(self, scorer: Any) -> None:
        self.device, self._pad = scorer.device, scorer._pad_id or 0
        self._body, self._head = scorer.model.base_model, scorer.model.get_output_embeddings()
        if self._head is None or self._body is scorer.model:
            raise TypeError(f"{type(scorer.model).__name__} shows no head over its vocabulary")
        self._chunk = max(1, OUTPUT_NUMBERS // scorer.model.config.vocab_size)

    def __call__(self, token_ids: TokenIds) -> np.ndarray:
        answer = np.empty((len(token_ids), 1), np.float32)
        for rows, shared in shared_beginnings(token_ids):
            answer[rows, 0] = self._surprise([token_ids[i] for i in rows], shared)
        return answer

    def plan(self, token_ids: TokenIds, budget: int) -> list[np.ndarray]:
        """Batches of rows that begin alike, each at most `budget` tokens, padding counted, or one row."""
        return in_batches(token_ids, budget, sorted(range(len(token_ids)), key=lambda i: list(token_ids[i])))

    def _surprise(self, rows: TokenIds, shared: int) -> np.ndarray:
        known: dict[str, Any] = {"use_cache": False}
        ids, inside = as_tensors([row[shared:] for row in rows], self._pad, device=self.device)
        sums = torch.zeros(len(rows), dtype=torch.float64, device=ids.device)
        with DEVICE_LOCKS[self.device], torch.inference_mode():
            if shared:
                beginning = torch.tensor([rows[0][:shared]], device=ids.device)
                first = self._body(input_ids=beginning, use_cache=True)
                sums += self._logs(first.last_hidden_state[0, :-1], beginning[0, 1:]).sum()
                sums += torch.log_softmax(self._head(first.last_hidden_state[0, -1]).float(), -1)[ids[:, 0]]
                first.past_key_values.batch_repeat_interleave(len(rows))
                known = {"use_cache": True, "past_key_values": first.past_key_values}
            mask = torch.cat([inside.new_ones(len(rows), shared), inside], dim=1).long()
            hidden = self._body(input_ids=ids, attention_mask=mask, **known).last_hidden_state
            is_predicted = inside[:, 1:]
            logs = self._logs(hidden[:, :-1][is_predicted], ids[:, 1:][is_predicted])
            sums.index_add_(0, is_predicted.nonzero()[:, 0], logs)
        return np.asarray((0.0 - sums).cpu().numpy())

    def _logs(self, hidden: Any, tokens: Any) -> Any:
        """Log-probability of each token: float64 tensor (n,)."""
        chunks = zip(hidden.split(self._chunk), tokens.split(self._chunk), strict=True)
        costs = [torch.nn.functional.cross_entropy(self._head(h).float(), w, reduction="none") for h, w in chunks]
        return -torch.cat(costs).double()


def shared_beginnings(rows: TokenIds) -> Iterator[tuple[np.ndarray, int]]:
    """Share rows, none of them empty, out to passes: positions, and how many first tokens are computed once for all.

    These are fewer than the shortest row has; 0 for rows for which a pass of their own saves nothing, in like lengths.
    """
    order = sorted(range(len(rows)), key=lambda i: list(rows[i]))
    common = []  # tokens at the beginning of two rows in a row, fewer than either has
    for one, other in pairwise([rows[i] for i in order]):
        most = min(len(one), len(other)) - 1
        common.append(next((i for i in range(most) if one[i] != other[i]), most))
    loose = []
    for start, stop, shared in _groups(common, 0, len(order))[1]:
        if shared:
            yield np.array(order[start:stop]), shared
        else:
            loose += order[start:stop]
    for batch in in_batches([rows[i] for i in loose], _LOOSE):
        yield np.array(loose)[batch], 0


def _groups(common: Sequence[int], start: int, stop: int) -> tuple[int, list[tuple[int, int, int]]]:
    """Tokens saved, and (start, stop, shared) of the groups that save the most, of rows in order of their tokens.

    Rows either share what all of them have, or fall apart where they have the least in common.
    """
    if stop - start < 2:
        return 0, [(start, stop, 0)]
    least = min(common[start : stop - 1])
    saving = (stop - start - 1) * least - _PASS
    cuts = [place + 1 for place in range(start, stop - 1) if common[place] == least]
    parts = [_groups(common, *part) for part in pairwise([start, *cuts, stop])]
    saved = sum(part for part, _ in parts)
    if saving > saved:
        return saving, [(start, stop, least)]
    return saved, [group for _, groups in parts for group in groups]


#: How a model that keeps no keys and values, or keeps them otherwise, says so.
_REFUSALS = (AttributeError, IndexError, RuntimeError, TypeError, ValueError)
PREFIXES = Way("torch shared prefixes", PrefixForward, failures=lambda: _REFUSALS)
