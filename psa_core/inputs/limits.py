"""Every limit on input sizes: its default, the setting that changes it, and how messages state it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from psa_core.errors import OptionError, PsaError

MB = 2**20
#: How the names of all settings begin.
SETTING = "PSA_MAX_"


@dataclass(frozen=True)
class Limit:
    """An upper limit on something that is read, kept or computed.

    ``PSA_MAX_<ID>`` is the environment variable that changes the `default`, which counts `unit` (``rows``, ``MB``) of
    `what`; `fix` is what to do about a file that is over it. `scale` is how many of what `check` is given make one unit
    (2**20 bytes are 1 MB), `own` the default on one person's own machine (``PSA_HISTORY=1``).
    """

    id: str
    default: int
    unit: str
    what: str
    fix: str
    scale: int = 1
    own: int | None = None

    @property
    def setting(self) -> str:
        """The environment variable that changes the limit."""
        return SETTING + self.id.upper()

    @property
    def value(self) -> int:
        """The limit in force, in what `check` is given; raises `OptionError` for a setting that is none."""
        usual = self.own if self.own is not None and os.environ.get("PSA_HISTORY") == "1" else self.default
        given = os.environ.get(self.setting, "").strip() or str(usual)
        if not (given.isascii() and given.isdigit() and 0 < len(given) < 16 and int(given)):
            raise OptionError(self.setting, got=repr(given[:40]), expected=f"a whole number of {self.unit}, 1 or more")
        return int(given) * self.scale

    @property
    def words(self) -> str:
        """The limit in force, as a person reads it."""
        return f"{self.value // self.scale:,} {self.unit}"

    def check(self, amount: int, *, field: str, error: type[PsaError], of: str = "") -> None:
        """Raise `error` for an amount above the limit: a declared one, before it is read, or what was read so far.

        `field` is what the file is to the reader (``sentences``); `of` are words behind the amount, such as the file's
        name.
        """
        if amount > self.value:
            digits = 0 if self.scale == 1 or amount >= 100 * self.scale else 1
            amount_words = f"{amount / self.scale:,.{digits}f}"
            got = " ".join(filter(None, (amount_words, self.unit, of)))
            raise error(field, got=got, expected=f"at most {self.words}", fix=self.fix_words)

    @property
    def fix_words(self) -> str:
        """What to do, with the setting for whoever runs this."""
        return f"{self.fix} ({self.setting} sets the limit.)"


_SHORTER = "Shorten the list."
_SPLIT = "Split the file."
_FEWER_DOCUMENTS = "Bring fewer documents."
_COLUMNS = "Keep the columns that the study needs."
_DOWNLOAD = "Download them."
_SMALLER_RUN = "Run a smaller study."
_SMALLER_MODEL = "Choose a smaller model."
_FEWER_NAMES = "Type fewer, or set up a study."
_SHORTER_TEXTS = "Take fewer or shorter sentences."
_FEWER_TEXTS = "Take fewer or shorter sentences, or fewer names."
_ON_THE_LINE = "On the command line, `psa texts` has no such limit."

ROWS = Limit("rows", 2_000_000, "rows", "rows of a file of sentences or predictions", _SPLIT)
COLUMNS = Limit("columns", 1_000, "columns", "columns of such a file", _COLUMNS)
CELLS = Limit("cells", 20_000_000, "cells", "rows × columns of such a file", _COLUMNS)
FILE = Limit("file_mb", 256, "MB", "bytes of such a file, unpacked", _SPLIT, MB)
DOCUMENTS = Limit(
    "documents", 2_000, "files", "documents of a folder or a zip; further ones are left out", _FEWER_DOCUMENTS
)
DOCUMENT = Limit("document_mb", 16, "MB", "bytes of one document; a larger one is left out", _SPLIT, MB)
PAGES = Limit("pages", 100, "pages", "pages of a PDF; a longer one is left out", _SPLIT)
TEXT = Limit("characters", 10_000_000, "characters", "characters of one cell", "One text per row.")
NAMES = Limit("names", 20_000, "rows", "rows of a name list", _SHORTER)
NAME_COLUMNS = Limit("name_columns", 100, "columns", "columns of a name list", "Keep the groups that are compared.")
NAMES_FILE = Limit("names_mb", 5, "MB", "bytes of a name list, unpacked", _SHORTER, MB)
ARCHIVE = Limit("archive_mb", 512, "MB", "bytes of a result folder's zip, unpacked", _SMALLER_RUN, MB)
ARCHIVE_FILES = Limit("archive_files", 1_000, "files", "files in a zip", "Zip the result folder alone.")
JUDGED = Limit("judged_mb", 32, "MB", "bytes of judgements in a result folder's zip", "Import fewer judgements.", MB)
SCORES = Limit("scores", 30_000_000, "scores", "scores of a result folder", _SMALLER_RUN)
MEMORY = Limit("read_mb", 1_000, "MB of memory", "memory of the process that reads a file", _SPLIT, MB)
SECONDS = Limit("read_seconds", 15, "seconds", "processor time to read a file", _SPLIT)
MEASURE = Limit(
    "measure_seconds",
    20,
    "seconds",
    "processor time to measure an opened study again",
    "Open it on your machine.",
    own=1_800,
)
READERS = Limit("readers", 2, "at once", "files that are read at the same time", "Try again in a moment.")

SEARCH = Limit(
    "search_characters",
    500_000,
    "characters",
    "characters that a page searches for anchors",
    _SHORTER_TEXTS,
    own=5_000_000,
)
UPLOADS_EACH = Limit(
    "uploads_each_mb", 100, "MB", "bytes of the files that one session has uploaded", "Take one away.", MB, own=10_000
)
UPLOADS = Limit(
    "uploads_mb", 200, "MB", "bytes of the files that all sessions have uploaded", "Try again later.", MB, own=100_000
)
RUN_CELLS = Limit(
    "run_cells", 5_000_000, "cells", "cells of a run, or of a zip", "Take fewer sentences or names.", own=50_000_000
)
RUN_LETTERS = Limit(
    "run_characters", 300_000_000, "characters", "characters of all texts of a run", _FEWER_TEXTS, own=10_000_000_000
)
TEXTS_OUT = Limit(
    "texts_characters",
    50_000_000,
    "characters",
    "characters of texts that a page exports",
    f"{_FEWER_TEXTS} {_ON_THE_LINE}",
)
FLIPS = Limit(
    "flips_characters", 50_000_000, "characters", "characters of a table of flips", _SHORTER_TEXTS, own=1_000_000_000
)
RUN_MINUTES = Limit(
    "run_minutes", 120, "minutes", "time that a run may work", "Resume it to go on in its turn.", 60, own=7 * 24 * 60
)
RUNS_EACH = Limit("runs_each", 3, "runs", "runs of one visitor that wait or work", "Wait for one to end, or stop one.")
RUNS_QUEUED = Limit("runs_queued", 30, "runs", "runs that wait or work", "Try again when some have ended.", own=200)
RUNS_AT_ONCE = Limit("runs_at_once", 1, "at once", "runs that work at the same time", "Wait for its turn.")
RUN_DAYS = Limit("run_days", 30, "days", "time that a run is kept unused", "Download it.", 86_400, own=36_500)
RUNS_DISK_EACH = Limit(
    "runs_each_mb", 512, "MB", "bytes of the ended runs of one visitor; the oldest are deleted", _DOWNLOAD, MB
)
RUNS_DISK = Limit("runs_mb", 8_192, "MB", "bytes of all ended runs; the oldest are deleted", _DOWNLOAD, MB)
HUB = Limit("hub_mb", 2_048, "MB", "bytes of a model that a visitor fetches from a hub", _SMALLER_MODEL, MB)
HUB_DISK = Limit("hub_disk_mb", 8_192, "MB", "bytes of all models that visitors fetched from a hub", _SMALLER_MODEL, MB)
ASK_MEMORY = Limit(
    "ask_mb",
    6_144,
    "MB of memory",
    "memory of a process for a language model, or one not packaged",
    _SMALLER_MODEL,
    MB,
    own=262_144,
)
ASK_SECONDS = Limit(
    "ask_seconds", 120, "seconds", "time that such a model may take to load, and to answer", _SMALLER_MODEL, own=1_800
)
ASK_MODELS = Limit("ask_models", 2, "at once", "such models that are held at the same time", "Try again in a moment.")
PAGE_SECONDS = Limit(
    "page_seconds", 10, "seconds", "time that a page may score texts for one question", "Run it as a study.", own=120
)
TRY_NAMES = Limit("try_names", 1_000, "names", "names on *Try it*", _FEWER_NAMES, own=20_000)
TRY_CHARACTERS = Limit(
    "try_characters", 50_000, "characters", "characters of the names typed there", _FEWER_NAMES, own=1_000_000
)
CACHE = Limit("cache_mb", 2_048, "MB", "bytes of remembered scores", "Older ones are dropped.", MB)
GRAPHS = Limit("graphs_mb", 4_096, "MB", "bytes of models kept in a faster form", "Older ones are made again.", MB)
OPENED = Limit(
    "opened_mb", 512, "MB", "bytes of studies and audits held open in memory", "They are read again.", MB, own=2_048
)

LIMITS = tuple(value for value in tuple(globals().values()) if isinstance(value, Limit))


def check_run(cells: int, letters: int, *, field: str = "study") -> None:
    """Refuse a run that is too large, before any of its texts is made; raises `OptionError`."""
    RUN_CELLS.check(cells, field=field, error=OptionError)
    RUN_LETTERS.check(letters, field=field, error=OptionError)


def within(texts: Iterable[str], characters: int) -> Iterator[str]:
    """The first of some texts, as many as have at most so many characters together.

    >>> list(within(["he", "she", "they"], 5))
    ['he', 'she']
    """
    for text in texts:
        characters -= len(text)
        if characters < 0:
            return
        yield text


def check_settings() -> None:
    """Raise `OptionError` at the first setting that is no limit: when a server starts, not when a limit is reached."""
    for limit in LIMITS:
        _ = limit.value
