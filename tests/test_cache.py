"""The store: what it keeps, what it cannot tell, and what happens when something breaks."""

from __future__ import annotations

import multiprocessing
import os
import stat

import numpy as np
import pytest

from psa_core.cache import CachedScorer, CacheWarning, ScoreCache, digests
from psa_core.cache_dir import shrink
from psa_core.cube import Target
from psa_core.errors import OptionError


def sorted_keys(store, texts, fingerprint="scorer-1"):
    return np.unique(digests(texts, key=store.key(fingerprint)))


@pytest.fixture
def store(tmp_path):
    opened = ScoreCache(tmp_path)
    yield opened
    opened.close()


def test_scores_come_back_as_they_were(store):
    keys = sorted_keys(store, [f"text {i}" for i in range(1234)])
    scores = np.random.default_rng(0).normal(size=(1234, 3)).astype(np.float32)
    store.write(keys[::2], scores[::2])
    found, read = store.read(keys, 3)
    assert found[::2].all() and not found[1::2].any()
    np.testing.assert_array_equal(read[::2], scores[::2])
    assert not read[1::2].any()


def test_a_score_of_another_width_is_a_miss(store):
    keys = sorted_keys(store, ["a"])
    store.write(keys, np.ones((1, 2)))
    assert not store.read(keys, 3)[0].any()


@pytest.mark.parametrize("change", ["of the score", "without a checksum", "of the kind", "of the digest"])
def test_a_changed_row_is_a_miss(store, change):
    keys = sorted_keys(store, ["a", "b", "c"])
    store.write(keys, np.array([[0.25], [0.5], [0.75]]))
    huge = np.array([1e30], "<f4").tobytes()
    first, second = (bytes(key).ljust(16, b"\0") for key in keys[:2])  # numpy drops zeros at the end
    with store._db:
        if change == "of the digest":
            store._db.execute("DELETE FROM scores WHERE text = ?", (first,))
            store._db.execute("UPDATE scores SET text = ? WHERE text = ?", (first, second))
        else:
            (row,) = store._db.execute("SELECT score FROM scores WHERE text = ?", (second,)).fetchone()
            new = {"of the score": huge + row[4:], "without a checksum": huge, "of the kind": 7}[change]
            store._db.execute("UPDATE scores SET score = ? WHERE text = ?", (new, second))
    found, scores = store.read(keys, 1)
    assert scores[found].max() <= 0.75
    assert found.tolist() == ([False, False, True] if change == "of the digest" else [True, False, True])


def test_one_owners_scores_are_misses_for_others(tmp_path, monkeypatch):
    first = ScoreCache(tmp_path, owner="ann")
    first.write(sorted_keys(first, ["a"]), np.ones((1, 1)))
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path))
    for owner, found in (("ann", True), ("bob", False), ("", False)):
        monkeypatch.setenv("PSA_CACHE_OWNER", owner)
        store = ScoreCache.open()
        assert store.read(sorted_keys(store, ["a"]), 1)[0].tolist() == [found]
        store.close()
    first.close()


def test_nothing_to_read_and_nothing_to_write(store):
    keys = digests([])
    store.write(keys, np.empty((0, 1)))
    found, scores = store.read(keys, 1)
    assert found.shape == (0,) and scores.shape == (0, 1)


def test_digests_tell_texts_and_keys_apart():
    texts = ["he", "He", "he ", "", "ĥe", "\ud800"]
    plain = digests(texts)
    assert len(set(plain.tolist())) == len(texts)
    assert not (plain == digests(texts, key=b"k" * 32)).any()
    assert not (digests(texts, key=b"j" * 32) == digests(texts, key=b"k" * 32)).any()
    np.testing.assert_array_equal(plain, digests(iter(texts)))


def test_the_files_hold_no_text_and_the_secret_lies_apart(tmp_path):
    text, store = "Quite a telltale sentence", ScoreCache(tmp_path)
    store.write(sorted_keys(store, [text]), np.ones((1, 1)))
    store.close()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"telltale" not in held
    secret = (tmp_path / "scores.key").read_bytes()
    assert len(secret) == 32 and secret not in (tmp_path / "scores.sqlite").read_bytes()
    assert stat.S_IMODE((tmp_path / "scores.key").stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scores.key", "scores.sqlite"]


def test_two_stores_have_different_digests_of_the_same_text(tmp_path):
    one, two = ScoreCache(tmp_path / "one"), ScoreCache(tmp_path / "two")
    assert one.key("scorer-1") != two.key("scorer-1")
    one.close()
    two.close()


def test_the_folder_can_be_set_by_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "elsewhere"))
    store = ScoreCache.open()
    assert store.path == tmp_path / "elsewhere" / "scores.sqlite" and store.path.exists()
    store.close()


def test_a_relative_folder_is_that_of_the_start(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PSA_CACHE_DIR", "elsewhere")
    store = ScoreCache.open()
    monkeypatch.chdir("/")
    assert store.path == tmp_path / "elsewhere" / "scores.sqlite"
    store.close()


def test_nobody_else_may_read_it(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o755)
    (folder / "scores.sqlite").touch(0o644)
    store = ScoreCache(folder)
    store.write(sorted_keys(store, ["a"]), np.ones((1, 1)))
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (folder, *folder.iterdir())} == {0}
    assert len(list(folder.iterdir())) == 4  # with its journals
    store.close()


def test_of_damaged_stores_the_last_is_kept(tmp_path):
    for content in (b"first, no database", b"second, no database"):
        (tmp_path / "scores.sqlite").write_bytes(content * 100)
        with pytest.warns(CacheWarning, match="was damaged"):
            ScoreCache(tmp_path).close()
    assert [path.read_bytes()[:6] for path in tmp_path.glob("scores.damaged-*")] == [b"second"]


def test_a_folder_is_shrunk_by_what_was_used_longest_ago(tmp_path):
    for age, name in enumerate(["new", "older", "oldest"]):
        (tmp_path / name).write_bytes(bytes(100))
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    shrink(tmp_path, 250)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "older"]
    shrink(tmp_path, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_info_clear_and_prune(store, monkeypatch):
    keys = sorted_keys(store, [f"text {i}" for i in range(20_000)])
    for hour, start in enumerate(range(0, 20_000, 5_000)):
        monkeypatch.setattr("psa_core.cache.time.time", lambda now=3600.0 * (hour + 1): now)
        store.write(keys[start : start + 5_000], np.full((5_000, 1), hour))
    info = store.info()
    assert info.scores == 20_000
    dropped = store.prune(info.bytes // 2)
    assert 10_000 <= dropped <= 14_000
    found, _ = store.read(keys, 1)
    assert not found[:10_000].any() and found[15_000:].all()
    assert store.info().bytes <= info.bytes // 2
    assert store.path.stat().st_size < info.bytes * 0.7
    assert store.clear() == 20_000 - dropped
    assert store.info().scores == 0


def test_the_bound_holds_while_scores_are_written(tmp_path):
    store = ScoreCache(tmp_path, bound=400_000)
    keys = sorted_keys(store, [f"text {i}" for i in range(30_000)])
    for start in range(0, len(keys), 1_000):
        store.write(keys[start : start + 1_000], np.zeros((1_000, 1)))
        assert store.info().bytes <= 400_000
    assert store.info().scores > 5_000
    store.close()


def test_a_bound_has_to_be_positive(tmp_path):
    with pytest.raises(OptionError, match="cache bound"):
        ScoreCache(tmp_path, bound=0)


def test_a_file_that_is_no_store_is_set_aside(tmp_path):
    (tmp_path / "scores.sqlite").write_bytes(b"not a database, " * 1_000)
    with pytest.warns(CacheWarning, match="was damaged"):
        store = ScoreCache(tmp_path)
    assert "set aside" in store.note
    keys = sorted_keys(store, ["a"])
    store.write(keys, np.ones((1, 1)))
    assert store.read(keys, 1)[0].all()
    aside = list(tmp_path.glob("scores.damaged-*"))
    assert [path.read_bytes()[:5] for path in aside] == [b"not a"]
    store.close()


def test_a_store_that_breaks_under_way_is_set_aside(tmp_path):
    store = ScoreCache(tmp_path)
    keys = sorted_keys(store, [f"text {i}" for i in range(20_000)])
    store.write(keys, np.zeros((20_000, 1)))
    store.close()
    with open(store.path, "r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\xff" * (store.path.stat().st_size - 5 * 4096))
    store = ScoreCache(tmp_path)
    with pytest.warns(CacheWarning, match="was damaged"):
        found, _ = store.read(keys, 1)
    assert not found.all()
    store.write(keys, np.zeros((20_000, 1)))
    assert store.read(keys, 1)[0].all()
    assert len(list(tmp_path.glob("scores.damaged-*.sqlite"))) == 1
    store.close()


def test_a_store_that_another_process_has_renewed_is_left_alone(tmp_path):
    stale, note = ScoreCache(tmp_path), "was damaged"
    for path in tmp_path.glob("scores.sqlite*"):
        path.rename(path.with_name(path.name.replace("scores", "gone")))
    fresh = ScoreCache(tmp_path)
    keys = sorted_keys(fresh, ["a"])
    fresh.write(keys, np.ones((1, 1)))
    stale._rebuild(ValueError(note))
    assert stale.read(keys, 1)[0].all()
    assert not list(tmp_path.glob("scores.damaged-*"))
    stale.close()
    fresh.close()


def test_a_folder_that_cannot_be_made_costs_only_the_memory(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.warns(CacheWarning, match="not kept this time"):
        store = ScoreCache(tmp_path / "file")
    keys = sorted_keys(store, ["a"])
    store.write(keys, np.ones((1, 1)))
    assert store.read(keys, 1)[0].all()
    store.close()


def write_some(folder, process):
    store = ScoreCache(folder)
    for part in range(20):
        own = [f"{process}-{part}-{i}" for i in range(50)]
        both = [f"both-{part}-{i}" for i in range(50)]
        keys = sorted_keys(store, own + both)
        store.write(keys, np.full((len(keys), 1), 0.5))
        assert store.read(keys, 1)[0].all()
    store.close()
    os._exit(0 if not store.note else 1)


@pytest.mark.slow
def test_processes_write_at_the_same_time(tmp_path):
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=write_some, args=(tmp_path, i)) for i in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    store = ScoreCache(tmp_path)
    assert store.info().scores == 20 * 50 * 4
    store.close()


def test_a_store_that_is_opened_twice_keeps_its_journal_when_another_process_is_done(tmp_path):
    stores = [ScoreCache(tmp_path), ScoreCache(tmp_path)]
    keys = digests(["she"])
    stores[0].write(keys, np.ones((1, 1)))
    reader = multiprocessing.get_context("spawn").Process(target=_count, args=(tmp_path,))
    reader.start()
    reader.join()
    assert reader.exitcode == 0 and (tmp_path / "scores.sqlite-wal").exists()
    assert stores[1].read(keys, 1)[0].all()


def _count(folder):
    store = ScoreCache(folder)
    assert store.info().scores == 1
    store.close()


@pytest.mark.parametrize("damage", [b"", bytes(100)])
def test_a_damaged_secret_is_made_anew(tmp_path, damage):
    ScoreCache(tmp_path).close()
    (tmp_path / "scores.key").write_bytes(damage)
    ScoreCache(tmp_path).key("a model")
    assert len((tmp_path / "scores.key").read_bytes()) == 32


def test_how_scores_were_computed_is_told_of_those_that_are_asked_for(store):
    keys = sorted_keys(store, ["a", "b", "c", "d"])
    for key, way in zip(keys, (("cpu", "torch"), ("cpu", "onnx"), ("cpu", "torch"), ()), strict=True):
        store.write(np.array([key]), np.zeros((1, 1)), way)
    assert store.ways(keys[:1]) == store.ways(keys[[0, 2, 3]]) == [("cpu", "torch")]
    assert store.ways(keys) == [("cpu", "torch"), ("cpu", "onnx")] and store.ways(keys[3:]) == []
    store._db.execute("UPDATE scores SET written = 1700000000")  # as earlier versions wrote it
    assert store.ways(keys) == []


class Lengths:
    fingerprint = "lengths-1"
    targets = (Target("length", 0, 100), Target("half", 0, 50))

    def __init__(self):
        self.asked = []

    def score(self, texts):
        self.asked.append(list(texts))
        return np.array([[len(text), len(text) / 2] for text in texts], dtype=np.float32).reshape(-1, 2)


@pytest.fixture
def cached(tmp_path):
    store = ScoreCache(tmp_path)
    yield CachedScorer(Lengths(), store)
    store.close()


def test_it_answers_as_the_scorer_inside(cached):
    assert cached.fingerprint == "lengths-1"
    assert cached.targets == Lengths.targets
    texts = ["aaa", "b", "", "aaa"]
    for _ in range(2):
        scores = cached.score(texts)
        assert scores.dtype == np.float32
        np.testing.assert_array_equal(scores, [[3, 1.5], [1, 0.5], [0, 0], [3, 1.5]])


def test_it_asks_only_for_the_misses_and_for_each_once(cached):
    cached.score(["a", "bb"])
    cached.score(["bb", "ccc", "ccc", "a"])
    cached.score(["a"])
    assert [sorted(texts) for texts in cached.scorer.asked] == [["a", "bb"], ["ccc"]]


def test_no_texts(cached):
    assert cached.score([]).shape == (0, 2)
    assert cached.scorer.asked == []
