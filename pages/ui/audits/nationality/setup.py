"""Set up a nationality audit: sentences, countries, model, run."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.ui.audits.audit_job import AuditPage
from pages.ui.frame import cached, permissions, typography, uploads
from pages.ui.frame.uploads import Upload
from pages.ui.study import plans
from pages.ui.study.plans import Source
from psa_core import models
from psa_core.audits.nationality import AUDIT as NATIONALITY
from psa_core.audits.nationality import findings
from psa_core.audits.nationality.gazetteers import KINDS, PAPER_COUNTRIES, Country, countries
from psa_core.audits.nationality.perturbation import Options
from psa_core.errors import OptionError
from psa_core.models import Purpose
from psa_core.plurals import counted

AUDIT = AuditPage.of(NATIONALITY)
OURS, OWN = "people", "Your own file"
FILE_KINDS = ("csv", "tsv", "txt", "jsonl", "parquet", "gz")
PREVIEW_ROWS = 100
NO_LM = "No language model"


@dataclass(frozen=True)
class Judge:
    """The model, and the language model or none."""

    model: str
    lm: str | None


def introduce() -> None:
    """What the audit is, in two sentences."""
    typography.second(
        "Each person in each sentence gets names that are common in a country, of the same gender and in the same "
        "form. How far do the predictions follow the country of the names? (Barriere & Cifuentes 2024)"
    )


def ask_sentences() -> Source | None:
    """Our sentences with people, or a file; None while no file is there yet."""
    choice = st.segmented_control(
        "Sentences",
        (OURS, OWN),
        default=OURS,
        required=True,
        key=AUDIT.key("source"),
        format_func=lambda item: "60 sentences about invented people" if item == OURS else item,
        label_visibility="collapsed",
        persist_state="session",
        wrap=True,
    )
    if choice == OURS:
        return _preview(Source(OURS))
    st.caption(
        "One text a row, in any language that the entity recogniser reads. csv, tsv, txt, jsonl or parquet, gzipped or "
        "not; from Excel, save as CSV UTF-8. It stays on this machine."
    )
    upload = uploads.ask_file("Sentences file", FILE_KINDS, key=AUDIT.key("file"), read=_read)
    if upload is None:
        return None
    found = plans.corpus(Source(upload.name, upload))
    columns = [found.text_column, *(str(c) for c in found.sentences.columns if c not in ("sentence_id", "text"))]
    column = columns[0]
    if len(columns) > 1:
        column = st.selectbox("Column with the text", dict.fromkeys(columns), key=AUDIT.key("column"))
    return _preview(Source(upload.name, upload, column))


def _read(upload: Upload) -> None:
    plans.corpus(Source(upload.name, upload))


def _preview(source: Source) -> Source:
    sentences = plans.corpus(source).sentences
    with st.expander(counted(len(sentences), "sentence")):
        st.dataframe(sentences.head(PREVIEW_ROWS), hide_index=True, height=260, alt="The first sentences")
    return source


def ask_countries() -> Options:
    """Countries, draws, sample, seed, and whether names in other scripts are drawn."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        draws = st.number_input("Names drawn per sentence and country", 1, 100, 5, key=AUDIT.key("draws"), width=300)
        sample = st.number_input("Sentences at most", 1, 100_000, 200, step=100, key=AUDIT.key("sample"), width=180)
        seed = st.number_input("Seed", 0, 2**31 - 1, 0, key=AUDIT.key("seed"), width=120)
    every_script = st.toggle(
        "Draw names that are not in Latin letters too",
        key=AUDIT.key("scripts"),
        persist_state="session",
        help="English models hardly know such names, so they are left out by default.",
    )
    known = countries(latin_only=not every_script)
    usable = [name for name, country in known.items() if all(getattr(country, kind) for kind in KINDS)]
    chosen = st.multiselect(
        "Countries",
        sorted(usable),
        default=list(PAPER_COUNTRIES),
        key=AUDIT.key("countries"),
        persist_state="session",
        wrap=True,
        help="The paper's seventeen, unless you choose others. Names come from Wikidata through CheckList.",
    )
    if not chosen:
        raise OptionError("countries", got="none", expected="at least one country", fix="Choose countries.")
    _say_names([known[name] for name in chosen])
    return Options(tuple(chosen), int(draws), int(seed), int(sample), all_scripts=bool(every_script))


def _say_names(chosen: list[Country]) -> None:
    """What is left out, and where there is little to draw from."""
    words = findings.left_out({country.name: country.left_out for country in chosen if country.left_out})
    few = [country.name for country in chosen if min(len(getattr(country, kind)) for kind in KINDS) < 5]
    if few:
        words += f" Fewer than five names of some kind: {', '.join(few)}."
    if words:
        typography.small_print(words.strip())


def ask_models() -> Judge | None:
    """One classifier and, if wanted, one language model for perplexity."""
    cards = {card.id: card for card in cached.model_cards() if card.targets and not models.measures_perplexity(card.id)}
    first = next((item for item in models.good_for(Purpose.CLASSES) if item in cards), None)
    unfit = [item for item, plugin in models.plugins().items() if plugin.perplexity or plugin.known_texts_only]
    kinds = {f"{item}:": plugin for item, plugin in permissions.kinds().items() if item not in unfit}
    left, right = st.columns(2)
    with left:
        model = st.selectbox(
            "Classifier",
            [*cards, *kinds],
            index=[*cards].index(first) if first else 0,
            key=AUDIT.key("model"),
            format_func=lambda item: cards[item].title if item in cards else f"{kinds[item].title} …",
            persist_state="session",
        )
        if model in kinds:
            model = _with_argument(str(model), kinds[model].argument)
    with right:
        lm = _ask_lm()
    return Judge(permissions.check(str(model)), lm and permissions.check(lm)) if model else None


def _with_argument(kind: str, argument: str) -> str:
    typed = st.text_input(
        argument.capitalize(), key=AUDIT.key(f"model_{kind}"), max_chars=permissions.LONGEST_ID
    ).strip()
    return permissions.check(f"{kind}{typed}") if typed else ""


def _ask_lm() -> str | None:
    """Offered where this installation has language models."""
    ready = {card.id: card.title for card in cached.model_cards() if models.measures_perplexity(card.id)}
    kinds = {f"{item}:": plugin for item, plugin in permissions.kinds().items() if plugin.perplexity}
    if not ready and not kinds:
        return None
    titles = ready | {kind: f"{plugin.title} …" for kind, plugin in kinds.items()}
    chosen = st.selectbox(
        "Perplexity by",
        [NO_LM, *titles],
        key=AUDIT.key("lm"),
        format_func=lambda item: titles.get(item, item),
        persist_state="session",
        help="Adds the paper's Tables 2 to 5: are texts that a language model finds unexpected judged differently? "
        "Takes several times as long as the classifier.",
    )
    if chosen in kinds:
        return _with_argument(str(chosen), kinds[chosen].argument) or None
    return None if chosen == NO_LM else str(chosen)


def start(source: Source, options: Options, judge: Judge) -> None:
    """What it will take, and the button."""
    sentences = min(options.sample, len(plans.corpus(source).sentences))
    texts = sentences * len(options.countries) * options.draws
    with st.container(horizontal=True):
        st.metric("Sentences, at most", f"{sentences:,}", border=True)
        st.metric("Countries × draws", f"{len(options.countries)} × {options.draws}", border=True)
        st.metric("Texts, at most", f"{texts:,}", border=True)
    if not st.button("Run the audit", type="primary", key=AUDIT.key("start"), icon=":material/play_arrow:"):
        return
    name = source.upload.name if source.upload else source.spec
    values = {
        "sentences": name,
        "text-column": source.column,
        "model": judge.model,
        "lm": judge.lm,
        "countries": ",".join(options.countries),
        "draws": options.draws,
        "sample": options.sample,
        "seed": options.seed,
    }
    arguments = [f"--{option}={value}" for option, value in values.items() if value is not None]
    arguments += ["--all-scripts"] if options.all_scripts else []
    AUDIT.start(arguments, {name: source.upload.content} if source.upload else {})
