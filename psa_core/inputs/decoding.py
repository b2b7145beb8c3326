"""Decompress and decode the bytes of an uploaded file."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from copy import copy
from itertools import islice

from psa_core.errors import PsaError
from psa_core.inputs.limits import Limit

CHUNK = 2**20
GZIP = b"\x1f\x8b"
PARQUET = b"PAR1"
#: How a workbook begins, and what else is a zip or in Microsoft's older container.
PACKED = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
SAVE_AS_CSV = "From Excel or another spreadsheet program, save the sheet as CSV UTF-8, and bring that file."
#: As much as tells an encoding.
SAMPLE = 2**18
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: No byte of a gzip file unpacks to more, so a file that says so of itself is cut off: its last bytes are no size.
MAX_COMPRESSION = 1100
BEYOND_ASCII = bytes(range(128, 256))
#: What handles bytes that are not UTF-8 in a file that is for the most part, and how such a file is said to be read.
STRAY, MIXED = "psa_core.stray", "UTF-8 and Windows-1252"
CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\v\f\r\x1a")
#: What no Western European word has when its bytes are read as Windows-1252: four letters on end beyond ASCII, a letter
#: of Central Europe, Turkey or the Baltic, õ before anything but e, or a sign between two letters.
NOT_WESTERN = re.compile(
    rb"[\xc0-\xff]{4}|[\x81\x8a\x8d-\x90\x9a\x9d-\x9f\xd0\xdd\xde\xf0\xfd\xfe]|[\xd5\xf5](?![eE])"
    rb"|(?<=[A-Za-z\xc0-\xff])[\x82\x84\x94\xa1-\xa6\xa9\xaa\xaf\xb1-\xb3\xb5\xb6\xb8-\xba\xbc-\xbf](?=[A-Za-z\xc0-\xff])"
)
#: What a Turkish file is made of: ASCII, punctuation, â ç î ö û ü and ğ ı ş.
TURKISH = re.compile(
    rb"[\x00-\x80\x82-\x87\x91-\x97\xa0-\xbf\xc2\xc7\xce\xd0\xd6\xdb-\xde\xe2\xe7\xee\xf0\xf6\xfb-\xfe]+"
)
#: Differences of coherence that say nothing.
ALIKE = 0.05


def unpacked(content: bytes, limit: Limit, *, field: str, error: type[PsaError], most: int | None = None) -> bytes:
    """The bytes inside a gzip file, or the first `most` of them.

    Raises
    ------
    PsaError
        `error`, when they are more than the limit, by what the file says of itself or as they come, or damaged.
    """
    declared = int.from_bytes(content[-4:], "little")
    if content.startswith(GZIP) and declared <= MAX_COMPRESSION * len(content):
        limit.check(declared, field=field, error=error, of="when unpacked")
    body = bytearray()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            while (most is None or len(body) < most) and (part := stream.read(CHUNK)):
                body += part
                limit.check(len(body), field=field, error=error, of="when unpacked")
    except (OSError, EOFError, zlib.error) as damage:
        raise error(field, got="a damaged gzip file", expected="gzip data", fix="Compress the file again.") from damage
    return bytes(body)


class Text:
    """A decoded file, read line by line without being held as a whole.

    Attributes
    ----------
    encoding : str
        How the bytes are decoded: UTF-8, UTF-16 or UTF-32 with a mark, or what the letters look like.
    """

    def __init__(self, content: bytes, *, field: str, error: type[PsaError]) -> None:
        codec, self._errors = _codec(content, field, error)
        self._content, self._codec, self._skipped = content, codec, 0
        self.encoding = MIXED if self._errors == STRAY else codec.removesuffix("-sig")

    def lines(self) -> Iterator[str]:
        r"""Its lines with their ends, which are ``\n``, ``\r\n`` and ``\r`` as they stand, and nothing else."""
        lines = io.TextIOWrapper(io.BytesIO(self._content), self._codec, self._errors, newline="")
        return islice(lines, self._skipped, None) if self._skipped else lines

    def below_first_line(self) -> Text:
        """The same text without its first line."""
        rest = copy(self)
        rest._skipped = self._skipped + 1
        return rest

    def whole(self) -> str:
        """All of it."""
        return self._content.decode(self._codec, self._errors)


def _codec(content: bytes, field: str, error: type[PsaError]) -> tuple[str, str]:
    """Name of the codec, and what to do about bytes that it does not know."""
    marked = next((codec for mark, codec in MARKS if content.startswith(mark)), None)
    decoded = _nul_free(content, marked or "utf-8")
    if decoded:
        return marked or "utf-8", "strict"
    detected = None
    if decoded is None and not marked and b"\0" not in content:
        if _is_mostly_utf8(content):
            return "utf-8", STRAY
        detected = _detected(content)
    if detected is None and content.startswith(PARQUET):
        raise error(field, got="a parquet file", expected="text", fix="Give it a name that ends in .parquet.")
    if detected is None and content.startswith(PACKED):
        raise error(field, got="a workbook or a zip, whatever its name says", expected="text", fix=SAVE_AS_CSV)
    if detected is None:
        got = "bytes that are not text" + (" (NUL characters)" if decoded is False or b"\0" in content else "")
        raise error(field, got=got, expected="UTF-8 text", fix="Save the file as UTF-8.")
    return detected, "replace"


def _nul_free(content: bytes, codec: str) -> bool | None:
    """Whether the text has no NUL characters; None when it is no text of this encoding."""
    decoder = codecs.getincrementaldecoder(codec)()
    view = memoryview(content)
    try:
        for start in range(0, len(content), CHUNK):
            if "\0" in decoder.decode(view[start : start + CHUNK]):
                return False
        return "\0" not in decoder.decode(b"", True)
    except UnicodeDecodeError:
        return None


def _is_mostly_utf8(content: bytes) -> bool:
    """Whether at least half of what is beyond ASCII is UTF-8: a file that is cut off, or put together from several."""
    if len(content) != len(content.translate(None, CONTROLS)):
        return False
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    letters = stray = 0
    for start in range(0, len(content), CHUNK):
        part = decoder.decode(content[start : start + CHUNK])
        damaged = part.count("\ufffd")
        stray += damaged
        letters += len(part) - len(part.encode().translate(None, BEYOND_ASCII)) - damaged
    return letters > 0 and letters >= stray


def _stray(error: UnicodeError) -> tuple[str, int]:
    """A byte alone as Windows-1252 has it, and U+FFFD for a letter that is cut off."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    alone = error.end - error.start == 1
    return error.object[error.start : error.end].decode("cp1252", "replace") if alone else "\ufffd", error.end


codecs.register_error(STRAY, _stray)


def _detected(content: bytes) -> str | None:
    """The encoding that the letters look like; None when there are characters that no text has."""
    from charset_normalizer import from_bytes

    if len(content) != len(content.translate(None, CONTROLS)):
        return None
    sample = content[:SAMPLE]
    matches = from_bytes(sample)
    best = matches.best()
    if best is None:
        return None
    if best.coherence == 0 or _is_english(content) or NOT_WESTERN.search(sample) is None:
        return "cp1252"
    # Detection takes the first of the alphabet where several fit alike.
    alike = [m.encoding for m in matches if m.chaos <= best.chaos and m.coherence >= best.coherence - ALIKE]
    if "cp1254" in alike and TURKISH.fullmatch(sample):
        return "cp1254"
    return next((encoding for encoding in alike if encoding.startswith("cp125")), best.encoding)


def _is_english(content: bytes) -> bool:
    """Whether at most one byte in twenty is beyond ASCII: English as Windows saves it, for which detection guesses."""
    undefined = any(byte in content for byte in b"\x81\x8d\x8f\x90\x9d")
    beyond = len(content) - len(content.translate(None, BEYOND_ASCII))
    return beyond * 20 <= len(content) and not undefined
