"""A Plotly figure as SVG without a browser: a figure is described once, and this draws its copy for paper.

It reads what this project's figures use: horizontal bars, lines, marks and words, heat maps, shapes, annotations, axes
and a legend. Vega-Lite draws them, since Plotly's own export needs a browser.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from psa_core.charts import _theme
from psa_core.charts.drawing import CONFIG, PRINTED_AXIS, SIZES

if TYPE_CHECKING:
    import plotly.graph_objects as go

WIDTH, PADDING, TICKS, FONT_SIZE, LEGEND_COLUMNS, LINE_PIXELS = 640, 14, 8, 14, 4, 16
DASHES = {"solid": [1, 0], "dash": [8, 6], "dot": [2, 4], "dashdot": [8, 4, 2, 4]}
DASHES |= {"longdash": [14, 6], "longdashdot": [14, 5, 2, 5]}
LITERAL = {"type": "nominal", "scale": None}
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
        "hconcat" if len({across for across, _ in pairs}) > 1 else "vconcat": panels,
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
        kinds = {"bar": self._bars, "heatmap": self._squares}
        for position, trace in enumerate(own):
            layers += kinds[trace["type"]](trace) if trace["type"] in kinds else self._lines(trace, own[position - 1])
        layers += [self._shape(shape) for shape in shapes if shape.get("layer") != "below"]
        layers += [self._note(note) for note in self.layout.get("annotations", ()) if self._has(note)]
        if self.is_first and self.layout.get("showlegend", True):
            named = [trace for trace in traces if trace.get("showlegend", True) and trace.get("name")]
            layers += [_legend(named)] if len(named) > 1 else []
        return {"layer": layers, "width": self.size["x"], "height": self.size["y"]}

    def _has(self, part: Part) -> bool:
        """Whether a shape or an annotation is seen, and stands in this panel."""
        refs = [str(part.get(ref, ref[0])).split(" ")[0] for ref in ("xref", "yref")]
        own = [ref == name for ref, name in zip(refs, self.pair, strict=True)]
        stands = all(mine or ref == "paper" for mine, ref in zip(own, refs, strict=True))
        return stands and part.get("opacity", 1) > 0 and (any(own) or self.is_first)

    def _field(self, channel: str, field: str = "") -> Layer:
        return {**self.axes[channel], "field": field or channel}

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
        count, marker = len(trace["y"]), trace["marker"]
        start, fills = np.broadcast_to(trace.get("base", 0), count), np.broadcast_to(marker["color"], count)
        half = trace["width"] / 2
        rows = [
            {"x": low, "x2": low + long, "y": y - half, "y2": y + half, "fill": fill}
            | {"words": f"{_letters(self.rows.get(y, ''))}: {long:+.3f}".replace("-", "−")}  # read aloud
            for low, long, y, fill in zip(start, trace["x"], trace["y"], fills, strict=True)
        ]
        mark = {"type": "rect", "ariaRoleDescription": "bar", "stroke": marker["line"].get("color")}
        mark |= {"strokeWidth": marker["line"]["width"]}
        spans = self._spans() | {"description": {"field": "words"}}
        errors = trace.get("error_x", {"array": [], "arrayminus": []})
        whiskers = [
            {"y": y, "x": x - below, "x2": x + above}
            for x, y, above, below in zip(trace["x"], trace["y"], errors["array"], errors["arrayminus"], strict=False)
            if np.isfinite(above + below)
        ]
        ends = {"x": self._field("x"), "x2": {"field": "x2"}, "y": self._field("y")}
        rule = {"type": "rule", "color": _theme.INK, "aria": False, "clip": True}
        return [_layer(rows, mark, spans), _layer(whiskers, rule, ends)]

    def _spans(self) -> Layer:
        """Rectangles in colours of their own."""
        spans = {"x": self._field("x"), "x2": {"field": "x2"}, "y": self._field("y"), "y2": {"field": "y2"}}
        return spans | {"fill": {"field": "fill", **LITERAL}}

    def _lines(self, trace: Part, before: Part) -> list[Layer]:
        """A scatter trace: the area beneath it, its line, its marks, its words."""
        mode, line, marker = trace["mode"], trace.get("line", {}), trace.get("marker", {})
        points = _points(trace)
        literal: list[Layer] = [{"x": x, "y": y} for x, y in points]
        place = {channel: self._field(channel) for channel in "xy"}
        layers = []
        if edge := trace.get("fill"):
            back = [(points[-1][0], 0.0), (points[0][0], 0.0)] if edge == "tozeroy" else []
            back = _points(before)[::-1] if edge == "tonexty" else back
            layers.append(self._path([*points, *back], {"fill": trace["fillcolor"], "strokeWidth": 0}))
        if "lines" in mode and line.get("width"):
            looks = {"strokeWidth": line["width"], "strokeDash": DASHES[line.get("dash", "solid")]}
            layers.append(self._path(points, {"stroke": line["color"], **looks}))
        if "markers" in mode and np.any(marker["color"] != _theme.UNSEEN):
            symbols = np.broadcast_to(marker.get("symbol", "circle"), len(points)).tolist()
            colours = np.broadcast_to(marker["color"], len(points)).tolist()
            for row, symbol, colour in zip(literal, symbols, colours, strict=True):
                row |= {"shape": symbol.removesuffix("-open"), "stroke": colour}
                row |= {"fill": _theme.PAPER if symbol.endswith("-open") else colour}
            mark = {"type": "point", "size": marker["size"] ** 2, "opacity": 1}
            looks = {channel: {"field": channel, **LITERAL} for channel in ("shape", "stroke", "fill")}
            layers.append(_layer(literal, mark, {**place, **looks}))
        if "text" in mode:
            for row, side, text in zip(literal, trace["textposition"], trace["text"], strict=True):
                row |= {"side": side, "words": str(_letters(text)).strip()}
            for side, align, dx in (("middle right", "left", 8), ("middle left", "right", -8)):
                mark = {"type": "text", "align": align, "dx": dx, "fontSize": trace["textfont"]["size"]}
                written = [row for row in literal if row["side"] == side]
                layers.append(_layer(written, mark, {**place, "text": {"field": "words"}}))
        return layers

    def _path(self, points: Sequence[tuple[float, float]], looks: Part) -> Layer:
        rows = [{"x": x, "y": y, "at": at} for at, (x, y) in enumerate(points)]
        place = {**{channel: self._field(channel) for channel in "xy"}, "order": {"field": "at"}}
        return _layer(rows, {"type": "line", "clip": True, "aria": False, **looks}, place)

    def _squares(self, trace: Part) -> list[Layer]:
        """A heat map; its colours are mixed here, since each block has a scale of its own."""
        low, high, scale = trace["zmin"], trace["zmax"], trace["colorscale"]
        stops = [[float(part) for part in re.findall(r"[\d.]+", colour)] for _, colour in scale]
        channels = list(zip(*stops, strict=True))
        rows = []
        for (y, x), value in np.ndenumerate(np.asarray(trace["z"], float)):
            if np.isfinite(value):
                share = (value - low) / (high - low)
                red, green, blue, opacity = (np.interp(share, [at for at, _ in scale], channel) for channel in channels)
                fill = f"rgba({red:.0f}, {green:.0f}, {blue:.0f}, {opacity:.3f})"
                ends = {"x": x - 0.49, "x2": x + 0.49, "y": y - 0.47, "y2": y + 0.47}
                rows.append({**ends, "fill": fill, "cx": x, "cy": y, "words": _letters(trace["text"][y][x])})
        middle = {"x": self._field("x", "cx"), "y": self._field("y", "cy"), "text": {"field": "words"}}
        written = _layer(rows, {"type": "text", "fontSize": 13}, middle)
        return [_layer(rows, {"type": "rect", "aria": False}, self._spans()), written]


def _letters(label: str) -> str | list[str]:
    """A Plotly label without its tags, one text a line."""
    lines = [html.unescape(re.sub("<[^>]*>", "", line)) for line in str(label).split("<br>")]
    return lines if len(lines) > 1 else lines[0]


def _axis(axis: Part, of_other: str) -> Layer:
    """An axis as Vega-Lite has it; one that several panels share has its words at the panel that it is anchored to."""
    is_labelled = axis.get("showticklabels", True) and axis.get("anchor", of_other) == of_other
    looks: Layer = {"grid": axis.get("showgrid", True), "labels": is_labelled}
    looks |= {"orient": "top"} if axis.get("side") == "top" else {}
    looks |= {"format": axis["tickformat"]} if "tickformat" in axis else {}
    if "tickvals" not in axis:
        looks["tickCount"] = axis.get("nticks", TICKS)
    else:
        ticks, words = list(axis["tickvals"]), [_letters(label) for label in axis["ticktext"]]
        lines = max([len(word) for word in words if isinstance(word, list)], default=1)
        looks |= {"values": ticks, "labelOverlap": False, "labelPadding": 6 + LINE_PIXELS * (lines - 1)}
        looks["labelExpr"] = f"{json.dumps(words)}[indexof({json.dumps(ticks)}, datum.value)]"
    scale = {"nice": False, "zero": False} | ({"domain": axis["range"]} if "range" in axis else {})
    title = _letters(axis.get("title", {}).get("text", "")) if is_labelled else None
    return {"type": "quantitative", "scale": scale, "axis": looks, "title": title or None}


def _layer(rows: Sequence[Part], mark: Part, encoding: Part) -> Layer:
    return {"data": {"values": rows}, "mark": mark, "encoding": encoding}


def _points(trace: Part) -> list[tuple[float, float]]:
    """The points of a line, with the corners of one that goes in steps."""
    points = list(zip(trace["x"], trace["y"], strict=True))
    if trace.get("line", {}).get("shape") != "hv":
        return points
    corners = [(after[0], before[1]) for before, after in pairwise(points)]
    return [point for pair in zip(points, [*corners, points[-1]], strict=True) for point in pair]


def _legend(traces: Sequence[Part]) -> Layer:
    """What each trace looks like, by its name."""
    looks = []
    for trace in traces:
        line, marker = trace.get("line", {}), trace.get("marker", {})
        if "markers" in trace.get("mode", ""):
            colour = marker["color"] if isinstance(marker["color"], str) else _theme.ACCENT
            look = (colour, colour, "circle", "solid")
        elif trace["type"] == "bar":
            colour = marker["line"].get("color") or marker["color"]
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
