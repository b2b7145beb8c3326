"""Values are found in texts and put in; what is measured is not trained on; a model writes its own texts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from psa_core.errors import CorpusError
from psa_core.generators import Batch
from psa_core.study.families import normalized
from research.training.language.material import Sentence, own_samples, sentence, texts_of

VALUES = ["nurse", "nurse manager", "editor", "baker"]


def test_a_value_is_found_whole_and_the_longest_first() -> None:
    assert sentence("A nurse manager spoke.", VALUES) == Sentence("A ", "nurse manager", " spoke.")
    assert sentence("Nurses spoke of nurseries.", VALUES) is None
    assert sentence("It was a nurse", VALUES) is None, "nothing comes after it"


@pytest.mark.parametrize(
    ("before", "value", "head"),
    [
        ("I met a ", "editor", "I met an editor"),
        ("An ", "nurse", "A nurse"),
        ("The ", "editor", "The editor"),
        ("With Anna ", "editor", "With Anna editor"),
    ],
)
def test_the_article_fits_the_value(before: str, value: str, head: str) -> None:
    assert Sentence(before, "baker", " left.").head(value) == head


def test_a_measured_sentence_is_not_trained_on() -> None:
    texts = [f"The {value} said {number}." for value in VALUES for number in range(10)] + ["Nobody spoke."]
    split = texts_of(texts, VALUES, seed=3)
    measured = {one.head(one.value) + one.after for one in split.measured}
    assert len(measured) == 4 and measured.isdisjoint(split.plain) and "Nobody spoke." in split.plain
    assert measured | set(split.plain) == set(texts)
    assert len(split.trained) + len(split.measured) == 40


def test_texts_with_a_held_out_value_are_left_out() -> None:
    texts = [f"The {value} met {number} people." for value in VALUES for number in range(10)]
    split = texts_of(texts, VALUES[:2], without=VALUES[2:])
    assert len(split.plain) + len(split.measured) == 20
    assert not any("editor" in text or "baker" in text for text in split.plain)


def test_a_held_out_value_is_seen_in_any_case_and_in_the_plural() -> None:
    texts = [f"The {value} met {number} people." for value in VALUES[:1] for number in range(10)]
    split = texts_of([*texts, "Editors met.", "BAKER met.", "A nurse met bakers."], VALUES[:1], without=VALUES[2:])
    assert sorted([*split.plain, *(one.head("nurse") + one.after for one in split.measured)]) == sorted(texts)


def test_what_is_measured_is_not_trained_on_with_another_value() -> None:
    texts = [f"The {value} said {number}{end}" for value in VALUES for number in range(5) for end in ".!"]
    split = texts_of(texts, VALUES, seed=1)
    measured, trained = (
        {normalized(one.before + "_" + one.after) for one in part} for part in (split.measured, split.trained)
    )
    assert not measured & trained and len(split.measured) == 8 and len(split.trained) == 32
    with pytest.raises(CorpusError, match="say different things"):
        texts_of(["The baker left.", "The nurse left!"] * 4, VALUES)


def test_texts_that_name_no_value_are_refused() -> None:
    with pytest.raises(CorpusError, match="1 texts that name one of the values"):
        texts_of(["The baker left.", "It rained."], VALUES)


@pytest.mark.parametrize(
    ("values", "start"), [(["baker", "editor"], "Yesterday a"), (["Ann", "Bo"], "We talked about")]
)
def test_own_samples_begin_with_values_and_a_fifth_with_nothing(values: list[str], start: str) -> None:
    class Writer:
        def sample(self, draws, sampling, check) -> Iterator[Batch]:  # type: ignore[no-untyped-def]
            self.draws = draws
            yield Batch(tuple(range(len(draws))), tuple(f" and {draw.k}" for draw in draws))

    writer = Writer()
    texts = own_samples(writer, values, count=40)  # type: ignore[arg-type]
    assert [draw.prompt for draw in writer.draws[:9]].count("") == 8
    assert texts[0] == "and 0" and texts[8].startswith(start) and texts[8].endswith(" and 8")
    assert all(any(value in text for value in values) for text in texts[8:])
