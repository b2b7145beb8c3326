"""Retraining: what is trained is not measured, the answers move less, the adapter loads, a stopped run goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from psa_core import models, study, trust
from psa_core.errors import Cancelled, CorpusError, ModelError, NameListError, OptionError
from psa_core.folders import cube_file
from psa_core.retraining import Order, Retraining, retrain, run
from psa_core.retraining.material import material
from psa_core.retraining.measure import Split, change, interval, labelled_texts, percent_of, sensitivity, task_score
from psa_core.retraining.student import fit, student
from psa_core.scoring import Progress, Watch
from psa_core.study import StudySpec
from psa_core.study.families import normalized
from research.training import Origin, Recipe, describe, read_task, score_test, train
from tests.tiny_models import tiny_classifier

NAMES = ["alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi"]
SENTENCES = [
    f"{who} {verb} {what}." for who in ("he", "she") for verb in ("is", "was") for what in ("good", "bad", "so")
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("retrain")
    (folder / "names.csv").write_text("name\n" + "\n".join(NAMES) + "\n")
    (folder / "sentences.csv").write_text("text\n" + "\n".join(SENTENCES) + "\n")
    tiny_classifier(folder / "model")
    return folder


def order(place: Path, **more: Any) -> Order:
    spec = StudySpec(
        sentences=str(place / "sentences.csv"), names=str(place / "names.csv"), model=f"hf:{place / 'model'}"
    )
    recipe = Retraining(steps=30, sentences=4, learning_rate=2e-2, layers=2)
    return replace(Order(spec, recipe, strengths=(0.0, 30.0)), **more)


@pytest.fixture(scope="module")
def done(place: Path) -> dict[str, Any]:
    return retrain(order(place), place / "out")


def test_no_name_or_sentence_is_trained_on_and_measured(place: Path) -> None:
    for seed in range(3):
        split = material(study.plan(order(place).spec), seed=seed)
        measured = split.held_out
        assert set(split.trained.names) | set(measured.names.table["name"]) == set(NAMES)
        assert not set(split.trained.names) & set(measured.names.table["name"])
        assert not set(split.trained.texts) & set(measured.selection.sentences["text"])
        assert not set(split.texts) & set(measured.selection.sentences["text"])


def test_other_texts_leave_the_whole_study_for_measuring() -> None:
    planned = study.plan(StudySpec(sentences="people", names="demo", model="keyword", anchors="entities:PERSON"))
    own = list(planned.selection.sentences["text"])
    split = material(planned, texts=[*own[:3], "Paul Smith came late.", "Ann Lee was there.", "Nobody came."])
    assert len(split.held_out.selection.sentences) == len(own)
    assert sorted(split.texts) == ["Ann Lee was there.", "Nobody came.", "Paul Smith came late."]
    assert set(split.trained.texts) <= set(split.texts) and len(split.trained.texts) >= 2


def test_names_move_the_answers_less_only_with_strength(done: dict[str, Any]) -> None:
    falls = [strength["targets"]["positive"]["score_dev"]["fall"]["value"] for strength in done["strengths"]]
    assert falls[0] == pytest.approx(0, abs=1e-4) and falls[1] > 0.4
    assert done["strengths"][1]["targets"]["positive"]["labels_kept"]["low"] is None, "one seed has no interval"


def test_the_adapter_answers_as_it_was_measured(place: Path, done: dict[str, Any]) -> None:
    folder = place / "out" / "strength-30"
    cube = cube_file.load(folder / "after.npz")
    scorer = models.load(cube.provenance["study"]["model"])
    texts = [text for text in study.perturbation_of(cube)]
    np.testing.assert_allclose(scorer.score(texts), cube.perturbed.reshape(len(texts), -1), atol=1e-5)
    assert scorer.fingerprint != models.load(f"hf:{place / 'model'}").fingerprint
    assert not list(place.glob(".out.part"))


def test_the_card_says_what_was_measured(place: Path, done: dict[str, Any]) -> None:
    said = (place / "out" / "strength-30" / "adapter" / "README.md").read_text("utf-8")
    before = done["strengths"][1]["targets"]["positive"]["score_dev"]["before"]["value"]
    assert "| 30 | `positive` |" in said and f"{before:.4f}" in said
    assert "6 sentences with 4 names" in said and "fair" not in said and "debias" not in said
    assert json.loads((place / "out" / "retraining.json").read_text("utf-8")) == json.loads(json.dumps(done))


def test_a_stopped_run_goes_on(place: Path, tmp_path: Path) -> None:
    told: list[str] = []
    stops = Watch(should_stop=lambda: len(told) > 4, tell=told.append)
    with pytest.raises(Cancelled):
        retrain(order(place), tmp_path / "again", stops)
    assert not (tmp_path / "again").exists()
    told.clear()
    retrain(order(place), tmp_path / "again", Watch(tell=told.append))
    assert [line for line in told if line.startswith("Training")] == ["Training with strength 30, seed 0"]


def test_other_labelled_texts_are_another_order(place: Path) -> None:
    asked = replace(order(place), labelled=Split(tuple(SENTENCES), np.zeros(len(SENTENCES), int)), labels=("0",))
    planned = study.plan(asked.spec)
    other = replace(asked, labelled=Split(tuple(SENTENCES[1:]), np.zeros(len(SENTENCES) - 1, int)))
    recipe = asked.recipes[0]
    assert run._key(asked, planned, recipe) == run._key(asked, study.plan(asked.spec), recipe)
    assert run._key(asked, planned, recipe) != run._key(other, planned, recipe)


def test_steps_are_told_over_all_trainings(place: Path, tmp_path: Path) -> None:
    told: list[Progress] = []
    few = order(place, recipe=Retraining(steps=2, sentences=2), strengths=(1.0,), seeds=(0, 1))
    found = retrain(few, tmp_path / "out", Watch(on_window=told.append))
    assert [one.words for one in told] == [f"Training: step {step} of 4" for step in (1, 2, 3, 4)]
    assert [(one.texts_done, one.texts_total) for one in told] == [(8, 32), (16, 32), (24, 32), (32, 32)]
    assert told[0].seconds_left == pytest.approx(3 * told[0].seconds) and told[-1].seconds_left == 0
    assert found["strengths"][0]["targets"]["positive"]["score_dev"]["fall"]["low"] is not None


def test_augmentation_learns_the_answer_to_the_sentence_as_it_was(place: Path, tmp_path: Path) -> None:
    asked = order(place, strengths=(30.0,))
    found = retrain(replace(asked, recipe=replace(asked.recipe, method="augment")), tmp_path / "out")
    assert found["strengths"][0]["targets"]["positive"]["score_dev"]["fall"]["value"] > 0.4


def test_the_tasks_score_is_measured_on_labelled_texts(place: Path, tmp_path: Path) -> None:
    true = (np.arange(len(SENTENCES)) % 3 == 0).astype(int)
    few = order(place, recipe=Retraining(steps=1), strengths=(0.0,))
    scores = models.load(few.spec.model).score(SENTENCES)
    names = np.array(["negative", "positive"])[true]
    (tmp_path / "named.csv").write_text("text,label\n" + "\n".join(map(",".join, zip(SENTENCES, names, strict=True))))
    for number, (labelled, labels) in enumerate(
        [
            (Split(tuple(SENTENCES), 1 - true), ("positive", "negative")),
            (Split(tuple(SENTENCES), true), ("0", "1")),
            labelled_texts(str(tmp_path / "named.csv"), most=100),
        ]
    ):
        task = retrain(replace(few, labelled=labelled, labels=labels), tmp_path / str(number))["strengths"][0]["task"]
        trained = set(map(normalized, material(study.plan(few.spec), seed=0).texts))
        rows = [row for row, text in enumerate(SENTENCES) if normalized(text) not in trained]
        said = (tmp_path / str(number) / "README.md").read_text("utf-8")
        assert len(rows) == 6 and "On 6 labelled texts, none of which was trained on." in said
        assert task["accuracy"]["before"]["value"] == np.mean((scores[rows, 1] > 0.5) == true[rows])
    with pytest.raises(OptionError, match="expected the classifier's own: negative, positive"):
        retrain(replace(few, labelled=labelled, labels=("positive", "other")), tmp_path / "other")


def test_one_score_gives_its_label_from_its_own_threshold(tmp_path: Path) -> None:
    scorer: Any = models.load(f"hf:{tiny_classifier(tmp_path / 'yes', labels=('yes',))}")
    scores = scorer.score(SENTENCES)[:, 0]
    (low, high), true = np.quantile(scores, [0.3, 0.7]), (scores >= np.median(scores)).astype(np.int64)
    for threshold in (low, high):
        (target,) = scorer.targets
        moved = replace(scorer, targets=(replace(target, threshold=float(threshold)),))
        found = task_score(moved, Split(tuple(SENTENCES), true))
        assert found["accuracy"] == np.mean((scores >= np.float32(threshold)) == true)
    few = order(tmp_path, strengths=(0.0,), recipe=Retraining(steps=1))
    (tmp_path / "names.csv").write_text("name\n" + "\n".join(NAMES) + "\n")
    (tmp_path / "sentences.csv").write_text("text\n" + "\n".join(SENTENCES[:4]) + "\n")
    asked = replace(few, spec=replace(few.spec, model=f"hf:{tmp_path / 'yes'}"))
    split = Split(tuple(SENTENCES), true)
    task = retrain(replace(asked, labelled=split, labels=("0", "1")), tmp_path / "out")["runs"][0]["task"]
    assert 0 < task["before"]["accuracy"] < 1


@pytest.mark.parametrize(
    ("content", "said"),
    [("text,kind\nhe is good,1\n", "label_name or label"), ("text,label\nhe is good,1\nhe is bad,\n", "empty label")],
)
def test_labelled_texts_that_are_none(content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "labelled.csv").write_text(content)
    with pytest.raises(CorpusError, match=said):
        labelled_texts(str(tmp_path / "labelled.csv"), most=10)


def test_an_adapter_on_the_packaged_encoder_stays_one(task_folder: Path, tiny_base: Path, tmp_path: Path) -> None:
    task = read_task(task_folder)
    quick = Recipe(epochs=1, batch_size=8, learning_rate=1e-2, rank=2, max_tokens=8)
    train(task, tmp_path / "old", recipe=quick, description=describe(task.labels, {}), origin=Origin(tiny_base))
    pupil = student(f"minilm:{tmp_path / 'old'}", Retraining(rank=3, layers=1))
    same = pupil.scorer.score(task.val.texts)
    for name, value in pupil.model.named_parameters():
        if "lora_B" in name:
            value.data += 0.1
    moved = pupil.scorer.score(task.val.texts)
    assert np.abs(moved - same).max() > 1e-3
    pupil.save(tmp_path / "new")
    loaded = models.load(pupil.id_with(tmp_path / "new"))
    np.testing.assert_allclose(loaded.score(task.val.texts), moved, atol=1e-5)
    config = json.loads((tmp_path / "new" / "adapter_config.json").read_text("utf-8"))
    assert (config["r"], config["lora_alpha"]) == (5, 10)
    with pytest.raises(OptionError, match="retrained"):
        score_test(task, tmp_path / "new")


def test_sensitivity_by_hand() -> None:
    from tests.test_mitigate import small_cube

    # Against the rows' means 0.25 and 0.75: effects 0, 0.25, -0.25 and 0, -0.25, 0.25: they cancel.
    found = sensitivity(small_cube(), "toxicity")
    assert found == {"name_effect": 0.0, "score_dev": pytest.approx(np.std([0.25, 0.5, 0.0]))}
    assert change(small_cube(), small_cube(), "toxicity") == {"score_change": 0.0, "labels_kept": 1.0}
    assert interval([0.5]) == {"value": 0.5, "low": None, "high": None}
    assert interval([1.0, 2.0, 3.0])["value"] == 2.0


@pytest.mark.parametrize("steps", [1, 2, 9, 10, 11])
def test_any_number_of_steps_will_do(steps: int, place: Path) -> None:
    recipe = Retraining(steps=steps, sentences=2, layers=1)
    pupil = student(f"hf:{place / 'model'}", recipe)
    losses = fit(pupil, material(study.plan(order(place).spec)), recipe)
    assert len(losses) == steps and np.isfinite(losses).all()


@pytest.mark.parametrize(
    ("option", "value"),
    [("method", "other"), ("strength", -1.0), ("strength", float("nan")), ("steps", 0), ("layers", 0), ("seed", -1)],
)
def test_options_out_of_range(option: str, value: Any) -> None:
    with pytest.raises(OptionError, match=option):
        Retraining(**{option: value})


def test_bad_orders(place: Path, tmp_path: Path) -> None:
    for strengths in ((), (1.0, 1.0), (1.0, 1.0000001)):  # the last two would be one folder
        with pytest.raises(OptionError, match="strength"):
            order(place, strengths=strengths)
    with pytest.raises(ModelError, match="minilm"):
        student("keyword", Retraining())
    with pytest.raises(ModelError, match="without"):
        student(f"hf:{place / 'model'}?adapter=somewhere", Retraining())
    (tmp_path / "few.csv").write_text("name\nalice\nbob\ncarol\n")
    spec = replace(order(place).spec, names=str(tmp_path / "few.csv"))
    with pytest.raises(NameListError, match="at least four"):
        material(study.plan(spec))
    with pytest.raises(CorpusError, match="at least two"):
        material(study.plan(order(place).spec), texts=["he came."])


def test_who_may_name_an_adapter(place: Path, done: dict[str, Any]) -> None:
    named = f"hf:owner/model?adapter={place / 'out' / 'strength-30' / 'adapter'}"
    for origin in (trust.Origin.VISITOR, trust.Origin.FILE):
        with pytest.raises(OptionError, match="named by"):
            models.check(named, origin)
    assert models.check(named, trust.Origin.OWN_MACHINE)


def test_a_share_of_nothing_is_no_error_and_zero_has_no_sign() -> None:
    assert percent_of({"value": float("nan"), "low": None, "high": None}) == "nan %"
    assert percent_of({"value": -0.001, "low": -0.002, "high": 1.2}) == "0 % (0 to 100)"
