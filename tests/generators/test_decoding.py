"""The sampling loop against one row at a time, and its independence of the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from psa_core import generators
from psa_core.generators import Draw, Sampling
from psa_core.generators._decoding import pick, uniforms
from psa_core.generators.lm import batches
from tests.tiny_models import tiny_causal_lm

PROMPTS = ("she is good", "he said", "i hate alice and bob said it was so bad", "she said")


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def generator(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tiny_causal_lm(tmp_path_factory.mktemp("lm"), request.param)
    return generators.load(f"lm:{folder}?precision=float32")


def by_definition(generator: Any, prompt: str, noise: np.ndarray, temperature: float = 1.0) -> str:
    """One row, the whole row anew for every token, by inverse CDF in float64."""
    import torch

    ids = generator.tokenizer(prompt)["input_ids"]
    new: list[int] = []
    for number in noise:
        with torch.no_grad():
            logits = generator.model(input_ids=torch.tensor([[*ids, *new]])).logits[0, -1].double() / temperature
        sums = torch.softmax(logits, dim=-1).cumsum(-1)
        token = int((sums <= number * sums[-1]).sum())
        if token == generator.tokenizer.eos_token_id:
            break
        new.append(token)
    return str(generator.tokenizer.decode(new, skip_special_tokens=True, clean_up_tokenization_spaces=False))


def sampled(generator: Any, draws: list[Draw], sampling: Sampling) -> list[str]:
    texts = [""] * len(draws)
    for batch in generator.sample(draws, sampling, lambda: None):
        for position, text in zip(batch.positions, batch.texts, strict=True):
            texts[position] = text
    return texts


def test_equals_one_row_at_a_time(generator: Any) -> None:
    draws = [Draw(prompt, "t", k) for prompt in PROMPTS for k in range(5)]
    noise = uniforms(7, "t", range(5), 12)
    wanted = [by_definition(generator, draw.prompt, noise[draw.k], 0.8) for draw in draws]
    assert sampled(generator, draws, Sampling(12, 0.8, 7)) == wanted


def test_a_continuation_does_not_depend_on_its_batch(generator: Any) -> None:
    draws = [Draw(prompt, prompt, k) for prompt in PROMPTS for k in range(40)]
    together = sampled(generator, draws, Sampling(8))
    alone = [sampled(generator, [draw], Sampling(8))[0] for draw in draws[::17]]
    assert together[::17] == alone


def test_equal_prompts_of_a_template_go_on_alike_and_of_two_templates_do_not(generator: Any) -> None:
    first, second, other = sampled(
        generator, [Draw("he said", "t", 3), Draw("he said", "t", 3, "b"), Draw("he said", "u", 3)], Sampling(20)
    )
    assert first == second != other


def test_pick_takes_the_token_where_the_running_sum_passes_the_number() -> None:
    import torch

    logits = torch.log(torch.tensor([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]))
    noise = torch.tensor([0.0, 0.6, 1 - 1e-12, 0.0], dtype=torch.float64)
    assert pick(logits, noise, 1.0).tolist() == [0, 1, 1, 2]


def test_frequencies_follow_the_probabilities() -> None:
    import torch

    logits = torch.tensor([0.0, 1.0, 2.0]).expand(20_000, 3)
    noise = torch.from_numpy(uniforms(0, "t", range(20_000), 1)[:, 0])
    shares = np.bincount(pick(logits, noise, 2.0).numpy(), minlength=3) / 20_000
    expected = np.exp([0, 0.5, 1]) / np.exp([0, 0.5, 1]).sum()
    assert np.abs(shares - expected).max() < 0.015


def test_batches_are_of_one_length_and_their_remainders_together() -> None:
    lengths = [5] * 200 + [7] * 130 + [9] * 3
    found = batches(lengths, 64)
    assert sorted(position for batch in found for position in batch) == list(range(333))
    kinds = [{lengths[position] for position in batch} for batch in found]
    assert [kind for kind in kinds if len(kind) > 1] == [{5, 7, 9}]
    assert max(map(len, found)) <= 64


def test_asking_to_stop_ends_it(generator: Any) -> None:
    class Stop(Exception):  # noqa: N818
        pass

    def check() -> None:
        raise Stop

    with pytest.raises(Stop):
        list(generator.sample([Draw("he said", "t", 0)], Sampling(5), check))


def test_numbers_belong_to_their_key_alone() -> None:
    all_ten = uniforms(0, "t", range(10), 6)
    assert np.array_equal(uniforms(0, "t", [7, 2], 4), all_ten[[7, 2], :4])
    for other in (uniforms(1, "t", range(10), 6), uniforms(0, "u", range(10), 6)):
        assert not (other == all_ten).any()


def test_numbers_are_uniform_and_no_two_streams_overlap() -> None:
    numbers = uniforms(3, "t", range(400), 50)
    assert len(np.unique(numbers)) == numbers.size
    assert abs(numbers.mean() - 0.5) < 0.01 and abs(numbers.var() - 1 / 12) < 0.002
