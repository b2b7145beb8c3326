"""A local causal language model as a judge, by the probabilities of its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import as_texts
from psa_core.models._base import digest
from psa_core.models._judges.answer_tree import SharedPrefix, common_prefix, ends_number, tree_of
from psa_core.models._judges.question import MAX_LISTED_NUMBERS, Question, paired
from psa_core.models._transformers import in_template
from psa_core.models._transformers.classifier import by_length, encoder

# Raise when the arithmetic between a text and its scores changes, so that caches notice.
VERSION = "2"
BATCH_TOKENS = 2048
# Stands for the text while a chat template is written around it.
PLACEHOLDER = "⟦the text⟧"
CUE = "\nAnswer:"
# Least room for a text, in tokens.
MIN_ROOM = 8
# Letters at the end of a prompt on which the tokens of an answer may depend.
TAIL = 40
PROBES = ("Alice left.", "She told him twice that Bob would not come before ten.", "Yes")


@dataclass(eq=False)
class Judge:
    """A question, asked of a causal language model (float32) about each text; a `TokenScorer`.

    `identity` is of the model and its tokenizer. The text inside a prompt is cut so that it has `max_tokens` at most.
    `template` is whether the tokenizer's chat template is written around the question, `ours` whether it is packaged.
    """

    model: Any = field(repr=False)
    tokenizer: Any = field(repr=False)
    question: Question
    identity: str
    max_tokens: int
    template: bool = True
    ours: bool = False

    def __post_init__(self) -> None:
        if self.question.think:
            got = "a model on this machine, which cannot think first"
            raise ModelError("question think", got=got, expected="an address (ask:chat:…)")
        if not self.question.answers:
            got = f"{self.question.scale.count if self.question.scale else 0:,} numbers"
            raise ModelError("question number", got=got, expected=f"at most {MAX_LISTED_NUMBERS:,}, by a larger step")
        self.model.eval()
        self._around = rendered(self.question, self.tokenizer if self.template else None, ours=self.ours)
        # A template writes the special tokens itself.
        self._encode = encoder(self.tokenizer, self.max_tokens, special=not self.template)
        probes = self._encode([self.prompt(text) for text in self._probes], False)
        self._end = list(common_prefix([row[::-1] for row in probes]))[::-1]
        bare = encoder(self.tokenizer, self.max_tokens, special=False)
        tree = tree_of(self.question, self.tokenizer, lambda words: bare([words], False)[0], self._around[1][-TAIL:])
        vocabulary = int(self.model.get_output_embeddings().weight.shape[0])
        ends = None if self.question.scale is None else ends_number(self.tokenizer, vocabulary)
        self._shared = SharedPrefix(self.model, common_prefix(probes), tree, len(self.question.answers), ends)
        question = len(self._shared.prefix) + len(self._end)
        if question + MIN_ROOM > self.max_tokens:
            got = f"{self.max_tokens} tokens, and a question of {question}"
            raise ModelError("model option max_tokens", got=got, expected="room for the question and a text")
        self._shares = self._shared.agrees(self.tokenize(self._probes))

    @property
    def _probes(self) -> tuple[str, ...]:
        return tuple(paired(text, text) for text in PROBES) if self.question.kind == "pick" else PROBES

    @property
    def fingerprint(self) -> str:
        parts = [VERSION, self.identity, *self._around, *self.question.identity]
        return f"ask:{digest([*parts, str(self.max_tokens), str(self.template)])}"

    @property
    def targets(self) -> tuple[Target, ...]:
        return self.question.targets("from the probabilities of all ways to write the answers")

    @property
    def device(self) -> str:
        return str(self.model.device)

    @property
    def about(self) -> str:
        """What it is asked, how much of its probability is on the answers, and what their order does."""
        given = np.exp(self.logs(self._probes[:1])[0].astype(float))
        asked = (
            f"asked “{self.question.title}” with the answers {self.question.listed}; for the text “{PROBES[0]}” the "
            f"answers get {100 * given.sum():.0f} % of its probability"
        )
        if not self.question.has_orders:
            return asked
        other = replace(self, question=self.question.swapped())
        swapped = np.exp(other.logs(self._probes[:1])[0].astype(float))
        swapped = swapped[::-1] if self.question.kind == "choice" else swapped
        pairs = zip(self.question.answers, given, swapped, strict=True)
        shares = ", ".join(f"{name} {one / given.sum():.2f} ({two / swapped.sum():.2f})" for name, one, two in pairs)
        return f"{asked}, shared as {shares} (in brackets: in the opposite order)"

    def prompt(self, text: str) -> str:
        """All that the model reads about a text; the name of a special token inside of the text is broken up."""
        before, after = self._around
        text = self.question.inner(text)
        for token in self.tokenizer.all_special_tokens:
            text = text.replace(token, f"{token[:1]} {token[1:]}")
        return before + text + after

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each prompt; one that is too long loses the end of its text."""
        room = self.max_tokens - len(self._end)
        rows = self._uncut(texts)
        return [row if len(row) <= self.max_tokens else row[:room] + self._end for row in rows]

    def _uncut(self, texts: Sequence[str]) -> list[list[int]]:
        texts = as_texts(texts)
        return self._encode([self.prompt(text) for text in texts], False) if texts else []

    def truncated(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([len(row) > self.max_tokens for row in self._uncut(texts)], bool)

    def forward(self, token_ids: Sequence[Sequence[int]]) -> np.ndarray:
        """Log-probability of each answer after each prompt, in nats: float32 array (B, A)."""
        if not self._shares:
            return np.stack([self._shared.alone(row) for row in token_ids])
        return self._shared.logs(token_ids)

    def reduce(self, logs: np.ndarray) -> np.ndarray:
        """The target from log-probabilities of the answers: float32 array (B, 2)."""
        return self.question.score(logs)

    def logs(self, texts: Sequence[str]) -> np.ndarray:
        """Log-probability of each answer about each text, in nats: float32 array (len(texts), A)."""
        return by_length(self.tokenize(texts), len(self.question.answers), self.forward, BATCH_TOKENS)

    def score(self, texts: Sequence[str]) -> np.ndarray:
        return self.reduce(self.logs(texts))


def rendered(question: Question, tokenizer: Any, *, ours: bool = False) -> tuple[str, str]:
    """What a prompt says before and after the text, in the chat template of the tokenizer, if one is given.

    See `in_template`. Raises `ModelError` when the template does not take a user's words as they are.
    """
    begins, ends = question.parts()
    prompt = begins + PLACEHOLDER + ends
    if tokenizer is None:
        prompt = "\n\n".join(filter(None, [question.instruction, prompt])) + CUE
    else:
        system = [{"role": "system", "content": question.instruction}] if question.instruction else []
        expected = f"one that takes a {'system message and a ' * bool(system)}question"
        told = {"field": "model", "expected": expected, "fix": "Add template=0."}
        (prompt,) = in_template(tokenizer, [[*system, {"role": "user", "content": prompt}]], ours=ours, **told)
    if prompt.count(PLACEHOLDER) != 1:
        got = "a chat template that changes the messages"
        raise ModelError("model", got=got, expected="one that keeps them", fix="Add template=0 to the model's id.")
    before, _, after = prompt.partition(PLACEHOLDER)
    return before, after
