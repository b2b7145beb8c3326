"""What every scorer keeps to, run on each card and on one example of each other kind: a new file is picked up here."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from psa_core import models
from psa_core.errors import CorpusError
from psa_core.models import Scorer
from tests.tiny_models import tiny_causal_lm, tiny_classifier, tiny_judge, tiny_masked_lm, tiny_onnx, tiny_pipeline

TEXTS = (
    "I hate Alice.", "She loves the idea!", "", "ok", "Bob said it was good, and then he said it was bad. " * 3,
    "Ünïcödé 😀 text", "I hate Bob.", "I hate Alice.",
)  # fmt: skip


class Length(BaseHTTPRequestHandler):
    """An address that answers with the length of each text over 1,000."""

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["content-length"])))["texts"]
        body = json.dumps({"length": [len(text) / 1000 for text in texts]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def predictions(folder: Path) -> str:
    rows = [{"text": text, "toxicity": round(len(text) / 1000, 3)} for text in dict.fromkeys(TEXTS)]
    (folder / "scores.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return f"predictions:{folder / 'scores.jsonl'}"


def answers(folder: Path) -> str:
    """A file in which each text is answered by its length, for a packaged question."""
    (judge,) = models.unasked("ask:lm:any?question=toxicity")
    lines = []
    for text in dict.fromkeys(TEXTS):
        words = ["Yes"] * (len(text) % 7) + ["I cannot say."] * (len(text) % 3) + ["No"] * 10
        said = [{"message": {"content": content}} for content in words[:10]]
        line = {"custom_id": judge.requests(text)[0].custom_id, "response": {"body": {"choices": said}}}
        lines.append(json.dumps(line))
    (folder / "answers.jsonl").write_text("\n".join(lines), "utf-8")
    return f"answers:{folder / 'answers.jsonl'}"


def function(folder: Path) -> str:
    (folder / "lengths_of_texts.py").write_text("def score(texts):\n    return [len(text) / 1000 for text in texts]\n")
    return "python:lengths_of_texts:score"


# One id for each kind of model that has no card; a kind that has one needs no line here.
EXAMPLES: dict[str, Callable[[Path], str]] = {
    "answers": answers,
    "ask": lambda folder: f"ask:lm:{tiny_judge(folder / 'judge')}?question=toxicity&order=averaged",
    "hf": lambda folder: f"hf:{tiny_classifier(folder / 'hf')}",
    "keyword": lambda folder: "keyword:Alice=0.2",
    "lm": lambda folder: f"lm:{tiny_masked_lm(folder / 'masked')}",
    "lm causal": lambda folder: f"lm:{tiny_causal_lm(folder / 'causal')}",
    "onnx": lambda folder: f"onnx:{tiny_onnx(folder / 'onnx')}",
    "predictions": predictions,
    "python": function,
    "skops": lambda folder: f"skops:{tiny_pipeline(folder / 'pipeline.skops')}",
}
# Packaged questions are one judge asked other things, and "ask" above is a small one; test_smollm2.py has the large.
CARDS = [card.id for card in models.cards() if not card.id.startswith("ask:") and card.id != "lm:smollm2"]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Scorer]]:
    """Loads each scorer once for all the tests below."""
    folder = tmp_path_factory.mktemp("contract")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Length)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    examples = EXAMPLES | {"http": lambda _: f"http://127.0.0.1:{server.server_port}/score"}

    @cache
    def load(name: str) -> Scorer:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            return models.load(examples[name](folder) if name in examples and name not in CARDS else name)

    yield load
    server.shutdown()
    server.server_close()
    thread.join()


def everything() -> list[str]:
    # "keyword" is both a card and, with an argument, an example
    return sorted({*EXAMPLES, "http"} - set(CARDS)) + CARDS


each_scorer = pytest.mark.parametrize("name", everything())


def test_every_kind_of_model_is_here() -> None:
    covered = {name.split()[0] for name in EXAMPLES} | {"http"}
    with_cards = {plugin.id for plugin in models.plugins().values() if plugin.cards()}
    assert set(models.plugins()) == covered | with_cards


@each_scorer
def test_shape_dtype_and_range(make: Callable[[str], Scorer], name: str) -> None:
    scorer = make(name)
    scores = scorer.score(list(TEXTS))
    assert scores.shape == (len(TEXTS), len(scorer.targets))
    assert scores.dtype == np.float32
    assert np.isfinite(scores).all()
    for column, target in enumerate(scorer.targets):
        assert target.low < target.high
        assert target.low <= scores[:, column].min() and scores[:, column].max() <= target.high, target.name


@each_scorer
def test_no_texts_give_no_rows(make: Callable[[str], Scorer], name: str) -> None:
    scorer = make(name)
    scores = scorer.score([])
    assert scores.shape == (0, len(scorer.targets))
    assert scores.dtype == np.float32


@each_scorer
@pytest.mark.parametrize("texts", [[None], ["ok", 3], [b"ok"], [("a", "b")], ["\ud800"], "one text", None, 3], ids=repr)
def test_what_is_no_list_of_texts_is_told(make: Callable[[str], Scorer], name: str, texts: Any) -> None:
    with pytest.raises(CorpusError, match=r"^texts: got "):
        make(name).score(texts)


@each_scorer
def test_rows_follow_the_texts_and_depend_on_them_alone(make: Callable[[str], Scorer], name: str) -> None:
    scorer = make(name)
    scores = scorer.score(list(TEXTS))
    np.testing.assert_allclose(scorer.score(TEXTS[::-1])[::-1], scores, rtol=2e-6, atol=2e-6)
    alone = np.concatenate([scorer.score([text]) for text in TEXTS])
    np.testing.assert_allclose(alone, scores, rtol=2e-6, atol=2e-6)
    np.testing.assert_allclose(scores[0], scores[-1], rtol=2e-6, atol=2e-6)


@each_scorer
def test_the_same_question_has_the_same_answer(make: Callable[[str], Scorer], name: str) -> None:
    scorer = make(name)
    np.testing.assert_array_equal(scorer.score(list(TEXTS)), scorer.score(list(TEXTS)))


@each_scorer
def test_scores_are_not_one_constant(make: Callable[[str], Scorer], name: str) -> None:
    assert np.ptp(make(name).score(list(TEXTS)), axis=0).min() > 0


@each_scorer
def test_targets_have_names_that_can_stand_in_a_file_name(make: Callable[[str], Scorer], name: str) -> None:
    names = [target.name for target in make(name).targets]
    assert len({known.casefold() for known in names}) == len(names) > 0
    for known in names:
        assert known and not set(known) & set('/\\:*?"<>|\0 ') and not known.startswith(".")


@each_scorer
def test_fingerprint_is_one_short_line(make: Callable[[str], Scorer], name: str) -> None:
    fingerprint = make(name).fingerprint
    assert 0 < len(fingerprint) < 100 and fingerprint.isprintable() and " " not in fingerprint


@each_scorer
def test_three_steps_make_the_score(make: Callable[[str], Scorer], name: str) -> None:
    scorer: Any = make(name)
    if not hasattr(scorer, "tokenize"):
        pytest.skip("not a scorer of token ids")
    rows = scorer.tokenize(list(TEXTS))
    assert all(0 < len(row) <= scorer.max_tokens for row in rows)
    answer = scorer.reduce(scorer.forward(rows))
    np.testing.assert_allclose(answer, scorer.score(list(TEXTS)), rtol=2e-6, atol=2e-6)
    truncated = scorer.truncated(list(TEXTS))
    assert truncated.dtype == bool and truncated.shape == (len(TEXTS),)
    # a text is at its limit exactly where it was cut, or happens to fit to the last token
    assert all(len(row) == scorer.max_tokens for row, cut in zip(rows, truncated, strict=True) if cut)


def test_cards_say_what_loading_them_gives(make: Callable[[str], Scorer]) -> None:
    for card in models.cards():
        if card.id in CARDS:
            assert [t.name for t in make(card.id).targets] == [t.name for t in card.targets], card.id
            assert card.title and card.summary and card.source and card.licence


def test_each_purpose_has_a_model_that_is_there() -> None:
    for purpose in models.Purpose:
        assert models.good_for(purpose), purpose
    assert models.good_for(models.Purpose.CONTINUATIONS) == ("minilm-sentiment", "opinion-words")
    assert models.measures_perplexity("lm:anything") and not models.measures_perplexity("vader")


def test_no_model_is_called_as_a_kind_of_models_is() -> None:
    kinds = [plugin.title for plugin in models.plugins().values() if plugin.argument]
    assert len(titles := [*kinds, *(card.title for card in models.cards())]) == len(set(titles))
