"""A transformers classifier as a scorer, in separate steps: tokenize, forward, reduce."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from psa_core.cube import Target
from psa_core.errors import ModelError, OptionError
from psa_core.inputs.checks import as_texts
from psa_core.models._transformers import foreign_rules

# One batch at a time on each device, whichever model it is for: two at once are slower than one after the other.
DEVICE_LOCKS: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
BATCH_TOKENS = 4096
DEFAULT_MAX_TOKENS = 512
# A tokenizer that knows no limit says so with a huge number.
NO_LIMIT = 1_000_000


@dataclass(eq=False)
class TransformersScorer:
    """Scores texts with a transformers sequence classifier, in float32; longer texts are cut to `max_tokens`.

    `reduce` goes from logits, float32 (B, L), to targets, float32 (B, T), row by row; `about` is what the model
    answers, in plain words; `known_ways` is what the scoring engine found out about computing this model, and is not
    sent along to another process.

    Examples
    --------
    >>> from psa_core.models import load
    >>> load("hf:../my-classifier").score(["He left."])  # doctest: +SKIP
    array([[0.07, 0.93]], dtype=float32)
    """

    model: Any = field(repr=False)
    tokenizer: Any = field(repr=False)
    targets: tuple[Target, ...]
    reduce: Callable[[np.ndarray], np.ndarray] = field(repr=False)
    fingerprint: str
    max_tokens: int = DEFAULT_MAX_TOKENS
    about: str = ""
    known_ways: dict[str, Any] = field(init=False, repr=False, default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "known_ways": {}}

    def __post_init__(self) -> None:
        self.model.eval()
        self._encode = encoder(self.tokenizer, self.max_tokens)
        self._pad_id = pad_id(self.model, self.tokenizer)

    @property
    def device(self) -> str:
        return str(self.model.device)

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        texts = as_texts(texts)
        return self._encode(texts, True) if texts else []

    def truncated(self, texts: Sequence[str]) -> np.ndarray:
        texts = as_texts(texts)
        rows = self._encode(texts, False) if texts else []
        return np.array([len(row) > self.max_tokens for row in rows], bool)

    def forward(self, token_ids: Sequence[Sequence[int]]) -> np.ndarray:
        if self._pad_id is None and len(token_ids) > 1:
            return np.concatenate([self.forward([row]) for row in token_ids])
        import torch

        ids, mask = map(torch.from_numpy, ids_and_mask(token_ids, self._pad_id or 0))
        with DEVICE_LOCKS[self.device], torch.inference_mode():
            logits = self.model(input_ids=ids.to(self.device), attention_mask=mask.to(self.device)).logits
            answer: np.ndarray = logits.float().cpu().numpy()
        return answer

    def score(self, texts: Sequence[str]) -> np.ndarray:
        return by_length(self.tokenize(texts), len(self.targets), lambda rows: self.reduce(self.forward(rows)))


def in_batches(token_ids: Sequence[Sequence[int]], budget: int, order: Iterable[int] | None = None) -> list[np.ndarray]:
    """Positions of the rows in batches of at most `budget` tokens with padding, or of one row.

    They keep the given order; without one they are of rising length.

    Examples
    --------
    >>> [batch.tolist() for batch in in_batches([[1] * 3, [1] * 9, [1] * 3, [1] * 8], 18)]
    [[0, 2], [3, 1]]
    """
    order = np.argsort([len(row) for row in token_ids], kind="stable") if order is None else order
    batches: list[list[int]] = []
    longest = 0
    for position in order:
        longest = max(longest, len(token_ids[position]))
        if not batches or (len(batches[-1]) + 1) * longest > budget:
            batches.append([])
            longest = len(token_ids[position])
        batches[-1].append(int(position))
    return [np.array(batch) for batch in batches]


def by_length(
    token_ids: Sequence[Sequence[int]],
    width: int,
    compute: Callable[[Sequence[Sequence[int]]], np.ndarray],
    budget: int = BATCH_TOKENS,
) -> np.ndarray:
    """What `compute` gives for each row, in batches of like length: float32 array (rows, width)."""
    answer = np.empty((len(token_ids), width), np.float32)
    for batch in in_batches(token_ids, budget):
        answer[batch] = compute([token_ids[i] for i in batch])
    return answer


def ids_and_mask(token_ids: Sequence[Sequence[int]], pad: int, *, width: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of one batch, and which of their tokens are real: int64 arrays (B, longest), or of a given width.

    They are filled on the right.
    """
    ids = np.full((len(token_ids), width or max(map(len, token_ids))), pad, np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(token_ids):
        ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
    return ids, mask


def pad_id(model: Any, tokenizer: Any) -> int | None:
    """Token id that fills rows, or None when the model can only take one row at a time.

    The model's own comes first: decoders find the last real token by it, and RoBERTa counts positions from it.
    """
    if model.config.pad_token_id is None:
        # Decoders refuse batches until they are told; the tokenizer's padding is never part of a text.
        model.config.pad_token_id = tokenizer.pad_token_id
    pad: int | None = model.config.pad_token_id
    return pad


def encoder(
    tokenizer: Any, max_tokens: int, *, special: bool = True
) -> Callable[[Sequence[str], bool], list[list[int]]]:
    """Function from texts, and whether to cut them, to token ids; safe to call from several threads.

    A tokenizer keeps its truncation as state, so threads that share it meet each other's: it is copied, one copy
    that cuts and one that does not. Without `special`, the rows hold the texts' own tokens only.
    """
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is not None:
        # A decoder's tokenizer adds no special tokens, so an empty text has no token at all; a model needs one.
        beginnings = (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id, 0)
        alone = next(token for token in beginnings if token is not None)
        return fast_encoder(backend, max_tokens, alone, side=tokenizer.truncation_side, special=special)
    lock = threading.Lock()

    def encode(texts: Sequence[str], truncate: bool) -> list[list[int]]:
        options: dict[str, Any] = {"add_special_tokens": special, "verbose": False}
        options |= {"truncation": True, "max_length": max_tokens} if truncate else {}
        with lock, foreign_rules():
            rows: list[list[int]] = tokenizer(list(texts), **options)["input_ids"]
        return rows

    return encode


def fast_encoder(
    backend: Any, max_tokens: int, alone: int, *, side: str = "right", special: bool = True
) -> Callable[[Sequence[str], bool], list[list[int]]]:
    """The same of a tokenizer of the tokenizers library, whose empty rows get the token `alone`."""
    from tokenizers import Tokenizer

    uncut, cut = Tokenizer.from_str(backend.to_str()), Tokenizer.from_str(backend.to_str())
    for copy in (uncut, cut):
        copy.no_padding()
        copy.no_truncation()
        copy.encode_special_tokens = backend.encode_special_tokens
    cut.enable_truncation(max_tokens, direction=side)

    def encode(texts: Sequence[str], truncate: bool) -> list[list[int]]:
        with foreign_rules():
            rows = (cut if truncate else uncut).encode_batch_fast(list(texts), add_special_tokens=special)
        return [row.ids or [alone] for row in rows]

    return encode


def max_tokens_of(model: Any, tokenizer: Any) -> int:
    """Longest row that a model takes: the least of what tokenizer, configuration and position table allow."""
    limits = [tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", None)]
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and hasattr(module, "num_embeddings"):
            # RoBERTa and its kin count positions from the padding's id on.
            first = 0 if module.padding_idx is None else module.padding_idx + 1
            limits.append(module.num_embeddings - first)
    known = [int(limit) for limit in limits if limit is not None and 0 < limit < NO_LIMIT]
    return min(known, default=DEFAULT_MAX_TOKENS)


def token_limit(options: Mapping[str, str], model: Any, tokenizer: Any, *, least: int = 3) -> int:
    """Longest row to read: what the option ``max_tokens`` says, else what the model takes.

    Raises `ModelError` when it is no whole number between `least` and what the model takes.
    """
    most = max_tokens_of(model, tokenizer)
    asked = options.get("max_tokens", str(most))
    if not asked.isdecimal() or not least <= int(asked) <= most:
        raise ModelError("model option max_tokens", got=repr(asked), expected=f"a whole number from {least} to {most}")
    return int(asked)


def best_device() -> str:
    """Where models compute: what ``PSA_DEVICE`` names, else ``cuda`` where there is one, else ``cpu``.

    Raises `OptionError` when ``PSA_DEVICE`` names a device that this machine lacks.
    """
    import torch

    available = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    available += ["cuda"] if len(available) > 1 else []
    # Apple's GPU has to be asked for: the tests have never met one.
    available += ["mps"] if torch.backends.mps.is_available() else []
    device = os.environ.get("PSA_DEVICE") or ("cuda" if "cuda" in available else "cpu")
    if device not in available:
        fix = "Change it, or unset it."
        raise OptionError("PSA_DEVICE", got=repr(device), expected=" or ".join(available), fix=fix)
    return device


@contextmanager
def quietly() -> Iterator[None]:
    """Keep transformers' progress bars and notes off the user's screen while a model loads."""
    from transformers.utils import logging

    shown, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(shown)
        if bar:
            logging.enable_progress_bar()
