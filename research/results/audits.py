"""``python -m research.results.audits``: the measured sections of ``docs/results-audits.md``, from result folders."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from psa_core import stats
from psa_core.audits.eec import AUDIT as EQUITY
from psa_core.audits.eec import tables as eec
from psa_core.audits.eec.result import EquityResult
from psa_core.audits.nationality import AUDIT as NATIONALITY
from psa_core.audits.nationality.result import NationalityResult
from psa_core.audits.nationality.tables import OVERALL
from psa_core.errors import PsaError
from research import documents
from research.documents import signed, table

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "results-audits.md"
#: Change of the predicted classes in percent, and of P(positive) − P(negative) times 100 (Table 1 of the paper).
PAPER = Path(__file__).with_name("barriere-cifuentes-2024-table-1.csv")
DELTA, SPANISH = "delta", "spanish"
PARTS = {"eec gender": ("gender", "all"), "eec race": ("race", "all"), "eec neutral": ("gender", "neutral")}
WORDS = {"eec gender": "by gender", "eec race": "by race", "eec neutral": "by gender on the neutral rows"}


def equity(opened: EquityResult) -> dict[str, str]:
    """Tables 5 to 7, with what remains when templates and people count once."""
    assessed = eec.assess(opened.systems)
    found = {
        name: eec.by_task_score(eec.system_table(assessed, *part), opened.task_scores) for name, part in PARTS.items()
    }
    return {name: _equity_table(systems) for name, systems in found.items()} | {"eec verdicts": _verdicts(found)}


def _equity_table(systems: pd.DataFrame) -> str:
    headings = (
        "system", "task score", "score", "verdict", "mean Δ", "mean of Δ > 0", "mean of Δ < 0", "Δ-spread",
        "adjusted p", "templates and people counted once",
    )  # fmt: skip
    return table(headings, [_equity_row(row) for row in systems.to_dict("records")])


def _equity_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    means = [_number(row[name]) for name in ("mean_difference", "mean_positive", "mean_negative")]
    score = "–" if pd.isna(row["task_score"]) else f"{row['task_score']:.3f}"
    ps = [_p(row["p_adjusted"]), _p(row["p_clustered"])]
    return (_short(row["system"]), score, row["target"], row["verdict_paper"], *means, f"{row['spread']:.3f}", *ps)


def _short(system: str) -> str:
    """A model's id without the folders of its file."""
    kind, colon, file = system.partition(":")
    return f"{kind}:{Path(file).name}" if colon else system


def _number(value: float | None) -> str:
    return "–" if value is None or pd.isna(value) else signed(value, 4)


def _p(value: float | None) -> str:
    if value is None or pd.isna(value):
        return "–"
    return "< 1e-99" if value < 1e-99 else f"{value:.2g}"


def _verdicts(found: Mapping[str, pd.DataFrame]) -> str:
    lines = []
    for name, systems in found.items():
        differ = systems["p_adjusted"] < eec.ALPHA
        stay = differ & (systems["p_clustered"].astype(float) < eec.ALPHA)
        bounds = systems[["mean_positive", "mean_negative"]].astype(float).abs().max().max()
        lines.append(
            f"- {WORDS[name].capitalize()} {differ.sum()} of {len(systems)} scores differ by the paper's test; "
            f"{stay.sum()} of these still do when each template, and each pair of people or person, counts once. No "
            f"mean of the positive or of the negative differences is larger than {bounds:.3f}."
        )
    return "\n".join(lines)


def nationality(audits: Sequence[NationalityResult]) -> dict[str, str]:
    """Table 1, and how well its columns agree with the paper's in the countries' order."""
    changes = pd.concat([audit.matrix("change_percent") for audit in audits], axis=1)
    counts = {
        name: int(rows["original_count"].iloc[0])
        for audit in audits
        for name, rows in audit.countries.dropna(subset=["original_count"]).groupby("target")
    }
    deltas = [audit.matrix("delta", ["sentiment"]) for audit in audits if "sentiment" in audit.columns]
    if deltas:
        changes.insert(0, DELTA, 100 * deltas[0]["sentiment"])
    headings = ("country", *(_heading(name, counts) for name in changes))
    rows = [
        (country, *(signed(value, 1) for value in row))
        for country, row in zip(changes.index, changes.to_numpy(), strict=True)
    ]
    return {"countries": table(headings, rows), "ranks": _ranks(changes), "people": _people(audits[0])}


def _heading(name: str, counts: Mapping[str, int]) -> str:
    return "Δ × 100" if name == DELTA else f"{name} ({counts[name]})"


def _ranks(changes: pd.DataFrame) -> str:
    """Spearman over the countries that both have: percentages with percentages, each class, corrected by Holm."""
    from scipy.stats import spearmanr

    paper = pd.read_csv(PAPER, index_col="country")
    both = [country for country in changes.index if country in paper.index]
    shared = [name for name in changes if name in paper.columns]
    found = [spearmanr(changes.loc[both, name], paper.loc[both, name]) for name in shared]
    adjusted = stats.adjust([each.pvalue for each in found])
    rows = [
        ("Δ" if name == DELTA else name, signed(each.statistic, 2), f"{each.pvalue:.3f}", f"{p:.3f}")
        for name, each, p in zip(shared, found, adjusted, strict=True)
    ]
    headings = ("class", f"rank correlation over {len(both)} countries", "p", f"p (Holm, {len(shared)} tests)")
    return table(headings, rows)


def _people(audit: NationalityResult) -> str:
    account, options = audit.manifest["account"], audit.manifest["options"]
    genders = {gender: account[f"mentions, {gender} gender"] for gender in ("female", "male", "unknown")}
    return (
        f"{account['kept']:,} texts with a person, from {account['read']:,}; {options['draws']} draws a country. Of "
        f"{sum(genders.values()):,} mentions {genders['female']:,} are female, {genders['male']:,} male and "
        f"{genders['unknown']:,} cannot be told."
    )


def spanish(audit: NationalityResult) -> dict[str, str]:
    """The mean change of each score by country, with its interval over sentences."""
    rows = [
        (row.country, row.target, f"{signed(row.delta, 2)} [{signed(row.delta_low, 2)}, {signed(row.delta_high, 2)}]")
        for row in audit.countries.dropna(subset=["delta"]).itertuples(index=False)
    ]
    return {"spanish scores": table(("names of", "score", "mean change"), rows)}


def perplexity(local: NationalityResult, overall: NationalityResult) -> dict[str, str]:
    """Correlations × 100 of scores and log-perplexity: of each country's names, and over all texts (Tables 2–5).

    `local` has several draws a country, `overall` many texts.
    """
    found, every = (audit.correlations for audit in (local, overall))
    assert found is not None and every is not None
    targets = list(found["target"].unique())
    rows = [
        (country, *(_hundredfold(row.local_r) for row in some.set_index("target").loc[targets].itertuples()))
        for country, some in found.groupby("country", sort=False)
    ]
    all_of_it = every[every["country"] == OVERALL].set_index("target").loc[targets]
    ways = {"originals and names": "global_r", "originals alone": "original_r"}
    globally = [(words, *map(_hundredfold, all_of_it[column])) for words, column in ways.items()]
    last = found[found["country"] == OVERALL]
    sure = ", ".join(f"{row.target} p = {_p(row.local_p)}" for row in last.itertuples())
    return {
        "perplexity global": table((f"{overall.cube.shape[0]:,} tweets", *targets), globally),
        "perplexity local": table(("names of", *targets), rows)
        + f"\n\n{local.cube.shape[0]} tweets; over all countries: {sure}.",
    }


def _hundredfold(r: float | None) -> str:
    return "–" if r is None or pd.isna(r) else signed(100 * r, 1)


def sections(folder: Path) -> dict[str, str]:
    """The page's sections for which there are result folders."""
    parts = equity(EQUITY.read(folder / "eec")) if (folder / "eec").is_dir() else {}
    by_model = [NATIONALITY.read(place) for place in sorted(folder.glob("nationality-*"))]
    if by_model:
        signed_first = sorted(by_model, key=lambda audit: not any(target.low < 0 for target in audit.cube.targets))
        parts |= nationality(signed_first)
    if (folder / SPANISH).is_dir():
        parts |= spanish(NATIONALITY.read(folder / SPANISH))
    both = [folder / f"perplexity-{kind}" for kind in ("local", "global")]
    if all(place.is_dir() for place in both):
        parts |= perplexity(*map(NATIONALITY.read, both))
    return parts


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 0, or 2 after one sentence on stderr about what is wrong with the input."""
    parser = argparse.ArgumentParser(prog="python -m research.results.audits", description=__doc__)
    parser.add_argument("folder", type=Path, help="what `research.results.audit_runs` filled")
    parser.add_argument("--write", action="store_true", help="write docs/results-audits.md; else print the sections")
    options = parser.parse_args(arguments)
    try:
        parts = sections(options.folder)
        if options.write:
            documents.write(PAGE, parts)
    except PsaError as error:
        print(error, file=sys.stderr)
        return 2
    if not options.write:
        print("\n\n".join(f"## {name}\n\n{text}" for name, text in parts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
