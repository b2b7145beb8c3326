"""Logs of Inspect and samples of lm-eval become predictions: a text, and a number for each score."""

from __future__ import annotations

import io
import json
import zipfile
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from psa_core.errors import ModelError
from psa_core.inputs.evaluations import as_lines, is_samples
from psa_core.models import predictions


def sample(number: int, scores: dict[str, Any], **more: Any) -> dict[str, Any]:
    held = {name: {"value": value} for name, value in scores.items()}
    return {"id": number, "epoch": 1, "input": f"Answer: text {number}", "target": "", "scores": held, **more}


def packed(samples: list[dict[str, Any]], *, zstandard: bool) -> bytes:
    """An ``.eval`` file; Python's zip module cannot write Zstandard, so the entries are marked and packed by hand."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED if zstandard else zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        for number, content in enumerate(samples):
            raw = json.dumps(content).encode()
            name = f"samples/{number}_epoch_1.json"
            archive.writestr(name, pa.compress(raw, codec="zstd", asbytes=True) if zstandard else raw)
            if zstandard:
                entry = archive.getinfo(name)
                entry.compress_type, entry.file_size = 93, len(raw)
    return stream.getvalue()


def lines(kind: str, content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in as_lines(kind, content).splitlines()]


SAMPLES = [
    sample(1, {"judge": {"loan": 1, "loan_unanswered": 0}, "includes": "C"}, metadata={"text": "Ann asks."}),
    sample(1, {"judge": {"loan": 0, "loan_unanswered": 0}, "includes": "I"}, metadata={"text": "Ann asks."}, epoch=2),
    sample(2, {"judge": {"loan_unanswered": 1}, "includes": "P"}),
    sample(3, {"judge": {"loan": float("nan"), "loan_unanswered": 1}}, input=[
        {"role": "system", "content": "Decide."}, {"role": "user", "content": "Bo asks."}
    ]),
]  # fmt: skip


@pytest.mark.parametrize("form", ["json", "deflated", "zstandard"])
def test_an_inspect_log(form: str) -> None:
    if form == "json":
        found = lines("json", json.dumps({"status": "success", "samples": SAMPLES}).encode())
    else:
        found = lines("eval", packed(SAMPLES, zstandard=form == "zstandard"))
    assert found == [
        {"text": "Ann asks.", "loan": 0.5, "loan_unanswered": 0.0, "includes": 0.5},  # the mean of two epochs
        {"text": "Answer: text 2", "loan": None, "loan_unanswered": 1.0, "includes": 0.5},
        {"text": "Bo asks.", "loan": None, "loan_unanswered": 1.0, "includes": None},
    ]


def choice(text: str, yes: float, no: float, **more: Any) -> dict[str, Any]:
    asked = {f"gen_args_{i}": {"arg_0": f"{text}\nAnswer:", "arg_1": word} for i, word in enumerate((" Yes", " No"))}
    answers = [[str(yes), "False"], [str(no), "True"]]
    about = {"doc_id": 0, "doc": {"text": text}, "arguments": asked, "resps": [[each] for each in answers]}
    return {**about, "filtered_resps": answers, "filter": "none", "metrics": ["acc"], "acc": 1.0, **more}


def test_samples_of_lm_eval() -> None:
    content = [choice("Ann asks.", log(0.3), log(0.1)), choice("Bo asks.", -1.0, -1.0, doc={"question": "?"})]
    found = lines("jsonl", "\n".join(map(json.dumps, content)).encode())
    assert found[0] == {"text": "Ann asks.", "acc": 1.0, "P(Yes)": pytest.approx(0.75), "P(No)": pytest.approx(0.25)}
    assert found[1]["text"] == "Bo asks.\nAnswer:" and found[1]["P(Yes)"] == 0.5


def test_a_generated_answer_counts_by_its_metrics_under_each_filter() -> None:
    row = {"doc": {"text": "Ann asks."}, "arguments": [["Ann asks."]], "resps": [["Yes"]], "filtered_resps": ["Yes"]}
    rows = [
        {**row, "filter": name, "metrics": ["exact_match"], "exact_match": value}
        for name, value in (("none", 0), ("strict", 1))
    ]
    found = lines("jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert found == [{"text": "Ann asks.", "exact_match": 0.0, "exact_match_strict": 1.0}]


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("eval", b"PK\x03\x04 cut"),
        ("json", b"[1, 2"),
        ("json", b'{"samples": 3}'),
        ("json", b'{"samples": [{"input": "Ann asks.", "scores": {}}]}'),
        ("jsonl", b'{"doc": {}, "resps": []}'),
        ("json", b"[" * 100_000),
        ("json", json.dumps({"samples": [sample(1, {"judge": 10**400})]}).encode()),
        ("jsonl", json.dumps(choice("Ann asks.", -1.0, -2.0, acc=10**400)).encode()),
    ],
)
def test_what_is_no_log_is_refused_in_one_sentence(kind: str, content: bytes) -> None:
    with pytest.raises(ModelError, match="a log of Inspect"):
        as_lines(kind, content)


def test_what_all_samples_unpack_to_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them is below the limit, and the packed log far below it."""
    monkeypatch.setenv("PSA_MAX_FILE_MB", "1")
    many = [sample(n, {"judge": 1}, metadata={"text": f"{n} " + "He left. " * 10_000}) for n in range(15)]
    content = packed(many, zstandard=False)
    assert len(content) < 20_000 and len(lines("eval", packed(many[:5], zstandard=False))) == 5
    with pytest.raises(ModelError, match=r"1\.3 MB of samples, unpacked.*at most 1 MB"):
        as_lines("eval", content)


def test_only_the_beginning_of_a_file_says_what_it_is() -> None:
    assert is_samples(json.dumps(choice("Ann asks.", -1.0, -2.0)).encode())
    assert not is_samples(json.dumps(choice("Ann asks. " * 200_000, -1.0, -2.0)).encode())  # more than is looked at
    assert not is_samples(b"[" * 100_000) and not is_samples(b"")


def test_a_log_is_a_file_of_predictions(tmp_path: Path) -> None:
    file = tmp_path / "log.eval"
    file.write_bytes(packed(SAMPLES, zstandard=True))
    read = predictions.load(f"{file}?targets=loan,loan_unanswered")
    assert [target.name for target in read.targets] == ["loan", "loan_unanswered"]
    scores = read.score(["Ann asks.", "Answer: text 2"])
    assert scores[0].tolist() == [0.5, 0.0]
    assert np.isnan(scores[1, 0]) and scores[1, 1] == 1.0  # no valid answer is no score, and not 0


def test_lines_of_predictions_are_still_predictions(tmp_path: Path) -> None:
    file = tmp_path / "scored.jsonl"
    file.write_text('{"text": "He left.", "toxicity": 0.25}\n', encoding="utf-8")
    assert predictions.load(str(file)).score(["He left."]).tolist() == [[0.25]]
    file.write_text(json.dumps(choice("He left.", 0.0, log(exp(0) / 3))) + "\n", encoding="utf-8")
    assert predictions.load(f"{file}?targets=P(Yes)").score(["He left."])[0, 0] == pytest.approx(0.75)
