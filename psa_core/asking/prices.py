"""What a study takes before it is paid for, what it has taken, and a limit that it stops at.

Prices are dollars for a million tokens, from ``assets/prices.csv``; a file of one's own with the same columns, named by
``PSA_PRICES``, comes first. Nobody asks the network for prices: they change, so each says when it was noted.
"""

from __future__ import annotations

import csv
import math
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from psa_core.asking.records import Reply, Request
from psa_core.errors import OptionError
from psa_core.plurals import counted
from psa_core.registry import ASSETS

TABLE, OWN = ASSETS / "prices.csv", "PSA_PRICES"
COLUMNS = ("model", "in", "out")
MILLION = 1_000_000
#: English text has about four letters a token; other scripts fewer, and more bytes a letter.
BYTES_A_TOKEN = 4
#: Tokens that a chat adds to each message.
AROUND_A_MESSAGE = 4


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens that a model reads, writes, and reads again from the provider's cache."""

    model: str
    read: float
    written: float
    cached: float
    noted: str = ""

    def of(self, tokens_in: int, tokens_out: int, tokens_cached: int = 0) -> float:
        """Dollars for so many tokens.

        Examples
        --------
        >>> Price("m", 2.0, 8.0, 0.5).of(1_000_000, 500_000, 400_000)
        5.4
        """
        fresh = tokens_in - tokens_cached
        return (fresh * self.read + tokens_cached * self.cached + tokens_out * self.written) / MILLION


@dataclass(frozen=True)
class Estimate:
    """What requests, or a number of draws of a model that is not asked by requests, take at most.

    Each text is read as often as it is sent.
    """

    requests: int
    tokens_in: int
    tokens_out: int
    price: Price | None = None  # None where the table has no such model
    otherwise: Estimate | None = None  # what it takes where the server does not offer all that is asked for
    when: str = ""  # of one that stands in for another: when it does

    @property
    def words(self) -> str:
        """The estimate in one sentence.

        Examples
        --------
        >>> Estimate(1000, 90_000, 1000, Price("m", 2.0, 8.0, 0.5, "2025-06")).words
        '1,000 requests, about 90,000 tokens to read and up to 1,000 to write: at most $0.19 (prices of 2025-06).'
        """
        taken = f"bout {self.tokens_in:,} tokens to read and up to {self.tokens_out:,} to write"
        cost = "; no price is known for this model"
        if self.price is not None:
            noted = f" (prices of {self.price.noted})" if self.price.noted else ""
            cost = f": at most {in_dollars(self.price.of(self.tokens_in, self.tokens_out))}{noted}"
        more = f" {self.otherwise.when}: {self.otherwise.words}" if self.otherwise else ""
        asked = f"{counted(self.requests, 'request')}, a" if self.requests else "A"
        return f"{asked}{taken}{cost}.{more}"


def in_dollars(amount: float) -> str:
    """A sum of money.

    Examples
    --------
    >>> in_dollars(19.987), in_dollars(0.00042), in_dollars(0.000008), in_dollars(0)
    ('$19.99', '$0.0004', '$0.000008', '$0.00')
    """
    return f"${amount:,.2f}" if amount >= 0.01 or not amount else f"${amount:.{4 if amount >= 0.0001 else 6}f}"


def price_of(model: str) -> Price | None:
    """The price of a model as its server calls it; a dated or prefixed id has that of the longest name in it.

    Raises `OptionError` when the file that ``PSA_PRICES`` names is no table of prices.
    """
    own = os.environ.get(OWN, "").strip()
    for path in ([Path(own)] if own else []) + [TABLE]:
        prices = table(path)
        name = model.rpartition("/")[2]
        found = [known for known in prices if name == known or name.startswith(f"{known}-")]
        if found:
            return prices[max(found, key=len)]
    return None


def table(path: Path) -> dict[str, Price]:
    """The prices in a file with the columns ``model``, ``in``, ``out`` and perhaps ``cached`` and ``noted``."""
    expected = f"a csv with the columns {', '.join(COLUMNS)}: dollars for a million tokens"
    prices = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                name, noted = row["model"].strip(), str(row.get("noted") or "")
                read, written, cached = float(row["in"]), float(row["out"]), float(row.get("cached") or row["in"])
                if not all(0 <= each < math.inf for each in (read, written, cached)):
                    raise ValueError("a price below 0")
                prices[name] = Price(name, read, written, cached, noted)
    except (OSError, ValueError, KeyError, AttributeError, TypeError, csv.Error) as error:
        raise OptionError(OWN, got=f"{path.name}, which is no table of prices", expected=expected) from error
    return prices


def estimate(sample: Sequence[Sequence[Request]], texts: int, model: str) -> Estimate:
    """What so many distinct `texts` take, from the requests about each text of a `sample` of them."""
    requests = [request for of_text in sample for request in of_text]
    share = texts / max(1, len(sample))
    read, written = sum(map(tokens_in, requests)), sum(tokens_out(request.options) for request in requests)
    count, read, written = (round(share * number) for number in (len(requests), read, written))
    return Estimate(count, read, written, price_of(model))


def tokens_in(request: Request) -> int:
    sizes = (len(message["content"].encode("utf-8", "replace")) for message in request.messages)
    return sum(-(-size // BYTES_A_TOKEN) + AROUND_A_MESSAGE for size in sizes)


def tokens_out(options: Mapping[str, Any]) -> int:
    longest = options.get("max_tokens") or options.get("max_completion_tokens") or 0
    return int(longest) * int(options.get("n", 1))


@dataclass(eq=False)
class Purse:
    """What has been spent, and what may be: `most` dollars, None for no limit."""

    most: float | None = None
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float | None = 0.0
    _held: float = field(default=0.0, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def hold(self, request: Request, model: str) -> float:
        """Put aside what a request may take at most; the amount goes to `pay`.

        Raises `OptionError` when that could be more than what is left, or no price is known.
        """
        if self.most is None:
            return 0.0
        price = price_of(model)
        if price is None:
            fix = f"Add it to a table of your own: a csv with the columns {', '.join(COLUMNS)}, named by {OWN}."
            raise OptionError("--most", got=f"no price of {model!r}", expected="a model with a price", fix=fix)
        amount = price.of(tokens_in(request), tokens_out(request.options))
        with self._lock:
            if (self.dollars or 0.0) + self._held + amount > self.most:
                spent, most = in_dollars(self.dollars or 0.0), in_dollars(self.most)
                got = f"{spent} spent, and the next requests could pass {most}"
                fix = "Every answer is kept: the same command with a higher limit goes on from here."
                raise OptionError("--most", got=got, expected="a study that costs less", fix=fix)
            self._held += amount
        return amount

    def free(self, held: float) -> None:
        """Give back what was put aside for a request that was refused."""
        with self._lock:
            self._held -= held

    def pay(self, held: float, reply: Reply, model: str, requests: int = 1) -> None:
        """Count what a reply took in place of what was held for it; all of that where the server counts nothing."""
        price = price_of(model)
        with self._lock:
            self._held -= held
            self.requests += requests
            self.tokens_in += reply.tokens_in
            self.tokens_out += reply.tokens_out
            if price is None or self.dollars is None:
                self.dollars = None
            else:
                is_counted = reply.tokens_in or reply.tokens_out
                self.dollars += price.of(reply.tokens_in, reply.tokens_out, reply.tokens_cached) if is_counted else held

    @property
    def account(self) -> dict[str, Any]:
        counts = {"requests": self.requests, "tokens_in": self.tokens_in, "tokens_out": self.tokens_out}
        return counts | {"dollars": None if self.dollars is None else round(self.dollars, 6)}

    @property
    def words(self) -> str:
        """What was spent, in one sentence; empty where nothing was asked."""
        if not self.requests:
            return ""
        cost = "no price is known for the model" if self.dollars is None else f"about {in_dollars(self.dollars)}"
        tokens = f"{self.tokens_in:,} tokens read, {self.tokens_out:,} written"
        return f"The language model was asked {counted(self.requests, 'time')}: {tokens}, {cost}."
