"""Nationality: setting up an audit, and its result: heat map, world map, tables, correlations, sentences, export."""

from __future__ import annotations

import html
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.audits import frame, parts
from pages.ui.audits.frame import AuditPage
from pages.ui.frame import cached, controls, exports, form, markup, typography, uploads, visitor
from pages.ui.results import flip_card
from pages.ui.study import anchors, plans, sentences
from pages.ui.study.plans import Source
from psa_core import models
from psa_core.audits.nationality import AUDIT as NATIONALITY
from psa_core.audits.nationality import report, tables
from psa_core.audits.nationality.perturbation import KEPT, NationalitySpec
from psa_core.audits.nationality.result import NationalityResult
from psa_core.charts._theme import DOWN, UP
from psa_core.charts.caption import Caption
from psa_core.charts.country_map import HEIGHT, country_map
from psa_core.charts.drawing import drawing_svg
from psa_core.charts.squares import Block, country_heat, printed_width
from psa_core.claims.formatting import number
from psa_core.errors import OptionError
from psa_core.inputs.gazetteers import KINDS, PAPER_COUNTRIES, countries
from psa_core.models import Purpose
from psa_core.plurals import counted
from psa_core.stats import SIGNIFICANT

AUDIT = AuditPage.of(NATIONALITY)
OURS, OWN = "people", "Your own file"
COUNTRY, TARGET = AUDIT.key("country"), AUDIT.key("target")
SHOWN = 10
WORDS = {"enters": "▲ enters", "leaves": "▼ leaves", "": ""}
HEAT_KEY = AUDIT.key("heat")
MAX_SIDE_BY_SIDE, BESIDE_HEIGHT, MAP_WIDTH = 4, 330, 820
LABELS_WIDE = 1.4  # countries' names, in columns of numbers


def ask_sentences() -> Source | None:
    """The packaged sentences about people, or an uploaded file; None until there is one."""
    ways = {OURS: "60 sentences about invented people", OWN: OWN}
    source: Source | None = Source(OURS)
    if controls.choose("Sentences", ways, AUDIT.key("source"), label_visibility="collapsed", wrap=True) == OWN:
        st.caption(
            "One text a row, in any language that the entity recogniser reads. csv, tsv, txt, jsonl or parquet, "
            "gzipped or not; from Excel, save as CSV UTF-8. It stays on this machine."
        )
        source = sentences.ask_file("Sentences file", uploads.TABLES, AUDIT.key("file"), AUDIT.key("column"))
    if source is not None:
        sentences.preview(source)
    return source


def ask_countries(source: Source) -> dict[str, Any]:
    """Countries, draws, sample, seed, families of the sentences, and whether names in other scripts are drawn."""
    values = form.ask(AUDIT.key, NationalitySpec)
    values["families"] = anchors.ask_families(plans.corpus(source).sentences, AUDIT.key(f"families_{source.key}"))
    known = countries(latin_only=not values["all_scripts"])
    usable = [name for name, country in known.items() if all(getattr(country, kind) for kind in KINDS)]
    chosen = st.multiselect(
        "Countries",
        sorted(usable),
        default=list(PAPER_COUNTRIES),
        wrap=True,
        help="The paper's seventeen, unless you choose others. Names come from Wikidata through CheckList.",
        **AUDIT.kept("countries"),
    )
    if not chosen:
        raise OptionError("countries", got="none", expected="at least one country", fix="Choose countries.")
    words = [report.left_out({name: known[name].left_out for name in chosen if known[name].left_out})]
    if few := [name for name in chosen if min(len(getattr(known[name], kind)) for kind in KINDS) < 5]:
        words.append(f"Fewer than five names of some kind: {', '.join(few)}.")
    if any(words):
        typography.small_print(" ".join(filter(None, words)))
    return {**values, "countries": chosen}


def ask_models() -> dict[str, str] | None:
    """One classifier and, if wanted, one language model for perplexity."""
    cards = {card.id: card for card in cached.model_cards() if card.targets and not models.measures_perplexity(card.id)}
    first = next((item for item in models.good_for(Purpose.CLASSES) if item in cards), None)
    kinds = visitor.kinds()
    judges = {item: kind for item, kind in kinds.items() if not (kind.perplexity or kind.known_texts_only)}
    readers = {item: kind for item, kind in kinds.items() if kind.perplexity}
    ready = {card.id: card.title for card in cached.model_cards() if models.measures_perplexity(card.id)}
    left, right = st.columns(2)
    with left:
        titles = {item: card.title for item, card in cards.items()}
        index = [*cards].index(first) if first else 0
        model = parts.ask_model(AUDIT, "Classifier", "model", titles, judges, index=index)
    lm = ""
    if ready or readers:  # where this installation has language models
        with right:
            lm = parts.ask_model(
                AUDIT,
                "Perplexity by",
                "lm",
                {"": "No language model", **ready},
                readers,
                help="Adds the paper's Tables 2 to 5: are texts that a language model finds unexpected scored "
                "differently? Takes several times as long as the classifier.",
            )
    return {"model": model, "lm": lm} if model else None


def start(source: Source, drawing: dict[str, Any], chosen: dict[str, str]) -> None:
    """The estimated cost and the start button."""
    most = min(drawing["sample"], len(plans.corpus(source).sentences))
    countries, draws = len(drawing["countries"]), drawing["draws"]
    texts = most * countries * draws
    sizes = {"Sentences, at most": most, "Countries × draws": f"{countries} × {draws}", "Texts, at most": texts}
    frame.say_sizes(sizes)
    files = {source.spec: source.upload.content} if source.upload else {}
    frame.run_button(AUDIT, {**drawing, **chosen, "sentences": source.spec, "text_column": source.column}, files)


def show(run_id: str, folder: Path) -> None:
    """Everything, from the finding to the download."""
    opened: NationalityResult = cached.audit(AUDIT.audit.id, run_id, folder)
    classes, scores = report.findings(opened)
    typography.finding(classes)
    typography.second(str(scores))
    typography.small_print(report.account(opened.manifest, opened.cube))
    country, target = _ask(opened)
    # The heat map and the map of the world: beside each other when the first is narrow.
    is_wide = len(opened.matrix("change_percent").columns) + len(opened.moved_targets) > MAX_SIDE_BY_SIDE
    left, right = (st.container(), st.container()) if is_wide else st.columns([7, 5], gap="medium")
    with left:
        _table_one(opened, country, target, is_wide=is_wide)
    with right:
        _world(opened, target, height=HEIGHT if is_wide else BESIDE_HEIGHT)
    if target in {one.name for one in opened.cube.targets}:
        find = partial(report.order_finding, opened.cube, target)
        typography.second(str(cached.measured("order", run_id, target, _measure=find)))
    _examples(opened, country, target)
    _correlations(opened)
    frame.end(AUDIT, folder, opened.countries, file="countries.csv", key="countries_csv")


def _words(opened: NationalityResult, title: str, finding: str) -> Caption:
    """The caption of an exported figure of this audit."""
    account, options = opened.manifest["account"], opened.manifest["options"]
    return Caption(
        title, finding, f"{models.titled(str(options['model']))} · {counted(account[KEPT], 'sentence')} with a person"
    )


def _table_one(opened: NationalityResult, country: str, target: str, *, is_wide: bool) -> None:
    """Table 1 of the paper: heat map and table."""
    st.header("Table 1: change of each predicted class, by country", anchor=False)
    counts = opened.countries.groupby("target")["original_count"].first()
    countries = opened.countries["country"].drop_duplicates().tolist()
    changes, deltas = opened.matrix("change_percent"), opened.matrix("delta", opened.moved_targets)
    notes = [f"of {counts[name]:,.0f}" for name in changes.columns]
    blocks = [Block("Change in %", changes, notes, marks=opened.matrix("p_adjusted") < SIGNIFICANT)]
    if not deltas.empty:
        marks = opened.matrix("delta_p_adjusted", opened.moved_targets) < SIGNIFICANT
        blocks.insert(0, Block("Δ × 100", 100 * deltas, [""] * deltas.shape[1], "+.2f", marks=marks))
    finding = str(report.findings(opened)[0])
    alone = [[block] for block in blocks] if is_wide else [blocks]
    places = st.columns([sum(len(block.values.columns) for block in part) + LABELS_WIDE for part in alone])
    for position, (place, part) in enumerate(zip(places, alone, strict=True)):
        key = f"{HEAT_KEY}_{position}" if position else HEAT_KEY
        heat = country_heat(part, selected=(country, target))
        alt = f"Heat map of countries by predicted class. {finding}"
        with place:
            parts.squares(heat, key, alt, {COUNTRY: countries, TARGET: opened.columns})
    words = (
        "Δ: mean change of the score. Change in %: of the number of sentences predicted as the class. Orange is more, "
        "blue is less; “·” behind a number: could be chance. Click a square, or choose above, to read its sentences."
    )
    if few := [name for name in changes.columns if counts[name] < report.MIN_COUNT]:
        words += f" {', '.join(few)}: fewer than {report.MIN_COUNT} original sentences, so one is many percent."
    typography.small_print(words)
    caption = _words(opened, "Change of each predicted class, by country", finding)
    _picture_buttons(blocks, "countries", caption)
    with st.expander("As a table"):
        frame.table(AUDIT, opened.countries, "Table 1 as numbers")


def _picture_buttons(blocks: list[Block], stem: str, caption: Caption) -> None:
    """A heat map on paper, without the chosen square."""

    def draw() -> str:
        return drawing_svg(country_heat(blocks), width=printed_width(blocks))

    with exports.row():
        exports.picture_buttons(draw, stem, caption, key=AUDIT.key(f"{stem}_picture"))


def _world(opened: NationalityResult, target: str, *, height: int) -> None:
    """The chosen column on a map."""
    counted = target in opened.matrix("change_percent").columns
    column, words = ("change_percent", "change in %") if counted else ("delta", "mean change of the score")
    rows = opened.countries[opened.countries["target"] == target]
    values = rows[["country", "iso3"]].assign(value=rows[column])
    st.header("The chosen column on the map", anchor=False)
    title = f"{target}: {words}"
    drawing = country_map(values, title=title, number="+.1f" if counted else "+.3f", height=height)
    known = values.dropna(subset=["value"]).sort_values("value")
    alt = f"World map of {len(known)} countries"
    if len(known):
        low, high = known.iloc[0], known.iloc[-1]
        ends = [number(row["value"], digits=2, signed=True) for row in (low, high)]
        alt += f", from {ends[0]} ({low['country']}) to {ends[1]} ({high['country']})"
    note = "Grey is a change of zero. A country that is only an outline is not in this audit."
    words, key = _words(opened, title, alt), AUDIT.key("map")
    about = {"stem": f"map.{target}", "words": words, "key": key, "key_of_chart": key, "width": MAP_WIDTH}
    exports.figure(drawing, alt=f"{alt}.", note=note, **about)


def _correlations(opened: NationalityResult) -> None:
    """Tables 2 to 5 of the paper."""
    table = opened.correlations
    if table is None:
        typography.small_print(
            "Correlations with perplexity (the paper's Tables 2 to 5) need a language model in step 3."
        )
        return
    st.header("Tables 2 to 5: scores and perplexity", anchor=False)
    finding = str(report.correlation_finding(table))
    typography.second(finding)
    blocks = []
    for column, title in (("global_r", "Global r × 100"), ("local_r", "Local r × 100")):
        matrix = 100 * table.pivot(index="country", columns="target", values=column).astype(float)
        matrix = matrix.reindex(index=table["country"].unique(), columns=table["target"].unique())
        blocks.append(Block(title, matrix, [""] * matrix.shape[1], "+.1f", limit=50))
    alt = f"Heat map of correlations. {finding}"
    parts.squares(country_heat(blocks), AUDIT.key("correlations"), alt)
    caption = _words(opened, "Scores and log-perplexity, by country", finding)
    _picture_buttons(blocks, "correlations", caption)
    typography.small_print(
        "Pearson correlation between score and log-perplexity. Global: over all texts of a country; its p-value takes "
        "the texts as independent. Local: among the draws of one sentence, averaged over the sentences, so that the "
        f"sentence's own meaning cancels out. {tables.OVERALL}: all countries together."
    )
    with st.expander("As a table"):
        frame.table(AUDIT, table, "Correlations as numbers", csv="correlations.csv")


def _ask(opened: NationalityResult) -> tuple[str, str]:
    """The chosen square; by default the one that changes most."""
    names = opened.countries["country"].drop_duplicates().tolist()
    first = report.largest(opened.countries)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        country = controls.choose("Country", names, COUNTRY, first["country"], box=True, width=240)
        target = controls.choose("Class or score", opened.columns, TARGET, first["target"], box=True, width=240)
    return country, target


def _examples(opened: NationalityResult, country: str, target: str) -> None:
    """The draws in which a sentence changes, as cards and in a table."""
    table = tables.changed_draws(opened.cube, country, target)
    texts = [opened.texts[s][n] for s, n in zip(table["sentence_position"], table["name_position"], strict=True)]
    table = table.assign(text=texts)
    st.header("The sentences behind it", anchor=False)
    typography.second(f"{country}, “{target}”")
    if table.empty:
        st.info("No sentence enters or leaves this class with names of this country.")
        return
    counts = table["change"].value_counts()
    if set(counts.index) - {""}:
        draws = len(opened.cube.sentences) * int((opened.cube.names["country"] == country).sum())
        entering, leaving = counts.get("enters", 0), counts.get("leaves", 0)
        st.caption(f"{entering:,} of {draws:,} draws enter the class, {leaving:,} leave it. Largest change first.")
    else:
        st.caption("The draws that move this score most.")
    distinct = table.drop_duplicates("sentence_position").head(SHOWN)
    st.html("".join(_card(opened, row) for _, row in distinct.iterrows()))
    with st.expander(f"All {len(table):,} as a table"):
        shown = table.drop(columns=["sentence_position", "name_position"])
        frame.table(AUDIT, shown, "Every draw behind this number that changes", csv="draws.csv")


def _card(opened: NationalityResult, row: pd.Series) -> str:
    """One draw: what changes, the scores, the sentence with its people struck out and the drawn names marked."""
    sentence = opened.cube.sentences.iloc[int(row["sentence_position"])]
    pieces = tables.pieces(sentence["text"], sentence["entities"], row["text"])
    colour = UP if row["delta"] > 0 else DOWN
    scores = f"{row['original']:.2f} → {row['perturbed']:.2f}".replace("-", "−")
    return (
        '<div style="padding: 0.35rem 0"><div style="display: flex; gap: 0.9rem; align-items: baseline">'
        f'<span style="font-weight: 650; color: {colour}; {markup.DIGITS}">{scores}</span>'
        f'<span style="font-size: 0.88rem; opacity: 0.8">{html.escape(WORDS[row["change"]])}</span></div>'
        f"{flip_card.sentence(pieces)}</div>"
    )
