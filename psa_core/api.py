"""The library in a few names: ``import psa_core as psa``, then ``psa.run``, ``psa.open`` and ``psa.compare``.

A `Study` holds a `ScoreCube`, which is data only, and answers with tables, charts and sentences of `tables`, `charts`
and `report`.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core import report, stats, study, tables
from psa_core.cache import ScoreCache
from psa_core.charts.drawing import drawing_svg
from psa_core.charts.intervals import group_differences
from psa_core.charts.label_dist import CurveOptions, label_dist_figure
from psa_core.charts.plotly_svg import figure_svg
from psa_core.charts.score_sens import BarOptions, name_figure
from psa_core.claims import findings
from psa_core.claims.formatting import BASELINES, Words
from psa_core.claims.groups import group_finding
from psa_core.cube import ScoreCube, Target
from psa_core.errors import CubeError, OptionError
from psa_core.folders import results
from psa_core.inputs.checks import as_text
from psa_core.inputs.groups import CROSS, columns_of, grouping
from psa_core.plurals import counted
from psa_core.study import perturbation_of, review
from psa_core.study.perturbation import Perturbation
from psa_core.tables.floors import beyond_floor

__all__ = ["Chart", "Finding", "Study", "compare", "open", "review", "run"]
KINDS = ("names", "thresholds", "groups")
MAX_CHART, MAX_EXTREME = 60, 15
COMPARED = ("score_dev", "score_range", "label_dist")


class Finding(str):
    """A sentence with its number; a plain string that a notebook shows as a paragraph."""

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self)}</p>"


@dataclass(frozen=True)
class Chart:
    """A figure as SVG, with the sentence that says what is in it."""

    svg: str = field(repr=False)
    finding: Finding

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """The picture for whatever draws SVG, the sentence for whatever does not; `include` and `exclude` are hints."""
        return {"image/svg+xml": self.svg, "text/plain": str(self.finding)}

    def save(self, file: str | Path) -> None:
        """Write the SVG to a file."""
        Path(file).write_text(self.svg, encoding="utf-8")


#: What a chart says, and how it is drawn, where it is.
View = tuple[Finding, Callable[[], str]]


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """The result of a study: tables, charts and findings about its scores.

    Every method is about one target, the first one unless it is named.

    Attributes
    ----------
    cube : ScoreCube
        The scores: ``cube.original`` (S, T) and ``cube.perturbed`` (S, N, T), with the tables that label them.

    Examples
    --------
    >>> import psa_core as psa
    >>> study = psa.run(["He left.", "She is late."], names=["Ann", "Rihanna"], model="keyword:Rihanna=0.4")
    >>> study
    Study(2 sentences × 2 names, keyword:Rihanna=0.4)
    >>> study.name_effects("toxicity")[["name", "score_sens"]].round(2).values.tolist()
    [['Rihanna', 0.4], ['Ann', 0.0]]
    """

    cube: ScoreCube

    @property
    def sentences(self) -> pd.DataFrame:
        """One row a sentence: ``sentence_id, text, anchor, start, end, role`` and the other columns of the input."""
        return self.cube.sentences

    @property
    def names(self) -> pd.DataFrame:
        """One row a name: ``name`` and its group columns."""
        return self.cube.names

    @property
    def targets(self) -> tuple[Target, ...]:
        """What the model returns."""
        return self.cube.targets

    @property
    def texts(self) -> Perturbation:
        """The texts behind the scores: ``texts.text(s, n)`` is sentence ``s`` with name ``n``."""
        return perturbation_of(self.cube)

    @property
    def manifest(self) -> dict[str, Any]:
        """Everything needed to run the study again, and what it took."""
        return dict(self.cube.provenance)

    def name_effects(self, target: str | None = None, **options: Any) -> pd.DataFrame:
        """What each name does to the score, furthest first; columns and options as in `tables.name_table`."""
        options.setdefault("baseline", tables.default_baseline(self.cube))
        table = tables.name_table(self.cube, self._target(target).name, **options)
        return table.sort_values("score_sens", key=abs, ascending=False, kind="stable", ignore_index=True)

    def groups(self, column: str | None = None, target: str | None = None, **options: Any) -> pd.DataFrame:
        """How each group of names differs from the other names; columns and options as in `tables.group_table`.

        `column` is one of `names`, or two crossed: ``gender*race``; the first that sorts them when not given.
        """
        return tables.group_table(self.cube, self._target(target).name, self._group_column(column), **options)

    def conditions(self, column: str | None = None, target: str | None = None, **options: Any) -> pd.DataFrame:
        """What each condition changes in the groups' differences; columns and options as in `tables.condition_table`.

        `column` is as for `groups`, `target` without a condition before it; the first one when not given.
        """
        of = target or next(iter(tables.condition_targets(self.cube)), self.targets[0].name)
        return tables.condition_table(self.cube, of, self._group_column(column), **options)

    def thresholds(self, target: str | None = None, **options: Any) -> pd.DataFrame:
        """LabelDist and flips at each threshold; columns and options as in `tables.label_dist_table`."""
        return tables.label_dist_table(self.cube, self._target(target).name, **options)

    def flips(self, target: str | None = None, **options: Any) -> pd.DataFrame:
        """Every flip with its text, the largest change first.

        Options are those of `tables.find_flips` (``threshold``, ``names``, ``direction``) and, of rows, ``order``,
        ``offset`` and ``limit``.
        """
        name = self._target(target).name
        of_rows = {key: options.pop(key) for key in ("order", "offset", "limit") if key in options}
        table, texts = tables.find_flips(self.cube, name, **options).frame(**of_rows), perturbation_of(self.cube, name)
        cells = zip(table.pop("sentence_position"), table.pop("name_position"), strict=True)
        return table.assign(text=[texts.text(int(s), int(n)) for s, n in cells])

    def summary(self, target: str | None = None) -> dict[str, dict[str, Any]]:
        """ScoreDev, ScoreRange, LabelDist … with their intervals, as in ``summary.json``."""
        return tables.target_summary(self.cube, self._target(target).name)

    def to_frame(self, target: str | None = None) -> pd.DataFrame:
        """One row for each sentence with each name: ``sentence_id, name, original, perturbed, difference``."""
        original, perturbed = self.cube.scores(self._target(target).name)
        sentences, names = perturbed.shape
        return pd.DataFrame(
            {
                "sentence_id": np.repeat(self.sentences["sentence_id"].to_numpy(), names),
                "name": np.tile(self.names["name"].to_numpy(), sentences),
                "original": np.repeat(original, names),
                "perturbed": perturbed.ravel(),
                "difference": (perturbed - original[:, None]).ravel(),
            }
        )

    def finding(self, kind: str = "corpus", target: str | None = None, **options: Any) -> Finding:
        """What a result says, in one sentence.

        `kind` is ``corpus``, ``names``, ``thresholds``, ``groups`` or ``sentences``; options are those of its chart.
        """
        declared = self._target(target)
        if kind in KINDS:
            return self._view(kind, declared, options)[0]
        if options:
            raise OptionError("finding", got=f"the option {next(iter(options))!r}", expected=f"none for {kind!r}")
        if kind == "sentences":
            table, level = tables.sentence_table(self.cube, declared.name), declared.default_threshold
            return Finding(findings.sentence_finding(table, declared.name, threshold=level))
        if kind == "corpus":
            return Finding(findings.corpus_finding(self.summary(declared.name), declared))
        raise OptionError("finding", got=repr(kind)[:60], expected=", ".join((*KINDS, "sentences", "corpus")))

    def chart(self, kind: str = "names", target: str | None = None, **options: Any) -> Chart:
        """A figure that a notebook shows, with the sentence that says what is in it.

        Parameters
        ----------
        kind : {"names", "thresholds", "groups"}
            Figure 1 or Figure 2 of the paper, or the differences between groups of names.
        target : str, optional
        **options
            For names: ``baseline``, ``correction``, ``colour_by``, ``section_by`` (group columns), ``limit`` (so many
            highest and lowest names; 0 for all). For thresholds: ``names``, ``threshold``. For groups: ``column``,
            ``correction``.

        Raises
        ------
        PsaError
            When the kind, the target or an option's value is unknown.
        """
        if kind not in KINDS:
            raise OptionError("chart", got=repr(kind)[:60], expected=", ".join(KINDS))
        words, draw = self._view(kind, self._target(target), options)
        return Chart(draw(), words)

    def save(self, folder: str | Path) -> None:
        """Write a result folder with its report, new or in place of an earlier one; `psa_core.open` reads it."""
        results.write(self.cube, Path(as_text("folder", folder)), report.render)

    def __repr__(self) -> str:
        return f"Study({self._size()}, {report.model_name(self.cube)})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td style='text-align: left'>{html.escape(target.name)}</td>"
            f"<td style='text-align: left'>{html.escape(self.finding('corpus', target.name))}</td></tr>"
            for target in self.targets
        )
        return (
            f"<div><p><b>{html.escape(report.model_name(self.cube))}</b>: {self._size()}</p>"
            f"<table><tbody>{rows}</tbody></table>"
            '<p><code>.name_effects()</code> <code>.flips()</code> <code>.chart("names")</code> '
            '<code>.chart("thresholds")</code> <code>.finding("sentences")</code></p></div>'
        )

    def _view(self, kind: str, target: Target, options: Mapping[str, Any]) -> View:
        """Sentence and picture from one table, so that they cannot disagree."""
        view: Callable[..., View] = getattr(self, f"_{kind}_view")
        try:
            return view(target, **options)
        except TypeError as error:
            if "unexpected keyword" not in str(error):
                raise
            got = f"an option that it does not have ({', '.join(map(str, options))})"
            raise OptionError(f"{kind} chart", got=got, expected="see Study.chart") from error

    def _names_view(self, target: Target, *, baseline: Any = None, correction: str = "holm", **looks: Any) -> View:
        origin: stats.Baseline = baseline or tables.default_baseline(self.cube)
        table = tables.name_table(self.cube, target.name, baseline=origin, correction=correction)
        for key in ("colour_by", "section_by"):
            if looks.get(key):
                self._group_column(looks[key])
        looks.setdefault("limit", 0 if len(self.names) <= MAX_CHART else MAX_EXTREME)
        looks.setdefault("score_range", target.high - target.low)
        options = BarOptions(axis_title=f"Mean change of {Words.of(target).phrase} from {BASELINES[origin]}", **looks)
        words = findings.name_finding(table, target.name, baseline=origin, correction=correction)
        return Finding(words), lambda: name_figure(table, options)

    def _thresholds_view(
        self, target: Target, *, threshold: float | None = None, names: Sequence[str] | None = None
    ) -> View:
        given: Any = target.default_threshold if threshold is None else threshold
        is_number = isinstance(given, int | float | np.number) and not isinstance(given, bool)
        if not is_number or not np.isfinite(given):
            raise OptionError("threshold", got=repr(given)[:60], expected="a finite number")
        level = float(given)
        levels = np.union1d(tables.default_thresholds(self.cube, target.name), [level])
        table = tables.label_dist_table(self.cube, target.name, thresholds=levels, names=names)
        words = findings.threshold_finding(table, target.name, threshold=level)
        options = CurveOptions(level, target=target.name)
        return Finding(words), lambda: figure_svg(label_dist_figure(table, options))

    def _groups_view(self, target: Target, *, column: str | None = None, correction: str = "holm") -> View:
        chosen = self._group_column(column)
        table = tables.group_table(self.cube, target.name, chosen, correction=correction)
        words, phrase = group_finding(table, target.name, column=chosen), Words.of(target.name, table).phrase
        return Finding(words), lambda: drawing_svg(group_differences(table, target=phrase))

    def _target(self, target: str | None) -> Target:
        return self.targets[0 if target is None else self.cube.target_index(target)]

    def _group_column(self, column: str | None) -> str:
        known = [name for name in self.names.columns if name != "name"]
        if column is None:
            sorting = grouping(self.names)
            if not sorting:
                raise CubeError("groups", got="names without groups", expected="a column that sorts them into groups")
            return sorting[0]
        if column not in known and CROSS not in column:
            raise CubeError("group column", got=repr(column)[:60], expected=", ".join(known) or "names with groups")
        return CROSS.join(columns_of(self.names, column))

    def _size(self) -> str:
        sentences, names, _ = self.cube.shape
        return f"{counted(sentences, 'sentence')} × {counted(names, 'name')}"


def run(
    sentences: Any = None,
    names: Any = None,
    model: Any = None,
    *,
    anchors: str | None = None,
    targets: Any = None,
    cache: bool = True,
    progress: bool | None = None,
    **options: Any,
) -> Study:
    """Score sentences with every name put into them.

    Parameters
    ----------
    sentences : list of str, path, id or DataFrame
        ``sample`` is packaged; of a file or a frame the text column is found, or named by ``text_column``.
    names : list of str, path, id or DataFrame
        ``demo``, ``public-figures`` …; a file or a frame has a column ``name`` and any group columns.
    model : id, callable or scorer
        ``vader``, ``hf:<hub id or folder>`` …; or a function from a list of texts to numbers (n,), an array (n, T), a
        data frame or a mapping from target to numbers.
    anchors : str, optional
        What the names replace: ``pronouns``, ``entities:PERSON``, ``terms:he,she``, ``slot``. By default the slots
        where every sentence has ``{name}``, else pronouns.
    targets : optional
        What a callable returns: names, mappings with name, low, high and meaning, or Targets. Where nobody says, the
        range is found from the scores.
    cache : bool
        Whether scores are remembered on disk. Those of a function are where its code and all it uses can be seen.
    progress : bool, optional
        Whether to show a bar; by default in a notebook only.
    **options
        ``max_words``, ``sample``, ``balance``, ``seed``, ``mentions``, ``text_column``, ``name_column``, ``switched``,
        ``subjects`` (whom each document is about, by its id), ``conditions``; see `study.StudySpec`.

    Raises
    ------
    PsaError
        When an input cannot be read, an option is unknown, or the model cannot be loaded or does not answer.

    Examples
    --------
    >>> import psa_core as psa
    >>> length = lambda texts: [len(text) for text in texts]
    >>> psa.run(["{name} left."], names=["Ann", "Bartholomew"], model=length).to_frame()["perturbed"].tolist()
    [9.0, 17.0]
    """
    given = {"sentences": sentences, "names": names, "model": model, "anchors": anchors, **options}
    parameters = {key: value for key, value in given.items() if value is not None}
    store = ScoreCache.open() if cache else None
    return Study(study.run(progress=progress, cache=store, targets=targets, **parameters))


def open(folder: str | Path) -> Study:
    """Open a result folder, as `Study.save`, ``psa run`` and the dashboard's export write it.

    Raises
    ------
    RunFolderError
        When a file is missing, damaged, or does not fit the others.
    """
    return Study(results.read(Path(as_text("folder", folder))))


def compare(*studies: Study | ScoreCube | str | Path, labels: Sequence[str] | None = None) -> pd.DataFrame:
    """Table 2 of the paper over several studies: how sensitive each is, with 95 % intervals over sentences.

    Parameters
    ----------
    *studies : Study, ScoreCube or result folder
    labels : sequence of str, optional
        What to call them; by default the folder or the model, numbered where two are called alike.

    Returns
    -------
    DataFrame
        One row a study and target: ``study`` (folder or model), ``target``, ``sentences``, ``names``; ``score_dev``,
        ``score_range`` and ``label_dist`` (larger = more sensitive; of sampled answers without their repeat floor) and
        ``sensitivity_correlation`` (r), each with ``_low`` and ``_high``.

    Raises
    ------
    PsaError
        When there is none, or one cannot be opened.
    """
    if not studies:
        raise OptionError("compare", got="nothing", expected="studies or result folders")
    if labels is not None and len(labels) != len(studies):
        raise OptionError("labels", got=f"{len(labels)}", expected=f"{len(studies)}, one a study")
    rows: list[dict[str, Any]] = []
    for number, given in enumerate(studies, start=1):
        opened = given if isinstance(given, Study) else Study(given) if isinstance(given, ScoreCube) else open(given)
        label = report.model_name(opened.cube) if isinstance(given, Study | ScoreCube) else Path(given).name
        label = f"{label} ({number})" if label in {row["study"] for row in rows} else label
        label = labels[number - 1] if labels else label
        for target, metrics in tables.summary(opened.cube).items():
            row = {"study": label, "target": target, **metrics["size"]}
            samples = opened.cube.targets[opened.cube.target_index(target)].samples
            for metric in COMPARED:
                left = beyond_floor(metrics, metric, samples)
                row |= {metric: left["value"], f"{metric}_low": left["low"], f"{metric}_high": left["high"]}
            correlation = metrics["sensitivity_correlation"]
            row |= {"sensitivity_correlation": correlation["r"]}
            row |= {f"sensitivity_correlation_{end}": correlation[end] for end in ("low", "high")}
            rows.append(row)
    return pd.DataFrame(rows)
