"""Results take their place whole, and only a place that is theirs to take."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from psa_core.errors import OptionError
from psa_core.folders.writing import atomic_directory, atomic_file, check_target


def fill(folder: Path, content: object = ()) -> None:
    with atomic_directory(folder) as aside:
        (aside / "manifest.json").write_text(json.dumps({"targets": content}))


def content(folder: Path) -> object:
    return json.loads((folder / "manifest.json").read_text())["targets"]


# Fills the folder argv[1] up to the step that argv[2] names, tells so, and waits to be killed.
HALF = """
import os, sys, time
from pathlib import Path
from psa_core.folders import writing
def stop(*_):
    print("there", flush=True)
    time.sleep(60)
if sys.argv[2] == "between":
    rename = os.rename
    os.rename = lambda old, new: stop() if ".psa-new" in str(old) else rename(old, new)
with writing.atomic_directory(Path(sys.argv[1])) as aside:
    (aside / "manifest.json").write_text('{"targets": "half"}')
    if sys.argv[2] == "writing":
        stop()
"""


def begun(folder: Path, step: str) -> subprocess.Popen[bytes]:
    """A process that has come as far as that with a result."""
    root = Path(__file__).resolve().parents[2]
    process = subprocess.Popen([sys.executable, "-c", HALF, str(folder), step], stdout=subprocess.PIPE, cwd=root)
    assert process.stdout is not None and process.stdout.readline() == b"there\n"
    return process


def killed(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def test_an_earlier_result_is_replaced(tmp_path: Path) -> None:
    fill(tmp_path / "a" / "out")
    (tmp_path / "a" / "out" / "old.csv").write_text("")
    fill(tmp_path / "a" / "out")
    assert [path.name for path in (tmp_path / "a").rglob("*")] == ["out", "manifest.json"]


@pytest.mark.parametrize("step", ["writing", "between"])
def test_what_a_killed_run_left_is_gone_after_the_next_write_to_the_same_place(tmp_path: Path, step: str) -> None:
    fill(tmp_path / "out", "old")
    killed(begun(tmp_path / "out", step))
    assert len(list(tmp_path.iterdir())) == 2
    fill(tmp_path / "elsewhere")
    assert len(list(tmp_path.iterdir())) == 3
    fill(tmp_path / "out", "new")
    assert {path.name for path in tmp_path.iterdir()} == {"out", "elsewhere"}
    assert content(tmp_path / "out") == "new"


def test_a_result_that_lost_its_place_is_put_back_even_when_the_next_write_fails(tmp_path: Path) -> None:
    fill(tmp_path / "out", "old")
    killed(begun(tmp_path / "out", "between"))
    assert not (tmp_path / "out").exists()
    with pytest.raises(OptionError, match="No space left"), atomic_directory(tmp_path / "out"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert content(tmp_path / "out") == "old"


def test_what_a_living_run_is_writing_stays(tmp_path: Path) -> None:
    process = begun(tmp_path / "out", "writing")
    try:
        with atomic_directory(tmp_path / "out") as mine:
            (mine / "manifest.json").write_text('{"targets": "outer"}')
            fill(tmp_path / "out", "inner")
            assert mine.is_dir()
        others = [path for path in tmp_path.iterdir() if path.name != "out"]
        assert [(path / "whole" / "manifest.json").is_file() for path in others] == [True]
    finally:
        killed(process)
    assert content(tmp_path / "out") == "outer"


def test_an_old_result_is_put_back_when_the_new_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path / "out", "old")
    rename = os.rename

    def fail(source: Path, place: Path) -> None:
        if ".psa-new-" in str(source):
            raise OSError(errno.EIO, "Input/output error")
        rename(source, place)

    monkeypatch.setattr(os, "rename", fail)
    with pytest.raises(OptionError, match="Input/output error"):
        fill(tmp_path / "out", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert content(tmp_path / "out") == "old"


def test_a_file_that_a_killed_run_was_writing_is_cleared_away(tmp_path: Path) -> None:
    killed(begun(tmp_path / "texts.csv", "writing"))
    with atomic_file(tmp_path / "texts.csv") as file:
        file.write_text("texts")
    assert [path.name for path in tmp_path.iterdir()] == ["texts.csv"]


def test_a_long_name_is_no_matter(tmp_path: Path) -> None:
    fill(tmp_path / ("ö" * 127))
    assert len(list(tmp_path.iterdir())) == 1


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    fill(tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real" / "manifest.json").is_file()


@pytest.mark.parametrize(
    ("manifest", "other"),
    [
        ('{"targets": []}', "notes.txt"),
        ('{"targets": []}', "figures/plot.csv"),
        ('{"name": "a web page"}', "index.html"),
        ("[", "names.csv"),
        (None, "thesis.txt"),
    ],
)
def test_somebody_elses_files_are_not_touched(tmp_path: Path, manifest: str | None, other: str) -> None:
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest)
    (tmp_path / other).parent.mkdir(exist_ok=True)
    (tmp_path / other).write_text("precious")
    with pytest.raises(OptionError, match="other files"):
        fill(tmp_path)
    assert (tmp_path / other).read_text() == "precious"


def test_places_that_cannot_be_taken_are_told_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    places = {
        "file": "a file",
        "file/out": "cannot be written",
        "loop": "no path",
        "a\0b": "no path",
        "\udcff": "no path",
        "x" * 300: "no path",
    }
    for place, words in places.items():
        with pytest.raises(OptionError, match=words):
            check_target(tmp_path / place)
    with pytest.raises(OptionError, match=r"a file|mounted"):
        check_target(Path("/dev/null"))
    with pytest.raises(OptionError, match=r"mounted|written"):
        check_target(Path("/"))


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="No space left"), atomic_directory(tmp_path / "out") as aside:
        (aside / "names.csv").write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    with atomic_file(tmp_path / "link.csv") as file:
        file.write_text("texts")
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "real.csv").read_text() == "texts"
    with pytest.raises(OptionError, match="No space left"), atomic_file(tmp_path / "real.csv") as file:
        file.write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")
    assert (tmp_path / "real.csv").read_text() == "texts"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.csv", "real.csv"]


@pytest.mark.parametrize("place", [".", "real.csv/x", "/dev/null", "a\0b", "x" * 300])
def test_a_file_cannot_be_everywhere(tmp_path: Path, place: str) -> None:
    (tmp_path / "real.csv").write_text("precious")
    with pytest.raises(OptionError), atomic_file(tmp_path / place) as file:
        file.write_text("texts")
    assert [path.name for path in tmp_path.iterdir()] == ["real.csv"]
