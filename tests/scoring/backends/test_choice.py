"""Faster ways to compute a model are used only where they are installed and give the same scores."""

from __future__ import annotations

import numpy as np
import pytest

from psa_core import models
from psa_core.errors import OptionError
from psa_core.scoring import ScoringOptions, score, score_cells
from psa_core.scoring.backends import candidates, choice, onnx
from psa_core.scoring.backends.calibrate import Calibration, measure, remember, remembered
from psa_core.scoring.backends.forward import ScorerForward, SplitForward
from tests.tiny_models import KINDS, tiny_causal_lm, tiny_classifier, tiny_masked_lm

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
    class Wrong(ScorerForward):
        def __call__(self, token_ids):
            return super().__call__(token_ids) + np.float32(0.3) * np.arange(2)

    monkeypatch.setattr(onnx, "onnx_forward", Wrong)
    backend = choice.choose_backend(tiny, ONNX, sample=TEXTS, total=4)
    assert backend.name == "torch"
    assert "differs from torch by 0.1" in backend.notes[0]
    np.testing.assert_allclose(backend.score(backend.read(TEXTS), lambda: None), one_by_one(tiny, TEXTS), atol=1e-6)


@needs_onnx
def test_a_model_that_cannot_be_exported_is_scored_by_torch(tiny, monkeypatch):
    def refuse(scorer):
        raise RuntimeError("Unsupported: aten::oddity\nand a page of trace")

    monkeypatch.setattr(onnx, "onnx_forward", refuse)
    backend = choice.choose_backend(tiny, ONNX, sample=TEXTS, total=4)
    assert backend.name == "torch"
    assert backend.notes == ("ONNX Runtime cannot run this model (Unsupported: aten::oddity): torch is used",)


def test_onnx_that_is_not_installed_is_named_only_when_it_was_asked_for(tiny, monkeypatch):
    monkeypatch.setattr(onnx, "find_spec", lambda name: None)
    with pytest.raises(OptionError, match="requirements-onnx"):
        choice.choose_backend(tiny, ONNX, sample=TEXTS, total=4)
    assert choice.choose_backend(tiny, ScoringOptions(), sample=TEXTS, total=4).name.startswith("torch")


def test_fast_says_how_far_it_is_off_and_is_remembered_apart(tiny, make_cells, cache):
    fast = score_cells(tiny, make_cells(), options=ScoringOptions(precision="fast"), cache=cache)
    exact = score_cells(tiny, make_cells(), cache=cache)
    assert (fast.backend, fast.precision, exact.precision) == ("bf16", "fast", "exact")
    assert fast.notes[0].startswith("bf16 differs from float32 by up to ")
    assert exact.cache_hits == 0
    assert 0 < np.abs(fast.perturbed - exact.perturbed).max() < 0.05


def test_graphs_and_copies_are_made_once_for_a_model(tiny, monkeypatch):
    made, make = [], candidates._make
    monkeypatch.setattr(candidates, "_make", lambda name, scorer: (made.append(name), make(name, scorer))[1])
    for _ in range(3):
        score(tiny, [*TEXTS, *(f"{text} {text}" for text in TEXTS)])
    assert made == ["torch fused"]


@pytest.mark.parametrize("kind", KINDS)
def test_only_bert_as_published_is_fused(folders, kind):
    scorer = models.load(f"hf:{folders[kind]}")
    assert ("torch fused" in candidates.names(scorer, ScoringOptions())) == (kind == "bert")


def test_fused_bert_is_exact_whatever_is_padded(tiny):
    rows = tiny.tokenize([*TEXTS, "a", "she said it was so good " * 5])
    trusted, notes = candidates.verified(("torch fused",), tiny, rows)
    assert notes == [] and trusted["torch fused"].difference <= 1e-6
    forward = trusted["torch fused"].forward
    alone = np.concatenate([tiny.forward([row]) for row in rows])
    np.testing.assert_allclose(forward(rows), alone, atol=2e-6)
    for row, expected in zip(rows, alone, strict=True):
        np.testing.assert_allclose(forward([row])[0], expected, atol=2e-6)


def test_a_fusion_that_differs_is_not_trusted(tiny, monkeypatch):
    monkeypatch.setattr(candidates, "fused_bert", lambda scorer: candidates.DeviceForward(scorer, "bf16"))
    backend = choice.choose_backend(tiny, ScoringOptions(), sample=TEXTS, total=4)
    assert backend.name == "torch" and backend.precision == "exact"


def test_a_long_run_is_calibrated_once(tiny, make_cells, monkeypatch):
    measured, once = [], choice.calibrate.measure
    monkeypatch.setattr(choice, "WORTH_MEASURING", 10)
    monkeypatch.setattr(choice.calibrate, "CPU_BUDGETS", (64, 128))
    monkeypatch.setattr(choice.calibrate, "measure", lambda *args: (measured.append(args), once(*args))[1])
    first = score_cells(tiny, make_cells())
    second = score_cells(tiny, make_cells())
    assert len(measured) == 1
    assert first.backend == second.backend in measured[0][0]
    np.testing.assert_array_equal(first.perturbed, second.perturbed)


def test_a_calibration_is_kept_under_what_it_was_made_for():
    found = Calibration("onnx", 2048, 345.6)
    remember(found, "scorer-1", "cpu")
    assert remembered("scorer-1", "cpu") == found
    assert remembered("scorer-2", "cpu") is None


def test_a_damaged_calibration_is_as_good_as_none(own_folder, tmp_path):
    remember(Calibration("onnx", 2048, 345.6), "scorer-1")
    (note,) = (tmp_path / "cache" / "calibration").iterdir()
    note.write_text('{"backend": "onnx"')
    assert remembered("scorer-1") is None


def test_measuring_prefers_the_faster_and_the_smaller_batch(monkeypatch):
    """A clock that only a forward moves: "quick" takes 1 s a text, 10 s more in batches beyond 2048 tokens."""
    now = [0.0]
    for clock in ("perf_counter", "process_time"):
        monkeypatch.setattr(f"psa_core.scoring.backends.calibrate.time.{clock}", lambda: now[0])

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


def test_parts_of_a_batch_come_back_in_place_and_others_keep_their_threads(tiny):
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    rows = tiny.tokenize(TEXTS) * 3
    split = SplitForward(lambda ids, mask: (ids * mask).sum(axis=1, keepdims=True).astype(np.float32), 0, 3)
    np.testing.assert_array_equal(split(rows)[:, 0], [sum(row) for row in rows])
    np.testing.assert_array_equal(split(rows[:1])[:, 0], [sum(rows[0])])
    candidates._make("torch split", tiny)(rows)
    assert torch.get_num_threads() == before
