from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from psa_core import models, trust
from psa_core.errors import ModelError

NUMBERS = count()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Name of a module in the working folder that is not yet written."""
    monkeypatch.chdir(tmp_path)
    name = f"written_by_a_user_{next(NUMBERS)}"
    yield name
    sys.modules.pop(name, None)


def write(module: str, source: str) -> None:
    Path(f"{module}.py").write_text(source, "utf-8")


def test_a_function_is_a_scorer(module: str) -> None:
    write(module, "def score(texts):\n    return [len(text) / 10 for text in texts]\n")
    before = list(sys.path)
    for argument in (f"{module}:score", f"{module}.py:score"):
        scorer = models.load(f"python:{argument}")
        np.testing.assert_allclose(scorer.score(["a", "four"]), [[0.1], [0.4]])
        assert [(t.name, t.low, t.high) for t in scorer.targets] == [("score", 0, 1)]
    assert sys.path == before


def test_a_function_says_its_targets(module: str) -> None:
    targets = "score.targets = [{'name': 'joy'}, {'name': 'mood', 'low': -1, 'high': 1, 'meaning': 'how gay'}]\n"
    write(module, f"def score(texts):\n    return [[0.5, -0.5] for _ in texts]\n{targets}")
    scorer = models.load(f"python:{module}:score")
    assert [(t.name, t.low, t.high) for t in scorer.targets] == [("joy", 0, 1), ("mood", -1, 1)]
    assert scorer.score(["x"]).tolist() == [[0.5, -0.5]]


@pytest.mark.parametrize(
    "answer",
    [
        "pd.DataFrame({'mood': [-0.5], 'joy': [0.25]})",
        "pd.DataFrame([[0.25, -0.5]])",
        "{'mood': [-0.5], 'joy': np.array([0.25])}",
        "[{'mood': -0.5, 'joy': 0.25}]",
        "torch.tensor([[0.25, -0.5]], requires_grad=True)",
        "torch.tensor([[0.25, -0.5]], dtype=torch.bfloat16)",
        "{'mood': torch.tensor([-0.5], requires_grad=True), 'joy': torch.tensor([0.25])}",
    ],
)
def test_columns_with_names_are_taken_by_name(module: str, answer: str) -> None:
    targets = "score.targets = ['joy', {'name': 'mood', 'low': -1, 'high': 1}]\n"
    source = f"import numpy as np, pandas as pd, torch\ndef score(texts):\n    return {answer}\n{targets}"
    write(module, source)
    assert models.load(f"python:{module}:score").score(["x"]).tolist() == [[0.25, -0.5]]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("pd.DataFrame({'sadness': [0.5], 'joy': [0.25]})", "got columns sadness, joy, expected columns joy, mood"),
        ("[{'label': 'joy', 'score': 0.5}]", "got columns label, score, expected columns joy, mood"),
        ("{'joy': [0.5], 'mood': [0.5, 0.5]}", "columns of different lengths"),
        ("{'joy': 0.5, 'mood': 0.5}", "one number per text in each column"),
        ("np.ma.array([[0.5, 0.5]], mask=[[True, False]])", "no finite score for text 1 of 1"),
        ("sys.exit(3)", "SystemExit: 3"),
    ],
)
def test_what_cannot_be_told_is_refused(module: str, answer: str, said: str) -> None:
    source = f"import sys, numpy as np, pandas as pd\ndef score(texts):\n    return {answer}\n"
    write(module, f"{source}score.targets = ['joy', 'mood']\n")
    with pytest.raises(ModelError, match=said):
        models.load(f"python:{module}:score").score(["x"])


def test_a_function_may_change_the_list_that_it_gets(module: str) -> None:
    source = "def score(texts):\n    found = [len(text) / 10 for text in texts]\n    texts.clear()\n    return found\n"
    write(module, source)
    texts = ["a", "four"]
    np.testing.assert_allclose(models.load(f"python:{module}:score").score(texts), [[0.1], [0.4]])
    assert texts == ["a", "four"]


def test_a_class_that_wants_arguments_is_refused_in_a_sentence(module: str) -> None:
    source = "class Mine:\n    def __init__(self, size): pass\n    def score(self, texts): return texts\n"
    write(module, source)
    with pytest.raises(ModelError, match="made without arguments"):
        models.load(f"python:{module}:Mine")


def test_a_scorer_of_the_user_is_taken_as_it_is(module: str) -> None:
    source = (
        "import numpy as np\nfrom psa_core.cube import Target\n"
        "class Mine:\n    fingerprint = 'mine'\n    targets = (Target('joy'),)\n"
        "    def score(self, texts):\n        return np.zeros((len(texts), 1), np.float32)\n"
    )
    write(module, source)
    scorer = models.load(f"python:{module}:Mine")
    assert scorer.fingerprint == "mine" and scorer.score(["x"]).tolist() == [[0.0]]


@pytest.mark.parametrize(
    ("fingerprint", "targets", "said"),
    [
        ("None", "(Target('joy'),)", "the fingerprint None"),
        ("'mine'", "(Target('joy/fear'),)", "the targets joy/fear"),
        ("'mine'", "(Target('joy', 0.0, float('inf')),)", "a target without a range"),
        ("'mine'", "(Target('joy', 1.0, 1.0),)", "a target without a range"),
        ("'mine'", "7", "targets 7"),
    ],
)
def test_a_scorer_object_is_checked_before_anything_is_scored(
    module: str, fingerprint: str, targets: str, said: str
) -> None:
    source = (
        "from psa_core.cube import Target\n"
        f"class Mine:\n    fingerprint = {fingerprint}\n    targets = {targets}\n"
        "    def score(self, texts):\n        raise AssertionError('scored')\n"
    )
    write(module, source)
    with pytest.raises(ModelError, match=said):
        models.load(f"python:{module}:Mine")


def test_a_scorer_objects_answers_are_checked_like_a_functions(module: str) -> None:
    source = (
        "from psa_core.cube import Target\n"
        "class Mine:\n    fingerprint = 'mine'\n    targets = (Target('joy'),)\n"
        "    def score(self, texts):\n        return [2.0 for _ in texts]\n"
    )
    write(module, source)
    with pytest.raises(ModelError, match="2 for text 1 of 1"):
        models.load(f"python:{module}:Mine").score(["x"])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero.*line 2"),
        ("return None", "no table of numbers|shape"),
        ("return [0.5]", r"shape \(1, 1\), expected 2 rows of 1"),
        ("return [[0.5, 0.5]] * len(texts)", r"shape \(2, 2\)"),
        ("return ['high'] * len(texts)", "no table of numbers"),
        ("import numpy as np; return np.array([0.5j, 0.5])", "no table of numbers"),
        ("yield 1 / 0", "ZeroDivisionError: division by zero.*line 2"),
        ("return [float('nan')] * len(texts)", "no finite score for text 1 of 2"),
        ("return [0.5, None]", "no finite score for text 2 of 2.* The text is 'b'"),
        ("return [[1], [1, 2]]", "no table of numbers"),
    ],
)
def test_wrong_answers_are_one_sentence(module: str, body: str, said: str) -> None:
    write(module, f"def score(texts):\n    {body}\n")
    with pytest.raises(ModelError, match=said) as caught:
        models.load(f"python:{module}:score").score(["a", "b"])
    assert "\n" not in str(caught.value)


def test_a_score_out_of_the_declared_range_is_told_with_the_way_to_declare_it(module: str) -> None:
    targets = "stars.targets = [{'name': 'stars', 'low': 0, 'high': 10}]\n"
    write(module, f"def score(texts):\n    return [0.5, 7.5]\ndef stars(texts):\n    return [0.5, 7.5]\n{targets}")
    said = r"got 7\.5 for text 2 of 2, expected a number from 0 to 1, .* range of score\. .*'low': …"
    with pytest.raises(ModelError, match=said):
        models.load(f"python:{module}:score").score(["a", "b"])
    assert models.load(f"python:{module}:stars").score(["a", "b"]).tolist() == [[0.5], [7.5]]


@pytest.mark.parametrize("body", ["return map(len, texts)", "yield from (len(text) for text in texts)"])
def test_numbers_may_come_one_by_one(module: str, body: str) -> None:
    write(module, f"def score(texts):\n    {body}\nscore.targets = 'length'\n")
    scorer = models.load(f"python:{module}:score")
    assert [target.name for target in scorer.targets] == ["length"]
    assert scorer.score(["a", ""]).tolist() == [[1], [0]]


def test_a_file_may_be_named_as_a_shell_completes_it(module: str) -> None:
    write(module, "def score(texts):\n    return [0.5] * len(texts)\n")
    for file in (f"./{module}.py", str(Path.cwd() / f"{module}.py")):
        assert models.load(f"python:{file}:score").score(["a"]).tolist() == [[0.5]]
    with pytest.raises(ModelError, match=r"the file \.\./mine\.py, expected a file in the folder"):
        models.load("python:../mine.py:score")


def test_rounding_beyond_the_range_is_cut_off(module: str) -> None:
    write(module, "def near(texts):\n    return [1 + 9e-7, -9e-7]\ndef beyond(texts):\n    return [1 + 2e-6, 0]\n")
    assert models.load(f"python:{module}:near").score(["a", "b"]).tolist() == [[1], [0]]
    with pytest.raises(ModelError, match=r"got 1\.000002 for text 1 of 2"):
        models.load(f"python:{module}:beyond").score(["a", "b"])


@pytest.mark.parametrize(
    ("source", "name", "said"),
    [
        ("def score(texts: return 1\n", "score", "SyntaxError"),
        ("import no_such_module_at_all\n", "score", "ModuleNotFoundError"),
        ("score = 1\n", "score", "a int named"),
        ("", "score", "no score in"),
        ("def score(t): ...\nscore.targets = []\n", "score", "the targets none"),
        ("def score(t): ...\nscore.targets = ['a/b']\n", "score", "the targets a/b"),
        ("def score(t): ...\nscore.targets = ['a', 'A']\n", "score", "the targets a, A"),
        ("def score(t): ...\nscore.targets = [{'low': 1}]\n", "score", "name, low, high"),
        ("def score(t): ...\nscore.targets = [{'name': 'a', 'low': 1}]\n", "score", "a target without a range"),
    ],
)
def test_what_cannot_be_a_scorer_is_said(module: str, source: str, name: str, said: str) -> None:
    write(module, source)
    with pytest.raises(ModelError, match=said):
        models.load(f"python:{module}:{name}")


@pytest.mark.parametrize("argument", ["mine", ":score", "mine:"])
def test_an_incomplete_argument_is_said(argument: str) -> None:
    with pytest.raises(ModelError, match="module:function"):
        models.load(f"python:{argument}")


def test_fingerprint_follows_the_file(module: str) -> None:
    write(module, "def score(texts):\n    return [0.5 for _ in texts]\n")
    first = models.load(f"python:{module}:score").fingerprint
    assert models.load(f"python:{module}.py:score").fingerprint == first
    write(module, "def score(texts):\n    return [0.6 for _ in texts]\n")
    assert models.load(f"python:{module}:score").fingerprint != first


def test_pages_do_not_offer_it() -> None:
    assert not trust.offered_to(models.plugins()["python"].takes, trust.Origin.OWN_MACHINE)
