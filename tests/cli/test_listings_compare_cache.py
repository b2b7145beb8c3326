"""``compare``, ``cache`` and what every command says of itself."""

import pytest

from psa_core import cli
from psa_core.registry import discover

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def run(out):
    return cli.main(
        ["run", "--sentences", "sample", "--names", "demo", "--model", "keyword", "--sample", "12", "--out", out]
    )


def test_compare_prints_table_2_and_the_extreme_names(capsys):
    assert run("a") == run("b") == 0
    capsys.readouterr()
    assert cli.main(["compare", "a", "b"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:6]] == ["| a", "| a", "| b", "| b"]
    assert "12 × 20" in lines[2]
    assert sum(line.startswith("Lowest and highest") for line in lines) == 4


def test_compare_tells_what_is_no_result_folder(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert cli.main(["compare", "empty"]) == 2
    expected = "a result folder, as `psa run` or `Study.save` writes it"
    assert capsys.readouterr().err == f"psa compare: result folder: got no manifest.json, expected {expected}.\n"
    assert cli.main(["flips", "missing", "--out", "flips.csv"]) == 2
    assert capsys.readouterr().err == f"psa flips: result folder: got no folder 'missing', expected {expected}.\n"


def test_the_cache_is_shown_and_emptied(capsys):
    run("a")
    capsys.readouterr()
    assert cli.main(["cache", "info"]) == 0
    rows = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    scores = int(rows["scores"])
    assert scores == 12 * 21
    assert cli.main(["cache", "clear"]) == 0
    assert capsys.readouterr().out.startswith(f"{scores} scores dropped")


@pytest.mark.parametrize(("limit", "status"), [("0.0001", 1), ("1", 0)])
def test_the_gate_has_an_exit_code(limit, status, capsys):
    arguments = ["run", "--sentences", "sample", "--names", "demo", "--model", "profanity-check", "--sample", "12"]
    assert cli.main([*arguments, "--out", "g", "--fail-above", limit]) == status
    assert "moves the mean score" in capsys.readouterr().out


def test_the_gate_refuses_what_is_no_limit(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["run", "--sentences", "sample", "--names", "demo", "--model", "vader", "--fail-above", "much"])
    assert stop.value.code == 2
    assert "--fail-above" in capsys.readouterr().err


def test_every_command_has_a_summary_of_one_sentence():
    for command in discover("psa_core.cli", "COMMAND").values():
        assert command.summary.endswith(".")
        assert "\n" not in command.summary


def test_compare_keeps_folders_of_one_name_apart(capsys):
    assert run("a/out") == run("b/out") == 0
    capsys.readouterr()
    assert cli.main(["compare", "a/out", "b/out"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:6]] == ["| a/out", "| a/out", "| b/out", "| b/out"]


@pytest.mark.parametrize("size", ["0", "nan", "inf", "1e308"])
def test_a_store_cannot_be_pruned_to_just_anything(capsys, size):
    assert cli.main(["cache", "prune", "--megabytes", size]) == 2
    assert "--megabytes" in capsys.readouterr().err


def test_limits_lists_settings_and_what_they_hold_for(capsys, monkeypatch):
    monkeypatch.setenv("PSA_MAX_ROWS", "77")
    assert cli.main(["limits"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("PSA_MAX_ROWS "))
    assert "77 rows" in line and "file of sentences" in line
