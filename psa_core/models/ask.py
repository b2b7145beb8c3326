"""ask: a language model as a judge, local or remote; the target is the probability of an answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import numpy as np

from psa_core import trust
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import as_texts
from psa_core.models._base import ModelCard, ModelPlugin, Scorer
from psa_core.models._endpoint import Endpoint, allowed
from psa_core.models._judges.question import Question, packaged, read_question
from psa_core.models._transformers.hub import flag, split_options
from psa_core.models._transformers.lm_files import PACKAGE, PACKAGED, is_packaged, load_language_model, needs_of

VERSION = "1"
ORDERS = ("given", "swapped", "averaged")
HERE = ("question", "order", "template", "max_tokens", "revision", "allow_pickle")
THERE = ("question", "order", "model", "samples", "parallel", "timeout", "retries", "per_second", "version")
NUMBERS = {"samples": (20, 1, 1000), "parallel": (4, 1, 64), "timeout": (60, 0.01, 3600), "retries": (4, 0, 20)}
NUMBERS |= {"per_second": (0, 0, 1_000_000)}


@dataclass(frozen=True)
class Averaged:
    """One judge asked in both orders of the answers: the mean, and how much the order matters.

    Attributes
    ----------
    given, swapped : Scorer
        With the same one target.
    """

    given: Scorer
    swapped: Scorer

    @property
    def fingerprint(self) -> str:
        """Of both."""
        return f"{self.given.fingerprint}+{self.swapped.fingerprint}"

    @property
    def targets(self) -> tuple[Target, ...]:
        """The mean of both orders, and the first minus the second."""
        (target,) = self.given.targets
        width = target.high - target.low
        told = f"{target.name} with the answers as they are listed minus {target.name} with the opposite order"
        mean = replace(target, meaning=f"{target.meaning}; mean over both orders of the answers")
        return (mean, Target(f"{target.name}_order", -width, width, told))

    @property
    def about(self) -> str:
        """What the judge says of itself."""
        return f"{getattr(self.given, 'about', '')}; each text is asked about twice, with the answers in both orders"

    @property
    def batch(self) -> int:
        """Texts between two looks at whether to stop."""
        return int(getattr(self.given, "batch", 16))

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Mean and difference in the order of the texts: float32 array (len(texts), 2)."""
        texts = as_texts(texts)
        first, second = self.given.score(texts), self.swapped.score(texts)
        return np.hstack([(first + second) / 2, first - second]).astype(np.float32)


def load(argument: str) -> Scorer:
    """Load a judge.

    Parameters
    ----------
    argument : str
        A language model (``lm:smollm2``, ``lm:<folder, .gguf file or hub id>``) or an OpenAI-compatible address
        (``chat:http://localhost:8000/v1``), ``?question=`` with a packaged question's id or a file, and more options
        joined by ``&``: ``order`` (given, swapped or averaged). For a language model ``template=0`` (leave its chat
        template out), ``max_tokens``, ``revision``, ``allow_pickle=1``; for an address ``model`` (its name there),
        ``samples`` (answers a text, where it offers no log-probabilities), ``parallel`` (requests at once),
        ``timeout`` (seconds), ``retries``, ``per_second``, ``version``.

    Raises
    ------
    ModelError
        When the question, the model or the address is not as it must be.
    """
    whom, options = parsed(argument)
    if "question" not in options:
        fix = f"For example: ask:{whom}?question={next(iter(packaged()))}"
        raise ModelError("ask", got="no question", expected=f"?question={' or '.join(packaged())} or a file", fix=fix)
    order = options.get("order", "given")
    if order not in ORDERS:
        raise ModelError("model option order", got=repr(order), expected=", ".join(ORDERS))
    question = read_question(options["question"])
    judge = _there if is_address(whom) else _here
    if order == "averaged":
        return Averaged(judge(whom, question, options), judge(whom, question.swapped(), options))
    return judge(whom, question if order == "given" else question.swapped(), options)


def parsed(argument: str) -> tuple[str, dict[str, str]]:
    """Who is asked, as ``lm:…`` or an address, and the options; raises `ModelError` when one is unknown."""
    whom, mark, query = argument.rpartition("?")
    whom, query = (whom, query) if mark else (argument, "")
    known = THERE if is_address(whom) else HERE
    if "?" in whom and not is_address(whom):  # what a path or a hub id is before one, is not what it is behind it
        raise ModelError("ask", got=repr(whom[:80]), expected="one ?, before the options")
    return whom, split_options(f"?{query}", known)[1] if query else {}


def is_address(whom: str) -> bool:
    """Whether the model is behind an address."""
    return whom.startswith(("chat:", "http:", "https:"))


def _here(whom: str, question: Question, options: dict[str, str]) -> Scorer:
    from psa_core.models._fingerprint import digest
    from psa_core.models._judges.local import Judge, rendered

    name = whom.removeprefix("lm:")
    model, tokenizer, most, weights = _loaded(name, json.dumps(options.get("revision")), flag(options, "allow_pickle"))
    limit = options.get("max_tokens", str(most))
    if not limit.isdecimal() or not 16 <= int(limit) <= most:
        raise ModelError("model option max_tokens", got=repr(limit), expected=f"a whole number from 16 to {most}")
    template = bool(tokenizer.chat_template) and flag({"template": "1"} | options, "template")
    words = rendered(question, tokenizer if template else None, ours=name == PACKAGED)
    parts = [VERSION, weights, *words, repr(question.answers), repr(question.values), limit, str(template)]
    return Judge(model, tokenizer, question, f"ask:{digest(parts)}", int(limit), template)


@lru_cache(maxsize=1)
def _loaded(name: str, revision: str, allow_pickle: bool) -> tuple[Any, Any, int, str]:
    """One language model for all questions: model, tokenizer, most tokens, and a digest of both."""
    from psa_core.models._fingerprint import digest_of_model, digest_of_tokenizer
    from psa_core.models._transformers.classifier import max_tokens_of

    options = {"allow_pickle": str(int(allow_pickle))} | (
        {"revision": json.loads(revision)} if revision != "null" else {}
    )
    model, tokenizer, kind = load_language_model(name, options)
    if kind != "causal":
        raise ModelError("ask", got=f"{name}, a {kind} language model", expected="a causal one, which can answer")
    most = max_tokens_of(model, tokenizer)
    return model, tokenizer, most, f"{digest_of_model(model)} {digest_of_tokenizer(tokenizer)}"


def _there(whom: str, question: Question, options: dict[str, str]) -> Scorer:
    from psa_core.models._chat import ANSWER, ChatServer, completions_address
    from psa_core.models._fingerprint import digest
    from psa_core.models._judges.server import open_judge

    numbers = {key: _number(key, options) for key in NUMBERS}
    address = completions_address(allowed(whom.removeprefix("chat:")))
    endpoint = Endpoint(
        address,
        timeout=numbers["timeout"],
        retries=int(numbers["retries"]),
        pace=numbers["per_second"],
        asks='{"messages": […], …}',
        answers=ANSWER,
    )
    server = ChatServer(endpoint, options.get("model", "default"))
    asked = [VERSION, address, server.model, options.get("version", ""), question.about("\0")]
    fingerprint = f"ask:{digest([*asked, repr(question.answers), repr(question.values)])}"
    samples, parallel = int(numbers["samples"]), int(numbers["parallel"])
    return open_judge(server, question, fingerprint=fingerprint, samples=samples, parallel=parallel)


def _number(key: str, options: dict[str, str]) -> float:
    usual, low, high = NUMBERS[key]
    try:
        number = float(options.get(key, usual))
    except ValueError:
        number = -1
    if not low <= number <= high:
        raise ModelError(f"model option {key}", got=repr(options[key]), expected=f"a number from {low:g} to {high:g}")
    return number


def needs(argument: str) -> tuple[trust.Need, ...]:
    """What loading a judge does: what its model needs, and the file of the question where it is no packaged one."""
    whom, options = parsed(argument)
    question = options.get("question", "")
    files = () if not question or question in packaged() else (trust.Need(trust.Kind.PATH, question),)
    if is_address(whom):
        return (*trust.ADDRESS.needs(whom.removeprefix("chat:")), *files)
    own = f"?allow_pickle={int(flag(options, 'allow_pickle'))}&revision={quote(options.get('revision', ''))}"
    return (*needs_of(whom.removeprefix("lm:") + own), *files)


def cards() -> tuple[ModelCard, ...]:
    """The packaged questions, asked of the packaged language model."""
    return tuple(_card(name) for name in packaged()) if is_packaged() else ()


def _card(name: str) -> ModelCard:
    question = read_question(name)
    return ModelCard(
        f"ask:lm:{PACKAGED}?question={name}",
        f"SmolLM2, asked: {question.target.name}",
        question.summary,
        (question.target,),
        f"shipped in the package {PACKAGE} (4-bit weights)",
        "Apache-2.0",
    )


MODEL = ModelPlugin(
    id="ask",
    title="A language model that is asked",
    summary="P(answer) of a language model to a question about each text, from its answers' log-probabilities.",
    load=load,
    cards=cards,
    argument="lm:<language model> or chat:<address>, then ?question=<id or file>",
    takes=trust.Takes(trust.HUB_OR_PATH.kinds | trust.ADDRESS.kinds, needs),
)
