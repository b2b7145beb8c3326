from __future__ import annotations

import pytest

from psa_core.registry import readable_id


@pytest.mark.parametrize(
    ("whole", "short"),
    [
        ("vader", "vader"),
        ("hf:organisation/model", "hf:organisation/model"),
        ("minilm:/home/ada/runs/7/strength-1/adapter", "minilm:…/strength-1/adapter"),
        ("minilm:C:\\Users\\ada\\strength-1\\adapter", "minilm:C:…/strength-1/adapter"),
        ("lm:smollm2?adapter=/home/ada/softer/x&precision=float32", "lm:smollm2?adapter=…/softer/x&precision=float32"),
        ("ask:chat:http://localhost:8000/v1/a/b?question=loan", "ask:chat:http://localhost:8000/v1/a/b?question=loan"),
        ("skops:models/svm.skops", "skops:models/svm.skops"),
    ],
)
def test_of_a_path_two_names_are_shown(whole: str, short: str) -> None:
    assert readable_id(whole) == short
