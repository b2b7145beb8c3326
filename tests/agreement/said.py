"""What a text says of a study: its statements by kind, and whether texts and files state the same."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

END = r".*?\.(?=\s|$)"
#: What a study calls its texts.
TEXT = "(?:sentence|document)"
TYPICAL = "than with a typical name"
KINDS = {
    "changed labels": rf"Swapping in a name changes .*? labels? for .+? \(flagged at{END}",
    "changed labels, measured": rf"LabelDist is −?[\d.]+{END}",
    "spread": rf"Changing only the name (?:moves .+? by {END}|never changes .+?\.(?=\s|$))",
    "spread, measured": rf"ScoreRange, that difference, is {END}",
    "name": rf"Put in “[^”]+” and .+? goes (?:up|down) by {END}|With “[^”]+”, [^“”]+? {TYPICAL}{END}|"
    r"No name is shown to change .+?\.(?=\s|$)",
    "name, measured": rf"Mean change from .+? over .+? from the (?:original score|typical name) {END}|"
    rf"The furthest from .+? is {END}",
    "groups": rf"With “[^”]+” names, [^“”]+? than with the other names\.|No clear difference between groups{END}|"
    rf"Nothing can be said about groups{END}",
    "groups, measured": rf"(?:The difference is|The largest difference is that of) .*?\(95 % interval{END}",
    "relation": rf"On the whole, the higher .+? of a {TEXT}, the {END}|How much names change a {TEXT} {END}|"
    rf"No clear relation between {END}|No correlation between sensitivity and {END}",
    "relation, measured": rf"Pearson's r = {END}",
    "ranking": rf"With [\d,]+ other {TEXT}s of this kind you {END}|We cannot say whether the ranking {END}",
    "ranking, measured": rf"Reliability −?[\d.]+ \(95 % {END}",
    "floor": rf"Names move this model more than {END}|Names are not shown to move {END}|"
    rf"No clear difference between what names and {END}",
    "floor, measured": rf"The names' is [\d.]+ times {END}",
    "floor, drawn": rf"Grey band: the mean changes of {END}",
    "too few": r"\d[^.\n]*? too few to say anything\. Results come from [^.\n]+\.",
}
#: What claims that something differs; nothing of a study that is too small may.
CLAIM = re.compile(
    rf" goes (?:up|down) by |{TYPICAL}|than with the other names\.|"
    r"On the whole, the higher .+? of a (?:sentence|document), the |"
    r"of this kind you would see "
)
FLAGGED = re.compile(r"flagged at (−?[\d.]*\d)")
SIZES = re.compile(
    rf"([\d,]+) {TEXT}s? × ([\d,]+) names?|(?:Sentence|Document)s: ([\d,]+) from (?:.|\n)*?Names: ([\d,]+) from"
)
#: The metrics of ``summary.json`` that a kind of statement has with their intervals.
MEASURED = {
    "changed labels, measured": ["label_dist"],
    "spread, measured": ["score_range", "score_dev"],
    "relation, measured": ["sensitivity_correlation"],
}
#: Those in the unit of the score.
ON_SCALE = ("score_range", "score_dev")
NUMBER = re.compile(r"[+−]?(?<![\w.])\d[\d,]*(?:\.\d+)?")


def plain(page: str) -> str:
    """The text of HTML: a line for each element, no-break spaces as spaces."""
    page = re.sub(r"<(style|script|svg)\b.*?</\1>", "\n", page, flags=re.DOTALL)
    page = re.sub(r"</?(?:p|div|h\d|summary|details|figcaption|td|th|tr|li|small|title)\b[^>]*>", "\n", page)
    return html.unescape(re.sub(r"<[^>]+>", "", page)).replace("\u00a0", " ")


def statements(text: str) -> dict[str, set[str]]:
    """The different statements of each kind in a text, word by word."""
    said: dict[str, set[str]] = defaultdict(set)
    for kind, pattern in KINDS.items():
        said[kind].update(found[0].strip() for found in re.finditer(pattern, text))
    said["sizes"].update(" × ".join(filter(None, found)) for found in SIZES.findall(text))
    said["threshold"].update(FLAGGED.findall(text))
    return {kind: words for kind, words in said.items() if words}


@dataclass(frozen=True)
class Door:
    """A place where a reader meets the study, and what it states; `about` has one group column of several only."""

    title: str
    said: Mapping[str, set[str]]
    is_part: bool = False


def contradictions(doors: list[Door]) -> Iterator[str]:
    """A line for each kind of statement that two doors word differently."""
    for kind in [*KINDS, "sizes", "threshold"]:
        said = [(door, door.said[kind]) for door in doors if kind in door.said]
        whole = [words for door, words in said if not (door.is_part and kind.startswith("groups"))]
        every = set().union(*(words for _, words in said)) if said else set()
        if any(words != whole[0] for words in whole) or (whole and every != whole[0]):
            yield f"{kind}: " + "; ".join(f"{door.title}: {sorted(words)}" for door, words in said)
    too_small = [door.title for door in doors if "too few" in door.said]
    for door in doors:
        claims = [words for kind in door.said for words in door.said[kind] if CLAIM.search(words)]
        if too_small and claims:
            yield f"{door.title} claims {claims}, while {too_small[0]} says that the study is too small"


def numbers(words: str) -> list[tuple[float, float]]:
    """The numbers of a statement, in order, each with half a unit of its last digit."""
    found = [one.replace("−", "-").replace(",", "") for one in NUMBER.findall(words.replace("95 %", ""))]
    return [(float(one), 0.5 * 10 ** -len(one.partition(".")[2]) + 1e-9) for one in found]


def is_stated(words: str, *values: float) -> bool:
    """Whether a statement's numbers have these values next to each other, as far as its digits go."""
    stated = numbers(words)
    starts = range(len(stated) - len(values) + 1)
    return any(
        all(abs(number - value) <= slack for (number, slack), value in zip(stated[at:], values, strict=False))
        for at in starts
    )


@dataclass(frozen=True)
class Files:
    """What a result folder's zip says, read with pandas alone.

    `cells` are the scores of each target that count, and `scales` what people read a score multiplied by.
    """

    summary: Mapping[str, Mapping[str, Mapping[str, float]]]
    tables: Mapping[str, pd.DataFrame]
    cells: Mapping[str, int]
    scales: Mapping[str, int]

    def of(self, name: str, target: str) -> pd.DataFrame:
        """The rows of a table about a target."""
        table = self.tables.get(name, pd.DataFrame({"target": []}))
        return table[table["target"] == target].reset_index(drop=True)


def against_files(said: Mapping[str, set[str]], files: Files, target: str, *, are_names_hidden: bool) -> Iterator[str]:
    """A line for each statement whose numbers are not those of the result folder's files."""
    summary, names, groups = (
        files.summary.get(target, {}),
        files.of("names.csv", target),
        files.of("groups.csv", target),
    )
    ways = files.of("flips.csv", target)["direction"]
    up, down, at = int((ways == "up").sum()), int((ways == "down").sum()), float(names["threshold"].iloc[0])
    scale = files.scales[target]
    for words in said.get("changed labels", ()):
        counts = (up + down, files.cells[target], scale * at, up, down) if up + down else (scale * at,)
        if not is_stated(words, *counts) or ("changes no label" in words) != (not up + down):
            yield f"{words} But flips.csv has {up} up and {down} down at {at:g}."
    for kind, metrics in MEASURED.items():
        for words in said.get(kind, ()):
            for metric in metrics:
                values = [summary[metric][key] for key in ("value", "r", "low", "high") if key in summary[metric]]
                unit = scale if metric in ON_SCALE else 1
                if not is_stated(words, *(unit * value for value in values if value is not None)):
                    yield f"{words} But summary.json has {values}."
    for words in said.get("name, measured", ()):
        yield from _name_against(words, names, scale, are_names_hidden)
    for words in said.get("groups, measured", ()):
        rows = (scale * groups[["difference", "low", "high"]]).to_numpy().tolist()
        if not any(is_stated(words, *row) for row in rows):
            yield f"{words} But no row of groups.csv has this."
    for words in said.get("groups", ()):
        yield from _group_against(words, groups)
    for words in said.get("threshold", ()):
        if not is_stated(words, scale * at):
            yield f"flagged at {words}, but names.csv has {at:g}."


def _group_against(words: str, groups: pd.DataFrame) -> Iterator[str]:
    outside = ~groups["difference"].between(groups["floor_low"], groups["floor_high"])
    marked = groups[(groups["p_adjusted"] < 0.05) & outside]
    named, by = re.match(r"With “([^”]+)” names", words), re.search(r"groups by ([\w*]+)", words)
    is_unmarked = named is not None and named[1] not in set(marked["group"].astype(str))
    is_missed = named is None and by is not None and by[1] in set(marked["column"])
    if is_unmarked or is_missed:
        yield f"{words} But groups.csv marks {marked[['column', 'group']].to_numpy().tolist()}."


def _name_against(words: str, names: pd.DataFrame, scale: int, are_names_hidden: bool) -> Iterator[str]:
    is_effect = "typical name" in words.partition(" over ")[0] or "from the typical name" in words
    columns = ("effect", "effect_low", "effect_high") if is_effect else ("score_sens", "ci_low", "ci_high")
    p = names["effect_p_adjusted" if is_effect else "p_adjusted"]
    row = names.loc[
        (names[names[columns[0]].notna() & (p < 0.05)] if (p < 0.05).any() else names)[columns[0]].abs().idxmax()
    ]
    values = [scale * float(row[column]) for column in columns if pd.notna(row[column])]
    if not is_stated(words, *values):
        yield f"{words} But names.csv has {dict(row[['name', *columns]])} as the furthest."
    if not are_names_hidden and str(row["name"]) not in words:
        yield f"{words} But names.csv has {row['name']!r} as the furthest."
    if "Mean change" in words and not is_stated(words, int((p < 0.05).sum()), len(names)):
        yield f"{words} But in names.csv {int((p < 0.05).sum())} of {len(names)} are significant."
