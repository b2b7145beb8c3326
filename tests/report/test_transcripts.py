from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import numpy as np

import psa_core as psa
from psa_core import report
from psa_core.asking import Answer, Reply
from psa_core.inputs.conditions import Condition
from psa_core.report import swap_pieces
from psa_core.report.transcripts import NOT_KEPT, Transcript, of_cells
from psa_core.study import perturbation_of
from psa_core.study.conditions import joined

TEXTS, NAMES = ["{name} bakes <bread>.", "Then {name} bakes <bread>."], ["Ann", "Bo"]


def line(tag: str, content: str, answers: list[str], system: str = "") -> str:
    messages = [{"role": "user", "content": f"Invite?\n\n{content}\n\nYes or No?"}]
    messages = [{"role": "system", "content": system}, *messages] if system else messages
    usage = {"prompt_tokens": 30, "completion_tokens": len(answers)}
    body = {"choices": [{"message": {"content": one}} for one in answers], "usage": usage}
    row = {"custom_id": f"{tag}-{hash(content)}", "key": "k", "request": {"messages": messages}}
    return json.dumps({**row, "response": {"status_code": 200, "body": body}})


def study() -> psa.ScoreCube:
    return psa.run(TEXTS, NAMES, lambda texts: [len(text) / 50 for text in texts], cache=False).cube


def test_a_cell_has_the_answers_to_its_own_text_and_not_to_a_longer_one(tmp_path: Path) -> None:
    file, cube = tmp_path / "answers.jsonl", study()
    short, long = (perturbation_of(cube).text(s, 0) for s in (0, 1))
    lines = [line("q", f"Then {short}", ["No"]), line("q", short, ["Yes", "No", "Yes"]), line("q", "other", ["No"])]
    file.write_text("\n".join([*lines, '{"custom_id": "q-cut']))
    (((found,),), nothing) = ((of_cells(cube, "score", cells, file)) for cells in ([(0, 0)], [(0, 1)]))
    assert nothing == [[]]
    parts = dict(found.parts(swap_pieces(perturbation_of(cube), 0, "Ann")))
    assert parts["Message"] == [
        ("same", "Invite?\n\n"),
        ("come", "Ann"),
        ("same", " bakes <bread>."),
        ("same", "\n\nYes or No?"),
    ]
    assert parts["Answer (2 times)"] == [("same", "Yes")]
    assert parts["Answer"] == [("same", "No")]
    assert parts["Tokens"] == [("same", "30 read, 3 written")]
    assert long == f"Then {short}"


def test_each_condition_has_its_own_request(tmp_path: Path) -> None:
    file, plain = tmp_path / "answers.jsonl", study()
    cube = joined([Condition("none"), Condition("law", system="Obey.")], [plain, plain])
    text = perturbation_of(cube, "none.score").text(0, 0)
    file.write_text(f"{line('a', text, ['No'])}\n{line('b', text, ['Yes'], 'Be short. Obey.')}\n")
    each = [of_cells(cube, target, [(0, 0)], file)[0] for target in ("none.score", "law.score")]
    words = [[one.reply.answers[0].content for one in found if one.reply] for found in each]
    assert words == [["No"], ["Yes"]]


def test_what_a_model_here_is_asked_is_shown_without_loading_it(tmp_path: Path) -> None:
    told = "ask:lm:smollm2?question=interview"
    cube = study()
    cube = psa.ScoreCube(
        cube.sentences,
        cube.names,
        cube.targets,
        cube.original,
        cube.perturbed,
        {**cube.provenance, "study": {**cube.provenance["study"], "model": told}},
    )
    ((found,),) = of_cells(cube, "score", [(0, 1)], Path("nowhere"))
    assert found.reply is None and found.note == ""
    assert "Bo bakes <bread>." in found.messages[-1]["content"]
    (tmp_path / "answers.jsonl").touch()
    ((older,),) = of_cells(cube, "score", [(0, 1)], tmp_path / "answers.jsonl")
    assert older.reply is None and older.note == NOT_KEPT
    assert NOT_KEPT.startswith("not kept in this result: the score was found in the cache")


def test_the_report_has_the_transcripts_of_its_cards_escaped(tmp_path: Path) -> None:
    file, cube = tmp_path / "answers.jsonl", study()
    cube = cube.with_thresholds({"score": float(np.median(cube.perturbed))})
    texts = [text for s in (0, 1) for text in perturbation_of(cube).row(s)]
    file.write_text("\n".join(line("q", text, ["<script>No"]) for text in texts))
    page = report.render(cube, answers=file)
    assert page.count("What the model was asked") > 0
    assert "<script>" not in page
    assert "&lt;script&gt;No" in page
    assert "What the model was asked" not in report.render(cube)


def test_a_question_of_a_run_is_read_from_the_runs_own_inputs(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text('{"prompt": "Invite? {text}", "choice": {"Yes": 1, "No": 0}}')
    cube = study()
    model = f"ask:http://127.0.0.1:9/v1?question={quote('/gone/mine.json')}"
    asked = replace(cube, provenance={**cube.provenance, "study": {"model": model}})
    (((found,),), nothing) = (of_cells(asked, "score", [(0, 1)], tmp_path / "no", at) for at in (tmp_path, None))
    assert found.messages[-1]["content"] == "Invite? Bo bakes <bread>." and found.reply is None
    assert nothing == [[]]


def test_each_order_of_a_question_has_its_own_transcript(tmp_path: Path) -> None:
    file, cube = tmp_path / "answers.jsonl", study()
    text = perturbation_of(cube).text(0, 0)
    file.write_text("\n".join([line("one", text, ["Yes"]), line("two", text, ["No"]), line("one", text, ["No"])]))
    ((first, second),) = of_cells(cube, "score", [(0, 0)], file)
    assert first.reply is not None and second.reply is not None
    assert [answer.content for answer in first.reply.answers] == ["Yes", "No"], "asked twice, kept together"
    assert [answer.content for answer in second.reply.answers] == ["No"]
    assert (first.reply.tokens_out, second.reply.tokens_out) == (2, 1)


def test_a_reply_is_told_in_its_parts() -> None:
    rows = [{"token": token, "logprob": math.log(p)} for token, p in zip("ABCDEFG", (0.4, *[0.1] * 6), strict=True)]
    first = Answer("Yes", logprobs=({"token": "A", "logprob": math.log(0.4), "top_logprobs": rows[::-1]},))
    answers = (first, Answer("No"), Answer("Yes"), Answer("", thought="Hm."), Answer("", refusal="I must decline."))
    found = Transcript(({"role": "system", "content": "Be short."},), "text", Reply(answers, 1200, 3, error="slow"))
    assert [(heading, words[0][1]) for heading, words in found.parts([])] == [
        ("System message", "Be short."),
        ("Error", "slow"),
        ("Thinking", "Hm."),
        ("Refusal", "I must decline."),
        ("Answer (2 times)", "Yes"),
        ("Answer", "No"),
        ("Answer", "(nothing)"),
        ("Likeliest first tokens", "“A” 0.400, “G” 0.100, “F” 0.100, “E” 0.100, “D” 0.100"),
        ("Tokens", "1,200 read, 3 written"),
    ]
    assert Transcript((), "text", note="not asked").parts([]) == [("Answer", [("same", "not asked")])]
    nothing = Transcript((), "text", Reply(error="gone")).parts([])
    assert [heading for heading, _ in nothing] == ["Error", "Tokens"]
