"""lm: a causal language model of the transformers library, sampled on this machine."""

from __future__ import annotations

import copy
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from psa_core import trust
from psa_core.asking.prices import Estimate
from psa_core.errors import ModelError
from psa_core.generators._base import Batch, Draw, GeneratorPlugin, Sampling, as_finished
from psa_core.models import ModelCard
from psa_core.models._base import digest, digest_of_model, digest_of_tokenizer
from psa_core.models._options import split_options
from psa_core.models._transformers import foreign_rules, written
from psa_core.models._transformers.lm_files import PACKAGE, PACKAGED, is_packaged, load_language_model, needs_of

OPTIONS = ("revision", "precision", "allow_pickle", "adapter")
VERSION = "1"
# Rows of a batch: more rows share each reading of the weights; memory and the loss of a kill are the limit.
CPU_ROWS, GPU_ROWS = 128, 512
# A batch of rows that differ in length needs masks, so short remainders only are put together.
ENOUGH_ROWS = 32


@dataclass(frozen=True, eq=False)
class CausalGenerator:
    """Samples continuations from a causal language model.

    `rows` are most of one batch, `threads` the batches at a time, each computed by one thread alone; `ours` is the
    packaged model, whose chat template needs no limits.
    """

    model: Any = field(repr=False)
    tokenizer: Any = field(repr=False)
    fingerprint: str
    about: str
    rows: int = CPU_ROWS
    threads: int = 1
    common_noise: bool = True
    ours: bool = False

    def sample(self, draws: Sequence[Draw], sampling: Sampling, check: Callable[[], None]) -> Iterator[Batch]:
        import torch

        from psa_core.generators._decoding import Decoder, uniforms
        from psa_core.models._transformers.classifier import max_tokens_of

        ids = self._ids(draws)
        longest = max(map(len, ids.values()), default=0) + sampling.tokens
        most = max_tokens_of(self.model, self.tokenizer)
        if longest > most:
            expected = f"at most {most} for this model"
            raise ModelError("prompt", got=f"{longest} tokens with its continuation", expected=expected)
        pad, rules = self.tokenizer.pad_token_id or 0, (sampling.temperature, sampling.top_k, sampling.top_p)
        decoder = Decoder(self.model, self._ends, pad, *rules)

        def prepare() -> None:
            if self.model.device.type == "cpu":
                torch.set_num_threads(1)  # of this thread only: threads that share a batch wait for each other

        def compute(batch: list[int]) -> Batch:
            of_batch = [draws[i] for i in batch]
            prompts = list(dict.fromkeys(draw.prompt for draw in of_batch))
            noise = np.empty((len(batch), sampling.tokens))
            streams: defaultdict[str, list[int]] = defaultdict(list)
            for row, draw in enumerate(of_batch):
                streams[draw.stream].append(row)
            for stream, rows in streams.items():
                noise[rows] = uniforms(sampling.seed, stream, [of_batch[row].k for row in rows], sampling.tokens)
            owners = [prompts.index(draw.prompt) for draw in of_batch]
            cleaned = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}
            tokens = decoder.sample([ids[prompt] for prompt in prompts], owners, noise, check)
            with foreign_rules():
                texts = self.tokenizer.batch_decode(tokens, **cleaned)
            return Batch(tuple(batch), tuple(texts))

        planned = batches([len(ids[draw.prompt]) for draw in draws], self.rows)
        yield from as_finished(compute, planned, self.threads, check, prepare)

    def estimate(self, draws: Sequence[Draw], sampling: Sampling) -> Estimate:
        """Tokens to read and to write; a prompt is read once, however many continuations it has."""
        return Estimate(0, sum(map(len, self._ids(draws).values())), len(draws) * sampling.tokens)

    def _ids(self, draws: Sequence[Draw]) -> dict[str, list[int]]:
        """Token ids of each distinct prompt, with the token for a beginning where the tokenizer has one."""
        said = {draw.prompt: draw.messages for draw in draws}
        chats = {prompt: messages for prompt, messages in said.items() if messages}
        prompts = [prompt for prompt in said if prompt not in chats]
        ends, found = self._ends, dict[str, list[int]]()
        if chats:
            talks = [[{"role": role, "content": content} for role, content in chat] for chat in chats.values()]
            texts = written(self.tokenizer, talks, ours=self.ours)
            with foreign_rules():  # a template writes the special tokens itself
                rows = self.tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
            found = dict(zip(chats, map(list, rows), strict=True))
        if not prompts:
            return found
        with foreign_rules():
            rows = self.tokenizer(prompts, verbose=False)["input_ids"]
        start = next((t for t in (self.tokenizer.bos_token_id, self.tokenizer.eos_token_id) if t is not None), 0)
        # A tokenizer may end every text with a token that would end the continuation at once.
        trimmed = [list(row[:-1] if len(row) > 1 and row[-1] in ends else row) or [start] for row in rows]
        return found | dict(zip(prompts, trimmed, strict=True))

    @property
    def _ends(self) -> frozenset[int]:
        """Tokens that end a continuation."""
        listed = [self.model.config.eos_token_id, self.tokenizer.eos_token_id]
        listed.append(getattr(self.model.generation_config, "eos_token_id", None))
        tokens = (token for ids in listed for token in (ids if isinstance(ids, list) else [ids]))
        return frozenset(token for token in tokens if token is not None)


def load(argument: str) -> CausalGenerator:
    """Load a causal language model to sample from.

    ``smollm2`` (packaged), a folder, a .gguf file, or a hub id; after ``?``: ``precision`` (``float32`` or ``bf16``; by
    default bf16 where the processor multiplies it), ``revision``, ``allow_pickle=1``, ``adapter`` (a folder that
    ``python -m research.training debias-lm`` wrote). Raises `ModelError` when it cannot be found, fetched or loaded, or
    is no causal language model.
    """
    name, options = split_options(argument, OPTIONS)
    precision = options.pop("precision", "")
    if precision not in ("", "float32", "bf16"):
        raise ModelError("model option precision", got=repr(precision), expected="float32 or bf16")
    model, tokenizer, kind = load_language_model(name, options)
    if kind != "causal":
        raise ModelError("--lm", got=f"a {kind} language model", expected="a causal one, which continues a text")
    weights = digest_of_model(model)
    import torch

    precision = precision or ("bf16" if multiplies_bf16(model.device) else "float32")
    if precision == "bf16":
        model = copy.deepcopy(model).to(torch.bfloat16)  # others may be using this one
    parts = [VERSION, weights, digest_of_tokenizer(tokenizer), precision]
    about = f"a causal language model, sampled in {precision} on {model.device}"
    rows, threads = (CPU_ROWS, os.cpu_count() or 1) if model.device.type == "cpu" else (GPU_ROWS, 1)
    ours = name == PACKAGED
    return CausalGenerator(model, tokenizer, f"lm:{digest(parts)}", about, rows, threads, ours=ours)


def multiplies_bf16(device: Any) -> bool:
    """Whether a device has instructions for products of bf16 numbers; where it has none, bf16 is slow."""
    import torch

    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return bool(torch.cpu._is_avx512_bf16_supported()) if device.type == "cpu" else False


def batches(lengths: Sequence[int], rows: int) -> list[list[int]]:
    """Positions in batches of one length; what is left of each length is put together, like with like.

    Within a length the order is kept, so that what comes first is also finished first.
    """
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for position, length in enumerate(lengths):
        by_length[length].append(position)
    full_batches: list[list[int]] = []
    rest: list[int] = []
    for length in sorted(by_length):
        of_length = by_length[length]
        cut = len(of_length) - len(of_length) % rows
        if len(of_length) - cut >= ENOUGH_ROWS:
            cut = len(of_length)
        full_batches += [of_length[start : min(start + rows, cut)] for start in range(0, cut, rows)]
        rest += of_length[cut:]
    full_batches.sort(key=lambda batch: batch[0])
    return full_batches + [rest[start : start + rows] for start in range(0, len(rest), rows)]


CARD = ModelCard(
    f"lm:{PACKAGED}",
    "SmolLM2-135M-Instruct",
    "A small language model that comes with the installation; continues a prompt, or answers a chat.",
    source=f"shipped in the package {PACKAGE} (4-bit weights)",
    licence="Apache-2.0",
)
EXACT_CARD = replace(
    CARD,
    id=f"{CARD.id}?precision=float32",
    title=f"{CARD.title}, sampled in float32",
    summary="The same, sampled from exact probabilities; slower where the processor multiplies bf16.",
)
GENERATOR = GeneratorPlugin(
    id="lm",
    title="Language model on this machine",
    summary="A causal language model of the transformers library.",
    load=load,
    cards=lambda: (CARD, EXACT_CARD) if is_packaged() else (),
    argument="smollm2, hub id, folder or .gguf file",
    takes=trust.Takes(trust.HUB_OR_PATH.kinds, needs_of),
)
