"""ask: a language model as a judge, local or remote; the target is the probability of an answer."""

from __future__ import annotations

from pathlib import PurePath
from urllib.parse import quote, urlsplit

from psa_core import trust
from psa_core.asking.endpoint import NUMBERS
from psa_core.asking.provider import BEGINS, address_of, provider_of
from psa_core.asking.records import AnswerFile
from psa_core.asking.server import ChatServer
from psa_core.errors import ModelError
from psa_core.models._base import ModelCard, ModelPlugin, Scorer, digest, digest_of_model, digest_of_tokenizer
from psa_core.models._judges.question import Averaged, Question, in_order
from psa_core.models._judges.question_file import needs_of_question, packaged, read_question
from psa_core.models._judges.server import ChatJudge, may_be_told_apart, open_judge
from psa_core.models._options import flag, numbers_of, split_options
from psa_core.models._transformers.lm_files import PACKAGE, PACKAGED, is_packaged, needs_of
from psa_core.registry import readable_id

# Raise when what a server is asked, or how its answers are read, changes, so that caches notice.
VERSION = "2"
PACKAGED_TITLE = "SmolLM2"
#: The stem of a file that says nothing of its question: the one that a page writes.
UNNAMED = "own-question"
LOCAL_OPTIONS = ("question", "system", "order", "template", "max_tokens", "revision", "allow_pickle")
REMOTE_OPTIONS = (
    *("question", "system", "order", "model", "samples", "parallel", "timeout", "retries", "per_second", "version"),
)
OWN_NUMBERS = {"samples": (20.0, 1.0, 1000.0), "parallel": (32.0, 1.0, 256.0)}
OWN_NUMBERS |= {"timeout": (60.0, 0.01, 3600.0), "retries": (8.0, 0.0, 20.0)}


def load(argument: str) -> Scorer:
    """Load a judge.

    A language model (``lm:smollm2``, ``lm:<folder, .gguf file or hub id>``), an OpenAI-compatible address
    (``chat:http://localhost:8000/v1``) or a provider (``provider:anthropic/<model>``), ``?question=`` with a packaged
    question's id or a file, and more options joined by ``&``: ``system`` (what it is told first, beside the question's
    own system message), ``order`` (given, swapped or averaged). For a language model ``template=0`` (leave its chat
    template out), ``max_tokens``, ``revision``, ``allow_pickle=1``; for an address ``model`` (its name there),
    ``samples`` (answers a text, where it offers no log-probabilities), ``parallel`` (requests at once), ``timeout``
    (seconds), ``retries``, ``per_second``, ``version``. Raises `ModelError` when the question, the model or the address
    is not as it must be.
    """
    judge, options = parsed(argument)
    if "question" not in options:
        fix = f"For example: ask:{judge}?question={next(iter(packaged()))}"
        raise ModelError("ask", got="no question", expected=f"?question={' or '.join(packaged())} or a file", fix=fix)
    judges = (_remote if is_address(judge) else _local)(judge, _questions(options), options)
    return Averaged(*judges) if len(judges) == 2 else judges[0]


def unasked(argument: str) -> list[ChatJudge]:
    """The judges that `load` would return, to write their requests to a file; nothing is loaded or asked."""
    judge, options = parsed(argument)
    sampled = int(numbers_of(options, OWN_NUMBERS)["samples"])
    model = options.get("model", "default") if is_address(judge) else judge.removeprefix("lm:")
    if judge.startswith(BEGINS):
        model = judge.partition("/")[2]
    questions = _questions(options)
    samples = sampled if "samples" in options or not may_be_told_apart(questions[0]) else 0
    return [ChatJudge(AnswerFile(judge), question, "", samples, of=model) for question in questions]


def parsed(argument: str) -> tuple[str, dict[str, str]]:
    """Who is asked, as ``lm:…`` or an address, and the options; raises `ModelError` when one is unknown."""
    judge, mark, query = argument.rpartition("?")
    judge, query = (judge, query) if mark else (argument, "")
    known = REMOTE_OPTIONS if is_address(judge) else LOCAL_OPTIONS
    if "?" in judge and not is_address(judge):  # what a path or a hub id is before one, is not what it is behind it
        raise ModelError("ask", got=repr(judge[:80]), expected="one ?, before the options")
    return judge, split_options(f"?{query}", known)[1] if query else {}


def titled(model_id: str) -> str:
    """Who is asked what, for people: *SmolLM2, asked: loan*; empty for an id that is not laid out as one.

    Examples
    --------
    >>> titled("ask:chat:http://localhost:8000/v1?question=own/rent.json&model=tiny")
    'tiny, asked: rent'
    """
    try:
        judge, options = parsed(model_id.partition(":")[2])
    except ModelError:
        return ""
    who = PACKAGED_TITLE if judge == f"lm:{PACKAGED}" else readable_id(judge.removeprefix("lm:"))
    if judge.startswith(BEGINS):
        who = judge.partition("/")[2]
    elif is_address(judge):
        who = options.get("model") or urlsplit(judge.removeprefix("chat:")).netloc
    question = PurePath(options.get("question", "")).stem
    if question == UNNAMED:
        return f"{who}, asked a question"
    return f"{who}, asked: {question}" if who and question else ""


def _questions(options: dict[str, str]) -> list[Question]:
    """The question that the options name, once for each order that it is asked in."""
    question = read_question(options.get("question", "")).told(options.get("system", ""))
    return in_order(question, options.get("order", ""))


def is_address(judge: str) -> bool:
    """Whether the model is behind an address, or a provider's."""
    return judge.startswith(("chat:", "http:", "https:", BEGINS))


def _local(judge: str, questions: list[Question], options: dict[str, str]) -> list[Scorer]:
    from psa_core.models._judges.local import Judge
    from psa_core.models._transformers.classifier import token_limit
    from psa_core.models._transformers.lm_files import load_language_model

    name = judge.removeprefix("lm:")
    model, tokenizer, kind = load_language_model(name, options)
    if kind != "causal":
        raise ModelError("ask", got=f"{name}, a {kind} language model", expected="a causal one, which can answer")
    limit = token_limit(options, model, tokenizer, least=16)
    template = bool(tokenizer.chat_template) and flag({"template": "1"} | options, "template")
    identity = f"{digest_of_model(model)} {digest_of_tokenizer(tokenizer)}"
    more = limit, template, name == PACKAGED
    return [Judge(model, tokenizer, question, identity, *more) for question in questions]


def _remote(judge: str, questions: list[Question], options: dict[str, str]) -> list[Scorer]:
    numbers = numbers_of(options, NUMBERS | OWN_NUMBERS)
    if judge.startswith(BEGINS):
        server = provider_of(judge, numbers)
    else:
        server = ChatServer.at(judge.removeprefix("chat:"), numbers, options.get("model", "default"))
    asked = [VERSION, server.endpoint.address, server.model, options.get("version", "")]
    return [
        open_judge(server, question, f"ask:{digest([*asked, *question.identity])}", int(numbers["samples"]))
        for question in questions
    ]


def needs(argument: str) -> tuple[trust.Need, ...]:
    """What loading a judge does: what its model needs, and the file of the question where it is no packaged one."""
    judge, options = parsed(argument)
    files = needs_of_question(options)
    if judge.startswith(BEGINS):
        return (*(trust.Need(kind, address_of(judge)) for kind in (trust.Kind.ADDRESS, trust.Kind.KEY)), *files)
    if is_address(judge):
        return (*trust.ADDRESS.needs(judge.removeprefix("chat:")), *files)
    own = f"?allow_pickle={int(flag(options, 'allow_pickle'))}&revision={quote(options.get('revision', ''))}"
    return (*needs_of(judge.removeprefix("lm:") + own), *files)


def cards() -> tuple[ModelCard, ...]:
    """The packaged questions, asked of the packaged language model."""
    questions = {name: read_question(name) for name in packaged()} if is_packaged() else {}
    return tuple(
        ModelCard(
            f"ask:lm:{PACKAGED}?question={name}",
            f"{PACKAGED_TITLE}, asked: {question.target.name}",
            question.summary,
            question.targets("from its probabilities"),
            f"shipped in the package {PACKAGE} (4-bit weights)",
            "Apache-2.0",
        )
        for name, question in questions.items()
    )


MODEL = ModelPlugin(
    id="ask",
    title="A language model that is asked",
    summary="P(answer) of a language model to a question about each text, from its answers' log-probabilities.",
    load=load,
    cards=cards,
    argument="lm:<language model>, chat:<address> or provider:<name>/<model>, then ?question=<id or file>",
    takes=trust.Takes(trust.HUB_OR_PATH.kinds | trust.ADDRESS.kinds, needs),
    titled=titled,
    unasked=unasked,
    system=True,
)
