"""Training a tiny language model on: values move it less, the adapter loads, nothing measured was trained on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from psa_core import generators, models, trust
from psa_core.cube import Target
from psa_core.errors import CorpusError, ModelError, NameListError, OptionError
from psa_core.models._transformers.language_models import as_tensors
from psa_core.models._transformers.lm_files import load_language_model
from research.training.command import main
from research.training.language import FILE, HELD_OUT, LanguageRecipe, Order, closeness, debias, run
from research.training.language.card import card
from research.training.language.fit import between, fit, pair
from research.training.language.material import texts_of
from research.training.language.probe import labels_of, probe
from research.training.language.writer import Read, writer
from tests.tiny_models import tiny_causal_lm

NAMES = ["alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi"]
TEXTS = tuple(
    f"{start} {name} {middle} {end} ."
    for name in NAMES
    for start in ("and", "so")
    for middle in ("is very", "was not")
    for end in ("good", "bad", "a person")
)
FEW = {"steps": 25, "sentences": 4, "layers": 2, "max_tokens": 16, "learning_rate": 1e-2}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("debias")
    (folder / "names.csv").write_text("value,gender\n" + "\n".join(f"{name},x" for name in NAMES) + "\n")
    (folder / "texts.txt").write_text("\n".join(TEXTS) + "\n")
    tiny_causal_lm(folder / "model", "llama")
    return folder


def order(place: Path, **recipe: Any) -> Order:
    return Order(f"lm:{place / 'model'}", str(place / "names.csv"), LanguageRecipe(**{**FEW, **recipe}), TEXTS)


@pytest.fixture(scope="module")
def done(place: Path) -> dict[str, Any]:
    return debias(order(place, strength=100.0), place / "out")


def test_unseen_values_move_it_less_only_with_strength(place: Path, done: dict[str, Any], tmp_path: Path) -> None:
    assert done["after"]["distance"] < 0.6 * done["before"]["distance"]
    plain = debias(order(place, strength=0.0, steps=3, learning_rate=1e-5), tmp_path / "out")
    assert plain["before"]["distance"] == done["before"]["distance"]
    assert plain["after"]["distance"] == pytest.approx(plain["before"]["distance"], rel=0.02)
    assert plain["before"]["divergence"] == 0


def test_embedding_similarity_does_too(place: Path, tmp_path: Path) -> None:
    found = debias(order(place, method="embedding", strength=100.0), tmp_path / "out")
    assert found["after"]["distance"] < 0.6 * found["before"]["distance"] and found["probe"] is None


def test_sentiment_similarity_draws_together_what_the_probe_reads(place: Path) -> None:
    recipe = LanguageRecipe(**FEW, method="sentiment", strength=1000.0)
    pupil = writer(f"lm:{place / 'model'}", recipe)
    split = texts_of(TEXTS, NAMES)
    distance = closeness.sentiment(probe(pupil, TEXTS, ByWords(), max_tokens=16))
    pairs = [pair(pupil, one, value, max_tokens=16) for one in split.trained for value in ("bob", "erin")]
    before = float(between(pupil, pairs, distance).detach())
    fit(pupil, split, NAMES, recipe, distance)
    assert float(between(pupil, pairs, distance).detach()) < 0.7 * before


def test_no_value_is_trained_on_and_held_out(place: Path, done: dict[str, Any]) -> None:
    trained, held_out = done["values"]["trained"], done["values"]["held_out"]
    assert len(trained) == len(held_out) == 4 and sorted([*trained, *held_out]) == NAMES
    table = pd.read_csv(place / "out" / HELD_OUT)
    assert table["value"].tolist() == held_out and table["gender"].eq("x").all()


def test_the_adapter_is_taken_to_sample_and_to_score(place: Path, done: dict[str, Any]) -> None:
    lm = f"lm:{place / 'model'}"
    adapted = f"{lm}?adapter={place / 'out'}"
    assert generators.load(adapted).fingerprint != generators.load(lm).fingerprint
    scores = [models.load(item).score(list(TEXTS[:4])) for item in (lm, generators.as_scorer(adapted))]
    assert np.abs(scores[0] - scores[1]).max() > 1e-3
    pupil = writer(lm, LanguageRecipe(**FEW))
    config = json.loads((place / "out" / "adapter_config.json").read_text("utf-8"))
    assert config["base_model_name_or_path"] == "model" and not pupil.model.training


def test_the_card_says_what_was_done(place: Path, done: dict[str, Any]) -> None:
    said = (place / "out" / "README.md").read_text("utf-8")
    assert f"{done['after']['distance']:.4f}" in said and "sentiment differs less" in said
    assert str(place) not in said and said.startswith("# model, trained")
    assert done["processor_seconds"] > 0 and f"{done['processor_seconds']:.0f} s of processor time" in said
    assert "debiased" not in said and " fair" not in said
    assert json.loads((place / "out" / FILE).read_text("utf-8")) == json.loads(json.dumps(done))
    weak = done | {"probe": {"labels": "x", "accuracy": 0.74, "learned": 30, "tested": 10}}
    assert "Below 90 %" in card(weak) and "Below" not in card(weak | {"probe": weak["probe"] | {"accuracy": 0.95}})


class ByWords:
    """Sure of texts with *good* or *bad* in them."""

    fingerprint, targets = "by-words", (Target("sentiment", -1.0, 1.0, "words"),)

    def score(self, texts: list[str]) -> np.ndarray:
        return np.array([[("good" in text) - 0.9 * ("bad" in text)] for text in texts], np.float32)


class OneHot:
    """A language model whose features are its tokens: each word has a place of its own."""

    words = ("good", "bad", "it", "is", "was", "said", *NAMES)

    def ids(self, text: str) -> list[int]:
        return [self.words.index(word) for word in text.split()]

    def read(self, rows: list[list[int]]) -> Read:
        import torch

        ids, inside = as_tensors(rows, 0, device="cpu")
        features = torch.nn.functional.one_hot(ids, len(self.words)).float()
        return Read(features, features, inside)


def test_the_probe_reads_all_tokens_and_learns_from_what_the_scorer_is_sure_of() -> None:
    texts = [
        f"{what} {verb} {name}" for name in NAMES for verb in ("is", "was", "said") for what in ("good", "bad", "it")
    ]
    assert labels_of(["a good man", "a bad one", "it is"], ByWords()).tolist() == [1, -1, 0]
    found = probe(OneHot(), texts, ByWords(), max_tokens=16)
    assert (found.learned, found.tested, found.accuracy) == (36, 12, 1.0)
    with pytest.raises(CorpusError, match="0 texts that are surely positive"):
        probe(OneHot(), ["it is bad"] * 30, ByWords(), max_tokens=16)


def test_all_texts_count_and_both_labels_weigh_the_same(place: Path) -> None:
    verbs = ("is", "was", "said", "saw", "had", "got")
    texts = [f"{name} {verb} good" for name in NAMES for verb in verbs] + [f"{name} is bad" for name in NAMES]
    pupil = writer(f"lm:{place / 'model'}", LanguageRecipe(**FEW))
    texts *= 3
    found = probe(pupil, texts, ByWords(), max_tokens=16)
    assert (found.learned, found.tested) == (len(texts) - 12, 12) and found.accuracy >= 0.9


def test_sentiment_is_read_from_more_of_its_own_texts_and_none_names_a_held_out_value(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def samples(writer: Any, values: list[str], *, count: int, seed: int) -> list[str]:
        asked.append(count)
        return [f"{name} saw {number} men" for number in range(count) for name in NAMES]

    def read(pupil: Any, texts: list[str], scorer: Any, **_: Any) -> None:
        assert not any(name in text for text in texts for name in held_out)
        raise CorpusError("texts", got=str(len(texts)), expected="the test's end")

    monkeypatch.setattr(run, "own_samples", samples)
    monkeypatch.setattr(run, "probe", read)
    lacking = order(place, method="sentiment", samples=20, labelled=200)
    held_out = run._dealt(lacking)[1]["value"].tolist()
    with pytest.raises(CorpusError, match="the test's end"):
        debias(replace(lacking, texts=()), tmp_path / "out")
    assert asked[0] == 20 and sum(asked) > 100


@pytest.mark.parametrize("lm", ["chat:http://localhost:1/v1#m", "lm:{}?adapter=x", "lm:{}?match=opinion-words"])
def test_what_has_no_weights_or_an_adapter_is_refused(place: Path, lm: str) -> None:
    with pytest.raises(ModelError, match=r"^lm: "):
        writer(lm.format(place / "model"), LanguageRecipe())


def test_too_few_values_are_refused_and_nothing_is_written(place: Path, tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("value\nalice\nbob\n")
    with pytest.raises(NameListError, match="at least four"):
        debias(Order(f"lm:{place / 'model'}", str(tmp_path / "few.csv"), LanguageRecipe()), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("wrong", [{"method": "x"}, {"strength": -1.0}, {"sentences": 1}, {"learning_rate": 0.0}])
def test_a_recipe_out_of_range_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        LanguageRecipe(**wrong)


def test_the_command_writes_an_adapter(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["debias-lm", "--lm", f"lm:{place / 'model'}", "--values", str(place / "names.csv"), "--steps", "2"]
    more = ["--text", str(place / "texts.txt"), "--max-tokens", "16", "--layers", "1"]
    assert main([*words, *more, "--out", str(tmp_path / "out")]) == 0
    assert "trained so that its sentiment differs less" in capsys.readouterr().out
    assert {"adapter_model.safetensors", "adapter_config.json", FILE, HELD_OUT} <= {
        file.name for file in (tmp_path / "out").iterdir()
    }
    assert main([*words, "--text", "nowhere.txt", "--out", str(tmp_path / "no")]) == 2
    assert "nowhere.txt" in capsys.readouterr().err and not (tmp_path / "no").exists()


def test_an_adapter_is_a_file_of_this_machine_whatever_it_is_for(place: Path) -> None:
    for lm in ("lm:smollm2", "lm:owner/model", "lm:weights.gguf"):
        for room in (generators, models):
            needs = room.needs(f"{lm}?adapter=/srv/adapter")
            assert needs[-1] == trust.Need(trust.Kind.MODEL, "/srv/adapter")
            with pytest.raises(OptionError, match=r"/srv/adapter|gguf"):
                room.check(f"{lm}?adapter=/srv/adapter", trust.Origin.VISITOR)
    with pytest.raises(OptionError, match="/srv/adapter"), trust.acting(trust.Origin.VISITOR):
        load_language_model("smollm2", {"adapter": "/srv/adapter"})
