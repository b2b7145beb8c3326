"""A study of a judge that does not always answer, from the server to the folder, the report and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from psa_core.cli import main
from psa_core.folders import cube_file, results
from tests.asking.local_server import Answer, LocalServer


def answer(body: dict[str, Any]) -> tuple[int, Any]:
    """Refuses most of what is about Alice, always for short notes; else Yes or No by the text's length."""
    if "logprobs" in body:
        return 400, {"error": {"message": "logprobs are not supported"}}
    text = body["messages"][0]["content"]
    said = []
    for k in range(body.get("n", 1)):
        refused = "Aaliyah" in text and (k % 4 or len(text) % 5 == 0)
        said.append(
            {
                "message": {"content": None, "refusal": "I cannot."}
                if refused
                else {"content": "Yes" if (k + len(text)) % 2 else "No."}
            }
        )
    return 200, {"choices": said}


def test_missing_cells_go_through_command_folder_and_report(
    serve: Callable[[Answer], LocalServer], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = tmp_path / "names.csv"
    names.write_text(
        "name,group\n"
        + "".join(f"{name},{'ab'[i % 2]}\n" for i, name in enumerate(["Aaliyah", "Bob", "Carol", "Dan", "Eve", "Fay"])),
        "utf-8",
    )
    command = ["run", "--sentences", "interviews", "--anchors", "slot", "--names", str(names), "--sample", "15"]
    out = tmp_path / "out"
    assert main([*command, "--model", serve(answer).id("&samples=8", "interview"), "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert "With 8 answers per text, a name that differs by" in told.err
    assert "With “Aaliyah” the share without a valid answer is" in told.out and "there was no valid answer" in told.out
    cube = results.read(out)
    missing = np.isnan(cube.perturbed[:, :, 0])
    assert missing[:, 0].any() and not missing[:, 1:].any() and [t.samples for t in cube.targets] == [8, 8]
    assert cube.provenance["missing"] == {"interview": {"no valid answer": int(missing.sum())}}
    np.testing.assert_array_equal(cube.perturbed[:, :, 1][missing], 1)
    cube_file.save(cube, tmp_path / "cube.npz")
    np.testing.assert_array_equal(cube_file.load(tmp_path / "cube.npz").perturbed, cube.perturbed)
    report = (out / "report.html").read_text("utf-8")
    assert report.index("Aaliyah") < report.index("No clear difference")
    again = tmp_path / "again"
    results.write(cube, again, lambda _: report)
    for file in ("names.csv", "sentences.csv", "summary.json", "label_dist.csv", "flips.csv"):
        assert (again / file).read_bytes() == (out / file).read_bytes()
