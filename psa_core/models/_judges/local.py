"""A local causal language model as a judge, by the probabilities of its answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs import bounded
from psa_core.inputs.checks import as_texts
from psa_core.models._judges.question import MAX_LISTED_NUMBERS, Question
from psa_core.models._judges.shared_prefix import SharedPrefix, common_prefix
from psa_core.models._judges.spellings import ends_number, tree_of
from psa_core.models._transformers import foreign
from psa_core.models._transformers.classifier import encoder, length_sorted

BATCH_TOKENS = 2048
# Stands for the text while a chat template is written around it.
PLACEHOLDER = "⟦the text⟧"
CUE = "\nAnswer:"
# Least room for a text, in tokens.
MIN_ROOM = 8
# Letters at the end of a prompt on which the tokens of an answer may depend.
TAIL = 40
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
        if self.question.think:
            raise ModelError(
                "question think",
                got="a model on this machine, which cannot think first",
                expected="an address (ask:chat:…)",
            )
        if not self.question.answers:
            got = f"{self.question.scale.count if self.question.scale else 0:,} numbers"
            raise ModelError("question number", got=got, expected=f"at most {MAX_LISTED_NUMBERS:,}, by a larger step")
        self.model.eval()
        put = object.__setattr__
        put(self, "_around", rendered(self.question, self.tokenizer if self.template else None))
        # A template writes the special tokens itself.
        put(self, "_encode", encoder(self.tokenizer, self.max_tokens, special=not self.template))
        probes = self._encode([self.prompt(text) for text in self._probes], False)
        put(self, "_end", list(common_prefix([row[::-1] for row in probes]))[::-1])
        bare = encoder(self.tokenizer, self.max_tokens, special=False)
        tree = tree_of(self.question, self.tokenizer, lambda words: bare([words], False)[0], self._around[1][-TAIL:])
        vocabulary = int(self.model.get_output_embeddings().weight.shape[0])
        ends = None if self.question.scale is None else ends_number(self.tokenizer, vocabulary)
        put(self, "_shared", SharedPrefix(self.model, common_prefix(probes), tree, len(self.question.answers), ends))
        question = len(self._shared.prefix) + len(self._end)
        if question + MIN_ROOM > self.max_tokens:
            got = f"{self.max_tokens} tokens, and a question of {question}"
            raise ModelError("model option max_tokens", got=got, expected="room for the question and a text")
        put(self, "_shares", self._shared.agrees(self.tokenize(self._probes)))

    @property
    def _probes(self) -> tuple[str, ...]:
        return tuple(f"{text}\n---\n{text}" for text in PROBES) if self.question.kind == "pick" else PROBES

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
        """Token ids of each prompt; of a text that is too long, only the beginning is in it."""
        texts = as_texts(texts)
        rows = self._encode([self.prompt(text) for text in texts], False) if texts else []
        # A prompt that is too long loses the end of its text.
        room = self.max_tokens - len(self._end)
        return [row if len(row) <= self.max_tokens else row[:room] + self._end for row in rows]

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
        """The target from log-probabilities of the answers: float32 array (B, 2)."""
        return self.question.score(logs)

    def logs(self, texts: Sequence[str]) -> np.ndarray:
        """Log-probability of each answer about each text, in nats: float32 array (len(texts), A)."""
        rows = self.tokenize(texts)
        logs = np.zeros((len(rows), len(self.question.answers)), np.float32)
        for batch in length_sorted(rows, BATCH_TOKENS) if rows else []:
            logs[batch] = self.forward([rows[i] for i in batch])
        return logs

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Scores in the order of the texts: float32 array (len(texts), 2)."""
        return self.reduce(self.logs(texts))


def rendered(question: Question, tokenizer: Any, *, ours: bool = False) -> tuple[str, str]:
    """What a prompt says before and after the text, in the chat template of the tokenizer, if one is given.

    A template that is not `ours` is written within limits of memory and time. Raises `ModelError` when the template
    does not take a user's words as they are.
    """
    begins, ends = question.parts()
    prompt = begins + PLACEHOLDER + ends
    if tokenizer is None:
        prompt = "\n\n".join(filter(None, [question.instruction, prompt])) + CUE
    else:
        try:
            template = tokenizer.get_chat_template()
        except ValueError as error:  # several, and none of them is the default
            got = f"chat templates to choose from ({error!s:.120})"
            raise ModelError("model", got=got, expected="one", fix="Add template=0.") from error
        write = render if ours else render_within_limits
        prompt = write(template, tokenizer.special_tokens_map, prompt, question.instruction)
    if prompt.count(PLACEHOLDER) != 1:
        got = "a chat template that changes what is said"
        raise ModelError("model", got=got, expected="one that keeps it", fix="Add template=0 to the model's id.")
    before, _, after = prompt.partition(PLACEHOLDER)
    return before, after


def render(template: str, tokens: Mapping[str, Any], content: str, system: str = "") -> str:
    """A user's message in a template, behind a system message if there is one, up to where the model answers.

    Raises `ModelError` when the template fails.
    """
    from transformers.utils.chat_template_utils import render_jinja_template

    chat, fix = [{"role": "user", "content": content}], "Add template=0."
    expected = f"one that takes a {'system message and a ' * bool(system)}question"
    if system:
        chat = [{"role": "system", "content": system}, *chat]
    with foreign("model", "a chat template that fails", expected, fix):
        rendered = render_jinja_template(
            conversations=[chat], chat_template=template, add_generation_prompt=True, enable_thinking=False, **tokens
        )
    return str(rendered[0][0])


def render_within_limits(template: str, tokens: Mapping[str, Any], content: str, system: str = "") -> str:
    """The same in a process of its own: a loop in a template, or a long text that it makes, ends there."""
    return bounded.call(render, template, dict(tokens), content, system, field="chat template", error=ModelError)
