"""The scorer protocol, the plug-ins that load scorers, and fingerprints: digests of all that answers depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from psa_core import trust
from psa_core.asking import Asker, Request
from psa_core.cube import Target

DIGITS = 16
# Parts of a configuration that say where a model came from or how it was trained, not how it answers.
NO_MATTER = {
    "_name_or_path", "_commit_hash", "architectures", "dtype", "torch_dtype", "transformers_version", "label2id",
    "id2label", "problem_type", "finetuning_task", "use_cache", "output_attentions", "output_hidden_states",
    "return_dict", "initializer_range", "gradient_checkpointing",
}  # fmt: skip


class Scorer(Protocol):
    """Maps texts to targets.

    Attributes
    ----------
    fingerprint : str
        Changes when, and only when, the scorer's answers would.
    targets : tuple of Target, length T
    """

    @property
    def fingerprint(self) -> str: ...

    @property
    def targets(self) -> tuple[Target, ...]: ...

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Scores of the texts in their order: float32 array (len(texts), T); (0, T) for no texts."""
        ...


class TokenScorer(Scorer, Protocol):
    """A scorer whose three steps can be done apart, so that an engine can batch, pipeline or replace the middle one.

    ``score(texts)`` equals ``reduce(forward(tokenize(texts)))`` up to float32 rounding, however rows are batched.

    Attributes
    ----------
    device : str
        Where `forward` computes: ``cpu``, ``cuda:0``.
    max_tokens : int
        Longest row that `tokenize` gives, special tokens included.
    """

    @property
    def device(self) -> str: ...

    @property
    def max_tokens(self) -> int: ...

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, special tokens included, cut to `max_tokens`."""
        ...

    def truncated(self, texts: Sequence[str]) -> np.ndarray:
        """Whether `tokenize` cuts each text: bool array (len(texts),)."""
        ...

    def forward(self, token_ids: Sequence[Sequence[int]], /) -> np.ndarray:
        """Raw outputs of one batch, padded to its longest row: float32 array (B, L)."""
        ...

    def reduce(self, logits: np.ndarray, /) -> np.ndarray:
        """Targets from raw outputs, row by row: float32 array (B, T)."""
        ...


class Questioner(Protocol):
    """Says what it would ask a language model about a text.

    `asker` is who would be asked, `of` the model as its server calls it; `samples` are the answers to each text, 0
    where its log-probabilities are asked for.
    """

    @property
    def asker(self) -> Asker: ...

    @property
    def of(self) -> str: ...

    @property
    def samples(self) -> int: ...

    def requests(self, text: str) -> list[Request]:
        """What is asked about one text."""
        ...


class Purpose(StrEnum):
    """What a model may be chosen for before anybody has chosen one."""

    FIRST_LOOK = "a first look"
    CLASSES = "counting predicted classes"
    CONTINUATIONS = "scoring what a language model wrote"
    DOCUMENTS = "texts about a person"
    DEMONSTRATION = "demonstrations only"


@dataclass(frozen=True)
class ModelCard:
    """One ready-to-use model as pickers and ``psa models`` show it, without loading it.

    Attributes
    ----------
    good_for : tuple of Purpose
        Where it is chosen already when a page opens. A first look wants a model that loads at once.
    """

    id: str
    title: str
    summary: str
    targets: tuple[Target, ...] = ()
    source: str = ""
    licence: str = ""
    good_for: tuple[Purpose, ...] = ()


@dataclass(frozen=True)
class ModelPlugin:
    """What each file in ``models/`` defines as ``MODEL``.

    Attributes
    ----------
    id : str
        The model id, or the part before the colon in ids such as ``hf:<folder>``.
    load : callable
        Takes what follows the colon, or the card's whole id when it has none; returns a scorer or raises `ModelError`.
    cards : callable
        Models that can be offered at once; cheap, and loads nothing heavy.
    argument : str
        What follows the colon, in words; empty when nothing does.
    takes : Takes
        What the argument is: nothing of this machine's (`trust.NOTHING`), a path, an address, code. Whether it may be
        loaded is decided by that and by who names it. Code unless said otherwise.
    uploads : tuple of str
        Endings of files that a page may take as its argument from anybody; empty where it is no file that people bring.
    titled : callable, optional
        Takes an id and returns what people call that model, empty where the id says too little; without it, the id.
    aliases : tuple of str
        Other words before the colon that it answers to; `load` then takes the whole id.
    perplexity : bool
        Whether its one target says how unexpected a text is, rather than anything about what the text says.
    trainable : bool
        Whether `research.training` can go on from it.
    known_texts_only : bool
        Whether it has scores of certain texts only, which have to be exported first.
    unasked : callable, optional
        For models that are asked by requests: from the same argument to judges whose requests can be written to a
        file, or counted, before anything is loaded or asked.
    system : bool
        Whether its argument has an option ``system``: what the model is told before it is asked.
    """

    id: str
    title: str
    summary: str
    load: Callable[[str], Scorer]
    cards: Callable[[], tuple[ModelCard, ...]] = tuple
    argument: str = ""
    takes: trust.Takes = trust.CODE
    uploads: tuple[str, ...] = ()
    titled: Callable[[str], str] | None = None
    aliases: tuple[str, ...] = ()
    perplexity: bool = False
    trainable: bool = False
    known_texts_only: bool = False
    unasked: Callable[[str], Sequence[Questioner]] | None = None
    system: bool = False


def digest(parts: Iterable[str]) -> str:
    """Short digest of some texts in their order."""
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def digest_of_files(paths: Iterable[Path]) -> str:
    """Short digest of the contents of files, in the order given; their names do not matter."""
    total = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()[:DIGITS]


def digest_of_model(model: Any) -> str:
    """Short digest of a loaded torch model: its weights as they are in memory, and how it computes with them.

    Two files of the same weights (one shard or many, safetensors or not) have one digest.
    """
    import torch

    total = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        contiguous = tensor.detach().cpu().contiguous()
        total.update(f"{name} {tuple(contiguous.shape)} {contiguous.dtype}".encode())
        if contiguous.numel():
            total.update(memoryview(contiguous.reshape(-1).view(torch.uint8).numpy()))
    config = model.config.to_dict()
    kept = {key: value for key, value in config.items() if key not in NO_MATTER and "dropout" not in key}
    total.update(json.dumps(kept, sort_keys=True, default=str).encode())
    return total.hexdigest()[:DIGITS]


def digest_of_tokenizer(tokenizer: Any) -> str:
    """Short digest of how a transformers tokenizer turns texts into ids; its padding and truncation do not matter."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return digest([type(tokenizer).__name__, json.dumps(sorted(tokenizer.get_vocab().items()))])
    rules = json.loads(backend.to_str())
    rules.pop("padding", None)
    rules.pop("truncation", None)
    return digest([json.dumps(rules, sort_keys=True), tokenizer.truncation_side])
