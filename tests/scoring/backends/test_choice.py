"""Faster ways to compute a model are used only where they are installed and give the same scores."""

from __future__ import annotations

import copy
import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

from psa_core import models
from psa_core.errors import OptionError
from psa_core.scoring import ScoringOptions, backends, score, score_cells
from psa_core.scoring.backends import choice, families, fused, onnx
from psa_core.scoring.backends.choice import Calibration, keep, measure, remembered
from psa_core.scoring.backends.forward import SPLIT, DeviceForward, Forward, SplitForward, Way
from tests.tiny_models import KINDS, tiny_causal_lm, tiny_classifier, tiny_judge, tiny_masked_lm

ONNX = ScoringOptions(backend="onnx")
TEXTS = ["she is good", "he said it was so bad and then she said it was good", "I hate Alice.", "good"]
needs_onnx = pytest.mark.skipif(not onnx.is_installed(), reason="ONNX is not installed (requirements-onnx.txt)")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return {kind: tiny_classifier(tmp_path_factory.mktemp("tiny") / kind, kind) for kind in KINDS}


@pytest.fixture
def tiny(folders):
    return models.load(f"hf:{folders['bert']}")


def one_by_one(scorer, texts):
    return np.concatenate([scorer.score([text]) for text in texts])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("backend", ["torch", pytest.param("onnx", marks=needs_onnx)])
def test_every_backend_is_exact_for_every_kind_of_model(folders, make_cells, kind, backend):
    scorer, cells = models.load(f"hf:{folders[kind]}"), make_cells(6, 4)
    scores = score_cells(scorer, cells, options=ScoringOptions(backend=backend))
    assert scores.backend.startswith(backend) and scores.precision == "exact" and scores.notes == ()
    expected = np.array([one_by_one(scorer, cells.row(sentence)) for sentence in range(6)])
    assert np.abs(scores.perturbed - expected).max() <= 1e-5
    assert np.abs(scores.original - one_by_one(scorer, cells.originals())).max() <= 1e-5


@pytest.mark.parametrize("make", [tiny_causal_lm, tiny_masked_lm])
def test_a_language_models_surprise_is_computed_its_own_way(make, tmp_path):
    scorer = models.load(f"lm:{make(tmp_path / 'lm')}")
    assert score(scorer, TEXTS) == pytest.approx(one_by_one(scorer, TEXTS), abs=1e-3)


@needs_onnx
def test_making_a_graph_leaves_the_model_as_it_was(tiny):
    before = one_by_one(tiny, TEXTS)
    onnx.exported(tiny)
    np.testing.assert_array_equal(one_by_one(tiny, TEXTS), before)
    assert not tiny.model.training and tiny.model.config._attn_implementation != "eager"


@needs_onnx
def test_a_graph_is_made_once_and_made_again_when_it_is_damaged(tiny, monkeypatch):
    made, export = [], onnx._export
    monkeypatch.setattr(onnx, "_export", lambda model, path: (made.append(path), export(model, path)))
    rows = tiny.tokenize(TEXTS)
    first = onnx.onnx_forward(tiny)(rows)
    np.testing.assert_array_equal(onnx.onnx_forward(tiny)(rows), first)
    assert len(made) == 1
    path = onnx.exported(tiny)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    path.write_bytes(path.read_bytes()[:1_000])
    np.testing.assert_array_equal(onnx.onnx_forward(tiny)(rows), first)
    assert len(made) == 2


@needs_onnx
def test_in_the_graph_a_score_does_not_depend_on_its_batch(tiny):
    rows = tiny.tokenize(TEXTS) * 20
    forward = onnx.onnx_forward(tiny)
    together = forward(rows)
    for size in (1, 2, 7, 33):
        parts = [forward(rows[start : start + size]) for start in range(0, len(rows), size)]
        np.testing.assert_array_equal(np.concatenate(parts), together)


@needs_onnx
def test_a_graph_that_differs_is_not_trusted(tiny, monkeypatch):
    class Wrong(Forward):
        def __call__(self, token_ids):
            return super().__call__(token_ids) + np.float32(0.3) * np.arange(2)

    monkeypatch.setattr(onnx, "onnx_forward", Wrong)
    backend = backends.choose_backend(tiny, ONNX, sample=TEXTS, total=4)
    assert backend.name.startswith("torch")
    assert backend.notes[0].startswith("onnx differs from the model in float32 by up to 0.1")
    np.testing.assert_allclose(backend.score(backend.read(TEXTS), lambda: None), one_by_one(tiny, TEXTS), atol=1e-6)


@needs_onnx
def test_a_model_that_cannot_be_exported_is_scored_by_torch(tiny, monkeypatch):
    def refuse(scorer):
        raise RuntimeError("Unsupported: aten::oddity\nand a page of trace")

    monkeypatch.setattr(onnx, "onnx_forward", refuse)
    backend = backends.choose_backend(tiny, ONNX, sample=TEXTS, total=4)
    assert backend.name.startswith("torch")
    assert backend.notes == ("onnx cannot run this model here (Unsupported: aten::oddity): another way is used",)


def test_onnx_that_is_not_installed_is_named_only_when_it_was_asked_for(tiny, monkeypatch):
    monkeypatch.setattr(onnx, "find_spec", lambda name: None)
    with pytest.raises(OptionError, match="requirements-onnx"):
        backends.choose_backend(tiny, ONNX, sample=TEXTS, total=4)
    assert backends.choose_backend(tiny, ScoringOptions(), sample=TEXTS, total=4).name.startswith("torch")


def test_fast_says_how_far_it_is_off_and_is_remembered_apart(tiny, make_cells, cache):
    fast = score_cells(tiny, make_cells(), options=ScoringOptions(precision="fast"), cache=cache)
    exact = score_cells(tiny, make_cells(), cache=cache)
    assert (fast.backend, fast.precision, exact.precision) == ("bf16", "fast", "exact")
    assert fast.notes[0].startswith("bf16 differs from the model in float32 by up to ")
    assert exact.cache_hits == 0
    assert 0 < np.abs(fast.perturbed - exact.perturbed).max() < 0.05


def test_ways_are_made_and_compared_once_for_a_model(tiny, monkeypatch):
    made = []
    counted = Way("counted", lambda scorer: (made.append(scorer), Forward(scorer))[1])
    monkeypatch.setattr(choice, "ways", lambda scorer, options: ((counted,),))
    for _ in range(3):
        score(tiny, [*TEXTS, *(f"{text} {text}" for text in TEXTS)])
    assert made == [tiny]


@pytest.mark.parametrize("kind", [*KINDS, "gpt2"])
def test_only_known_families_are_fused(folders, tmp_path, kind):
    scorer = models.load(f"hf:{folders[kind] if kind in folders else tiny_classifier(tmp_path / kind, kind)}")
    first = choice.ways(scorer, ScoringOptions())[0]
    assert (fused.ENCODER in first) == (kind in KINDS)


@pytest.mark.parametrize("change", [{"hidden_act": "relu"}, {"is_decoder": True}, {"position_embedding_type": "odd"}])
def test_a_model_that_is_not_as_published_is_in_no_family(tiny, change):
    for name, value in change.items():
        setattr(tiny.model.config, name, value)
    assert families.family_of(tiny.model) is None


@pytest.mark.parametrize(
    "change",
    [
        {"share_att_key": True, "norm_rel_ebd": "layer_norm"},
        {"pos_att_type": ["c2p"]},
        {"pos_att_type": ["p2c"], "position_buckets": -1},
        {"pos_att_type": None, "max_relative_positions": 5},
        {"relative_attention": False, "position_biased_input": True, "type_vocab_size": 2},
    ],
)
def test_every_kind_of_distance_is_exact(folders, change):
    import torch

    known = models.load(f"hf:{folders['deberta-v2']}")
    config = copy.deepcopy(known.model.config)
    config.update(change)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        scorer = replace(known, model=type(known.model)(config).eval())
    rows = scorer.tokenize([*TEXTS, "a", "", "she said it was so good " * 5])
    alone = np.concatenate([scorer.forward([row]) for row in rows])
    assert np.abs(fused.fused_encoder(scorer, packed=False)(rows) - alone).max() <= 2e-5


def test_a_deberta_with_a_convolution_is_computed_its_own_way(folders):
    known = models.load(f"hf:{folders['deberta-v2']}")
    config = copy.deepcopy(known.model.config)
    config.update({"conv_kernel_size": 3})
    scorer = replace(known, model=type(known.model)(config).eval())
    assert score(scorer, TEXTS) == pytest.approx(one_by_one(scorer, TEXTS), abs=1e-5)


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_fused_encoder_is_exact_whatever_is_padded(folders, kind, packed):
    scorer = models.load(f"hf:{folders[kind]}")
    rows = scorer.tokenize([*TEXTS, "a", "", "she said it was so good " * 5])
    rows.append([*rows[0][:2], scorer.model.config.pad_token_id, *rows[0][2:]])  # padding that stands in a text
    forward = fused.fused_encoder(scorer, packed=packed)
    alone = np.concatenate([scorer.forward([row]) for row in rows])
    # Logits of these weights are as large as 5, where processors round differently by as much.
    nearly = {"atol": 1e-5, "rtol": 1e-5}
    np.testing.assert_allclose(forward(rows), alone, **nearly)
    for row, expected in zip(rows, alone, strict=True):
        np.testing.assert_allclose(forward([row])[0], expected, **nearly)


def test_a_model_of_one_layer_is_fused_too(tmp_path):
    from transformers import AutoModelForSequenceClassification

    folder = tiny_classifier(tmp_path / "one", "bert")
    model = AutoModelForSequenceClassification.from_pretrained(folder, num_hidden_layers=1)
    model.save_pretrained(folder)
    scorer = models.load(f"hf:{folder}")
    rows = scorer.tokenize(TEXTS)
    alone = np.concatenate([scorer.forward([row]) for row in rows])
    np.testing.assert_allclose(fused.fused_encoder(scorer, packed=False)(rows), alone, atol=1e-5)


@pytest.mark.parametrize(("processor", "first"), [("AVX512", "torch fused"), ("AVX2", "torch encoder")])
def test_packed_layers_come_first_where_the_processor_multiplies_them_faster(tiny, monkeypatch, processor, first):
    monkeypatch.setattr("torch.backends.cpu.get_cpu_capability", lambda: processor)
    backend = backends.choose_backend(tiny, ScoringOptions(), sample=TEXTS, total=4)
    assert (backend.name, backend.precision, backend.notes) == (first, "exact", ())


def test_when_packed_layers_are_gone_public_ones_serve_and_the_result_says_so(tiny, monkeypatch):
    def gone(*layers, scale=1.0):
        raise AttributeError("'_OpNamespace' 'mkldnn' object has no attribute '_reorder_linear_weight'")

    monkeypatch.setattr(fused, "_packed", gone)
    monkeypatch.setattr("torch.backends.cpu.get_cpu_capability", lambda: "AVX512")
    backend = backends.choose_backend(tiny, ScoringOptions(), sample=TEXTS, total=4)
    assert backend.name == "torch encoder" and backend.precision == "exact"
    assert backend.notes[0].startswith("torch fused cannot run this model here ('_OpNamespace'")
    np.testing.assert_allclose(backend.score(backend.read(TEXTS), lambda: None), one_by_one(tiny, TEXTS), atol=1e-6)


def test_a_way_that_differs_is_not_trusted(tiny, monkeypatch):
    wrong = Way("wrong", lambda scorer: DeviceForward(scorer, "bf16"))
    monkeypatch.setattr(choice, "ways", lambda scorer, options: ((wrong, choice.OWN),))
    backend = backends.choose_backend(tiny, ScoringOptions(), sample=TEXTS, total=4)
    assert backend.name == "torch" and backend.precision == "exact"
    assert backend.notes[0].endswith("another way is used")


def test_what_was_verified_is_not_verified_again_at_the_next_start(folders, monkeypatch):
    texts, compared = [" ".join(["good"] * n) for n in range(1, 13)], []
    measure = choice.Verifier._difference
    monkeypatch.setattr(choice.Verifier, "_difference", lambda *args: (compared.append(1), measure(*args))[1])
    for _ in range(2):
        scorer = models.load(f"hf:{folders['roberta']}")
        backend = backends.choose_backend(scorer, ScoringOptions(backend="torch"), sample=texts, total=12)
        np.testing.assert_allclose(
            backend.score(backend.read(texts), lambda: None), one_by_one(scorer, texts), atol=1e-6
        )
    assert len(compared) == 1
    monkeypatch.setattr(choice, "_code", lambda: "another program")
    backends.choose_backend(models.load(f"hf:{folders['roberta']}"), ScoringOptions(backend="torch"), sample=texts)
    assert len(compared) == 2


def test_a_model_is_freed_with_its_scorer(folders):
    scorer = models.load(f"hf:{folders['deberta-v2']}")
    score(scorer, TEXTS * 3)
    model = weakref.ref(scorer.model)
    del scorer
    gc.collect()
    assert model() is None


def test_a_scorer_travels_to_another_process_without_what_was_found_about_it(tiny):
    score(tiny, [f"{text} {word}" for text in TEXTS for word in ("good", "bad", "so")])
    assert tiny.known_ways and tiny.__getstate__()["known_ways"] == {}


def test_a_long_run_is_calibrated_once(tiny, make_cells, monkeypatch):
    measured, once = [], choice.measure
    monkeypatch.setattr(choice, "WORTH_MEASURING", 10)
    monkeypatch.setattr(choice, "CPU_BUDGETS", (64, 128))
    monkeypatch.setattr(choice, "measure", lambda *args: (measured.append(args), once(*args))[1])
    first = score_cells(tiny, make_cells())
    second = score_cells(tiny, make_cells())
    assert len(measured) == 1
    assert first.backend == second.backend in measured[0][0]
    np.testing.assert_array_equal(first.perturbed, second.perturbed)


def test_a_judge_without_an_accelerator_shows_its_first_answers_soon(tmp_path):
    """A window is what progress shows and what a stop can lose: of answers that take a second each, sixteen."""
    judge = models.load(f"ask:lm:{tiny_judge(tmp_path / 'lm')}?question=sentiment")
    assert backends.choose_backend(judge, ScoringOptions(), sample=TEXTS, total=300).window_texts == 16


def test_the_texts_of_a_sentence_share_their_beginning_in_a_large_window(tmp_path):
    perplexity = models.load(f"lm:{tiny_causal_lm(tmp_path / 'lm')}")
    assert backends.choose_backend(perplexity, ScoringOptions(), sample=TEXTS, total=300).window_texts == 512


def test_a_calibration_is_kept_under_what_it_was_made_for():
    found = Calibration("onnx", 2048, 345.6)
    keep(vars(found), "scorer-1", "cpu")
    assert remembered("scorer-1", "cpu") == found
    assert remembered("scorer-2", "cpu") is None


def test_a_damaged_calibration_is_as_good_as_none(own_folder, tmp_path):
    keep({"backend": "onnx", "budget": 2048, "texts_per_second": 345.6}, "scorer-1")
    (note,) = (tmp_path / "cache" / "calibration").iterdir()
    note.write_text('{"backend": "onnx"')
    assert remembered("scorer-1") is None


def test_measuring_prefers_the_faster_and_the_smaller_batch(monkeypatch):
    """A clock that only a forward moves: "quick" takes 1 s a text, 10 s more in batches beyond 2048 tokens."""
    now = [0.0]
    for clock in ("perf_counter", "process_time"):
        monkeypatch.setattr(f"psa_core.scoring.backends.choice.time.{clock}", lambda: now[0])

    class Timed:
        def __init__(self, seconds):
            self.seconds = seconds

        def __call__(self, token_ids):
            now[0] += self.seconds * len(token_ids) + (10 if len(token_ids) * 16 > 2048 else 0)

        def gather(self, batches):
            return None

    found = measure({"slow": Timed(3.0), "quick": Timed(1.0)}, [[7] * 16] * 5, "cpu")
    assert found == Calibration("quick", 1024, 1.0)


def test_a_device_without_room_for_a_budget_gets_a_smaller_one():
    class Small:
        def __call__(self, token_ids):
            if len(token_ids) * 16 > 1024:
                raise MemoryError
            return sum(range(100 * len(token_ids)))

        def gather(self, batches):
            return None

    assert measure({"torch": Small()}, [[7] * 16] * 5, "cpu").budget <= 1024


def test_parts_of_a_batch_come_back_in_place_and_others_keep_their_threads(tiny, monkeypatch):
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    rows = tiny.tokenize(TEXTS) * 3
    with monkeypatch.context() as three:
        three.setattr(torch, "get_num_threads", lambda: 3)
        split = SplitForward(tiny, lambda ids, mask: (ids * mask).sum(axis=1, keepdims=True).astype(np.float32))
    np.testing.assert_array_equal(split(rows)[:, 0], [sum(row) for row in rows])
    np.testing.assert_array_equal(split(rows[:1])[:, 0], [sum(rows[0])])
    SPLIT.make(tiny)(rows)
    assert torch.get_num_threads() == before
