"""A Plotly figure as SVG without a browser: a figure is described once, and this draws its copy for paper.

It reads what the paper's two figures use: horizontal bars, lines and words, shapes, annotations, axes and a legend.
Vega-Lite draws them, since Plotly's own export needs a browser.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from psa_core.charts import _theme
from psa_core.charts.drawing import CONFIG, PRINTED_AXIS, SIZES

if TYPE_CHECKING:
    import plotly.graph_objects as go

WIDTH, PADDING, TICKS, FONT_SIZE, LEGEND_COLUMNS = 640, 14, 8, 14, 4
DASHES = {"solid": [1, 0], "dash": [8, 6], "dot": [2, 4], "dashdot": [8, 4, 2, 4]}
DASHES |= {"longdash": [14, 6], "longdashdot": [14, 5, 2, 5]}
LEGEND_CHANNELS = ("fill", "stroke", "shape", "strokeDash")
Part = Mapping[str, Any]
Layer = dict[str, Any]


def figure_svg(figure: go.Figure, *, width: int = WIDTH) -> str:
    """A page's figure as SVG, dark on white; its panels together are `width` pixels wide, labels come on top."""
    import vl_convert

    layout, traces = figure.layout.to_plotly_json(), [trace.to_plotly_json() for trace in figure.data]
    pairs = list(dict.fromkeys((trace.get("xaxis", "x"), trace.get("yaxis", "y")) for trace in traces))
    size = {"x": width, "y": layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]}
    panels = [_Panel(layout, pair, size, is_first=pair == pairs[0]).drawn(traces) for pair in pairs]
    spec = {
        "vconcat": panels,
        "padding": PADDING,
        "background": _theme.PAPER,
        "config": {
            "locale": CONFIG["locale"],
            "axis": {**PRINTED_AXIS, **SIZES, "domain": False, "ticks": False, "labelLimit": 320, "titleLimit": 620},
            "view": {"stroke": None},
            "text": {"color": _theme.INK},
            "legend": {"labelColor": _theme.INK, "labelFontSize": 13, "labelLimit": 300},
        },
    }
    return vl_convert.vegalite_to_svg(json.loads(json.dumps(spec, default=lambda array: array.tolist())))


class _Panel:
    """One pair of axes with what is drawn on them."""

    def __init__(self, layout: Part, pair: tuple[str, str], size: Mapping[str, float], *, is_first: bool) -> None:
        self.layout, self.pair, self.is_first = layout, pair, is_first
        axes = [layout.get(f"{name[0]}axis{name[1:]}", {}) for name in pair]
        shares = [float(np.ptp(axis.get("domain", (0, 1)))) for axis in axes]
        self.size = {"x": size["x"] * shares[0], "y": size["y"] * shares[1]}
        self.axes = {"x": _axis(axes[0], pair[1]), "y": _axis(axes[1], pair[0])}
        self.zero = axes[0] if axes[0].get("zeroline") else None
        self.rows = dict(zip(axes[1].get("tickvals", ()), axes[1].get("ticktext", ()), strict=True))

    def drawn(self, traces: Sequence[Layer]) -> Layer:
        """Its layers, from the back to the front."""
        shapes = [shape for shape in self.layout.get("shapes", ()) if self._has(shape)]
        layers = [self._shape(shape) for shape in shapes if shape.get("layer") == "below"]
        if self.zero:
            line = {"color": self.zero["zerolinecolor"], "width": self.zero["zerolinewidth"]}
            layers.append(self._shape({"x0": 0, "x1": 0, "y0": 0, "y1": 1, "yref": "paper", "line": line}))
        own = [trace for trace in traces if (trace.get("xaxis", "x"), trace.get("yaxis", "y")) == self.pair]
        for trace in own:
            layers += self._bars(trace) if trace["type"] == "bar" else self._lines(trace)
        layers += [self._shape(shape) for shape in shapes if shape.get("layer") != "below"]
        layers += [self._note(note) for note in self.layout.get("annotations", ()) if self._has(note)]
        if self.is_first:
            named = [trace for trace in traces if trace.get("showlegend", True) and trace.get("name")]
            layers += [_legend(named)] if len(named) > 1 else []
        return {"layer": layers, "width": self.size["x"], "height": self.size["y"]}

    def _has(self, part: Part) -> bool:
        """Whether a shape or an annotation is seen, and stands in this panel."""
        refs = [str(part.get(ref, ref[0])).split(" ")[0] for ref in ("xref", "yref")]
        own = [ref == name for ref, name in zip(refs, self.pair, strict=True)]
        stands = all(mine or ref == "paper" for mine, ref in zip(own, refs, strict=True))
        return stands and part.get("opacity", 1) > 0 and (any(own) or self.is_first)

    def _field(self, channel: str) -> Layer:
        return {**self.axes[channel], "field": channel}

    def _place(self, part: Part, channel: str, end: str = "") -> Layer:
        """A position in the data's units, or as a share of the panel."""
        value = part[channel + end]
        if part.get(f"{channel}ref", channel) == self.pair["xy".index(channel)]:
            return {**self.axes[channel], "datum": value}
        return {"value": self.size[channel] * (value if channel == "x" else 1 - value)}

    def _shape(self, shape: Part) -> Layer:
        line, ends = shape["line"], {channel: self._place(shape, channel, "0") for channel in "xy"}
        ends |= {f"{channel}2": self._place(shape, channel, "1") for channel in "xy"}
        looks = {"stroke": line.get("color"), "strokeWidth": line["width"]}
        looks |= {"strokeDash": DASHES[line.get("dash", "solid")]}
        kind = {"type": "rect", "fill": shape.get("fillcolor")} if shape.get("type") == "rect" else {"type": "rule"}
        return _layer([{}], {**kind, **looks, "aria": False}, ends)

    def _note(self, note: Part) -> Layer:
        mark = {"align": note.get("xanchor", "center"), "baseline": note.get("yanchor", "middle")}
        mark |= {"dx": note.get("xshift", 0), "dy": -note.get("yshift", 0)}
        mark |= {"fontSize": note.get("font", {}).get("size", FONT_SIZE), "text": _letters(note["text"])}
        mark |= {"fontWeight": "bold" if "<b>" in note["text"] else "normal"}
        return _layer([{}], {"type": "text", **mark}, {channel: self._place(note, channel) for channel in "xy"})

    def _bars(self, trace: Part) -> list[Layer]:
        marker, half = trace["marker"], trace["width"] / 2
        rows = [
            {"x": 0, "x2": long, "y": y - half, "y2": y + half, "fill": fill}
            | {"words": f"{_letters(self.rows.get(y, ''))}: {long:+.3f}".replace("-", "−")}  # read aloud
            for long, y, fill in zip(trace["x"], trace["y"], marker["color"], strict=True)
        ]
        mark = {"type": "rect", "ariaRoleDescription": "bar", "stroke": marker["line"].get("color")}
        mark |= {"strokeWidth": marker["line"]["width"]}
        fill = {"field": "fill", "type": "nominal", "scale": None}
        spans = {"description": {"field": "words"}, "y2": {"field": "y2"}, "fill": fill}
        errors = trace.get("error_x", {"array": [], "arrayminus": []})
        whiskers = [
            {"y": y, "x": x - below, "x2": x + above}
            for x, y, above, below in zip(trace["x"], trace["y"], errors["array"], errors["arrayminus"], strict=False)
            if np.isfinite(above + below)
        ]
        ends = {"x": self._field("x"), "x2": {"field": "x2"}, "y": self._field("y")}
        rule = {"type": "rule", "color": _theme.INK, "aria": False, "clip": True}
        return [_layer(rows, mark, ends | spans), _layer(whiskers, rule, ends)]

    def _lines(self, trace: Part) -> list[Layer]:
        """A scatter trace: the area beneath it, its line, its words."""
        mode, line = trace["mode"], trace.get("line", {})
        points = list(zip(trace["x"], trace["y"], strict=True))
        literal: list[Layer] = [{"x": x, "y": y} for x, y in points]
        place = {channel: self._field(channel) for channel in "xy"}
        layers = []
        if edge := trace.get("fill"):
            back = [(points[-1][0], 0.0), (points[0][0], 0.0)] if edge == "tozeroy" else []
            layers.append(self._path([*points, *back], {"fill": trace["fillcolor"], "strokeWidth": 0}))
        if "lines" in mode and line.get("width"):
            looks = {"strokeWidth": line["width"], "strokeDash": DASHES[line.get("dash", "solid")]}
            layers.append(self._path(points, {"stroke": line["color"], **looks}))
        if "text" in mode:
            for row, side, text in zip(literal, trace["textposition"], trace["text"], strict=True):
                row |= {"side": side, "words": _letters(text).strip()}
            for side, align, dx in (("middle right", "left", 8), ("middle left", "right", -8)):
                mark = {"type": "text", "align": align, "dx": dx, "fontSize": trace["textfont"]["size"]}
                written = [row for row in literal if row["side"] == side]
                layers.append(_layer(written, mark, {**place, "text": {"field": "words"}}))
        return layers

    def _path(self, points: Sequence[tuple[float, float]], looks: Part) -> Layer:
        rows = [{"x": x, "y": y, "at": at} for at, (x, y) in enumerate(points)]
        place = {**{channel: self._field(channel) for channel in "xy"}, "order": {"field": "at"}}
        return _layer(rows, {"type": "line", "clip": True, "aria": False, **looks}, place)


def _letters(label: str) -> str:
    """A Plotly label without its tags."""
    return html.unescape(re.sub("<[^>]*>", "", label))


def _axis(axis: Part, of_other: str) -> Layer:
    """An axis as Vega-Lite has it; one that several panels share has its words at the panel that it is anchored to."""
    is_labelled = axis.get("anchor", of_other) == of_other
    looks: Layer = {"grid": axis.get("showgrid", True), "labels": is_labelled}
    looks |= {"orient": "top"} if axis.get("side") == "top" else {}
    looks |= {"format": axis["tickformat"]} if "tickformat" in axis else {}
    if "tickvals" not in axis:
        looks["tickCount"] = axis.get("nticks", TICKS)
        looks["labelExpr"] = f"datum.label + {json.dumps(_letters(axis.get('ticksuffix', '')))}"
    else:
        ticks, words = list(axis["tickvals"]), [_letters(label) for label in axis["ticktext"]]
        looks |= {"values": ticks, "labelOverlap": False}
        looks["labelExpr"] = f"{json.dumps(words)}[indexof({json.dumps(ticks)}, datum.value)]"
    scale = {"nice": False, "zero": False} | ({"domain": axis["range"]} if "range" in axis else {})
    title = _letters(axis.get("title", {}).get("text", "")) if is_labelled else None
    return {"type": "quantitative", "scale": scale, "axis": looks, "title": title or None}


def _layer(rows: Sequence[Part], mark: Part, encoding: Part) -> Layer:
    return {"data": {"values": rows}, "mark": mark, "encoding": encoding}


def _legend(traces: Sequence[Part]) -> Layer:
    """What each trace looks like, by its name."""
    looks = []
    for trace in traces:
        line = trace.get("line", {})
        if trace["type"] == "bar":
            colour = trace["marker"]["line"]["color"]
            look = (colour, colour, "square", "solid")
        elif "fillcolor" in trace and "dash" not in line:
            look = (trace["fillcolor"], line.get("color", "transparent"), "square", "solid")
        else:
            look = ("transparent", line["color"], "stroke", line.get("dash", "solid"))
        looks.append((*look[:3], DASHES[look[3]]))
    names = [_letters(trace["name"]) for trace in traces]
    legend = {"orient": "top", "title": None, "columns": LEGEND_COLUMNS, "symbolSize": 200, "symbolStrokeWidth": 2}
    encoding = {
        channel: {"field": "name", "type": "nominal", "legend": legend}
        | {"scale": {"domain": names, "range": list(values)}}
        for channel, values in zip(LEGEND_CHANNELS, zip(*looks, strict=True), strict=True)
    }
    return _layer([], {"type": "point", "filled": True, "opacity": 1}, encoding)
