"""What a study takes that asks a language model: requests, tokens and money, before anything is asked."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np

from psa_core import models
from psa_core.asking import Request
from psa_core.asking.prices import Estimate
from psa_core.asking.prices import estimate as of_requests
from psa_core.study.execution import Plan
from psa_core.trust import Kind

#: Sentences whose texts are counted.
SAMPLE = 50
#: Answers to a text where a judge's id does not say.
SAMPLES = 20


def estimate(planned: Plan, model_id: str) -> Estimate:
    """What asking the model about every text takes at most; counted on the texts of some sentences.

    A server that lists no log-probabilities is asked for several answers instead, and one that gives one answer a
    request reads each prompt several times; that is counted too. Raises `OptionError` when the model is none that is
    asked by requests.
    """
    sample: list[list[Request]] = []
    parts = replace(planned, spec=replace(planned.spec, model=model_id)).parts()
    for part in parts:
        judges = models.unasked(part.spec.model)
        chosen = np.linspace(0, len(part.selection.sentences) - 1, SAMPLE).round().astype(int)
        originals = part.perturbation.originals()
        for s in dict.fromkeys(chosen.tolist()):
            for text in (originals[s], *islice(part.perturbation.stream(s), 3)):
                sample.append([request for judge in judges for request in judge.requests(text)])
    texts = len(parts) * (planned.cells + len(planned.selection.sentences))
    found = of_requests(sample, texts, judges[0].of)
    samples = judges[0].samples
    if not any(need.kind is Kind.ADDRESS for need in models.needs(model_id)) or samples == 1:
        return found
    if samples:
        requests, read = found.requests * samples, found.tokens_in * samples
        single = replace(found, requests=requests, tokens_in=read, when="If it gives one answer a request")
        return replace(found, otherwise=single)
    sampled = replace(estimate(planned, f"{model_id}&samples={SAMPLES}"), when="If it lists no log-probabilities")
    return replace(found, otherwise=sampled)


def notice(planned: Plan, model_id: str) -> str:
    """What a study is going to take that asks an address, in one sentence; empty where it asks none."""
    if not any(need.kind is Kind.ADDRESS for need in models.needs(model_id)) or not models.is_asked(model_id):
        return ""
    return f"Asks a language model: {estimate(planned, model_id).words}"
