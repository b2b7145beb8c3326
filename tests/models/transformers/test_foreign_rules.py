"""Tokenizers whose rules fail at a text: one sentence, whichever model brings them."""

import json
from pathlib import Path
from typing import Any

import pytest

from psa_core import generators, models
from psa_core.errors import ModelError
from psa_core.generators import Draw, Sampling
from psa_core.models._transformers import foreign_rules
from tests.tiny_models import tiny_causal_lm, tiny_classifier

GIVES_UP = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
LONG = "a" * 40 + " b"


def spoil(folder: Path, **rules: Any) -> Path:
    """Change the rules of a tokenizer; those of a model are changed, not replaced."""
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text("utf-8"))
    for name, value in rules.items():
        content[name] = content[name] | value if name == "model" else value
    file.write_text(json.dumps(content), "utf-8")
    return folder


@pytest.mark.parametrize(
    ("rules", "text"),
    [({"pre_tokenizer": GIVES_UP}, LONG), ({"model": {"unk_token": "[NOPE]"}}, "☃ on a hill")],
    ids=["an expression that gives up", "no token for the unknown"],
)
def test_a_text_that_the_rules_fail_at_is_one_sentence(rules: dict[str, Any], text: str, tmp_path: Path) -> None:
    scorer = models.load(f"hf:{spoil(tiny_classifier(tmp_path / 'm'), **rules)}")
    with pytest.raises(ModelError, match=r"tokenizer: got rules that fail at a text \(.*\), expected"):
        scorer.score([text])


def test_rules_that_fail_at_once_are_told_at_loading(tmp_path: Path) -> None:
    rules = {"normalizer": {"type": "Prepend", "prepend": LONG}, "pre_tokenizer": GIVES_UP}
    folder = spoil(tiny_classifier(tmp_path / "m"), **rules)
    with pytest.raises(ModelError, match="rules that fail at a text"):
        models.load(f"hf:{folder}")


def test_a_writer_s_prompts_are_texts_too(tmp_path: Path) -> None:
    writer = generators.load(f"lm:{spoil(tiny_causal_lm(tmp_path / 'm'), pre_tokenizer=GIVES_UP)}")
    with pytest.raises(ModelError, match="rules that fail at a text"):
        list(writer.sample([Draw(LONG, 0, LONG)], Sampling(tokens=2), lambda: None))


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, SystemExit])
def test_what_is_no_fault_of_the_rules_passes(error: type[BaseException]) -> None:
    with pytest.raises(error), foreign_rules():
        raise error
