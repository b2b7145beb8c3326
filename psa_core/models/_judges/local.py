"""A local causal language model as a judge, by the probabilities of its answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import as_texts
from psa_core.models._judges.question import Question
from psa_core.models._judges.shared_prefix import SharedPrefix, common_prefix
from psa_core.models._transformers.classifier import encoder, length_sorted

BATCH_TOKENS = 2048
# Stands for the text while a chat template is written around it.
HERE = "⟦the text⟧"
CUE = "\nAnswer:"
# Least room for a text, in tokens.
MIN_ROOM = 8
PROBES = ("Alice left.", "She told him twice that Bob would not come before ten.", "Yes")


@dataclass(frozen=True, eq=False)
class Judge:
    """A question, asked of a causal language model about each text; a `TokenScorer`.

    Attributes
    ----------
    model, tokenizer : transformers causal model (float32) and its tokenizer
    question : Question
    fingerprint : str
    max_tokens : int
        Longest prompt; the text inside is cut to fit.
    template : bool
        Whether the tokenizer's chat template is written around the question.
    """

    model: Any = field(repr=False)
    tokenizer: Any = field(repr=False)
    question: Question
    fingerprint: str
    max_tokens: int
    template: bool = True
    _around: tuple[str, str] = field(init=False, repr=False)
    _encode: Callable[[Sequence[str], bool], list[list[int]]] = field(init=False, repr=False)
    _end: list[int] = field(init=False, repr=False)
    _shared: SharedPrefix = field(init=False, repr=False)
    _shares: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.model.eval()
        put = object.__setattr__
        put(self, "_around", rendered(self.question, self.tokenizer if self.template else None))
        # A template writes the special tokens itself.
        put(self, "_encode", encoder(self.tokenizer, self.max_tokens, special=not self.template))
        probes = self._encode([self.prompt(text) for text in PROBES], False)
        put(self, "_end", list(common_prefix([row[::-1] for row in probes]))[::-1])
        put(self, "_shared", SharedPrefix(self.model, common_prefix(probes), self._answers()))
        question = len(self._shared.prefix) + len(self._end)
        if question + MIN_ROOM > self.max_tokens:
            got = f"{self.max_tokens} tokens, and a question of {question}"
            raise ModelError("model option max_tokens", got=got, expected="room for the question and a text")
        put(self, "_shares", self._shared.agrees(self.tokenize(PROBES)))

    @property
    def targets(self) -> tuple[Target, ...]:
        """The question's one target."""
        return (self.question.target,)

    @property
    def device(self) -> str:
        """Where the model's weights are."""
        return str(self.model.device)

    @property
    def about(self) -> str:
        """What it is asked, how much of its probability is on the answers, and what their order does."""
        other = replace(self, question=self.question.swapped())
        given, swapped = (np.exp(judge.logs(PROBES[:1])[0].astype(float)) for judge in (self, other))
        pairs = zip(self.question.answers, given, swapped[::-1], strict=True)
        told = ", ".join(f"{name} {one / given.sum():.2f} ({two / swapped.sum():.2f})" for name, one, two in pairs)
        return (
            f"asked “{self.question.title}” with the answers {self.question.listed}; for the text “{PROBES[0]}” the "
            f"answers get {100 * given.sum():.0f} % of its probability, shared as {told} (in brackets: "
            f"listed the other way round)"
        )

    def prompt(self, text: str) -> str:
        """All that the model reads about a text; the name of a special token inside of the text is broken up."""
        before, after = self._around
        for token in self.tokenizer.all_special_tokens:
            text = text.replace(token, f"{token[:1]} {token[1:]}")
        return before + text + after

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each prompt; of a text that is too long, only the beginning is in it."""
        texts = as_texts(texts)
        rows = self._encode([self.prompt(text) for text in texts], False) if texts else []
        return [row if len(row) <= self.max_tokens else self._cut(row) for row in rows]

    def truncated(self, texts: Sequence[str]) -> np.ndarray:
        """Whether the model sees only the beginning of each text: bool array (len(texts),)."""
        texts = as_texts(texts)
        rows = self._encode([self.prompt(text) for text in texts], False) if texts else []
        return np.fromiter((len(row) > self.max_tokens for row in rows), bool, len(rows))

    def forward(self, token_ids: Sequence[Sequence[int]]) -> np.ndarray:
        """Log-probability of each answer after each prompt, in nats: float32 array (B, A)."""
        if not self._shares:
            return np.stack([self._shared.alone(row) for row in token_ids])
        return self._shared.logs(token_ids)

    def reduce(self, logs: np.ndarray) -> np.ndarray:
        """The target from log-probabilities of the answers: float32 array (B, 1)."""
        return self.question.score(logs)

    def logs(self, texts: Sequence[str]) -> np.ndarray:
        """Log-probability of each answer about each text, in nats: float32 array (len(texts), A)."""
        rows = self.tokenize(texts)
        logs = np.zeros((len(rows), len(self.question.answers)), np.float32)
        for batch in length_sorted(rows, BATCH_TOKENS) if rows else []:
            logs[batch] = self.forward([rows[i] for i in batch])
        return logs

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Scores in the order of the texts: float32 array (len(texts), 1)."""
        return self.reduce(self.logs(texts))

    def _answers(self) -> tuple[tuple[int, ...], ...]:
        """Tokens of the answers, as they would follow a prompt."""
        lead = "" if self._around[1][-1:].isspace() else " "
        bare = encoder(self.tokenizer, self.max_tokens, special=False)
        return tuple(tuple(row) for row in bare([lead + answer for answer in self.question.answers], False))

    def _cut(self, row: list[int]) -> list[int]:
        """A prompt that is too long without the end of its text."""
        return row[: self.max_tokens - len(self._end)] + self._end


def rendered(question: Question, tokenizer: Any, *, ours: bool = False) -> tuple[str, str]:
    """What a prompt says before and after the text, in the chat template of the tokenizer, if one is given.

    A template that is not `ours` is written within limits of memory and time.

    Raises
    ------
    ModelError
        When the template does not take a user's words as they are.
    """
    whole = question.about(HERE)
    if tokenizer is None:
        whole += CUE
    else:
        from psa_core.models._judges.chat_template import render, render_within_limits

        try:
            template = tokenizer.get_chat_template()
        except ValueError as error:  # several, and none of them is the default
            got = f"chat templates to choose from ({error!s:.120})"
            raise ModelError("model", got=got, expected="one", fix="Add template=0.") from error
        write = render if ours else render_within_limits
        whole = write(template, tokenizer.special_tokens_map, whole)
    if whole.count(HERE) != 1:
        got = "a chat template that changes what is said"
        raise ModelError("model", got=got, expected="one that keeps it", fix="Add template=0 to the model's id.")
    before, _, after = whole.partition(HERE)
    return before, after
