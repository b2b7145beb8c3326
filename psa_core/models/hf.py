"""hf: any transformers sequence classifier, from a folder or a model hub."""

from __future__ import annotations

from psa_core import trust
from psa_core.inputs.checks import path_of
from psa_core.models._base import ModelPlugin, TokenScorer, digest, digest_of_model, digest_of_tokenizer
from psa_core.models._options import flag, split_options
from psa_core.models._transformers.heads import head_of
from psa_core.models._transformers.hub import files_of

OPTIONS = ("head", "targets", "range", "revision", "max_tokens", "allow_pickle", "adapter")
KIND = "AutoModelForSequenceClassification"
# Raise when the arithmetic between a text and its scores changes, so that caches notice.
VERSION = "1"


def load(argument: str) -> TokenScorer:
    """Load a sequence classifier: ``<hub id or folder>``, with options as in ``owner/model?targets=joy,anger``.

    Options after ``?``, joined by ``&``: ``head`` (softmax, sigmoid or none) where the configuration is wrong;
    ``targets`` (labels, ``a-minus-b``, ``expected``); ``range`` (``1..5``) of a raw number; ``revision`` of a hub
    model; ``max_tokens`` to cut texts shorter; ``allow_pickle=1`` to read weights that are not safetensors;
    ``adapter``, a folder of low-rank updates on it that ``psa_core retrain`` wrote. Raises `ModelError` when it cannot
    be found, fetched or loaded, or is no sequence classifier; the message says which.
    """
    from psa_core.models._transformers.adapter import merge_adapter
    from psa_core.models._transformers.checkpoint import load_checkpoint
    from psa_core.models._transformers.classifier import TransformersScorer, token_limit

    name, options = split_options(argument, OPTIONS)
    model, tokenizer = load_checkpoint(files_of(name, options), KIND, allow_pickle=flag(options, "allow_pickle"))
    if "adapter" in options:
        trust.permit("adapter", trust.Need(trust.Kind.MODEL, options["adapter"]))
        merge_adapter(model, path_of(options["adapter"]))
    head = head_of(model.config, options)
    limit = token_limit(options, model, tokenizer)
    parts = [VERSION, digest_of_model(model), digest_of_tokenizer(tokenizer), str(limit), repr(head.described)]
    about = f"{head.words}; reads at most {limit} tokens of a text"
    return TransformersScorer(model, tokenizer, head.targets, head.reduce, f"hf:{digest(parts)}", limit, about)


MODEL = ModelPlugin(
    id="hf",
    title="Transformers classifier",
    summary="Any sequence classifier of the transformers library: a folder, or an id of a model hub.",
    load=load,
    argument="hub id or folder",
    takes=trust.HUB_OR_PATH,
    trainable=True,
)
