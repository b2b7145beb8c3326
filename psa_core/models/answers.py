"""answers: what a language model answered to the requests of a file, read as if it had been asked now."""

from __future__ import annotations

from psa_core import trust
from psa_core.asking.records import AnswerFile, read_answers
from psa_core.errors import ModelError
from psa_core.inputs.checks import path_of
from psa_core.models._base import ModelPlugin, Scorer, digest
from psa_core.models._judges.question import ORDERS, Averaged, Question, in_order
from psa_core.models._judges.question_file import needs_of_question, packaged, read_question
from psa_core.models._judges.server import ChatJudge
from psa_core.models._options import split_options

BATCH = 1024
OPTIONS = ("question", "system", "order")


def load(argument: str) -> Scorer:
    """Read a file of answers.

    Path of the file that came back for one of ``psa requests``; after ``?``, ``question`` with the question's file
    where it is no packaged one, ``system`` where more was said than the question has, and ``order`` where not all
    orders that were asked are to be read. Raises `ModelError` when the file is no file of answers, or holds none to
    this question.
    """
    name, options = split_options(argument, OPTIONS)
    answers = read_answers(path_of(name))
    judges = [_judge(answers, question) for question in _questions(answers, options)]
    return Averaged(*judges) if len(judges) == 2 else judges[0]


def _questions(answers: AnswerFile, options: dict[str, str]) -> list[Question]:
    """The questions that the file has answers to: as asked for, or as the ids of the requests say."""
    tags = {key.rpartition("-")[0] for key in answers.replies}
    names = [options["question"]] if "question" in options else list(packaged())
    orders = [options["order"]] if "order" in options else ORDERS[::-1]
    for name in names:
        for order in orders:
            questions = in_order(read_question(name).told(options.get("system", "")), order)
            if all(question.key in tags for question in questions):
                return questions
    asked = f"the question {names[0]!r}" if "question" in options else "a packaged question"
    fix = "If you asked a question of your own, add ?question= and its file, as it was then."
    raise ModelError("answers", got=f"no answer to {asked} in {answers.shown}", expected="one for each text", fix=fix)


def _judge(answers: AnswerFile, question: Question) -> ChatJudge:
    of = [reply for key, reply in answers.replies.items() if key.startswith(f"{question.key}-")]
    answered = [reply for reply in of if not reply.error]
    if not answered:
        got = f"{answers.shown}, where all {len(of):,} requests failed ({of[0].error})"
        raise ModelError("answers", got=got, expected="an answer to some of them")
    by_logs = any(reply.answers[0].logprobs for reply in answered)  # none of what a provider kept back
    samples = 0 if by_logs else max(len(reply.answers) for reply in answered)
    model = next((reply.model for reply in answered if reply.model), "a language model")
    return ChatJudge(
        answers, question, f"answers:{digest([answers.sha256, question.key])}", samples, BATCH, f"{model}, as answered"
    )


def needs(argument: str) -> tuple[trust.Need, ...]:
    """The file, and that of the question where it is no packaged one."""
    name, options = split_options(argument, OPTIONS)
    return (trust.Need(trust.Kind.PATH, name), *needs_of_question(options))


MODEL = ModelPlugin(
    id="answers",
    title="File of answers",
    summary="What a language model answered to the requests that `psa requests` wrote.",
    load=load,
    argument="file",
    takes=trust.Takes(trust.PATH.kinds, needs),
    system=True,
)
