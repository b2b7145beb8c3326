"""Scoring on a Ray cluster: the same scores, and nothing lost when an actor dies."""

from __future__ import annotations

import glob
import os
import subprocess
import sys
from contextlib import suppress
from itertools import count

import numpy as np
import pytest

from psa_core.cube import Target
from psa_core.errors import Cancelled, ModelError, OptionError
from psa_core.scoring import ScoringOptions, _ray, score_cells
from psa_core.scoring._base import Window


def test_ray_that_is_not_installed_is_named(checksum, make_cells, monkeypatch):
    monkeypatch.setattr(_ray, "find_spec", lambda name: None)
    with pytest.raises(OptionError, match="requirements-ray"):
        score_cells(checksum, make_cells(), options=ScoringOptions(executor="ray"))


@pytest.fixture(scope="module")
def cluster():
    ray = pytest.importorskip("ray", reason="Ray is not installed (requirements-ray.txt)")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=50)
    yield ray
    ray.shutdown()


def make_scorer(die_once=""):
    """Made in here, so that it is sent by value: other processes cannot import this file."""

    class Lengths:
        fingerprint = "lengths-1"
        targets = (Target("length"),)
        device = "cpu"
        max_tokens = 24

        def tokenize(self, texts):
            return [[ord(letter) for letter in text[:24]] for text in texts]

        def truncated(self, texts):
            return np.array([len(text) > 24 for text in texts])

        def forward(self, token_ids):
            for marker in glob.glob(die_once)[:1]:
                with suppress(FileNotFoundError):  # another actor was faster
                    os.unlink(marker)
                    os._exit(1)
            return np.array([[np.sin(sum(row))] for row in token_ids], dtype=np.float32)

        def reduce(self, logits):
            return logits / 2

        def score(self, texts):
            return self.reduce(self.forward(self.tokenize(texts)))

    return Lengths()


RAY = ScoringOptions(executor="ray", window_texts=10)
slow_and_chatty = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


class TestCluster:
    pytestmark = slow_and_chatty

    def test_scores_and_counts_are_the_local_ones(self, cluster, make_cells):
        local = score_cells(make_scorer(), make_cells(20, 4))
        spread = score_cells(make_scorer(), make_cells(20, 4), options=RAY)
        np.testing.assert_allclose(spread.perturbed, local.perturbed, atol=1e-6)
        np.testing.assert_allclose(spread.original, local.original, atol=1e-6)
        np.testing.assert_array_equal(spread.order, local.order)
        assert (spread.texts_scored, spread.texts_truncated) == (local.texts_scored, local.texts_truncated)
        assert spread.device == "ray: 2 × cpu"

    def test_a_killed_process_costs_nothing_but_time(self, cluster, make_cells, tmp_path):
        marker = tmp_path / "die-once"
        marker.touch()
        spread = score_cells(make_scorer(str(marker)), make_cells(20, 4), options=RAY)
        assert not marker.exists()
        local = score_cells(make_scorer(), make_cells(20, 4))
        np.testing.assert_allclose(spread.perturbed, local.perturbed, atol=1e-6)
        assert spread.texts_scored == 100

    def test_the_work_of_an_actor_that_is_gone_for_good_is_done_by_another(self, cluster):
        executor = _ray.open_ray(make_scorer(), RAY, sample=("a",), total=100)
        jobs = [Window(np.array([i]), (f"text {i}",)) for i in range(30)]
        answers = executor.stream(iter(jobs), lambda: None)
        done = [next(answers)]
        cluster.kill(executor.actors[0])
        done += list(answers)
        assert sorted(int(job.ids[0]) for job, _ in done) == list(range(30))
        for job, scores in done:
            np.testing.assert_allclose(scores, make_scorer().score(job.texts), atol=1e-6)

    def test_when_every_actor_is_gone_others_go_on(self, cluster):
        executor = _ray.open_ray(make_scorer(), RAY, sample=("a",), total=100)
        answers = executor.stream((Window(np.array([i]), (f"text {i}",)) for i in range(200)), lambda: None)
        done = [next(answers)]
        for actor in executor.actors:
            cluster.kill(actor)
        done += list(answers)
        assert sorted(int(window.ids[0]) for window, _ in done) == list(range(200))

    def test_without_room_for_any_actor_it_says_so(self, cluster, monkeypatch):
        executor = _ray.open_ray(make_scorer(), RAY, sample=("a",), total=100)
        monkeypatch.setattr(_ray, "_PATIENCE_SECONDS", 0.5)
        answers = executor.stream((Window(np.array([i]), (f"text {i}",)) for i in count()), lambda: None)
        next(answers)
        no_room = cluster.remote(num_cpus=64)(_ray.Worker)
        executor.start = lambda: no_room.remote(None, RAY, (), 0)
        for actor in executor.actors:
            cluster.kill(actor)
        with pytest.raises(ModelError, match="no live Ray actor"):
            list(answers)

    def test_a_text_that_ends_every_process_ends_the_run(self, cluster, make_cells, tmp_path):
        markers = [tmp_path / f"die-{number}" for number in range(50)]
        for marker in markers:
            marker.touch()
        with pytest.raises(ModelError, match="texts on which 4 Ray actors died"):
            score_cells(make_scorer(str(tmp_path / "die-*")), make_cells(2, 2), options=RAY)

    def test_a_request_to_stop_frees_the_cluster(self, cluster, make_cells):
        windows = []
        with pytest.raises(Cancelled):
            score_cells(
                make_scorer(),
                make_cells(40, 4),
                options=RAY,
                on_window=windows.append,
                should_stop=lambda: len(windows) >= 2,
            )
        assert 2 <= len(windows) < 20
        score_cells(make_scorer(), make_cells(3, 2), options=RAY)  # would wait for ever for a processor

    def test_an_error_of_the_scorer_arrives_as_it_was(self, cluster, make_cells):
        class Silent:
            fingerprint = "silent-1"
            targets = (Target("nothing"),)

            def score(self, texts):
                return np.full((len(texts), 1), np.nan)

        with pytest.raises(ModelError, match="missing or infinite"):
            score_cells(Silent(), make_cells(), options=RAY)

    def test_a_scorer_that_cannot_be_sent_is_named(self, cluster, checksum, make_cells):
        import threading

        checksum.lock = threading.Lock()
        with pytest.raises(ModelError, match="cannot be sent"):
            score_cells(checksum, make_cells(), options=RAY)


@pytest.fixture
def two_machines(monkeypatch):
    pytest.importorskip("ray", reason="Ray is not installed (requirements-ray.txt)")
    from ray.cluster_utils import Cluster

    for name in ("RAY_health_check_period_ms", "RAY_health_check_timeout_ms"):
        monkeypatch.setenv(name, "500")
    machines = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    machines.add_node(num_cpus=1)
    yield machines
    machines.shutdown()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_machine_and_a_worker_that_die_cost_nothing_but_time(two_machines, make_cells, tmp_path, capfd):
    import ray

    options = ScoringOptions(executor=f"ray:{two_machines.address}", window_texts=5)
    marker, windows = tmp_path / "die-once", []

    def kill(progress):
        windows.append(progress.texts_done)
        if len(windows) == 2:
            (machine,) = two_machines.worker_nodes
            two_machines.remove_node(machine, allow_graceful=False)
        if len(windows) == 6:
            marker.touch()  # the actor that is left dies at its next window

    try:
        spread = score_cells(make_scorer(str(marker)), make_cells(40, 4), options=options, on_window=kill)
    finally:
        ray.shutdown()
    local = score_cells(make_scorer(), make_cells(40, 4))
    np.testing.assert_array_equal(spread.perturbed, local.perturbed)
    np.testing.assert_array_equal(spread.original, local.original)
    assert spread.texts_scored == 200 and not marker.exists() and not two_machines.worker_nodes
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_what_becomes_of_ray_s_workers_is_not_printed():
    pytest.importorskip("ray", reason="Ray is not installed (requirements-ray.txt)")
    told = "{'lines': ['A worker died.'], 'pid': 'raylet', 'ip': '', 'is_err': False}"
    script = (
        "from psa_core.scoring import ScoringOptions, _ray\n"
        "_ray._connect = lambda address: exit(_said())\n"
        "def _said():\n"
        "    from ray._private.worker import print_to_stdstream\n"
        f"    print_to_stdstream({told}, ignore_prefix=False)\n"
        "_ray.open_ray(None, ScoringOptions(executor='ray'), sample=(), total=0)\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
