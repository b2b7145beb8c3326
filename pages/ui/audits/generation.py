"""Language models: setting up an audit, and its result: finding, values against chance, pairs, texts, all numbers."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from pages.ui.audits import frame, generation_compared, parts
from pages.ui.audits.frame import AuditPage
from pages.ui.frame import address, cached, controls, exports, form, markup, typography
from pages.ui.results import context
from psa_core import generators, models, trust
from psa_core.audits.generation import AUDIT as GENERATION
from psa_core.audits.generation import report, tables
from psa_core.audits.generation.planning import GenerationSpec
from psa_core.audits.generation.result import GenerationResult
from psa_core.charts._theme import CATEGORICAL
from psa_core.charts.intervals import value_dots
from psa_core.charts.scatter import two_distributions
from psa_core.charts.squares import value_matrix
from psa_core.claims.findings import Finding
from psa_core.errors import OptionError
from psa_core.inputs import prompts
from psa_core.plurals import counted

AUDIT = AuditPage.of(GENERATION)
OWN = "Your own templates"
FIRST_VALUES = 8
#: Fewer continuations of each prompt show only large differences.
FEW = 40
#: From so many on, a run that is not finished states a finding.
ENOUGH = 20
EVERY = "All templates"
PAGE, PAGE_KEY = 5, AUDIT.key("page")
FIRST, SECOND = AUDIT.key("first"), AUDIT.key("second")
TAB, TABS = AUDIT.key("tab"), ("Averages", "Groups", "Values", "Pairs", "Pairs in each template")
GROUPS = (
    "The first group's mean minus the second's, with its 95 % interval over values. p is found by exchanging values "
    "between groups and corrected (Holm). Beyond chance: by this test and by G.F."
)
PAIRS = "p is corrected for the number of rows (Holm); the corrected distance is empty where it does not reach 5 %."
FLOOR = (
    "Floor: the value expected by chance (permutation test, values shuffled inside each template). Corrected: what "
    "chance does not explain; empty where the test does not reach 5 %. Last column: continuations of each prompt "
    "needed for a ±20 % interval."
)


#: Templates and values, what the command calls the templates, and the files of both.
Prompts = tuple[prompts.PromptSet, str, dict[str, bytes]]


def ask_prompts() -> Prompts:
    """The paper's templates or the user's own, and the values to swap."""
    titles = {name: content["title"] for name, content in prompts.packaged().items()} | {OWN: OWN}
    chosen = controls.choose("Templates", titles, AUDIT.key("templates"), label_visibility="collapsed", wrap=True)
    return _own() if chosen == OWN else _packaged(str(chosen))


def _packaged(chosen: str) -> Prompts:
    if chosen not in prompts.packaged():  # what a client sends need not be one of the options
        raise OptionError("templates", got=repr(chosen[:80]), expected=f"one of {', '.join(prompts.packaged())}")
    found = prompts.load(chosen)
    every = found.values["value"].astype(str).tolist()
    kept = st.multiselect("Values", every, default=every[:FIRST_VALUES], wrap=True, **AUDIT.kept(f"values_{chosen}"))
    if len(kept) < 2:
        raise OptionError("values", got=f"{len(kept)}", expected="at least two", fix="Choose two values to compare.")
    table = found.values[found.values["value"].astype(str).isin(kept)].reset_index(drop=True)
    with st.expander(f"Choose among the {len(found.templates)} templates, see the prompts"):
        lines = st.multiselect(
            "Templates",
            list(found.templates),
            default=list(found.templates),
            wrap=True,
            help="Fewer templates take less time and say less about other sentences.",
            **AUDIT.kept(f"lines_{chosen}"),
        )
        kept_lines = [line for line in found.templates if line in lines]
        if not kept_lines:
            raise OptionError("templates", got="none", expected="at least one", fix="Choose a template.")
        part = prompts.checked(kept_lines, table, group=found.group)
        _preview(part)
    files = {"values.csv": exports.csv(table, exact=True)}
    if len(part.templates) == len(found.templates):
        return part, chosen, files
    return part, "templates.txt", files | {"templates.txt": "\n".join(part.templates).encode()}


def _own() -> Prompts:
    left, right = st.columns(2)
    with left:
        lines = st.text_area(
            "Templates, one a line",
            "My friend is a/an {value}, and we",
            height=140,
            help="Each with {value} or, about people, with slots such as {name} and {his}.",
            **AUDIT.kept("own_templates"),
        )
    with right:
        values = st.text_area(
            "Values, one a line",
            "nurse\nsheriff",
            height=140,
            help="With groups: “value,gender” is the first line, and “Mary,female” one of those below.",
            **AUDIT.kept("own_values"),
        )
    templates = [line.strip() for line in str(lines).splitlines() if line.strip()]
    table = prompts.typed_values(str(values))
    found = prompts.checked(templates, table, source="typed on the page")
    with st.expander(f"{counted(len(found.templates), 'template')} × {counted(len(found.values), 'value')}"):
        _preview(found)
    files = {"values.csv": exports.csv(table, exact=True), "templates.txt": "\n".join(templates).encode()}
    return found, "templates.txt", files


def _preview(found: prompts.PromptSet) -> None:
    first = found.values.iloc[0].to_dict()
    rows = [{"template": line, "first prompt": prompts.filled(line, first)} for line in found.templates]
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="The templates with their first value")


def ask_scorers() -> list[str]:
    """The scorers of the continuations."""
    chosen = parts.ask_scorers(
        AUDIT, "Continuations are scored alone, without the prompt. Two scorers that agree are better than one."
    )
    if not chosen:
        raise OptionError("scores", got="none", expected="at least one", fix="Choose a score.")
    return chosen


def start(generator: str, chosen: Prompts, scorers: list[str]) -> None:
    """The number of continuations, the estimated cost, and the start button."""
    (found, templates, files), values = chosen, form.ask(AUDIT.key, GenerationSpec)
    k, tokens = values["continuations"], values["tokens"]
    texts = len(found.templates) * len(found.values) * k
    sizes: dict[str, int | str] = {"Continuations": texts}
    is_read = generators.plugins()[generator.partition(":")[0]].takes == trust.PATH  # a file, which is not written
    if not is_read:
        sizes["Tokens, at most"] = texts * tokens
    if generator in {card.id for card in generators.cards()}:
        sizes["On two processor cores"] = parts.time_to_write(texts * tokens)
    frame.say_sizes(sizes)
    if is_read:
        typography.small_print(f"The first {k} continuations of each prompt in the file are used.")
    elif k < FEW:
        typography.small_print(
            f"With {k} continuations only large differences stand out from chance; 50 show a difference of 0.08 to "
            "within a fifth. More can be added later: only the new ones are written."
        )
    asked = {"lm": generator, "templates": templates, "values": "values.csv", "scorers": scorers}
    frame.run_button(AUDIT, {**values, **asked}, files)


def show(run_id: str, folder: Path, *, own: bool = True) -> None:
    """The whole page, from the finding to the download; `own` audits can be closed and downloaded."""
    opened = cached.audit(AUDIT.audit.id, run_id, folder)
    scorer, pair = _ask(opened)
    typography.finding(_finding(run_id, opened, scorer))
    _account(opened, scorer)
    _charts(run_id, opened, scorer, pair)
    _texts(opened, scorer, pair)
    _numbers(run_id, opened, scorer)
    if own:
        context.remember_run(run_id, generation_compared.SEEN)
        frame.end(AUDIT, folder)


def show_so_far(run_id: str, folder: Path) -> None:
    """A running audit so far: its texts, and a finding once there are enough of them."""
    opened = cached.audit(AUDIT.audit.id, run_id, folder)
    scorer, pair = _ask(opened)
    k, total = opened.cube.shape[2], opened.manifest.get("options", {}).get("continuations")
    words = f"So far, {k} of {total} continuations of each prompt"
    if k < ENOUGH:
        typography.finding(f"{words}: too few to say what differs, enough to read.")
        _dots(run_id, opened, scorer)
    else:
        found = _finding(run_id, opened, scorer)
        typography.finding(Finding(f"{words}. {found.headline}", found.evidence))
        _charts(run_id, opened, scorer, pair)
    _texts(opened, scorer, pair)


def _finding(run_id: str, opened: GenerationResult, scorer: str) -> Finding:
    return report.finding(opened.tables.summary, scorer, opened.tables.matrix, _gaps(run_id, opened, scorer))


def _gaps(run_id: str, opened: GenerationResult, scorer: str) -> pd.DataFrame:
    return cached.measured("groups", run_id, scorer, _measure=partial(tables.group_gaps, opened.cube, scorer))


def _charts(run_id: str, opened: GenerationResult, scorer: str, pair: tuple[str, str]) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        _dots(run_id, opened, scorer)
    with right:
        values = opened.cube.values["value"].astype(str).tolist()
        st.header("Each pair of values", anchor=False)
        squares = value_matrix(tables.matrix(opened.tables, scorer, values), selected=pair)
        alt = "Distance of each pair of values, chance taken off."
        parts.squares(squares, AUDIT.key("matrix"), alt, {FIRST: values, SECOND: values})
        typography.small_print(
            "Distance between two values' scores (W1) over all templates, corrected for chance; “·” = could be chance. "
            "Click a square to read both."
        )


def _dots(run_id: str, opened: GenerationResult, scorer: str) -> None:
    find = partial(tables.value_means, opened.cube, scorer)
    table = cached.measured("means", run_id, scorer, _measure=find)
    st.header("Each value against chance", anchor=False)
    title = models.titled(scorer)
    alt = f"Mean {title} of each value; {table['value'][0]} highest, {table['value'].iloc[-1]} lowest."
    exports.figure(value_dots(table, title), alt=alt)
    typography.small_print("Grey: chance alone would put all dots inside in 95 of 100 such audits.")


def _ask(opened: GenerationResult) -> tuple[str, tuple[str, str]]:
    """The chosen score and pair of values; by default the two that differ most."""
    values = opened.cube.values["value"].astype(str).tolist()
    scorers = {scorer: models.titled(scorer) for scorer in opened.cube.scorers}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = controls.choose("Score", scorers, AUDIT.key("score"), box=True, width=260)
        widest = tables.widest_pair(opened.tables, chosen)
        links = [address.linked(key, value, values) for key, value in zip((FIRST, SECOND), widest, strict=True)]
        if not {st.query_params.get(FIRST), st.query_params.get(SECOND)} <= set(values):
            st.session_state[FIRST], st.session_state[SECOND] = widest
        # Both values are in the URL, or neither.
        take = {"on_change": lambda: address.put_all({key: st.session_state[key] for key in (FIRST, SECOND)})}
        first, second = (
            str(st.selectbox(words, values, key=link["key"], width=220, **take))
            for words, link in zip(("Compare", "with"), links, strict=True)
        )
    return chosen, (first, second)


def _account(opened: GenerationResult, scorer: str) -> None:
    k = opened.cube.shape[2]
    generator = generators.titled(str(opened.manifest.get("generator", {}).get("id", "A language model")))
    typography.small_print(f"{generator}: {' '.join(report.account(opened.cube))}")
    is_few = k < FEW and not opened.tables.summary[scorer]["individual_fairness"]["above_noise"]
    if is_few and not opened.cube.is_imported:
        typography.small_print(
            f"{k} continuations show only large differences. Set up another audit with the same choices and 50 "
            "continuations of each prompt: those that are written are used again."
        )


def _numbers(run_id: str, opened: GenerationResult, scorer: str) -> None:
    """Expandable: what is averaged on this page, and over what."""
    found, title = opened.tables, models.titled(scorer)
    is_linked = TAB in st.query_params
    with st.expander("All numbers, with floors and intervals", expanded=is_linked, icon=":material/table_chart:"):
        averages = report.shown_averages(found.summary, opened.cube.scorers)
        groups = report.group_table(_gaps(run_id, opened, scorer), found.summary[scorer])
        shown = (
            ("averages", averages, "I.F., G.F. and disparity of each score", FLOOR),
            ("groups", groups, f"Groups of values, {title}", GROUPS),
            ("values", tables.of_scorer(found.values, scorer), f"Each value's mean {title}",
             "Mean over templates with its 95 % interval; share above the threshold."),
            ("pairs", tables.surest_first(found.matrix, scorer), f"Each pair's distance in {title}",
             f"Over all templates. {PAIRS}"),
            ("template_pairs", tables.surest_first(found.pairs, scorer), f"Pairs in each template, {title}",
             f"Each template alone. {PAIRS}"),
        )  # fmt: skip
        there = [each for each in zip(TABS, shown, strict=True) if len(each[1][1])]
        opened_tabs = st.tabs([title for title, _ in there], **address.linked(TAB, TABS[0], TABS))
        for part, (_, (name, table, alt, words)) in zip(opened_tabs, there, strict=True):
            with part:
                titled = table.assign(score=table["score"].map(models.titled)) if "score" in table else table
                frame.table(AUDIT, titled, alt, words=words, csv=f"{name}.csv", file=table)


def _texts(opened: GenerationResult, scorer: str, pair: tuple[str, str]) -> None:
    """The difference between the two, then their texts."""
    st.header("Two values, side by side", anchor=False)
    if pair[0] == pair[1]:
        st.info("Choose two different values above to compare what was written about them.")
        return
    cube, found = opened.cube, opened.tables
    templates = [EVERY, *cube.templates["template"].astype(str)]
    template = controls.choose("Template", templates, AUDIT.key("template"), box=True, clears=(PAGE_KEY,))
    cube = cube.on("" if template == EVERY else template)
    curves, title = tables.curves(cube, scorer, pair), models.titled(scorer)
    left, right = st.columns([2, 3], gap="large")
    with left:
        drawing = two_distributions(curves.scores, curves.first, curves.second, names=pair, score=title)
        alt = f"Share of continuations up to each {title}, for {pair[0]} and {pair[1]}; the gap's area is W1."
        exports.figure(drawing, alt=alt)
        typography.small_print(
            report.area_words(found, scorer, pair, curves.area, "" if template == EVERY else template)
        )
        parts.words_apart(AUDIT, tables.differing_words(cube, pair), pair)
    with right:
        _side_by_side(tables.side_by_side(cube, scorer, pair), pair, together=cube.common_noise)


def _side_by_side(table: pd.DataFrame, pair: tuple[str, str], *, together: bool) -> None:
    if table.empty:
        st.info("No continuation of both values was kept on this template.")
        return
    pages = -(-len(table) // PAGE)
    same = " generated with the same random seed" if together else ""
    typography.small_print(
        f"{counted(len(table), 'pair')}{same}, largest difference first: the first are extremes, not examples."
    )
    number = st.pagination(pages, **address.linked(PAGE_KEY, 1, range(1, pages + 1))) if pages > 1 else 1
    for row in table.iloc[(int(number) - 1) * PAGE : int(number) * PAGE].itertuples():
        with st.container(border=True):
            st.html(markup.plain(str(row.template), size="0.85rem", faint=True))
            first = parts.column(pair[0], parts.score_text(row.first_score), f"… {row.first}", CATEGORICAL[0])
            second = parts.column(pair[1], parts.score_text(row.second_score), f"… {row.second}", CATEGORICAL[1])
            st.html(markup.side_by_side([first, second]))
