"""A nationality audit from its specification to its folder and its report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psa_core.audits._running import Running
from psa_core.audits.nationality import AUDIT
from psa_core.audits.nationality.perturbation import NationalitySpec
from psa_core.audits.nationality.report import account, class_finding, findings, left_out
from psa_core.audits.nationality.result import NationalityResult
from psa_core.errors import OptionError, RunFolderError
from psa_core.scoring import Progress

TEXTS = ["I met Susan Miller.", "John Smith lied to us again.", "The weather was fine.", "We love Maria Garcia."]


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> tuple[NationalityResult, Path, list[str]]:
    place, told = tmp_path_factory.mktemp("nationality"), []
    (place / "s.csv").write_text("\n".join(["text", *TEXTS]), encoding="utf-8")
    (place / "lengths.py").write_text(
        "def perplexity(texts):\n    return [float(len(text)) for text in texts]\n\n"
        "perplexity.targets = [{'name': 'log_perplexity', 'low': 0, 'high': 1000}]\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PSA_CACHE_DIR", str(place / "cache"))
        patch.chdir(place)
        spec = NationalitySpec(
            sentences=str(place / "s.csv"),
            model="vader",
            lm="python:lengths:perplexity",
            countries=("France", "India"),
            draws=3,
        )

        def on_window(progress: Progress) -> None:
            told.append(f"{progress.sentences_done} of {progress.sentences_total} sentences")

        found = AUDIT.run(spec, place / "out", Running(tell=told.append, on_window=on_window))
    return found, place / "out", told


def test_a_run_draws_scores_and_measures(audit: tuple[NationalityResult, Path, list[str]]) -> None:
    found, out, told = audit
    assert told[:3] == ["Reading the sentences", "Loading the model", "Finding the people in the sentences"]
    # Two models are one gauge, which ends where it is full.
    assert [words for words in told if words.endswith(" of 6 sentences")][-1] == "6 of 6 sentences"
    assert found.cube.shape == (3, 6, 1) and found.columns == ["sentiment ≥ 0", "sentiment < 0", "sentiment"]
    assert found.manifest["account"]["no person found"] == 1 and found.manifest["cells"] == 18
    words = account(found.manifest, found.cube)
    assert words.startswith("3 of 4 sentences, 3 names each for 2 countries, by VADER. 1 had no person. Of 3 mentions")
    assert found.manifest["lm"]["id"] == "python:lengths:perplexity"
    original, perturbed = found.perplexity or (None, None)
    assert original is not None and original.tolist() == [len(TEXTS[row]) for row in (0, 1, 3)]
    assert perturbed[2].tolist() == [len(text) for text in found.texts[2]]
    assert found.matrix("original_count").columns.tolist() == ["sentiment ≥ 0", "sentiment < 0"]
    deltas = found.matrix("delta", ["sentiment"])
    assert deltas.columns.tolist() == ["sentiment"] and deltas.index.tolist() == ["France", "India"]
    opened = AUDIT.read(out)
    pd.testing.assert_frame_equal(opened.countries, found.countries, check_dtype=False)
    for column in ("global_r", "local_r", "original_r", "local_p"):
        both = [audited.correlations[column].astype(float) for audited in (opened, found)]
        np.testing.assert_allclose(*both)
    assert opened.texts == found.texts and opened.perplexity is None
    rebuilt = AUDIT.rebuild(opened, out)
    assert np.allclose(rebuilt.perplexity[1], perturbed)
    assert [str(said) for said in findings(rebuilt)] == [str(said) for said in findings(found)]


def test_names_left_out_are_counted_and_five_countries_named() -> None:
    counts = {"Japan": 1, "China": 9, "Iran": 2, "India": 3, "Greece": 4, "Egypt": 5, "Nepal": 0}
    said = (
        "24 names that are not in Latin letters were left out (China 9, Egypt 5, Greece 4, India 3, Iran 2 and 2 more)."
    )
    assert left_out(counts) == said and left_out({"Nepal": 0}) == ""
    five = dict(sorted(counts.items(), key=lambda item: -item[1])[:5])
    assert left_out(five).endswith("left out (China 9, Egypt 5, Greece 4, India 3, Iran 2).")
    assert left_out({"Japan": 1}) == "1 name that is not in Latin letters was left out (Japan 1)."


def test_the_report_says_what_was_done(audit: tuple[NationalityResult, Path, list[str]]) -> None:
    page = (audit[1] / "report.html").read_text(encoding="utf-8")
    assert "3 of 4 sentences, 3 names each for 2 countries, by " in page and "(seed 0)" in page
    assert "Names by country: VADER" in page and "Correlation with log-perplexity" in page
    row = audit[0].countries.iloc[0]
    assert f'<td>France</td><td class="text">sentiment ≥ 0</td><td>{row["original_count"]:.0f}</td>' in page


def test_an_audit_before_changes_were_tested_is_measured_again(
    audit: tuple[NationalityResult, Path, list[str]], tmp_path: Path
) -> None:
    old = tmp_path / "old"
    AUDIT.write(AUDIT.rebuild(AUDIT.read(audit[1]), audit[1]), old)
    table = pd.read_csv(old / "countries.csv", keep_default_na=False)
    table.drop(columns=["change_low", "change_high", "p_adjusted", "delta_p_adjusted"]).to_csv(old / "countries.csv")
    pd.testing.assert_frame_equal(AUDIT.read(old).countries, audit[0].countries, check_dtype=False)
    (old / "countries.csv").unlink()
    pd.testing.assert_frame_equal(AUDIT.read(old).countries, audit[0].countries, check_dtype=False)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("texts.csv", lambda text: text.replace("\n1,", "\n7,", 1)),
        ("log_perplexity.csv", lambda text: text.replace(".0,", ".x,", 1)),
        ("manifest.json", lambda text: json.dumps(json.loads(text) | {"account": {}})),
        ("manifest.json", lambda text: text.replace('"draws": 3', '"draws": "3"')),
        ("manifest.json", lambda text: text.replace('"model": "vader"', '"model": 5')),
    ],
)
def test_damage_is_one_sentence(
    audit: tuple[NationalityResult, Path, list[str]], tmp_path: Path, name: str, change
) -> None:
    AUDIT.write(AUDIT.rebuild(AUDIT.read(audit[1]), audit[1]), tmp_path / "old")
    file = tmp_path / "old" / name
    text = file.read_text(encoding="utf-8")
    file.write_text(change(text), encoding="utf-8")
    assert file.read_text(encoding="utf-8") != text
    with pytest.raises(RunFolderError, match="missing or damaged"):
        AUDIT.rewrite(tmp_path / "old", tmp_path / "new")


def test_one_model_alone_is_the_whole_gauge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "s.csv").write_text(f"text\n{TEXTS[0]}\n", encoding="utf-8")
    told: list[tuple[int, int]] = []
    running = Running(on_window=lambda window: told.append((window.sentences_done, window.sentences_total)))
    spec = NationalitySpec(sentences=str(tmp_path / "s.csv"), model="keyword", countries=("France",), draws=1)
    found = AUDIT.run(spec, tmp_path / "out", running)
    assert told[-1] == (1, 1) and found.perplexity is None and found.correlations is None


def test_a_model_that_knows_no_perplexity_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("text\nI met Susan Miller.\n")
    with pytest.raises(OptionError, match="which returns sentiment"):
        AUDIT.run(NationalitySpec(sentences=str(tmp_path / "s.csv"), model="keyword", lm="vader"), tmp_path / "out")


@pytest.mark.parametrize(
    ("country", "said"),
    [("United States", "the United States"), ("Netherlands", "the Netherlands"), ("Niger", "Niger"), ("Peru", "Peru")],
)
def test_a_country_has_its_article(country: str, said: str) -> None:
    row = {"country": country, "target": "negative", "original_count": 20.0, "perturbed_count": 26.0}
    row |= {"change_percent": 30.0, "p_adjusted": 0.01, "change_low": 3.0, "change_high": 9.0}
    assert class_finding(pd.DataFrame([row]), 60).headline.startswith(f"With names from {said}, 6 more sentences")
    unclear = class_finding(pd.DataFrame([row | {"p_adjusted": 0.5}]), 60).evidence
    assert unclear.startswith(f"The largest change: with names from {said}, ")
