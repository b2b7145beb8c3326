"""Study: steps, messages for bad input, and a run that is followed to its end."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from psa_core import jobs
from psa_core.folders import cube_file, judgements, results
from psa_core.folders.judgements import Judgement
from psa_core.models._judges.question_file import read_question
from psa_core.study import StudySpec, plan
from psa_core.study.preview import rows
from tests.jobs.waiting import waiting_run
from tests.pages import result_studies

OpenPage = Callable[..., AppTest]
Words = Callable[[AppTest], str]
Run = Callable[[AppTest], AppTest]
COMMENTS = b"comment,place\nHe is kind.,here\nShe left her dog.,there\nNobody came.,here\n"
OWN = "Your own file"
WORKBOOK = b"PK\x03\x04\x14\0\x06\0"


def zipped(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as folder:
        for name, text in files.items():
            folder.writestr(name, text)
    return packed.getvalue()


def own_sentences(page: AppTest, run: Run, name: str, content: bytes) -> AppTest:
    page.button_group(key="study_source").set_value(OWN)
    run(page)
    page.file_uploader(key="study_file_0").upload(name, content)
    return run(page)


def test_every_step_is_there_and_the_price_is_known(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("new_study")
    said = words_of(page)
    for title in ("Texts", "Words to replace", "Names", "Model", "Run"):
        assert title in said
    assert "Returns toxicity, 0 to 1, flagged at 0.5 and above: probability that the text is offensive." in said
    assert "280 of 280 sentences are eligible." in said
    numbers = {metric.label: metric.value for metric in page.metric}
    assert (numbers["Sentences"], numbers["Names"], numbers["Text–name pairs"]) == ("280", "160", "44,800")
    assert page.button(key="study_run").label == "Run the study"
    time, unit = numbers["Estimated time"].split()
    assert unit == "min" or int(time) >= 10, "a worker starts, and writes what it found"


def test_a_file_of_windows_is_read_and_says_so(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = own_sentences(
        open_page("new_study"), run, "a.csv", "Freitext;Ort\nShe likes the café.;Köln\n".encode("cp1252")
    )
    page.button_group(key="study_names_way").set_value(OWN)
    run(page).file_uploader(key="study_names_file_0").upload(
        "namen.csv", "Vor- und Nachname;Geschlecht\nJürgen Weiß;m\nHélène Núñez;w\nSøren Groß;m\n".encode("cp1252")
    )
    said = words_of(run(page))
    for field in ("sentences", "names"):
        assert f"The {field} are not UTF-8: read as Windows-1252." in said
    assert "3 names, grouped by Geschlecht." in said


def test_a_slider_leaves_out_names_before_they_are_scored(
    open_page: OpenPage, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(jobs.runs, "resume", started.append)
    page = open_page("new_study", study_names="us-people", study_evidence_p_black="0.9")
    assert page.slider(key="study_evidence_p_black").value == 0.9
    assert "28 names left out: less than 0.9 for p_black." in words_of(page)
    assert {metric.label: metric.value for metric in page.metric}["Names"] == "132"
    page.button(key="study_run").click()
    page.run(timeout=60)
    assert jobs.spec_at(jobs.run_path(started[0])).evidence == "p_black>=0.9"


@pytest.mark.parametrize("name", ["名" * 100 + ".csv", "../../odd.csv", "~x.csv", "names-typed.txt", "-.tsv"])
def test_a_run_finds_an_upload_whatever_its_name(
    name: str, open_page: OpenPage, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(jobs.runs, "resume", started.append)
    page = own_sentences(open_page("new_study"), run, name, COMMENTS)
    page.button(key="study_run").click()
    page.run(timeout=60)
    place = jobs.run_path(started[0])
    assert (place / "inputs" / jobs.spec_at(place).sentences).read_bytes() == COMMENTS


@pytest.mark.parametrize(("name", "kept"), [("people.csv", "people.csv"), ("mine.CSV", "names-mine.CSV")])
def test_a_list_of_names_is_called_by_its_file(
    name: str, kept: str, open_page: OpenPage, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(jobs.runs, "resume", started.append)
    page = own_sentences(open_page("new_study"), run, "mine.csv", COMMENTS)
    page.button_group(key="study_names_way").set_value("Your own file")
    run(page).file_uploader(key="study_names_file_0").upload(name, b"name\nAnn\nBo\n")
    run(page).button(key="study_run").click()
    page.run(timeout=60)
    place = jobs.run_path(started[0])
    assert jobs.spec_at(place).names == kept
    assert (place / "inputs" / "mine.csv").read_bytes() == COMMENTS


def test_another_column_has_its_own_number_of_texts_and_time(open_page: OpenPage, run: Run) -> None:
    """Both columns select the same number of sentences; only the second one's texts are all alike."""
    rows = [f"She saw {i} trees.,He slept.,r{i}" for i in range(6)]
    content = "\n".join(["text,other,id", *rows]).encode()
    page = own_sentences(open_page("new_study", study_names="demo"), run, "two.csv", content)

    def texts() -> str:
        return next(metric.value for metric in page.metric if metric.label == "Texts to score")

    before = texts()
    (column,) = [box for box in page.selectbox if box.label == "Column with the text"]
    column.set_value("other")
    run(page)
    assert (before, texts()) == ("126", "21")


def test_the_same_bytes_under_another_ending_are_read_anew(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = own_sentences(open_page("new_study"), run, "comments.txt", COMMENTS)
    assert "4 sentences" in [expander.label for expander in page.expander]
    page.file_uploader(key="study_file_0").upload("comments.csv", COMMENTS)
    run(page)
    assert "3 sentences" in [expander.label for expander in page.expander]


def test_an_upload_is_read_counted_and_accounted_for(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = own_sentences(open_page("new_study"), run, "comments.csv", COMMENTS)
    assert "2 of 3 sentences are eligible." in words_of(page)
    assert "1 skipped: 1 without a word to replace." in words_of(page)


def test_what_was_left_alone_is_counted(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = own_sentences(open_page("new_study"), run, "comments.csv", b"text\nHe ran `his(he)`.\nHe or she.\n")
    assert "Left alone, though they look like words to replace: code 2; no one person (he/she) 2." in words_of(page)


def test_the_accuracy_of_entities_is_said_where_they_are_chosen(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = open_page("new_study")
    assert "46 %" not in words_of(page)
    page.button_group(key="study_anchors").set_value("entities")
    assert "46 %" in words_of(run(page))


def test_another_column_can_hold_the_text(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = own_sentences(open_page("new_study"), run, "comments.csv", b"text,reply\nNobody.,He came.\nNothing.,No.\n")
    assert "no sentence to study" in words_of(page)
    column = next(box for box in page.selectbox if box.label == "Column with the text")
    column.select("reply")
    assert "1 of 2 sentences is eligible." in words_of(run(page))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "an empty file"),
        ("binary.csv", b"\x00\x01\x02\x03" * 50, "text"),
        ("broken.jsonl", b"{not json}\n", "invalid JSON in line 1"),
        ("broken.parquet", b"PAR1 no", "a damaged parquet file"),
        ("none.txt", b"Nobody came.\nNothing happened.\n", "no sentence to study"),
        ("twice.csv", b"id,text\n1,He ran.\n1,She ran.\n", "twice"),
    ],
)
def test_bad_sentences_end_in_one_clear_sentence(
    open_page: OpenPage, words_of: Words, run: Run, name: str, content: bytes, message: str
) -> None:
    page = own_sentences(open_page("new_study"), run, name, content)
    assert message in words_of(page)
    assert not [button for button in page.button if button.key == "study_run"]


def test_names_are_typed_and_warned_about(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = open_page("new_study")
    page.button_group(key="study_names_way").set_value("Type or paste")
    run(page)
    page.text_area(key="study_names_text").set_value("Ann\nGrace\nAnn")
    said = words_of(run(page))
    assert "2 names, no groups." in said
    assert "1 duplicate name left out." in said
    assert any("1 thing to look at" in expander.label for expander in page.expander)


def test_a_list_of_one_name_is_refused(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = open_page("new_study")
    page.button_group(key="study_names_way").set_value("Type or paste")
    run(page)
    page.text_area(key="study_names_text").set_value("Ann")
    assert "Needed: at least two different names" in words_of(run(page))


def test_an_anchor_is_switched_off_and_on_again(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = own_sentences(open_page("new_study"), run, "two.txt", b"He is kind.\nShe left.\n")
    page.session_state["study_review"] = True
    run(page)
    next(button for button in page.button if button.label == "Switch off").click()
    said = words_of(run(page))
    assert "1 of 2 sentences is eligible." in said
    assert "You switched 1 word" in said
    page.button(key="none_switched").click()
    assert "2 of 2 sentences are eligible." in words_of(run(page))


def test_a_sentence_is_left_out_as_a_whole(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = own_sentences(open_page("new_study"), run, "two.txt", b"He is kind, and he knows it.\nShe left.\n")
    page.text_input(key="study_lookup").set_value("kind")
    run(page)
    next(button for button in page.button if button.label == "Switch off").click()
    assert "2 of 2 sentences are eligible." in words_of(run(page)), "the second he takes over"
    next(button for button in page.button if button.label == "Leave out").click()
    said = words_of(run(page))
    assert "1 of 2 sentences is eligible." in said and "You switched 2 words" in said
    assert "Not in the study. Each word that a name could replace is switched off." in said


def test_what_balancing_and_the_sample_leave_out_is_said(open_page: OpenPage, words_of: Words, run: Run) -> None:
    texts = [f"She saw {number} trees." for number in range(6)] + [f"He saw {number} cars." for number in range(4)]
    page = own_sentences(open_page("new_study"), run, "a.txt", "\n".join(texts).encode())
    said = words_of(page)
    assert "8 are used: 2 left out so that “he” and “she” are equally common." in said
    page.toggle(key="study_balance").set_value(False)
    assert "are used" not in words_of(run(page))
    page.number_input(key="study_sample").set_value(3)
    assert "3 are used: 7 not in the random sample." in words_of(run(page))


def test_a_slot_is_neither_he_nor_she(open_page: OpenPage, run: Run) -> None:
    page = run(open_page("new_study", study_source="interviews"))
    assert "study_balance" not in [toggle.key for toggle in page.toggle]


def test_what_was_chosen_stands_in_the_address_and_survives_a_reload(open_page: OpenPage, run: Run) -> None:
    page = open_page("new_study")
    page.toggle(key="study_balance").set_value(False)
    page.number_input(key="study_max_words").set_value(20)
    page.selectbox(key="study_model").set_value("vader")
    page = open_page("new_study", **run(page).query_params)
    assert page.toggle(key="study_balance").value is False
    assert page.number_input(key="study_max_words").value == 20
    assert page.selectbox(key="study_model").value == "vader"


def test_a_question_of_ones_own_goes_along_as_a_file(
    open_page: OpenPage, run: Run, words_of: Words, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[str] = []
    monkeypatch.setattr(jobs.runs, "resume", started.append)
    page = open_page("new_study", study_model="own question")
    page.text_area(key="study_question").set_value("Would you rent this flat to this person?")
    assert "Returns yes, 0 to 1: chance of “Yes” to: Would you rent this flat" in words_of(run(page))
    page.text_input(key="study_answers").set_value("Yes")
    assert "two answers or more" in words_of(run(page))
    page.text_input(key="study_answers").set_value("Gladly, Maybe, No")
    run(page).button(key="study_run").click()
    page.run(timeout=60)
    place = jobs.run_path(started[0])
    assert jobs.spec_at(place).model.endswith("?question=own-question.json")
    question = read_question(str(place / "inputs" / "own-question.json"))
    assert (question.answers, question.values) == (("Gladly", "Maybe", "No"), (1.0, 0.5, 0.0))
    assert (question.target.name, question.target.phrase) == (
        "answer",
        "answer (0 = No to 1 = Gladly) to “Would you rent this flat to this person?”",
    )
    assert question.about("A note.").endswith(
        "A note.\n\nWould you rent this flat to this person? Answer with Gladly, Maybe or No."
    )


def test_a_model_is_offered_once_and_takes_what_it_can_be_told(
    open_page: OpenPage, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(jobs.runs, "resume", started.append)
    page = open_page("new_study", study_model="keyword")
    titles = [title.removesuffix(" …") for title in page.selectbox(key="study_model").options]
    assert len(titles) == len(set(titles))
    (field,) = [item for item in page.text_input if str(item.key) == "study_model_id_keyword"]
    field.set_value("Alice=0.2")
    run(page).button(key="study_run").click()
    page.run(timeout=60)
    assert jobs.spec_at(jobs.run_path(started[0])).model == "keyword:Alice=0.2"


def test_user_text_is_escaped(open_page: OpenPage, run: Run) -> None:
    page = own_sentences(open_page("new_study"), run, "x.txt", b"He said <script>alert(1)</script> **hi**.\nShe ran.\n")
    page.session_state["study_review"] = True
    run(page)
    html = "".join(element.proto.body for element in page.get("html"))
    assert "&lt;script&gt;" in html and "<script>" not in html


def test_an_unknown_run_is_said_and_leaves_a_way_on(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = open_page("study", run="a" * 20)
    assert "an unknown run id" in words_of(page)
    assert "No study is open yet" in words_of(page) and "Set up your own study" in words_of(page)
    page.button(key="load_example").click()
    assert run(page).session_state["view"].run != "a" * 20


@pytest.mark.slow
def test_a_study_runs_in_its_worker_and_its_link_shows_the_result(
    open_page: OpenPage, words_of: Words, run: Run
) -> None:
    page = own_sentences(open_page("new_study", study_names="demo"), run, "comments.csv", COMMENTS)
    page.button(key="study_run").click()
    run(page)
    run_id = page.session_state["view"].run
    finished(run_id)
    said = words_of(open_page("study", run=run_id))
    assert "2 sentences × 20 names" in said
    assert "sentences × 20 names" in said


def finished(run_id: str) -> None:
    """Wait for a worker; the test's own time limit ends the wait."""
    while jobs.status(run_id).live:
        time.sleep(0.1)
    assert jobs.status(run_id).state == "finished", jobs.status(run_id).message


def test_a_reopened_zip_brings_the_judgements_along(open_page: OpenPage, run: Run) -> None:
    first = result_studies.keep()
    word = Judgement("s3", "Person A", "toxicity", "meaning", "Eva")
    said = judgements.save(jobs.result_folder(first), word)
    page = open_page("study")
    page.file_uploader(key="study_zip").upload("study.zip", results.to_zip(jobs.result_folder(first)))
    again = run(page).session_state["view"].run
    assert again not in (None, first)
    assert judgements.load(jobs.result_folder(again)).equals(said)


@pytest.mark.parametrize(("state", "first"), [("failed", "Change it and run again"), ("cancelled", "Resume")])
def test_the_main_button_of_a_run_that_ended_is_what_helps(open_page: OpenPage, state: str, first: str) -> None:
    run_id = waiting_run("run", study=result_studies.SPEC)
    jobs.write_status(jobs.root() / run_id, state=state, message="the model gave no answer")
    page = open_page("study", run=run_id)
    assert [button.label for button in page.button if button.proto.type == "primary"] == [first]


def test_a_failed_run_says_what_is_left_of_it(open_page: OpenPage, words_of: Words) -> None:
    run_id = waiting_run("run", study=result_studies.SPEC)
    place = jobs.root() / run_id
    jobs.write_status(place, state="failed", message="the model gave no answer")
    assert "Nothing is lost" not in words_of(open_page("study", run=run_id))
    cube_file.save(result_studies.cube(12), place / jobs.PARTIAL)
    said = words_of(open_page("study", run=run_id))
    assert "Nothing is lost: 12 sentences are scored and can be looked at. They are not scored again." in said
    assert "the model gave no answer" in said and "· Failed" not in said


def test_a_stopped_run_says_once_what_is_left_of_it(open_page: OpenPage, words_of: Words) -> None:
    run_id = waiting_run("run", study=result_studies.SPEC)
    place = jobs.root() / run_id
    message = "The scores so far are kept; resume to go on from them."
    jobs.write_status(place, state="cancelled", message=message, sentences_total=40)
    assert message in words_of(open_page("study", run=run_id))
    said = words_of(open_page("names", run=run_id))
    assert "nothing scored yet" in said and "Wait" not in said and "No study is open yet" not in said
    cube_file.save(result_studies.cube(12), place / jobs.PARTIAL)
    said = words_of(open_page("study", run=run_id))
    assert "Nothing is lost: 12 of 40 sentences are scored" in said and message not in said


@pytest.mark.parametrize("written", ["//127.0.0.1:9/score", "http://127.0.0.1:9/score", " http://127.0.0.1:9/score "])
def test_an_address_is_written_as_people_write_it(
    written: str, open_page: OpenPage, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_HISTORY", "1")
    started: list[str] = []
    monkeypatch.setattr(jobs.runs, "resume", started.append)
    page = open_page("new_study")
    page.selectbox(key="study_model").set_value("http")
    (field,) = [item for item in run(page).text_input if str(item.key).startswith("study_model_id")]
    assert field.label == "Address, such as http://host/path"
    field.set_value(written)
    run(page).button(key="study_run").click()
    page.run(timeout=60)
    assert jobs.spec_at(jobs.run_path(started[0])).model == "http://127.0.0.1:9/score"


def test_the_end_of_a_study_counts_without_the_sentences_left_out(open_page: OpenPage, words_of: Words) -> None:
    run_id = result_studies.keep()
    judgements.save(jobs.result_folder(run_id), Judgement("s3", "Person A", "toxicity", "meaning"))
    assert "39 sentences × 12 names" in words_of(open_page("study", run=run_id))


def scored(texts: list[str], missing: int = 0) -> bytes:
    rows = [f'"{text}",{len(text) % 7 / 7:.3f}' for text in texts[missing:]]
    return "\n".join(["text,rudeness", *rows]).encode()


@pytest.mark.parametrize(
    ("own_machine", "brought", "kept"),
    [
        (False, "Claude 4.5 (May)?range=1.csv", "Claude-4-5-May-range-1.csv"),
        (True, "comments.csv", "predictions-comments.csv"),
        (False, "?.CSV", "predictions.csv"),
    ],
)
def test_predictions_are_made_elsewhere_and_brought_back(
    open_page: OpenPage,
    words_of: Words,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    own_machine: bool,
    brought: str,
    kept: str,
) -> None:
    if own_machine:
        monkeypatch.setenv("PSA_HISTORY", "1")
    page = own_sentences(open_page("new_study", study_names="demo"), run, "comments.csv", COMMENTS)
    page.selectbox(key="study_model").set_value("predictions")
    run(page)
    (button,) = [item for item in page.get("download_button") if "texts to score" in item.proto.label]
    assert button.proto.label == "Download the 42 texts to score"
    spec = StudySpec("comments.csv", "demo", "none")
    monkeypatch.chdir(tmp_path)
    Path("comments.csv").write_bytes(COMMENTS)
    texts = [text for *_, text in rows(plan(spec))]
    page.file_uploader(key="study_scored_0").upload(brought, scored(texts, missing=2))
    said = words_of(run(page))
    assert "no score for 2 of 42 texts" in said and f"first {texts[0]!r}" in said
    page.file_uploader(key="study_scored_0").upload(brought, scored([*texts, "Of another study."]) + b"\nNobody.,\n")
    assert (
        "All 42 texts have a score; the file also has 1 row with an empty score and "
        "1 text that this study does not have. Targets: rudeness (0 to 1)."
    ) in words_of(run(page))
    page.file_uploader(key="study_scored_0").upload(brought, scored(texts))
    assert "All 42 texts have a score. Targets: rudeness (0 to 1)." in words_of(run(page))
    page.file_uploader(key="study_scored_0").upload(brought, scored(texts[1:]) + f'\n"{texts[0]}",1e6\n'.encode())
    said = words_of(run(page))
    assert "Targets: rudeness (0 to 1,000,000, from the values in the file; flagged at 0.5 and above)." in said
    assert "rudeness: 1 of 42 scores is far from the others" in said
    page.file_uploader(key="study_scored_0").upload(brought, scored(texts))
    run(page)
    page.button(key="study_run").click()
    page.run(timeout=60)
    run_id = page.session_state["view"].run
    for _ in range(600):
        status = jobs.status(run_id)
        if not status.live:
            break
        time.sleep(0.1)
    assert status.state == "finished", status.message
    cube = jobs.open_cube(run_id)
    assert cube.shape == (2, 20, 1) and cube.targets[0].name == "rudeness"
    assert "42 texts with a score" in " ".join(cube.provenance["notes"])
    assert cube.provenance["study"]["model"] == f"predictions:{kept}"


def test_a_file_that_cannot_be_read_leaves_the_one_before_it(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = own_sentences(open_page("new_study", study_names="demo"), run, "comments.csv", COMMENTS)
    page.file_uploader(key="study_file_0").upload("broken.jsonl", b"{not json}\n")
    said = words_of(run(page))
    assert "invalid JSON in line 1" in said
    assert "This file was not accepted; the previous one stays in use" in said
    assert "Using comments.csv" in said
    assert "2 of 3 sentences are eligible." in said
    assert [button for button in page.button if button.key == "study_run"]


@pytest.mark.parametrize("name", ["comments.xlsx", "Comments.XLS", "comments.ods"])
def test_a_workbook_is_told_how_to_become_a_csv_file(open_page: OpenPage, words_of: Words, run: Run, name: str) -> None:
    page = own_sentences(open_page("new_study"), run, name, WORKBOOK)
    assert f"File: a workbook, {name}." in words_of(page)
    assert "save the sheet as CSV UTF-8, and use that file." in words_of(page)
    page.file_uploader(key="study_file_0").upload("comments.csv", COMMENTS)
    run(page).button_group(key="study_names_way").set_value(OWN)
    run(page).file_uploader(key="study_names_file_0").upload(name, WORKBOOK)
    assert f"File: a workbook, {name}." in words_of(run(page))


def test_a_workbook_of_scores_is_told_the_same(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = open_page("new_study")
    page.selectbox(key="study_model").set_value("predictions")
    run(page).file_uploader(key="study_scored_0").upload("scores.xlsx", WORKBOOK)
    assert "File: a workbook, scores.xlsx.\nNeeded: one of .csv, .tsv, .jsonl, .parquet" in words_of(run(page))


def test_names_stand_in_any_column(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = open_page("new_study")
    page.button_group(key="study_names_way").set_value("Your own file")
    assert "Choose at least two names" in "".join(info.value for info in run(page).info)
    content = b"no,Who is it?,team\n1,Ann Lee,A\n2,Bo Kim,B\n3,Cy Ro,B\n"
    page.file_uploader(key="study_names_file_0").upload("people.csv", content)
    assert "3 names, grouped by team." in words_of(run(page))
    (column,) = [box for box in page.selectbox if box.label == "Column with the names"]
    assert column.value == "Who is it?"
    column.set_value("no")
    run(page)
    assert [table for table in page.dataframe if "name" in table.value and table.value["name"].tolist() == list("123")]


def test_a_link_without_a_run_id_says_so(open_page: OpenPage, words_of: Words) -> None:
    for stem in ("study", "names"):
        assert "this link names no study" in words_of(open_page(stem, run="abc"))
        assert "this link names no study" not in words_of(open_page(stem))


def test_problems_are_told_as_what_happened_and_what_to_do(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = own_sentences(open_page("new_study"), run, "none.txt", b"Nobody came.\nNothing happened.\n")
    said = words_of(page)
    assert "Anchors pronouns: no sentence to study (2 read, 2 without a word to replace)." in said
    assert "Needed: a sentence with a word to replace. Choose other words to replace, allow longer sentences, " in said
    assert ": got" not in said


def test_sentences_are_pasted_one_per_line(
    open_page: OpenPage, words_of: Words, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(jobs.runs, "resume", started.append)
    page = open_page("new_study")
    page.button_group(key="study_source").set_value("Type or paste")
    run(page)
    assert [box.value for box in page.info] == ["Choose a file or paste your sentences to continue."]
    page.text_area(key="study_pasted").set_value("He left <b>early</b>.\n\nShe is late.\nNobody came.")
    said = words_of(run(page))
    assert "2 of 3 sentences are eligible" in said
    page.button(key="study_run").click()
    page.run(timeout=60)
    spec = jobs.spec_at(jobs.run_path(started[0]))
    kept = jobs.run_path(started[0]) / "inputs" / spec.sentences
    assert kept.read_text(encoding="utf-8").splitlines() == [
        "He left <b>early</b>.",
        "",
        "She is late.",
        "Nobody came.",
    ]


def test_sentences_that_all_have_a_slot_choose_it(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = own_sentences(open_page("new_study"), run, "a.txt", b"I met {name}.\n{name} left.\n")
    assert page.button_group(key="study_anchors_slot").value == "slot"
    assert "2 of 2 sentences are eligible" in words_of(page)
    page.button_group(key="study_source").set_value("sample")
    assert run(page).button_group(key="study_anchors").value == "pronouns"


def test_any_sentence_is_looked_up(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = own_sentences(open_page("new_study"), run, "a.csv", COMMENTS)
    page.text_input(key="study_lookup").set_value("NOBODY")
    said = words_of(run(page))
    assert "1 sentence found, 0 of them in the study" in said and "no word that a name could replace" in said
    page.text_input(key="study_lookup").set_value("is kind")
    run(page)
    assert [button.label for button in page.button if button.label in ("Switch off", "Leave out")] == [
        "Switch off",
        "Leave out",
    ]
    page.text_input(key="study_lookup").set_value("no such words")
    assert "0 sentences found" in words_of(run(page))


def test_sentences_are_looked_up_where_none_can_be_taken(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = own_sentences(open_page("new_study"), run, "a.txt", b"Nobody came.\nIt rained.\n")
    page.text_input(key="study_lookup").set_value("rained")
    assert "Not in the study. It has no word that a name could replace." in words_of(run(page))


def test_a_document_is_reviewed_whole_and_a_click_keeps_a_word(open_page: OpenPage, words_of: Words, run: Run) -> None:
    page = open_page("new_study", study_source="cvs")
    page.session_state["study_review"] = True
    page.session_state["document cvs-01"] = True
    said = words_of(run(page))
    assert "forms of the name" in said and "CURRICULUM VITAE" in said
    assert "Emily Walker" in said and "Daniel Moreno" in said
    words = next(group for group in page.button_group if str(group.key).startswith("words cvs-01"))
    words.set_value(words.value[1:])
    assert "You switched 1 word" in words_of(run(page))


def test_a_word_left_alone_is_replaced_at_a_click(open_page: OpenPage, words_of: Words, run: Run) -> None:
    letter = "Jane Doe met Ann Hill. She is glad. Jane Doe slept. Jane ran. " + "It rained all day. " * 40
    page = own_sentences(open_page("new_study"), run, "cvs.zip", zipped({"jane.txt": letter}))
    page.session_state["study_review"] = page.session_state["document jane.txt"] = True
    run(page)
    title = "jane\\.txt:\u2060 Jane Doe, 3 words to replace, 1 left alone"
    legend, both = 1, 2
    for replaced in ([23], []):
        (left,) = [group for group in page.button_group if str(group.key).startswith("left ")]
        assert left.options == ["… met Ann Hill\\. **She** is glad\\. Jane …"]
        left.set_value(replaced)
        said = words_of(run(page))
        assert ("You switched 1 word" in said) is bool(replaced)
        assert said.count("underline dotted") == (legend if replaced else both)
        assert title in [section.label for section in page.expander]


def test_all_words_left_alone_for_a_reason_are_replaced_at_once(open_page: OpenPage, words_of: Words, run: Run) -> None:
    letter = "Jane Doe met Ann Hill. She is glad. She sings. She eats.\nJane Doe slept. Jane ran. " + "It rained. " * 90
    page = own_sentences(open_page("new_study"), run, "cvs.zip", zipped({"jane.txt": letter}))
    page.session_state["study_review"] = page.session_state["document jane.txt"] = True
    run(page)
    next(button for button in page.button if button.label == "Replace all 3").click()
    assert "You switched 3 words" in words_of(run(page))
    assert "Replace all 3" not in [button.label for button in page.button]
    assert "Leave all 3 alone" in [button.label for button in page.button]
    next(button for button in page.button if button.label == "Leave this document out").click()
    assert "1 read, 1 switched off" in words_of(run(page))


def test_a_document_under_review_names_its_person_and_stays_open_at_a_click(open_page: OpenPage, run: Run) -> None:
    """A section whose title changes is another section to Streamlit, and closed."""
    letter = "Jane Doe applies for the post. She was a nurse for nine years, and " + "kept the ward calm. " * 40
    page = own_sentences(open_page("new_study"), run, "cvs.zip", zipped({"jane.txt": letter}))
    page.session_state["study_review"] = page.session_state["document jane.txt"] = True
    run(page)
    assert "1 document" in [section.label for section in page.expander]
    title = "jane\\.txt:\u2060 Jane Doe, 2 words to replace"
    assert title in [section.label for section in page.expander]
    (words,) = [group for group in page.button_group if str(group.key).startswith("words ")]
    words.set_value(words.value[:1])
    run(page)
    assert title in [section.label for section in page.expander]
    assert page.button_group(key="study_source").value == OWN
    (words,) = [group for group in page.button_group if str(group.key).startswith("words ")]
    assert len(words.value) == 1


@pytest.mark.slow
def test_documents_are_scored_by_a_model_of_sentiment_unless_another_is_chosen(open_page: OpenPage, run: Run) -> None:
    page = open_page("new_study", study_source="cvs")
    assert page.selectbox(key="study_model_documents").value == "minilm-sentiment"
    page.selectbox(key="study_model_documents").set_value("vader")
    assert run(page).query_params["study_model_documents"] == "vader"
    page.button_group(key="study_source").set_value("sample")
    assert run(page).selectbox(key="study_model").value == "profanity-check"


def test_packaged_documents_stay_chosen_while_they_are_reviewed(open_page: OpenPage, run: Run) -> None:
    page = open_page("new_study", study_source="cvs")
    page.session_state["study_review"] = page.session_state["document cvs-01"] = True
    run(page)
    for kept in (7, 6):
        (words,) = [group for group in page.button_group if str(group.key).startswith("words cvs-01")]
        words.set_value(words.value[1:])
        run(page)
        (words,) = [group for group in page.button_group if str(group.key).startswith("words cvs-01")]
        assert len(words.value) == kept
        assert page.button_group(key="study_source").value == "cvs"
