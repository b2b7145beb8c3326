"""``psa_core texts``: the texts of a study, to be scored elsewhere and read back as ``predictions:FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from psa_core.cli._base import WITHOUT_MODEL, Command, tell_left_out
from psa_core.cli._subjects import SUBJECTS, subjects_in
from psa_core.folders.writing import atomic_file
from psa_core.options import option
from psa_core.study import StudySpec, plan, preview


def _execute(
    given: dict[str, Any],
    *,
    subjects: Path | None = SUBJECTS,
    out: Path = option(metavar="FILE.csv", help="where the texts go"),
) -> int:
    planned = plan(StudySpec(**given, **subjects_in(subjects), model="none"))
    with atomic_file(out) as file, file.open("w", encoding="utf-8", newline="") as stream:
        preview.write(planned, stream)
    for note in planned.corpus.notes:
        print(f"Note: {note}")
    tell_left_out(planned.selection)
    print(f"{planned.cells + len(planned.selection.sentences)} texts in {out}")
    return 0


COMMAND = Command(
    "texts",
    "Write the texts of a study to a CSV, to score them elsewhere.",
    _execute,
    StudySpec,
    WITHOUT_MODEL,
)
