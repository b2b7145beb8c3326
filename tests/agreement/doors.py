"""The places where a reader meets a study: its pages, the slides of Present, report.html and the folder's zip."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from streamlit.testing.v1 import AppTest

from psa_core import jobs, report
from psa_core.claims.formatting import Words
from psa_core.folders import judgements
from psa_core.folders.judgements import Judgement
from psa_core.folders.view import View
from tests.agreement.said import Door, Files, against_files, contradictions, plain, statements
from tests.agreement.studies import Case

PAGES = Path(__file__).resolve().parent.parent.parent / "pages"
PARTS = (
    ("study", {}),
    ("names", {}),
    ("names", {"names_part": "why"}),
    ("thresholds", {}),
    ("sentences", {}),
    ("report", {}),
)


def check(case: Case) -> Iterator[str]:
    """A line for each contradiction of a study, at each of its two thresholds."""
    run = jobs.keep(case.cube, report.render)
    for sentence in case.left_out:
        judgements.save(
            jobs.result_folder(run), Judgement(sentence, case.cube.names["name"].iloc[0], case.target, "meaning")
        )
    for threshold in case.thresholds:
        doors, files = read(case, run, threshold)
        hidden = "hide_names" in case.address
        yield from (f"{case.title} at {threshold:g}: {line}" for line in contradictions(doors))
        for door in doors:
            wrong = against_files(door.said, files, case.target, are_names_hidden=hidden)
            yield from (f"{case.title} at {threshold:g}, {door.title}: {line}" for line in wrong)


def read(case: Case, run: str, threshold: float) -> tuple[list[Door], Files]:
    """What every door states of a study at a threshold, and the files of its zip."""
    address = {"run": run, "target": case.target, "c": f"{threshold:g}", **case.address}
    doors, previewed = [], ""
    for stem, part in PARTS:
        page = _opened(stem, address | part)
        doors.append(Door(" ".join([stem, *part.values()]), statements(_words(page)), is_part=stem == "names"))
        if stem == "report":
            previewed = base64.b64decode(page.get("iframe")[0].proto.src.partition(",")[2]).decode()
    slide, is_last = 1, False
    while not is_last:
        page = _opened("present", address | {"view_on": str(slide)})
        doors.append(Door(f"Present {slide}", statements(_words(page)), is_part=True))
        slide, is_last = slide + 1, page.button(key="present_next").disabled
    view = View({case.target: threshold}, case.left_out, bool(case.address.get("hide_names")))
    packed = zipfile.ZipFile(io.BytesIO(jobs.zip_as_seen(run, view)))
    for title, text in (("report.html", previewed), ("report.html in the zip", packed.read("report.html").decode())):
        doors.append(Door(title, statements(_about(case, plain(text)))))
    return doors, _files(packed, case)


def _opened(stem: str, address: dict[str, str]) -> AppTest:
    page = AppTest.from_file(str(PAGES / f"{stem}.py"), default_timeout=120)
    for name, value in address.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception, page.exception
    return page


def _words(page: AppTest) -> str:
    """What a page says; not its charts and tables."""
    kinds = (page.title, page.header, page.markdown, page.text, page.caption, page.info, page.warning)
    return "\n".join(
        [*(plain(element.proto.body) for element in page.get("html")), *(one.value for kind in kinds for one in kind)]
    )


def _about(case: Case, text: str) -> str:
    """The part of a report that is about one target: the lines above all targets, and its section."""
    head, *sections = text.split("Target: ")
    others = [Words.of(target).phrase for target in case.cube.targets if target.name != case.target]
    head = head.partition("Sensitivity of the model")[0]
    kept = [line for line in head.splitlines() if not any(f"{phrase} by" in line for phrase in others)]
    measured = "ScoreRange, that difference"
    own = [target.name for target in case.cube.targets].index(case.target)
    evidence = [line for line in kept if measured in line]
    kept = [line for line in kept if line not in evidence or line == evidence[own]]
    (section,) = [part for part in sections if part.partition("\n")[0].strip() == case.target]
    return "\n".join([*kept, section])


def _files(packed: zipfile.ZipFile, case: Case) -> Files:
    def table(name: str) -> pd.DataFrame:
        return pd.read_csv(packed.open(name))

    scores = pd.read_parquet(io.BytesIO(packed.read(f"scores.{case.target}.parquet")))
    counted = scores[~scores["sentence_id"].isin(case.left_out) & scores["original"].notna()]
    counted = counted.drop(columns=["sentence_id", "original"])
    names = ("names.csv", "flips.csv", "groups.csv")
    return Files(
        json.loads(packed.read("summary.json")),
        {name: table(name) for name in names},
        {case.target: int(counted.notna().to_numpy().sum())},
        {target.name: target.scale for target in case.cube.targets},
    )
