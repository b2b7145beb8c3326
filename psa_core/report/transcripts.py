"""What a language model was asked about one cell, and what it answered: from the answers that a study keeps."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import exp
from pathlib import Path
from urllib.parse import quote, unquote

from psa_core import models
from psa_core.asking import Reply
from psa_core.asking.records import joined, reply_of
from psa_core.cube import ScoreCube
from psa_core.errors import PsaError
from psa_core.models._judges.server import first_tokens
from psa_core.report.swaps import Piece
from psa_core.study import perturbation_of
from psa_core.study.conditions import condition_of, conditions_of

HEADINGS = {"system": "System message", "user": "Message"}
SHOWN_TOKENS = 5
NOT_KEPT = "not kept in this result: the score was found in the cache, and the run that asked has the answer"


@dataclass(frozen=True)
class Transcript:
    """One request and its reply; without a reply, what is asked of a model on this machine.

    `messages` have ``role`` and ``content``; `text` is the document inside the last one; `note` is shown in place of a
    reply.
    """

    messages: tuple[Mapping[str, str], ...]
    text: str
    reply: Reply | None = None
    note: str = ""

    def parts(self, pieces: Sequence[Piece]) -> list[tuple[str, list[tuple[str, str]]]]:
        """Headings with their words, in pieces: ``come`` is a mention of the person, anything else ``same``.

        `pieces` are the document's (see `swap_pieces`), with the name that is to be shown.
        """
        shown = [(kind, words) for kind, words in pieces if kind != "gone"]
        found = []
        for message in self.messages:
            before, is_there, after = message["content"].partition(self.text)
            words = [("same", before), *shown, ("same", after)] if is_there else [("same", message["content"])]
            found.append((HEADINGS.get(message["role"], message["role"]), [one for one in words if one[1]]))
        return found + [(heading, [("same", words)]) for heading, words in self._answered() if words]

    def _answered(self) -> Iterator[tuple[str, str]]:
        if self.reply is None:
            yield "Answer", self.note
            return
        yield "Error", self.reply.error
        answers = self.reply.answers
        counts = {
            "Thinking": Counter(answer.thought for answer in answers).items(),
            "Refusal": Counter(answer.refusal for answer in answers).items(),
            "Answer": Counter(answer.content or "(nothing)" for answer in answers if not answer.refusal).most_common(),
        }
        for heading, found in counts.items():
            for words, count in found:
                yield heading if count == 1 else f"{heading} ({count} times)", words
        listed = first_tokens(self.reply.answers[0]) if self.reply.answers else None
        likely = sorted((listed or {}).items(), key=lambda item: -item[1])[:SHOWN_TOKENS]
        yield "Likeliest first tokens", ", ".join(f"“{token}” {exp(log):.3f}" for token, log in likely)
        yield "Tokens", f"{self.reply.tokens_in:,} read, {self.reply.tokens_out:,} written"


def kept(file: Path, cube: ScoreCube, target: str, cells: Sequence[tuple[int, int]]) -> list[list[Transcript]]:
    """What was asked and answered about each cell (s, n) of a target: one transcript for each order, none if not kept.

    A request is found by its text and by what its condition says; where a text stands inside of a longer one, the
    shortest request is that of the text.
    """
    condition, texts = condition_of(cube, target), perturbation_of(cube, target)
    own = condition.system if condition else ""
    others = [one.system for one in conditions_of(cube) if one.system and one.system != own]
    wanted = [texts.text(s, n) for s, n in cells]
    spelled = [json.dumps(text)[1:-1].encode() for text in wanted]
    found: list[dict[str, dict[str, Transcript]]] = [{} for _ in cells]
    with suppress(FileNotFoundError), file.open("rb") as lines:
        for line in lines:
            for place in (place for place, text in enumerate(spelled) if text in line):
                with suppress(ValueError, KeyError, TypeError, AttributeError):  # a last line may have been cut
                    row = json.loads(line)
                    messages = tuple(row["request"]["messages"])
                    told = messages[0]["content"] if messages[0]["role"] == "system" else ""
                    if told.endswith(own) and not any(told.endswith(other) for other in others):
                        of_tag = found[place].setdefault(row["custom_id"].partition("-")[0], {})
                        earlier, reply = of_tag.get(row["custom_id"]), reply_of(row["response"]["body"])
                        reply = joined(earlier.reply, reply) if earlier and earlier.reply else reply
                        of_tag[row["custom_id"]] = Transcript(messages, wanted[place], reply)
    return [
        [min(of_tag.values(), key=lambda one: len(one.messages[-1]["content"])) for of_tag in tags.values()]
        for tags in found
    ]


def of_cells(
    cube: ScoreCube, target: str, cells: Sequence[tuple[int, int]], answers: Path, inputs: Path | None = None
) -> list[list[Transcript]]:
    """The transcripts of some cells (s, n): from the answers that were kept, else what a model is asked, without them.

    The file of `answers` need not be there; in the folder `inputs` a question's file may be.
    """
    found = kept(answers, cube, target, cells)
    with suppress(PsaError):  # a model that is not asked, a question that is not here or that may not be read
        for place, (s, n) in enumerate(cells):
            # Where a file of answers is, a model at an address gave the scores, and those of a cell without are older.
            note = NOT_KEPT if answers.is_file() else ""
            found[place] = found[place] or [replace(one, note=note) for one in _asked(cube, target, s, n, inputs)]
    return found


def _asked(cube: ScoreCube, target: str, s: int, n: int, inputs: Path | None) -> list[Transcript]:
    """What the study's model is asked about a cell, in each order; raises `PsaError` for a model that is not asked."""
    model = str(cube.asked.get("model", ""))
    name = unquote(model.partition("question=")[2].partition("&")[0])
    if inputs and name and (inputs / Path(name).name).is_file():
        model = model.replace(f"question={quote(name)}", f"question={quote(str(inputs / Path(name).name))}")
    condition, text = condition_of(cube, target), perturbation_of(cube, target).text(s, n)
    told = models.told(model, condition.system) if condition and condition.system else model
    return [Transcript(judge.requests(text)[0].messages, text) for judge in models.unasked(told)]
