"""``psa_core sentences``: which sentences a study takes, and why not the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from psa_core.cli._base import SENTENCES, Command
from psa_core.cli._subjects import SUBJECTS, subjects_in
from psa_core.errors import in_short
from psa_core.folders.writing import atomic_file
from psa_core.inputs import spreadsheet
from psa_core.options import option
from psa_core.plurals import counted
from psa_core.study import StudySpec, review
from psa_core.study.selection import SelectionOptions

SHOWN = 80


def _execute(
    given: dict[str, Any],
    *,
    subjects: Path | None = SUBJECTS,
    find: str | None = option(None, metavar="WORDS", help="only sentences with these words, or with this sentence_id"),
    out: Path | None = option(None, metavar="FILE.csv", help="write them to a file, with their full texts"),
) -> int:
    of_review = ("sentences", "anchors", "text_column", *SelectionOptions.__dataclass_fields__)
    table = review(**{name: value for name, value in given.items() if name in of_review}, **subjects_in(subjects))
    taken = int(table["taken"].sum())
    noun = "document" if "person" in table else "sentence"
    total = counted(len(table), noun)
    if find:
        is_meant = table["text"].str.contains(find, case=False, regex=False)
        table = table[is_meant | (table["sentence_id"] == find)]
    if out:
        with atomic_file(out) as file:
            spreadsheet.write(table, file)
    else:
        for row in table.itertuples(index=False):
            outcome = "taken" if row.taken else f"not taken: {row.reason} {row.what_to_do}"
            if "person" in table and (about := row.person or row.others):
                outcome += f"{': about' if row.taken else ''} {in_short(about, SHOWN)}"
            print(f"{row.sentence_id}  {in_short(row.text, SHOWN)}\n    {outcome}")
    where = f" {counted(len(table), noun)} in {out}." if out else ""
    print(f"{taken:,} of {total} taken.{where}")
    return 0


COMMAND = Command(
    "sentences",
    "Show which sentences a study uses, and why not the others.",
    _execute,
    StudySpec,
    SENTENCES,
)
