"""Result folders: the contract's files, whole or not at all, and the same cube again."""

import csv
import io
import json
import os
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psa_core import atomic, study
from psa_core.cube import ScoreCube, Target
from psa_core.errors import RunFolderError
from psa_core.folders import results
from tests.zips import read_zip


def report(_: ScoreCube) -> str:
    return "<!doctype html><title>report</title>"


@pytest.fixture
def cube():
    sentences = pd.DataFrame(
        {
            "sentence_id": ["=1", "b"],
            "text": ["=HYPERLINK(1) he ran", '\'tis\nhis, "no"'],
            "anchor": ["he", "his"],
            "start": [14, 5],
            "end": [16, 8],
            "role": ["subject", "possessive"],
            "genre": ["@a", ""],
        }
    )
    names = pd.DataFrame({"name": ["Ann", "-Bob", "Cy"], "gender": ["female", "male", ""], "target": ["x", "y", "z"]})
    rng = np.random.default_rng(1)
    return ScoreCube(
        sentences=sentences,
        names=names,
        targets=(Target("toxicity", meaning="rude"), Target("sentiment", -1, 1, "glad", 0.05)),
        original=rng.random((2, 2), np.float32),
        perturbed=rng.random((2, 3, 2), np.float32),
        provenance={"targets": [], "seed": 3},
    )


def with_targets(cube):
    from dataclasses import asdict

    return replace(cube, provenance={**cube.provenance, "targets": [asdict(target) for target in cube.targets]})


def test_the_files_of_the_contract(cube, tmp_path):
    results.write(with_targets(cube), tmp_path / "out", report)
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files == {
        "manifest.json",
        "datapackage.json",
        "sentences.csv",
        "names.csv",
        "groups.csv",
        "scores.toxicity.parquet",
        "scores.sentiment.parquet",
        "label_dist.csv",
        "summary.json",
        "flips.csv",
        "report.html",
    }
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_same_cube_comes_back(cube, tmp_path):
    results.write(with_targets(cube), tmp_path / "out", report)
    for again in (results.read(tmp_path / "out"), read_zip(results.to_zip(tmp_path / "out"))):
        assert again.sentences.to_dict("list") == cube.sentences.to_dict("list")
        assert again.names.to_dict("list") == cube.names.to_dict("list")
        assert again.targets == cube.targets
        assert np.array_equal(again.original, cube.original)
        assert np.array_equal(again.perturbed, cube.perturbed)


def test_a_zip_has_what_is_in_folders_and_follows_no_link(tmp_path):
    (tmp_path / "out" / "strength-1" / "adapter").mkdir(parents=True)
    (tmp_path / "out" / "strength-1" / "adapter" / "labels.json").write_text("{}")
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "out" / "link").symlink_to(tmp_path / "secret")
    others = [f"{letter}.csv" for letter in "hcgbfade"]
    for name in others:
        (tmp_path / "out" / name).touch()
    with zipfile.ZipFile(io.BytesIO(results.to_zip(tmp_path / "out"))) as archive:
        assert archive.namelist() == [*sorted(others), "strength-1/adapter/labels.json"]


def test_positions_hold_in_the_file_and_no_cell_is_a_formula(cube, tmp_path):
    results.write(with_targets(cube), tmp_path / "out", report)
    text = (tmp_path / "out" / "sentences.csv").read_bytes().decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["text"][int(row["start"]) : int(row["end"])] for row in rows] == ["he", "his"]
    for path in (tmp_path / "out").glob("*.csv"):
        for row in csv.reader(io.StringIO(path.read_bytes().decode(), newline="")):
            for cell in row:
                assert not cell.startswith(("=", "@", "+")) and not (cell.startswith("-") and not _is_number(cell))


@pytest.mark.parametrize("anchor", ["=evil", "'=x", "''-x", "@bob", "it", "'"])
@pytest.mark.parametrize("before", ["", "I hate ", "=", "'", "''", "'=", "it's "])
def test_positions_hold_for_anchors_that_look_like_formulas(cube, tmp_path, before, anchor):
    sentences = cube.sentences.assign(
        text=f"{before}{anchor} left", anchor=anchor, start=len(before), end=len(before) + len(anchor)
    )
    made = with_targets(replace(cube, sentences=sentences))
    results.write(made, tmp_path / "out", report)
    with (tmp_path / "out" / "sentences.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            assert row["text"][int(row["start"]) : int(row["end"])] == row["anchor"]
            assert row["anchor"][0] not in "=@-" and row["text"][0] not in "=@-"
    assert results.read(tmp_path / "out").sentences.to_dict("list") == sentences.to_dict("list")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_flips_are_the_cells_whose_label_changes(cube, tmp_path):
    results.write(with_targets(cube), tmp_path / "out", report)
    flips = pd.read_csv(tmp_path / "out" / "flips.csv", dtype={"sentence_id": str})
    expected = set()
    for t, target in enumerate(cube.targets):
        for s, n in np.ndindex(2, 3):
            before, after = (
                cube.original[s, t] >= target.default_threshold,
                cube.perturbed[s, n, t] >= target.default_threshold,
            )
            if before != after:
                expected.add(
                    (cube.sentences["sentence_id"][s], cube.names["name"][n], target.name, "up" if after else "down")
                )
    found = zip(
        flips["sentence_id"].map(results.plain),
        flips["name"].map(results.plain),
        flips["target"],
        flips["direction"],
        strict=True,
    )
    assert set(found) == expected
    texts = study.perturbation_of(cube)
    by_cell = {
        (r["sentence_id"], r["name"]): r["text"]
        for r in flips.map(lambda v: results.plain(v) if isinstance(v, str) else v).to_dict("records")
    }
    for (sentence, name), text in by_cell.items():
        s, n = cube.sentences["sentence_id"].tolist().index(sentence), cube.names["name"].tolist().index(name)
        assert text == texts.text(s, n)


@given(st.text(alphabet="='+-@a\t ", max_size=6))
def test_plain_undoes_neutral(value):
    assert results.plain(results.neutral(value)) == value
    assert results.neutral(value)[:1] not in [*"=+-@\t\r"]


def test_a_failure_leaves_nothing_behind(cube, tmp_path):
    def fails(_):
        raise KeyError("no report")

    with pytest.raises(KeyError):
        results.write(with_targets(cube), tmp_path / "out", fails)
    assert list(tmp_path.iterdir()) == []


def test_an_earlier_result_is_replaced(cube, tmp_path):
    for seed in (1, 2):
        cube.provenance["seed"] = seed
        results.write(with_targets(cube), tmp_path / "out", report)
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["seed"] == 2


@pytest.mark.parametrize("name", ["manifest.json", "sentences.csv", "names.csv", "scores.toxicity.parquet"])
def test_missing_and_damaged_files_are_told(cube, tmp_path, name):
    results.write(with_targets(cube), tmp_path / "out", report)
    (tmp_path / "out" / name).write_bytes(b"\x00{")
    with pytest.raises(RunFolderError, match="damaged"):
        results.read(tmp_path / "out")
    (tmp_path / "out" / name).unlink()
    with pytest.raises(RunFolderError, match=f"no {name}"):
        results.read(tmp_path / "out")


def test_tables_larger_than_the_scores_are_not_read(cube, tmp_path):
    results.write(with_targets(cube), tmp_path / "out", report)
    place = tmp_path / "out" / "sentences.csv"
    with place.open("a") as file:
        file.writelines(place.read_text().splitlines(keepends=True)[1:] * 10_000)
    with pytest.raises(RunFolderError, match="different sentences"):
        results.read(tmp_path / "out")
    place.write_text(",".join(map(str, range(2_000))) + "\n")
    with pytest.raises(RunFolderError, match="2,000 columns"):
        results.read(tmp_path / "out")
    with place.open("ab") as file:
        file.truncate(2**31)
    with pytest.raises(RunFolderError, match="2,048 MB"):
        results.read(tmp_path / "out")


def test_a_zip_with_paths_of_its_own_writes_nowhere_else(cube, tmp_path):
    results.write(with_targets(cube), tmp_path / "out", report)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in (tmp_path / "out").iterdir():
            archive.write(path, f"../../{path.name}")
        archive.writestr("../evil.txt", "x")
    assert read_zip(buffer.getvalue()).shape == (2, 3, 2)
    assert not (tmp_path.parent / "evil.txt").exists()


def test_what_is_no_zip_is_told():
    with pytest.raises(RunFolderError, match="no zip"):
        read_zip(b"PK\x03\x04 nothing")


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_zip_is_told(method):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("manifest.json", bytes(range(256)) * 20)
    content = bytearray(buffer.getvalue())
    content[60:200] = b"\xff" * 140
    with pytest.raises(RunFolderError, match="damaged"):
        read_zip(bytes(content))


def test_a_name_that_no_file_can_have_is_told(cube, tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(f"scores.{'x' * 300}.parquet", b"")
    with pytest.raises(RunFolderError, match="damaged"):
        read_zip(buffer.getvalue())


@pytest.mark.parametrize(
    "targets",
    [
        [],
        [{"name": "toxicity"}, {"name": "toxicity"}],
        [{"name": "toxicity", "low": None}],
        [{"name": "toxicity", "low": 1, "high": 0}],
        [{"name": "toxicity", "high": float("nan")}],
        [{"name": "toxicity", "threshold": "x"}],
    ],
)
def test_targets_that_cannot_be_are_told(cube, tmp_path, targets):
    results.write(with_targets(cube), tmp_path / "out", report)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest | {"targets": targets}))
    with pytest.raises(RunFolderError, match="damaged"):
        results.read(tmp_path / "out")


def test_columns_beyond_the_contract_come_last(cube, tmp_path):
    results.write(with_targets(cube), tmp_path / "out", report)
    curve = pd.read_csv(tmp_path / "out" / "label_dist.csv").columns.tolist()
    assert curve[:5] == ["target", "threshold", "label_dist", "flips_up", "flips_down"]
    columns = pd.read_csv(tmp_path / "out" / "names.csv").columns.tolist()
    contract = ["score_sens", "ci_low", "ci_high", "p_value", "p_adjusted", "label_dist"]
    assert columns[:10] == ["target", "name", "gender", "target (group)", *contract]


def test_mentions_that_are_no_spans_are_told(cube, tmp_path):
    cube.sentences["mentions"] = ["14:16:subject", "5:8:possessive"]
    results.write(with_targets(cube), tmp_path / "out", report)
    assert results.read(tmp_path / "out").shape == (2, 3, 2)
    table = (tmp_path / "out" / "sentences.csv").read_text(encoding="utf-8")
    (tmp_path / "out" / "sentences.csv").write_text(table.replace("14:16:subject", "fourteen"), encoding="utf-8")
    with pytest.raises(RunFolderError, match="damaged"):
        results.read(tmp_path / "out")


@pytest.mark.parametrize("threshold", [50.0, -0.1, float("nan")])
def test_a_threshold_outside_of_its_range_is_a_damage(cube, tmp_path, threshold):
    results.write(with_targets(cube), tmp_path / "out", report)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    manifest["targets"][0]["threshold"] = threshold
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(RunFolderError, match="damaged file"):
        results.read(tmp_path / "out")


@pytest.mark.parametrize("row", [{"low": 1.0, "high": 0.0}, {"threshold": 7.0}])
def test_targets_are_checked_wherever_a_manifest_holds_them(row):
    with pytest.raises(ValueError, match="x"):
        results.targets_of([{"name": "x", **row}])


def test_a_zip_has_every_file_or_is_none(cube, tmp_path, monkeypatch):
    out, write = tmp_path / "out", zipfile.ZipFile.write
    with pytest.raises(RunFolderError, match="got no files"):
        results.to_zip(out)
    results.write(with_targets(cube), out, report)
    (out / f"{atomic.UNFINISHED}half").touch()
    (out / "link").symlink_to(tmp_path)
    assert not {"link", f"{atomic.UNFINISHED}half"} & set(zipfile.ZipFile(io.BytesIO(results.to_zip(out))).namelist())

    def deleted(archive, path, name):
        write(archive, path, name)
        if out.exists():
            out.rename(tmp_path / "gone")

    monkeypatch.setattr(zipfile.ZipFile, "write", deleted)
    with pytest.raises(RunFolderError, match="No such file"):
        results.to_zip(out)


def test_a_name_may_be_called_as_a_column_is(cube, tmp_path):
    names = cube.names.assign(name=["original", "sentence_id", "Cy"])
    results.write(with_targets(replace(cube, names=names)), tmp_path / "out", report)
    opened = results.read(tmp_path / "out")
    assert opened.names["name"].tolist() == names["name"].tolist()
    np.testing.assert_array_equal(opened.perturbed, cube.perturbed)


def test_the_largest_flips_come_first_where_not_all_fit(cube, tmp_path, monkeypatch):
    results.write(cube, tmp_path / "all", lambda _: "")
    every = pd.read_csv(tmp_path / "all" / "flips.csv")
    monkeypatch.setenv("PSA_MAX_FLIPS_CHARACTERS", str(2 * len(cube.sentences["text"][0]) + 20))
    results.write(cube, tmp_path / "some", lambda made: "".join(made.provenance["notes"]))
    some = pd.read_csv(tmp_path / "some" / "flips.csv")
    assert 0 < len(some) < len(every)
    assert set(some.itertuples(index=False)) < set(every.itertuples(index=False))
    notes = json.loads((tmp_path / "some" / "manifest.json").read_text())["notes"]
    assert f"the largest {len(some)} of {len(every)} flips" in notes[-1]
    assert notes[-1] in (tmp_path / "some" / "report.html").read_text()


def test_names_csv_says_at_which_threshold_labels_are(cube, tmp_path):
    named = replace(cube, names=cube.names.assign(threshold=["low", "", "high"]))
    results.write(with_targets(named), tmp_path / "out", report)
    table = pd.read_csv(tmp_path / "out" / "names.csv", keep_default_na=False)
    assert table.groupby("target")["threshold"].unique().map(list).to_dict() == {"sentiment": [0.05], "toxicity": [0.5]}
    assert table["threshold (group)"].tolist() == ["low", "", "high"] * 2
    pd.testing.assert_frame_equal(results.read(tmp_path / "out").names, named.names)


def test_data_alone_can_be_read_and_filled_up_with_what_is_measured(cube, tmp_path):
    whole = with_targets(cube)
    results.write_data(whole, tmp_path / "data")
    assert not results.is_complete(tmp_path / "data")
    again = results.read(tmp_path / "data")
    assert (again.perturbed == whole.perturbed).all() and (again.original == whole.original).all()
    assert again.sentences.equals(whole.sentences) and again.names.equals(whole.names)
    results.write(whole, tmp_path / "out", report)
    results.fill(tmp_path / "data", tmp_path / "out")
    assert results.is_complete(tmp_path / "data")


def test_the_report_comes_last_into_a_folder_that_is_filled_up(tmp_path, monkeypatch):
    """Whoever sees the report may read everything else."""
    complete, folder, moved = tmp_path / "complete", tmp_path / "folder", []
    complete.mkdir(), folder.mkdir()
    for name in ("zz.csv", "report.html", "aa.csv"):
        (complete / name).write_text(name)
    replace_file = os.replace
    monkeypatch.setattr(os, "replace", lambda old, new: (moved.append(old.name), replace_file(old, new)))
    results.fill(folder, complete)
    assert sorted(moved[:2]) == ["aa.csv", "zz.csv"] and moved[2] == "report.html"


def test_what_a_file_of_scores_says_of_itself_is_not_believed(tmp_path):
    """Pandas writes into the file which column was the index; a stranger can write anything there."""
    pd.DataFrame({"score": [0.5, 0.25]}, index=pd.Index(["a", "b"], name="hidden")).to_parquet(tmp_path / "s.parquet")
    table = results.read_scores(tmp_path / "s.parquet")
    assert list(table) == ["score", "hidden"] and table["hidden"].tolist() == ["a", "b"]


def test_json_has_its_letters_as_they_are():
    assert results.json_text({"name": "Beyoncé"}) == '{\n  "name": "Beyoncé"\n}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        results.json_text({"score": float("nan")})
