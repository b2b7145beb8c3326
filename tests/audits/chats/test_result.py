"""An audit of answers from tasks to a folder: planted differences, a folder that opens again, resuming."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from psa_core import generators
from psa_core.audits import open_zip
from psa_core.audits._running import Running
from psa_core.audits.chats import AUDIT, planning
from psa_core.audits.chats.planning import ChatSpec
from psa_core.audits.chats.report import headline, method_lines
from psa_core.audits.chats.result import ChatResult
from psa_core.errors import OptionError
from psa_core.folders.results import to_zip
from psa_core.generators import Draw
from psa_core.inputs.people import Person
from psa_core.inputs.tasks import Task
from tests.audits.chats.writers import FEMALE, Assistant, Stereotypes

TASKS = 'task,domain,number\n"Tell a story.\nTwo lines of it.",stories,\nPlan my day.,plans,\nName a salary.,talks,$\n'
MEN = ("Al", "Bob", "Carl", "Dan", "Ed", "Finn", "Gus", "Hal")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(
        "psa_core.audits.chats.result.minilm_embeddings", lambda texts: np.eye(2)[[len(t) % 2 for t in texts]]
    )


def spec(folder: Path, **values: object) -> ChatSpec:
    (folder / "tasks.csv").write_text(TASKS, encoding="utf-8")
    rows = [f"{name},female" for name in sorted(FEMALE)] + [f"{name},male" for name in MEN]
    (folder / "names.csv").write_text("name,gender\n" + "\n".join(rows) + "\n", encoding="utf-8")
    given = {"lm": "x", "tasks": str(folder / "tasks.csv"), "names": str(folder / "names.csv"), "scorers": ("keyword",)}
    return ChatSpec(**{**given, "answers": 4, **values})  # type: ignore[arg-type]


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, writer: Assistant, **values: object):  # type: ignore[no-untyped-def]
    monkeypatch.setattr(generators, "load", lambda _: writer)
    return AUDIT.run(spec(folder, **values), folder / "out", Running())


def test_shorter_answers_are_the_first_sentence_and_the_folder_opens_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = run(tmp_path, monkeypatch, Assistant(shorter=0.25))
    said = headline(found)
    assert re.fullmatch(
        r"Answers to people read as women are (2\d|3\d) % \[\d+, \d+\] shorter.* than to people read as men; "
        "nothing else is above noise.",
        said.headline,
    )
    assert said.is_significant and said.low < said.estimate < said.high < 0
    assert found.cube.shape == (3, 16, 4)
    assert any("16 people" in line for line in method_lines(found))
    again = AUDIT.read(tmp_path / "out")
    assert headline(again) == said
    assert np.array_equal(again.measured["words"], found.measured["words"], equal_nan=True)
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "people read as women" in page and "Words that differ" not in page
    open_zip("chats", to_zip(tmp_path / "out"), tmp_path / "opened")
    assert headline(AUDIT.read(tmp_path / "opened")).headline == said.headline


def test_a_planted_stereotype_is_found_by_a_scorer_that_sees_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("psa_core.audits.generation.run.models.load", lambda _: Stereotypes())
    said = headline(run(tmp_path, monkeypatch, Assistant(stereotype=0.5, own=0.05), answers=10, scorers=("x",)))
    assert said.target == "x" and said.low > 0.1 and " higher in x" in said.headline, "and longer, if only a little"


def test_without_a_difference_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = headline(run(tmp_path, monkeypatch, Assistant(own=0.2)))
    assert said.headline == "No clear difference between the answers to one group of people and another."
    assert not said.is_significant


def test_more_answers_ask_for_the_new_ones_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, monkeypatch, Assistant(), answers=2)
    writer = Assistant()
    found = run(tmp_path, monkeypatch, writer, answers=3)
    assert {draw.k for draw in writer.asked} == {2} and found.cube.provenance["known_before"] == 3 * 16 * 2


def test_the_same_name_twice_shows_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two groups that are said the same things get the same answers: each conversation is asked once."""
    rows = [f"{first} Lee,{first},Lee,{group}" for group in "ab" for first in ("Ann" + group, "Bob" + group)]
    (tmp_path / "names.csv").write_text("name,first,last,group\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "t.txt").write_text("I am {last}. Plan my day.\nI am {last}. Tell a story.\n", encoding="utf-8")
    writer = Assistant()
    monkeypatch.setattr(generators, "load", lambda _: writer)
    given = ChatSpec(lm="x", tasks=str(tmp_path / "t.txt"), names=str(tmp_path / "names.csv"), person="text", answers=3,
                     scorers=())  # fmt: skip
    found = AUDIT.run(given, tmp_path / "out", Running())
    assert len(writer.asked) == 2 * 3
    gaps = found.tables.gaps[found.tables.gaps["measure"] != "distance"]  # which takes each person's own name out
    assert len(gaps) == 3 and (gaps["difference"] == 0).all() and (gaps["p_value"] == 1).all()
    assert not headline(found).is_significant


def test_a_missing_score_is_its_own_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(tmp_path, monkeypatch, Assistant())
    assert found.manifest["missing"]["answers"] == 0
    assert found.manifest["missing"]["no_number"] == 2 * 16 * 4, "two tasks of three ask for no number"
    assert np.nanmean(found.measured["no_number"]) == 1 and not np.isfinite(found.measured["number"]).any()


def test_an_answer_that_is_empty_is_left_out_and_none_at_all_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Mute(Assistant):
        def text(self, draw: Draw) -> str:
            return super().text(draw) if draw.value in FEMALE and draw.k else ""

    found = run(tmp_path, monkeypatch, Mute(), answers=2, people=4)
    assert found.manifest["missing"]["answers"] == 24 - 3 * 2
    monkeypatch.setattr(Mute, "text", lambda *_: "")
    (tmp_path / "other").mkdir()
    with pytest.raises(OptionError, match="none of 24 answers, expected some answers to measure"):
        run(tmp_path / "other", monkeypatch, Mute(), answers=2, people=4)


def test_a_part_of_an_audit_is_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generators, "load", lambda _: Assistant())
    seen: list[ChatResult] = []
    AUDIT.run(spec(tmp_path, answers=9, people=2), tmp_path / "out", Running(publish=seen.append))
    assert [part.cube.shape for part in seen] == [(3, 2, 8)]


@pytest.mark.parametrize("place", ["user", "system", "memory"])
def test_where_the_person_stands(place: str, tmp_path: Path) -> None:
    planned = planning.plan(spec(tmp_path, person=place))
    draw = planned.draws[0]
    assert planned.shape == (3, 16, 4) and draw.stream == "Tell a story.\nTwo lines of it."
    said = dict(draw.messages)
    assert ("Ann" in said["user"]) is (place == "user")
    assert ("system" in said) is (place != "user") and "Ann" in draw.prompt
    assert said["user"].endswith(draw.stream)


def test_what_cannot_be_asked_is_said(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no task has a slot"):
        planning.plan(spec(tmp_path, person="text"))
    with pytest.raises(OptionError, match="no task has a slot"):  # as the page asks, before there is a plan
        planning.draws_of([Task("Plan my day.")], [Person.of("Ann")], "text", 1)
    with pytest.raises(OptionError, match="twice"):
        (tmp_path / "t.txt").write_text("A?\nA?\n", encoding="utf-8")
        planning.plan(ChatSpec(lm="x", tasks=str(tmp_path / "t.txt")))


def test_people_are_as_many_of_each_group(tmp_path: Path) -> None:
    planned = planning.plan(ChatSpec(lm="x", answers=1))
    counts = planned.prompt_set.values.groupby(["gender", "race"]).size()
    assert planned.shape[:2] == (40, 32) and counts.tolist() == [4] * 8


def test_chats_can_be_asked_elsewhere(tmp_path: Path) -> None:
    given = spec(tmp_path, person="system", answers=2)
    table = planning.prompt_table(given)
    assert table.columns.tolist() == ["task", "person", "k", "system", "user", "prompt"] and len(table) == 3 * 16 * 2
    requests = planning.requests(given)
    assert len(requests) == 3 * 16 and requests[0].options["n"] == 2
    assert [message["role"] for message in requests[0].messages] == ["system", "user"]
    assert "top_p" not in requests[0].options
    assert planning.requests(spec(tmp_path, answers=2, top_p=0.9))[0].options["top_p"] == 0.9


def test_a_scorer_reads_another_name(tmp_path: Path) -> None:
    planned = planning.plan(spec(tmp_path, answers=1))
    texts = np.array([[[f"Dear {value}, hello {value}s."] for value in planned.prompt_set.values["value"]]], object)
    assert set(planned.as_read(texts).ravel()[:2]) == {"Dear Sam, hello Anns.", "Dear Sam, hello Beths."}
