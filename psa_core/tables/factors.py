"""What a name's effect is associated with: its length, how rare its words are, whether one is a word, its groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError, OptionError
from psa_core.inputs.groups import evidence_columns, grouping
from psa_core.registry import ASSETS
from psa_core.stats.associations import NAMES_PER_COLUMN, explain

if TYPE_CHECKING:
    from tokenizers import Tokenizer

#: Factors that are measured, and their columns.
MEASURED = {
    "length": {"letters": "letters", "subwords": "subwords"},
    "frequency": {"frequency": "how frequent its rarest word is"},
    "word": {"word": "a part of it is also a word"},
    "perplexity": {"perplexity": "how unexpected it is in the sentence"},
}
OF_THE_NAME = ("length", "frequency", "word")
MIN_GROUP_SIZE = 3
POOLED = "other"
LEXICONS = ("names/ordinary-words.txt", "opinion_lexicon/positive-words.txt", "opinion_lexicon/negative-words.txt")


@dataclass(frozen=True, eq=False)
class FactorAnalysis:
    """Associations of the names' effects with factors, and the residuals.

    ``coefficients`` has one row a column: ``factor``, ``label``, ``coefficient``, ``low``, ``high`` (standard
    deviations of the names' effects for one standard deviation, or for being in it; 95 % HC3), ``p_adjusted`` (Holm),
    ``in_score`` (the coefficient on the score's scale); NaN where a column is collinear with the others. ``shares`` has
    one row a factor: ``factor``, ``share`` (of the variance of the names' effects, in [0, 1]), ``is_significant`` (has
    a column whose corrected p-value is below 5 %), largest share first. ``unexplained`` has one row a name: ``name``,
    ``effect`` (against the typical name), ``expected``, ``residual``, ``p_adjusted``; what is furthest from what the
    factors say first. That p-value is the larger of that of the residual over names and that of the name's effect over
    sentences, each Holm-corrected.
    """

    coefficients: pd.DataFrame
    shares: pd.DataFrame
    unexplained: pd.DataFrame
    r_squared: float
    adjusted: float
    names: int

    @property
    def warning(self) -> str:
        """Why the names are too few for the factors chosen; empty if they are enough."""
        asked = int(self.coefficients["coefficient"].notna().sum())
        if self.names >= NAMES_PER_COLUMN * asked:
            return ""
        return (
            f"{self.names} names are few for {asked} coefficients: with fewer than ten names for each, shares come out "
            f"too large and intervals jump. Choose fewer factors, or run a list of {NAMES_PER_COLUMN * asked} names."
        )


def group_factors(cube: ScoreCube) -> list[str]:
    """Group columns that can be a factor: at least two groups of three names, once small groups are pooled."""
    return [column for column in grouping(cube.names) if _levels(cube.names[column])]


def number_factors(cube: ScoreCube) -> list[str]:
    """Columns of numbers that can be a factor, such as shares (``p_black``): every name has one, and they vary."""
    others = [column for column in cube.names.columns.drop("name") if column not in grouping(cube.names)]
    numbers = {column: pd.to_numeric(cube.names[column], errors="coerce") for column in others}
    return [column for column, values in numbers.items() if values.notna().all() and values.nunique() > 2]


def first_choice(cube: ScoreCube) -> list[str]:
    """Default factors: measured ones, then groups, as long as there are ten names per column."""
    chosen, columns = list(OF_THE_NAME), sum(len(MEASURED[factor]) for factor in OF_THE_NAME)
    for column in sorted(group_factors(cube), key=lambda column: len(_levels(cube.names[column]))):
        columns += len(_levels(cube.names[column]))
        if columns * NAMES_PER_COLUMN <= len(cube.names):
            chosen.append(column)
    return chosen


def factor_regression(
    cube: ScoreCube, target: str, factors: Sequence[str], *, perplexity: Mapping[str, float] | None = None
) -> FactorAnalysis:
    """Regress the names' mean scores on the factors chosen.

    `factors` are keys of `MEASURED`, and columns of the name list: of groups, or of numbers, which get a slope.
    `perplexity` is each name's log-perplexity in the sentences, needed for that factor; the mean over sentences. Raises
    as `stats.associations.explain`; for an unknown factor, and for perplexity that was not measured.
    """
    _, perturbed = cube.units(target)
    means = stats.mean_by_name(perturbed)
    columns = factor_columns(cube, factors, perplexity=perplexity)
    found = explain(means, np.column_stack(list(columns.values())), [factor for factor, _ in columns])
    over_sentences = stats.adjust(stats.name_effects(perturbed).p_value, "holm")
    of_factor, labels = zip(*columns, strict=True)
    adjusted = stats.adjust(found.p_value, "holm")
    coefficients = pd.DataFrame(
        {
            "factor": of_factor,
            "label": labels,
            "coefficient": found.coefficient,
            "low": found.low,
            "high": found.high,
            "p_adjusted": adjusted,
            "in_score": found.coefficient * found.spread,
        }
    )
    significant = coefficients[coefficients["p_adjusted"] < stats.SIGNIFICANT]["factor"]
    shares = pd.DataFrame({"factor": list(found.shares), "share": list(found.shares.values())})
    shares["is_significant"] = shares["factor"].isin(significant)
    effect = means - np.nanmedian(means)
    unexplained = pd.DataFrame(
        {
            "name": cube.names["name"].to_numpy(),
            "effect": effect,
            "expected": effect - found.residual,
            "residual": found.residual,
            "p_adjusted": np.maximum(found.unexplained, over_sentences),
        }
    )
    return FactorAnalysis(
        coefficients,
        shares.sort_values("share", ascending=False, kind="stable", ignore_index=True),
        unexplained.sort_values("residual", key=np.abs, ascending=False, kind="stable", ignore_index=True),
        found.r_squared,
        found.adjusted,
        len(means),
    )


def factor_columns(
    cube: ScoreCube, factors: Sequence[str], *, perplexity: Mapping[str, float] | None = None
) -> dict[tuple[str, str], np.ndarray]:
    """The numbers (N,) of each column of the factors chosen, by factor and label; groups against the largest one."""
    names = cube.names["name"].tolist()
    measured = measured_factors(names) if set(factors) & set(OF_THE_NAME) else None
    columns: dict[tuple[str, str], np.ndarray] = {}
    for factor in dict.fromkeys(factors):
        if factor in OF_THE_NAME and measured is not None:
            for column, label in MEASURED[factor].items():
                columns[factor, label] = measured[column].to_numpy(np.float64)
        elif factor == "perplexity":
            if perplexity is None or any(name not in perplexity for name in names):
                raise CubeError("perplexity", got="not measured for every name", expected="a number for each name")
            columns[factor, MEASURED[factor][factor]] = np.array([perplexity[name] for name in names], np.float64)
        elif factor in number_factors(cube):
            columns[factor, factor] = pd.to_numeric(cube.names[factor]).to_numpy(np.float64)
        elif factor in evidence_columns(cube.names):
            got = f"{int((cube.names[factor].astype(str).str.strip() == '').sum())} names without a number"
            raise CubeError(factor, got=got, expected="a number for every name, and more than two different ones")
        elif factor in cube.names.columns and factor != "name":
            pooled = _pooled(cube.names[factor])
            largest, *levels = pooled.value_counts().index.tolist()
            for level in levels:
                columns[factor, f"{factor}: {level} against {largest}"] = (pooled == level).to_numpy(np.float64)
        else:
            expected = ", ".join([*MEASURED, *grouping(cube.names), *number_factors(cube)])
            raise OptionError("factor", got=repr(factor), expected=f"one of {expected}")
    if not columns:
        raise OptionError("factors", got="none that varies", expected="at least one")
    return columns


def _levels(values: pd.Series) -> list[str]:
    """Groups of a column that get a coefficient."""
    return _pooled(values).value_counts().index[1:].tolist()


def _pooled(values: pd.Series) -> pd.Series:
    """Groups as text; those of fewer than three names are pooled, if still too few with the largest group."""
    text = values.astype(str).where(values.notna() & (values.astype(str).str.strip() != ""), POOLED)
    text = text.where(text.map(text.value_counts()) >= MIN_GROUP_SIZE, POOLED)
    counts = text.value_counts()
    return text.where(text.map(counts) >= MIN_GROUP_SIZE, counts.index[0])


def measured_factors(names: Sequence[str]) -> pd.DataFrame:
    """Factors measured from the names themselves.

    One row a name: ``name``; ``letters``; ``subwords`` of the packaged MiniLM tokenizer; ``frequency``, that of its
    rarest word as log10 per billion words of English (Zipf; package wordfreq, Speer 2022; 0 for a word it does not
    know); ``word``, 1 where one of its words is also an ordinary English word or one of praise or blame.
    """
    from wordfreq import zipf_frequency

    words = [_words(name) for name in names]
    encoded = _tokenizer().encode_batch(list(names), add_special_tokens=False)
    return pd.DataFrame(
        {
            "name": list(names),
            "letters": [sum(map(str.isalnum, name)) for name in names],
            "subwords": [float(len(each.ids)) for each in encoded],
            "frequency": [min((zipf_frequency(word, "en") for word in own), default=0.0) for own in words],
            "word": [float(any({word, word.removesuffix("s")} & _ordinary_words() for word in own)) for own in words],
        }
    )


def _words(name: str) -> list[str]:
    cleaned = "".join(letter if letter.isalnum() or letter == "'" else " " for letter in name.casefold())
    return [word for word in cleaned.split() if len(word) > 1]


@cache
def _ordinary_words() -> frozenset[str]:
    lines = [line for path in LEXICONS for line in (ASSETS / path).read_text(encoding="utf-8").splitlines()]
    return frozenset(line.strip() for line in lines if line and not line.startswith(";"))


@cache
def _tokenizer() -> Tokenizer:
    """The packaged MiniLM's, which as it comes pads every text to 128 subwords."""
    from tokenizers import Tokenizer

    from psa_core.models._transformers.adapter import base_folder

    tokenizer = Tokenizer.from_file(str(base_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
