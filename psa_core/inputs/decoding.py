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
SAVE_AS_CSV = "In the spreadsheet program, save the sheet as CSV UTF-8, and use that file."
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
NON_ASCII = bytes(range(128, 256))
#: The error handler for a file that is mostly UTF-8, and what messages call its encoding.
STRAY, MIXED = "psa_core.stray", "UTF-8 and Windows-1252"
CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\v\f\r\x1a")
#: Never found in a Western European word whose bytes are read as Windows-1252: four letters in a row beyond ASCII, a
#: letter of Central Europe, Turkey or the Baltic, õ before anything but e, or a sign between two letters.
NOT_WESTERN = re.compile(
    rb"[\xc0-\xff]{4}|[\x81\x8a\x8d-\x90\x9a\x9d-\x9f\xd0\xdd\xde\xf0\xfd\xfe]|[\xd5\xf5](?![eE])"
    rb"|(?<=[A-Za-z\xc0-\xff])[\x82\x84\x94\xa1-\xa6\xa9\xaa\xaf\xb1-\xb3\xb5\xb6\xb8-\xba\xbc-\xbf](?=[A-Za-z\xc0-\xff])"
)
#: What a Turkish file is made of: ASCII, punctuation, â ç î ö û ü and ğ ı ş.
TURKISH = re.compile(
    rb"[\x00-\x80\x82-\x87\x91-\x97\xa0-\xbf\xc2\xc7\xce\xd0\xd6\xdb-\xde\xe2\xe7\xee\xf0\xf6\xfb-\xfe]+"
)
#: Smaller differences of coherence are noise.
COHERENCE_MARGIN = 0.05


def unpacked(content: bytes, limit: Limit, *, field: str, error: type[PsaError], most: int | None = None) -> bytes:
    """The bytes inside a gzip file, or the first `most` of them.

    Raises `error` when they are damaged, or more than the limit, by what the file says of itself or as they come.
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

    `encoding` is UTF-8, UTF-16 or UTF-32 with a mark, or what the letters look like.
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


def _codec(content: bytes, field: str, error: type[PsaError]) -> tuple[str, str]:
    """Name of the codec, and what to do about bytes that it does not know."""
    marked = next((codec for mark, codec in MARKS if content.startswith(mark)), None)
    has_nul = b"\0" in content
    try:
        decoder = codecs.getincrementaldecoder(marked or "utf-8")()
        view = memoryview(content)
        parts = (decoder.decode(view[start : start + CHUNK]) for start in range(0, len(content), CHUNK))
        # A NUL byte is usual in UTF-16; a NUL character is in no text.
        has_nul = any("\0" in part for part in parts) or "\0" in decoder.decode(b"", True)
        if not has_nul:
            return marked or "utf-8", "strict"
    except UnicodeDecodeError:
        has_controls = len(content) != len(content.translate(None, CONTROLS))
        if not marked and not has_controls:
            if _is_mostly_utf8(content):
                return "utf-8", STRAY
            if detected := _detected(content):
                return detected, "replace"
    if content.startswith(PARQUET):
        raise error(field, got="a parquet file", expected="text", fix="Give it a name that ends in .parquet.") from None
    if content.startswith(PACKED):
        got = "a workbook or a zip, whatever its name says"
        raise error(field, got=got, expected="text", fix=SAVE_AS_CSV) from None
    got = "bytes that are not text" + (" (NUL characters)" if has_nul else "")
    raise error(field, got=got, expected="UTF-8 text", fix="Save the file as UTF-8.") from None


def _is_mostly_utf8(content: bytes) -> bool:
    """Whether at least half of the letters beyond ASCII are UTF-8: a truncated file, or one joined from several."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    letters = stray = 0
    for start in range(0, len(content), CHUNK):
        part = decoder.decode(content[start : start + CHUNK])
        damaged = part.count("\ufffd")
        stray += damaged
        letters += len(part) - len(part.encode().translate(None, NON_ASCII)) - damaged
    return letters > 0 and letters >= stray


def _stray(error: UnicodeError) -> tuple[str, int]:
    """A byte alone as Windows-1252 has it, and U+FFFD for a letter that is cut off."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    alone = error.end - error.start == 1
    return error.object[error.start : error.end].decode("cp1252", "replace") if alone else "\ufffd", error.end


codecs.register_error(STRAY, _stray)


def _detected(content: bytes) -> str | None:
    """The encoding that the letters look like."""
    from charset_normalizer import from_bytes

    sample = content[:SAMPLE]
    matches = from_bytes(sample)
    best = matches.best()
    if best is None:
        return None
    # Detection guesses where few bytes are beyond ASCII: English as Windows saves it.
    non_ascii = len(content) - len(content.translate(None, NON_ASCII))
    is_english = non_ascii * 20 <= len(content) and not any(byte in content for byte in b"\x81\x8d\x8f\x90\x9d")
    if best.coherence == 0 or is_english or NOT_WESTERN.search(sample) is None:
        return "cp1252"
    # Detection takes the first of the alphabet where several fit alike.
    candidates = [
        m.encoding for m in matches if m.chaos <= best.chaos and m.coherence >= best.coherence - COHERENCE_MARGIN
    ]
    if "cp1254" in candidates and TURKISH.fullmatch(sample):
        return "cp1254"
    return next((encoding for encoding in candidates if encoding.startswith("cp125")), best.encoding)
