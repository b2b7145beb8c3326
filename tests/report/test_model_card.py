"""A study in a model's card: the hub's own reader accepts it, twice is once, and other people's words are no markup."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from huggingface_hub import ModelCard

from psa_core import cli, tables
from psa_core.errors import OptionError
from psa_core.report import model_card
from psa_core.study import run


@pytest.fixture(scope="module")
def cube():
    return run(sentences="sample", names="demo", model="keyword:Rihanna=0.4", sample=20)


def test_the_hub_reads_what_the_study_measured(cube):
    card = ModelCard(str(model_card.card(cube, name="my-model")))
    expected = tables.target_summary(cube, "toxicity")
    found = {one.metric_type: one for one in card.data.eval_results if "toxicity" in one.metric_name}
    assert card.data.model_name == "my-model" and set(found) == {"score_dev", "score_range", "label_dist"}
    assert found["score_range"].metric_value == pytest.approx(expected["score_range"]["value"])
    assert found["score_range"].metric_args["low"] == pytest.approx(expected["score_range"]["low"])
    assert found["score_range"].metric_name == "ScoreRange of toxicity (smaller = less sensitive to names)"
    assert f"{expected['score_range']['value']:.3f} [" in card.text and "--from-manifest" in card.text


def test_a_card_keeps_what_is_in_it_and_has_one_study(cube):
    own = "---\nlicense: mit\nlanguage: en\n---\n# My model\n\nIt counts words.\n"
    once = str(model_card.card(cube, existing=own))
    twice = str(model_card.card(cube, existing=once))
    assert twice == once
    card = ModelCard(once)
    assert card.data.license == "mit" and card.text.count("## Sensitivity to names") == 1
    assert "It counts words." in card.text


def test_names_and_groups_are_no_markup_in_a_card():
    names = "name,team\n" + "\n".join(f"N{i},{'**bold**' if i % 2 else '[x](y)'}" for i in range(6))
    frame = pd.read_csv(io.StringIO(names))
    text = model_card.block(run(sentences="sample", names=frame, model="keyword:N1=0.4", sample=12))
    assert "**bold**" not in text and "[x](y)" not in text


@pytest.mark.parametrize("existing", ["---\nmodel-index: 3\n---\n", "---\n: : [\n---\n"])
def test_a_damaged_card_is_refused_and_stays(cube, existing, tmp_path):
    with pytest.raises(OptionError, match="card"):
        model_card.card(cube, existing=existing)


def test_the_command_writes_a_card_and_leaves_a_damaged_one(tmp_path, capsys):
    study = ["--sentences", "sample", "--names", "demo", "--model", "keyword", "--sample", "12", "--no-cache"]
    assert cli.main(["run", *study, "--out", str(tmp_path / "out")]) == 0
    file = tmp_path / "README.md"
    assert cli.main(["card", str(tmp_path / "out"), "--into", str(file), "--name", "m"]) == 0
    assert ModelCard.load(file).data.model_name == "m"
    file.write_bytes(b"\xff\xfe\x00damaged")
    capsys.readouterr()
    assert cli.main(["card", str(tmp_path / "out"), "--into", str(file)]) == 2
    assert "UTF-8" in capsys.readouterr().err and file.read_bytes() == b"\xff\xfe\x00damaged"
