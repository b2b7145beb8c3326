"""Numbers in coloured squares that can be clicked: countries by class, measures by pair of groups, value by value."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._theme import cut, faded
from psa_core.charts.drawing import CLICKED, HELP, Drawing, Spec, drawing, layer, quantity, words

#: The selection of a click, and the fields of a square that it has.
CLICK: Spec = {"name": "square", "fields": ["row", "column"]}
#: Pixels of a row and a column: of countries and of values (as wide as the page has room), of measures; and on paper.
COUNTRY_PIXELS, GAP_PIXELS, VALUE_PIXELS, PRINTED_COLUMN = (30, 0), (40, 190), (46, 0), 92
FONT_SIZE, LINE_PIXELS, TITLE_SHIFT = 14, 16, 48
#: Pixels to the right that each letter of a turned heading takes, and the narrowest column, on a phone.
LEAN_PIXELS, NARROW_PIXELS = 5, 24
#: Letters in a line of a heading and of a label: on a phone a column is to stand beside the labels.
HEAD_LETTERS, LABEL_LETTERS = 24, 20
#: The same of values, which have both, and a turned heading has one line.
VALUE_HEAD_LETTERS, VALUE_LABEL_LETTERS = 16, 14
#: Headings that stand beside each other in columns as narrow as a phone makes them.
SMALL = {"labelFontSize": 12}
#: A number stands in a square that is as wide as it; colour and tooltip say what narrower ones leave out.
ROOM = "length(datum.text) * 8 <= bandwidth('x')"
#: Standard errors at which a colour is strongest.
STRONGEST = 5.0
COLOURS = [faded(_theme.DOWN, 0.72), faded(_theme.MUTED, 0.0), faded(_theme.UP, 0.72)]


@dataclass(frozen=True, eq=False)
class Block:
    """Columns that share a unit and a colour scale.

    `values` has one row a country and one column a class or target; missing values stay empty. `notes` are a second
    line under each column's heading. The strongest colour stands for `limit`, or for the largest value. `marks` say
    which values are beyond chance; None where that was not tested.
    """

    title: str
    values: pd.DataFrame
    notes: Sequence[str]
    number: str = "+.1f"
    limit: float | None = None
    marks: pd.DataFrame | None = None

    def squares(self) -> pd.DataFrame:
        """One row a square; a dot stands behind a number that is not beyond chance, where that was tested."""
        values = self.values.to_numpy(float)
        strongest = self.limit or float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
        marks = self.values.notna() if self.marks is None else self.marks
        # Values without a test are not marked.
        marked = marks.reindex(index=self.values.index, columns=self.values.columns).eq(other=True).to_numpy()
        texts = [number_text(value, self.number) for value in values.ravel()]
        return pd.DataFrame(
            {
                "row": np.repeat(self.values.index.to_numpy(object), values.shape[1]),
                "column": np.tile(self.values.columns.to_numpy(object), len(values)),
                "depth": np.clip(values.ravel() / strongest, -1, 1),
                "text": [
                    text if is_marked or not text else f"{text} ·"
                    for text, is_marked in zip(texts, marked.ravel(), strict=True)
                ],
            }
        )


def country_heat(blocks: Sequence[Block], *, selected: tuple[str, str] | None = None) -> Drawing:
    """Draw blocks side by side, whose rows are the same countries in the same order; `selected` is framed.

    Orange is more, blue is less, and the number says so too. The point selection is called ``square``, on ``row`` (the
    country) and ``column``.
    """
    frames: list[pd.DataFrame] = []
    heads: dict[str, str] = {}
    for place, block in enumerate(blocks):
        squares = block.squares()
        heads |= {f"{place} {name}": f"{name}\n{note}" for name, note in zip(block.values, block.notes, strict=True)}
        said = squares["row"] + ": " + squares["column"] + " " + squares["text"].replace("", "nothing to compare")
        frames.append(squares.assign(x=f"{place} " + squares["column"], said=said, title=""))
        frames[-1].loc[:0, "title"] = block.title
    labels = {str(country): str(country) for country in blocks[0].values.index}
    found = _squares(pd.concat(frames, ignore_index=True), heads, labels, COUNTRY_PIXELS, selected)
    start = {"x": words("x", bandPosition=0), "y": {"value": 0}}
    titles = start | {"y": {"value": -TITLE_SHIFT}, "text": words("title")}  # each above its first column
    looks: Spec = {"align": "left", "fontSize": FONT_SIZE, "color": _theme.PAGE_INK, "aria": False}
    found.spec["layer"] += [
        layer("text", titles, where="datum.title", **looks),
        layer("rule", start | {"y2": {"value": "height"}}, where="datum.title && datum.x[0] !== '0'", **HELP),
    ]
    return found


def printed_width(blocks: Sequence[Block]) -> int:
    """Pixels of the squares on paper."""
    return PRINTED_COLUMN * sum(max(1, block.values.shape[1]) for block in blocks)


def answer_gaps(table: pd.DataFrame, *, selected: tuple[str, str] | None = None) -> Drawing:
    """Draw each measure (a row) between each two groups (a column): the difference in words, coloured by its size.

    `table` has ``measure, title, pair, short, words, strength, is_marked``; ``strength`` is in standard errors, and “·”
    stands where a difference is not marked. The square `selected` (measure, pair) gets a frame. The point selection is
    called ``square``, on ``row`` (the measure) and ``column`` (the pair).
    """
    marked = table["is_marked"]
    rows = pd.DataFrame(
        {
            "row": table["measure"],
            "column": table["pair"],
            "depth": (table["strength"] / STRONGEST).clip(-1, 1).where(marked, 0.0),
            "text": table["short"].where(marked, "·"),
            "said": table["title"] + ": " + table["words"].where(marked, table["words"] + ": could be chance"),
        }
    )
    heads = {pair: _lines(pair, HEAD_LETTERS, 4) for pair in table["pair"]}
    labels = {row.measure: _lines(row.title, LABEL_LETTERS, 2) for row in table.itertuples()}
    return _squares(rows.assign(x=rows["column"]), heads, labels, GAP_PIXELS, selected)


def value_matrix(square: pd.DataFrame, *, selected: tuple[str, str] | None = None) -> Drawing:
    """Draw the corrected distance of each pair of values; a dot stands for a pair that is not above noise.

    `square` is values by values, NaN where not above noise; the pair `selected` gets a frame. The point selection is
    called ``square``, on ``row`` and ``column``.
    """
    values = [str(value) for value in square.index]
    rows = square.rename_axis(index="row", columns="column").stack(future_stack=True).rename("distance").reset_index()
    rows = rows[rows["row"] != rows["column"]].reset_index(drop=True)
    is_above, highest = rows["distance"].notna(), rows["distance"].max() or 1.0
    numbers = rows["distance"].map("{:.3f}".format).where(is_above, "not above noise")
    rows = rows.assign(
        depth=(rows["distance"] / highest).fillna(0.0),
        text=rows["distance"].map("{:.2f}".format).where(is_above, "·"),
        said=rows["row"] + " and " + rows["column"] + ": " + numbers,
        x=rows["column"],
    )
    rows = rows.drop(columns="distance")
    heads = {value: cut(value, VALUE_HEAD_LETTERS) for value in values}
    labels = {value: _lines(value, VALUE_LABEL_LETTERS, 2) for value in values}
    return _squares(rows, heads, labels, VALUE_PIXELS, selected, either_way=True, angle=-50)


def _squares(
    rows: pd.DataFrame,
    heads: Mapping[str, str],
    labels: Mapping[str, str],
    pixels: tuple[int, int],
    selected: tuple[str, str] | None,
    *,
    either_way: bool = False,
    angle: int = 0,
) -> Drawing:
    """Squares with headings above and labels beside them, in the order of these.

    `rows` has ``row, column, x`` (a key of `heads`), ``depth`` (from -1 to 1; without colour where it is NaN), ``text``
    and ``said``, what is read of it. Headings stand at an `angle` where they are longer than a column is wide.
    """
    framed = pd.Series(list(zip(rows["row"], rows["column"], strict=True)), rows.index).isin([selected])
    if either_way and selected:
        framed |= (rows["row"] == selected[1]) & (rows["column"] == selected[0])
    turned = {"labelAngle": angle} | ({"labelAlign": "left"} if angle else {} if pixels[1] else SMALL)
    place = {
        "x": words("x", title=None, sort=list(heads), axis={"orient": "top", **turned, **_in_lines(heads)}),
        "y": words(
            "row", title=None, sort=list(labels), axis={**_in_lines(labels), "labelPadding": 6, **_middle(labels)}
        ),
    }
    colour = quantity("depth", scale={"domain": [-1, 0, 1], "range": COLOURS, "interpolate": "rgb"}, legend=None)
    colour = {"condition": {"test": "isValid(datum.depth)", **colour}, "value": "transparent"}
    read = {"tooltip": words("said"), "description": words("said")}
    square: Spec = {"width": {"band": 0.96}, "height": {"band": 0.94}}
    frame: Spec = {"filled": False, "stroke": _theme.ACCENT, "strokeWidth": 3, "aria": False, **square}
    letters: Spec = {"fontSize": FONT_SIZE, "color": _theme.PAGE_INK, "aria": False}
    layers = [
        layer("rect", place | read | {"color": colour}, cursor="pointer", **square) | CLICKED,
        layer(
            "text",
            place | {"text": {"condition": {"test": ROOM, **words("text")}, "value": ""}},
            tooltip=None,
            **letters,
        ),
        layer("rect", place, where="datum.framed", **frame),
    ]
    found = drawing(rows.assign(framed=framed), layers, height=pixels[0] * len(labels), click=CLICK)
    size = {"width": pixels[1] * len(heads), "autosize": "pad"} if pixels[1] else {"autosize": "fit-x"}
    found.spec.update(size)
    if angle:  # a heading leans out over its column, and a long one over those behind it
        behind = range(len(heads) - 1, -1, -1)
        leans = (LEAN_PIXELS * len(h) - NARROW_PIXELS * more for h, more in zip(heads.values(), behind, strict=True))
        found.spec["padding"] = {"right": max(0, *leans)}
    return found


def _in_lines(written: Mapping[str, str]) -> dict[str, Any]:
    """An axis whose labels are written as these words, with their line breaks."""
    lines = [label.split("\n") for label in written.values()]
    words = f"{json.dumps(lines)}[indexof({json.dumps(list(written))}, datum.value)]"
    padding = 6 + LINE_PIXELS * (max(map(len, lines)) - 1)  # a label above begins where a single line would
    looks = {"labelLimit": 260, "labelOverlap": False, "labelLineHeight": LINE_PIXELS, "grid": False}
    return {"labelExpr": words, "labelPadding": padding, **looks}


def _middle(written: Mapping[str, str]) -> dict[str, Any]:
    """A label of two lines stands as high as one of a single line: the first ends where that has its middle."""
    two = [key for key, label in written.items() if "\n" in label]
    test = f"indexof({json.dumps(two)}, datum.value) >= 0"
    return {"labelBaseline": {"condition": {"test": test, "value": "bottom"}, "value": "middle"}} if two else {}


def _lines(text: str, letters: int, most: int) -> str:
    return "\n".join(wrap(text, letters, max_lines=most, placeholder=" …"))


def number_text(value: float, form: str) -> str:
    """A number as a square shows it: a sign unless it is zero, nothing where there is none."""
    if not np.isfinite(value):
        return ""
    text = f"{value:{form}}"
    is_zero = not text.strip("+-0.")
    return text.lstrip("+-") if is_zero else text.replace("-", "−")
