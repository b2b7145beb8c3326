from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from psa_core.asking import Reply, Request
from psa_core.asking.prices import Purse, estimate, price_of, tokens_in
from psa_core.cli import main
from psa_core.errors import OptionError
from tests.asking.local_server import Answer, LocalServer

Serve = Callable[[Answer], LocalServer]
STUDY = ["--sentences", "interviews", "--anchors", "slot", "--names", "demo", "--sample", "2"]


@pytest.fixture
def priced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prices.csv").write_text("model,in,out\ndear,100,1000\n", "utf-8")
    monkeypatch.setenv("PSA_PRICES", str(tmp_path / "prices.csv"))
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))


def by_logs(body: dict[str, Any]) -> tuple[int, Any]:
    rows = [{"token": "Yes", "logprob": -0.7}, {"token": "No", "logprob": -0.7}]
    choice = {"message": {"content": "Yes"}, "logprobs": {"content": [{"token": "Yes", "top_logprobs": rows}]}}
    return 200, {"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 1}}


def test_a_dated_model_has_the_price_of_its_family_and_a_table_of_ones_own_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dated, own = price_of("openai/gpt-4o-mini-2024-07-18"), price_of("gpt-4o")
    assert dated is not None and dated.model == "gpt-4o-mini" and price_of("mine") is None
    (tmp_path / "prices.csv").write_text("model,in,out\nmine,1,2\ngpt-4o,7,8\n", "utf-8")
    monkeypatch.setenv("PSA_PRICES", str(tmp_path / "prices.csv"))
    mine, changed = price_of("mine"), price_of("gpt-4o")
    assert mine is not None and (mine.read, mine.written, mine.cached) == (1, 2, 1)
    assert changed is not None and own is not None and changed.read == 7 != own.read
    (tmp_path / "prices.csv").write_text("model,in,out\nmine,-1,2\n", "utf-8")
    with pytest.raises(OptionError, match="no table of prices"):
        price_of("mine")


@pytest.mark.usefixtures("priced")
def test_an_estimate_by_hand() -> None:
    options = {"max_tokens": 5, "n": 2}
    sample = [[Request(({"role": "user", "content": "x" * length},), options)] for length in (40, 80)]
    found = estimate(sample, 100, "dear")
    # (40 / 4 + 4) + (80 / 4 + 4) tokens of two texts of a hundred; 10 written each
    assert (found.requests, found.tokens_in, found.tokens_out) == (100, 1900, 1000)
    assert found.price and found.price.of(found.tokens_in, found.tokens_out) == pytest.approx(1.19)


@pytest.mark.usefixtures("priced")
def test_nothing_is_asked_beyond_the_limit() -> None:
    purse, request = Purse(0.01), Request(({"role": "user", "content": "x" * 40},), {"max_tokens": 2})
    held = [purse.hold(request, "dear") for _ in range(2)]  # (14 x 100 + 2 x 1,000) / 1e6 dollars each
    assert held == pytest.approx([0.0034, 0.0034])
    with pytest.raises(OptionError, match=r"the next requests could pass \$0.01"):
        [purse.hold(request, "dear") for _ in range(2)]
    purse.pay(held[0], Reply(), "dear")  # a server that counts no tokens
    assert purse.dollars == pytest.approx(0.0034)
    with pytest.raises(OptionError, match="no price of 'mine'"):
        purse.hold(request, "mine")


@pytest.mark.usefixtures("priced")
def test_a_dry_run_asks_nothing_and_a_limit_keeps_what_was_answered(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    local, out = serve(by_logs), tmp_path / "out"
    asked = ["run", *STUDY, "--model", local.id("&model=dear&parallel=1", "interview")]
    run = [*asked, "--out", str(out)]
    assert main([*asked, "--dry-run"]) == 0
    assert "42 requests, about " in capsys.readouterr().out and local.asked == [] and not out.exists()
    # each takes (100 x 100 + 1 x 1,000) / 1e6 = $0.011
    assert main([*run, "--most", "0.2"]) == 2
    told = capsys.readouterr().err
    assert "Asks a language model: 42 requests" in told and "spent, and the next requests could pass $0.20" in told
    assert not out.exists() and 10 < len(local.asked) <= 18
    first = len(local.asked)
    assert main([*run, "--most", "2"]) == 0
    assert len(local.asked) == 43  # the probe and each text, once
    spent = json.loads((out / "manifest.json").read_text("utf-8"))["asked"]
    assert (spent["requests"], spent["tokens_in"], spent["tokens_out"]) == (43, 4300, 43)
    assert spent["dollars"] == pytest.approx(43 * 0.011) and first < 43
    assert "43 times: 4,300 tokens read" in (out / "report.html").read_text("utf-8")


def test_tokens_are_counted_by_bytes() -> None:
    assert [tokens_in(Request(({"role": "user", "content": words},))) for words in ("word" * 25, "申" * 100)] == [
        29,
        79,
    ]
