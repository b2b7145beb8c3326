from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from psa_core.errors import ModelError, OptionError
from psa_core.models._transformers.adapter import load_merged
from research.training import Origin, Recipe, describe, read_task, score_test, train
from research.training.adapter import new_adapter, save_adapter
from research.training.loop import fit, logits

QUICK = Recipe(epochs=2, batch_size=8, learning_rate=1e-2, rank=2, max_tokens=8)


def test_merged_answers_as_unmerged(task_folder: Path, tiny_base: Path, tmp_path: Path) -> None:
    task = read_task(task_folder)
    model, tokenizer = new_adapter(Origin(tiny_base), task.labels, QUICK)
    fit(model, tokenizer, task, QUICK)
    save_adapter(model, tmp_path / "adapter", Origin(tiny_base))
    merged, merged_tokenizer = load_merged(tmp_path / "adapter", task.labels)
    before = logits(model, tokenizer, task.test.texts, max_tokens=8)
    after = logits(merged, merged_tokenizer, task.test.texts, max_tokens=8)
    np.testing.assert_allclose(after, before, atol=1e-5)
    bare, _ = new_adapter(Origin(tiny_base), task.labels, QUICK)
    assert np.abs(after - logits(bare, tokenizer, task.test.texts, max_tokens=8)).max() > 1e-3
    assert type(merged).__name__ == "BertForSequenceClassification"
    assert not [name for name, _ in merged.named_parameters() if "lora" in name]


def test_folder_holds_the_adapter_and_its_card(task_folder: Path, tiny_base: Path, tmp_path: Path) -> None:
    task, out = read_task(task_folder), tmp_path / "new" / "animals"
    description = describe(task.labels, {"title": "Animals", "licence": "CC0"})
    train(task, out, recipe=QUICK, description=description, origin=Origin(tiny_base))
    assert sorted(path.name for path in out.iterdir()) == [
        "README.md",
        "adapter_config.json",
        "adapter_model.safetensors",
        "labels.json",
    ]
    assert [path.name for path in out.parent.iterdir()] == ["animals"]
    content = json.loads((out / "labels.json").read_text("utf-8"))
    assert content["labels"] == ["cat", "dog"]
    assert [target["name"] for target in content["targets"]] == ["dog"]
    assert content["test"] == {}
    assert content["recipe"]["kept_epoch"] in (1, 2)
    card = (out / "README.md").read_text("utf-8")
    assert f"{content['val']['macro_f1']:.3f}" in card
    assert "CC0" in card
    assert "Not for moderation" in card
    assert not any(text in path.read_text("utf-8") for text in task.train.texts for path in out.glob("*.[jm]*"))


def test_test_table_is_used_once(task_folder: Path, tiny_base: Path, tmp_path: Path) -> None:
    task, out = read_task(task_folder), tmp_path / "animals"
    train(task, out, recipe=QUICK, description=describe(task.labels, {}), origin=Origin(tiny_base))
    assert "not used" in (out / "README.md").read_text("utf-8")
    scores = score_test(task, out)
    content = json.loads((out / "labels.json").read_text("utf-8"))
    assert scores == content["val"] == content["test"]  # the tables are the same, and so is the adapter
    assert "not used" not in (out / "README.md").read_text("utf-8")
    with pytest.raises(OptionError, match="tested before"):
        score_test(task, out)


def test_an_existing_folder_is_not_overwritten(task_folder: Path, tiny_base: Path, tmp_path: Path) -> None:
    task = read_task(task_folder)
    with pytest.raises(OptionError, match="exists"):
        train(task, tmp_path, recipe=QUICK, description=describe(task.labels, {}), origin=Origin(tiny_base))


def test_a_folder_that_is_no_base_model_is_named(task_folder: Path, tmp_path: Path) -> None:
    task = read_task(task_folder)
    with pytest.raises(ModelError, match=r"config\.json"):
        train(task, tmp_path / "out", recipe=QUICK, description=describe(task.labels, {}), origin=Origin(tmp_path))
    assert not (tmp_path / "out").exists()


def test_targets_of_many_labels_and_a_difference() -> None:
    content = describe(("bad", "so-so", "good"), {}, differences=[("tone", "good", "bad")])
    names = [(target["name"], target["low"], target["high"]) for target in content["targets"]]
    assert names == [("bad", 0.0, 1.0), ("so-so", 0.0, 1.0), ("good", 0.0, 1.0), ("tone", -1.0, 1.0)]
    with pytest.raises(OptionError, match="great"):
        describe(("bad", "good"), {}, differences=[("tone", "great", "bad")])


def test_an_adapter_can_start_from_another_but_for_its_head(task_folder: Path, tiny_base: Path, tmp_path: Path) -> None:
    task, first = read_task(task_folder), tmp_path / "first"
    train(task, first, recipe=QUICK, description=describe(task.labels, {}), origin=Origin(tiny_base))
    second, tokenizer = new_adapter(Origin(tiny_base, first), ("a", "b", "c"), QUICK)
    merged, _ = load_merged(first, task.labels)
    fresh, _ = new_adapter(Origin(tiny_base), ("a", "b", "c"), QUICK)
    inputs = tokenizer(["the big cat sees my dog"], return_tensors="pt")
    hidden = [model.eval().get_submodule("bert")(**inputs).pooler_output.detach().numpy() for model in (merged,)]
    hidden += [model.eval().base_model.model.bert(**inputs).pooler_output.detach().numpy() for model in (second, fresh)]
    np.testing.assert_allclose(hidden[1], hidden[0], atol=1e-5)
    assert np.abs(hidden[2] - hidden[0]).max() > 1e-3


def test_an_adapter_of_another_rank_is_no_start(task_folder: Path, tiny_base: Path, tmp_path: Path) -> None:
    task = read_task(task_folder)
    train(task, tmp_path / "first", recipe=QUICK, description=describe(task.labels, {}), origin=Origin(tiny_base))
    with pytest.raises(ModelError, match="another rank"):
        new_adapter(Origin(tiny_base, tmp_path / "first"), task.labels, Recipe(rank=3))


def test_a_dearer_class_is_claimed_more_often(task_folder: Path, tiny_base: Path) -> None:
    task = read_task(task_folder)
    claims = []
    for weights in ((20.0, 1.0), (1.0, 20.0)):
        recipe = Recipe(epochs=1, batch_size=8, learning_rate=5e-3, rank=2, max_tokens=8, class_weights=weights)
        model, tokenizer = new_adapter(Origin(tiny_base), task.labels, recipe)
        fit(model, tokenizer, task, recipe)
        claims.append(logits(model, tokenizer, task.val.texts, max_tokens=8) @ [-1, 1])
    assert (claims[1] > claims[0]).all()
