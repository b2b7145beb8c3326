"""Read documents: a folder, a zip or single files of text, Markdown, Word or PDF, one text a file.

A file that cannot be read is left out with its reason, and the others go on. Word and PDF files are parsed in a process
of its own (see `bounded`): a few together, and one by one where they need too much together.
"""

from __future__ import annotations

import hashlib
import io
import math
import os
import stat
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from psa_core import trust
from psa_core.errors import CorpusError, PsaError, in_short
from psa_core.inputs import bounded
from psa_core.inputs.archives import FAULTS
from psa_core.inputs.decoding import Text
from psa_core.inputs.limits import DOCUMENT, DOCUMENTS, FILE, MB, PAGES, UPLOADS_EACH
from psa_core.plurals import counted

#: Endings of files that are one document each; a `.txt` by itself is one text a line, as it always was.
PLAIN, PARSED = ("txt", "md"), ("docx", "pdf")
KINDS = (*PLAIN, *PARSED)
ALONE = ("md", *PARSED, "zip")
#: What systems leave in folders: no document, and worth no word.
UNSEEN = ("__macosx", "thumbs.db", "desktop.ini")
ADVICE = {
    "docm": "it may hold macros; save it as .docx",
    "doc": "an old Word file; save it as .docx",
    "rtf": "save it as .docx",
    "odt": "save it as .docx",
    "pages": "save it as .docx",
}
OTHER = "of another kind than .txt, .md, .docx or .pdf"
#: Fewer letters than that on all pages of a PDF are a scan's page numbers, not its text.
MIN_LETTERS = 20
#: Parsed together in one process: so many files of so many bytes.
TOGETHER, TOGETHER_BYTES = 20, 2**20
MAX_NOTED = 3
#: How long one visitor's documents are read: far more than two thousand take that are as they should be.
READ_SECONDS = 600.0
Gathered = tuple[str, bytes | str]  # a file's name, and its bytes or the reason why they are not read


@dataclass
class Documents:
    """What was read: texts by the file's relative name, in the order of names, and by name why the others were not.

    Line breaks of texts are ``\\n`` and nothing else; `sha256` is of every name and every byte that was looked at.
    """

    texts: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    sha256: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """How many files were left out, a sentence for each reason, with the first of their names."""
        by_reason = Counter(self.left_out.values())
        sentences = []
        for reason, count in by_reason.most_common():
            names = sorted(name for name, why in self.left_out.items() if why == reason)
            listed = ", ".join(in_short(name, 60) for name in names[:MAX_NOTED])
            more = f" and {count - MAX_NOTED:,} more" if count > MAX_NOTED else ""
            sentences.append(f"{counted(count, 'file')} left out ({reason}): {listed}{more}.")
        return tuple(sentences)


def is_documents(name: str) -> bool:
    """Whether a file's name says that it is a document, or a zip of some, rather than a table.

    >>> is_documents("cvs.zip"), is_documents("Anna.PDF"), is_documents("comments.txt")
    (True, True, False)
    """
    return _kind(name) in ALONE


def read_folder(folder: Path) -> Documents:
    """The documents of a folder and the folders in it; links are not followed. Raises `CorpusError` where none can be
    read.
    """
    found: list[tuple[str, _OnDisk | _InZip]] = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_unseen(name))
        found += [
            ((Path(place) / name).relative_to(folder).as_posix(), _OnDisk(Path(place) / name))
            for name in files
            if not _is_unseen(name)
        ]
    return _read(folder.name, _gather(found, FILE.value, FILE.value))


def read_zip(name: str, content: bytes) -> Documents:
    """The documents of a zip; a folder that holds all of them is no part of their names.

    A visitor's may unpack to what a session may upload, its plain texts to a quarter of that, since texts are kept in
    the server's process; and it is read for a limited time. Raises `CorpusError` when it is no zip, or none can be
    read.
    """
    is_visitors = trust.current() >= trust.Origin.VISITOR
    most = (min(FILE.value, UPLOADS_EACH.value), UPLOADS_EACH.value // 4) if is_visitors else (FILE.value, FILE.value)
    gathered = bounded.call(unzipped, name, content, *most, field="sentences", error=CorpusError)
    return _read(name, gathered, READ_SECONDS if is_visitors else math.inf)


def read_file(name: str, content: bytes) -> Documents:
    """One document by itself; raises `CorpusError` where it cannot be read."""
    return _read(name, [(name, content)])


def zipped(files: Sequence[tuple[str, bytes]]) -> bytes:
    """Several files as one zip, the same bytes for the same files; a name that is there already gets a number."""
    packed, names = io.BytesIO(), Counter[str]()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            names[name] += 1
            stem, dot, ending = name.rpartition(".")
            own = name if names[name] == 1 else f"{stem} ({names[name]}){dot}{ending}"
            archive.writestr(zipfile.ZipInfo(own), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def unzipped(name: str, content: bytes, most: int, plain: int) -> list[Gathered]:
    """The files of a zip as `_gather` has them; for a process with limits, since a zip may list millions."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = [(_relative(entry.filename), entry) for entry in archive.infolist() if not entry.is_dir()]
            entries = [(path, entry) for path, entry in entries if not any(map(_is_unseen, path.split("/")))]
            if len({path.split("/")[0] for path, _ in entries}) == 1 and all("/" in path for path, _ in entries):
                entries = [(path.split("/", 1)[1], entry) for path, entry in entries]
            return _gather([(path, _InZip(archive, entry)) for path, entry in entries], most, plain)
    except zipfile.BadZipFile as error:
        expected = "a zip of .txt, .md, .docx or .pdf files"
        raise CorpusError(
            "sentences", got=f"{name[:60]}, which is no zip or a damaged one", expected=expected
        ) from error


@dataclass(frozen=True)
class _OnDisk:
    path: Path

    @property
    def size(self) -> int:
        found = self.path.lstat()
        if not stat.S_ISREG(found.st_mode):  # a link may lead anywhere, a device may never end
            raise OSError("no regular file")
        return found.st_size

    def read(self) -> bytes:
        return self.path.read_bytes()


@dataclass(frozen=True)
class _InZip:
    archive: zipfile.ZipFile
    entry: zipfile.ZipInfo

    @property
    def size(self) -> int:
        return self.entry.file_size

    def read(self) -> bytes:
        with self.archive.open(self.entry) as stream:
            return stream.read(self.entry.file_size + 1)  # it may hold more than it says


def _relative(path: str) -> str:
    """A name inside a zip, which is never followed as a path."""
    return "/".join(part for part in PurePosixPath(path.replace("\\", "/")).parts if part not in ("/", "..", "."))


def _kind(name: str) -> str:
    return name.lower().rpartition(".")[2] if "." in name else ""


def _is_unseen(part: str) -> bool:
    return part.startswith((".", "~$")) or part.lower() in UNSEEN


def _gather(files: Sequence[tuple[str, _OnDisk | _InZip]], most: int, plain: int) -> list[Gathered]:
    """Each file by name with its bytes, at most so many together, and of plain texts; or why it is not read."""
    gathered: dict[str, bytes | str] = {}
    total = plain_total = read = 0
    for name, file in sorted(files, key=lambda item: item[0]):
        kind = _kind(name)
        if kind not in KINDS:
            gathered[name] = ADVICE.get(kind, OTHER)
            continue
        read += 1
        if read > DOCUMENTS.value:
            gathered[name] = f"beyond the first {DOCUMENTS.words}"
            continue
        if name in gathered:  # which only a zip can have
            gathered[f"{name} (again)"] = "another file of the same name"
            continue
        try:
            size = file.size
            of_plain = size if kind in PLAIN else 0
            if size > DOCUMENT.value:
                gathered[name] = f"larger than {DOCUMENT.words}"
            elif total + size > most or plain_total + of_plain > plain:
                gathered[name] = f"larger than {(most if total + size > most else plain) // MB:,} MB together"
            else:
                plain_total += of_plain
                total += size
                gathered[name] = file.read()
        except FAULTS as error:
            is_locked = isinstance(error, RuntimeError) and "password" in str(error)
            gathered[name] = "locked by a password" if is_locked else "damaged or unreadable"
    return [*gathered.items()]


def _read(source: str, gathered: Sequence[Gathered], seconds: float = math.inf) -> Documents:
    found, digest, end = Documents(), hashlib.sha256(), time.monotonic() + seconds
    waiting: list[tuple[str, bytes]] = []
    for name, content in gathered:
        if isinstance(content, str):
            found.left_out[name] = content
            continue
        digest.update(f"{name}\0{len(content)}\0".encode("utf-8", "replace") + content)
        if _kind(name) in PLAIN:
            _keep(found, name, _plain_text(content))
            continue
        waiting.append((name, content))
        if len(waiting) == TOGETHER or sum(len(body) for _, body in waiting) > TOGETHER_BYTES:
            _parse(waiting, found, end)
            waiting = []
    _parse(waiting, found, end)
    found.sha256 = digest.hexdigest()
    found.texts = {name: found.texts[name] for name, _ in gathered if name in found.texts}
    if not found.texts:
        if [source] == [*found.left_out]:
            got = f"{source[:60]} ({found.left_out[source]})"
            raise CorpusError("sentences", got=got, expected="a document with text")
        first = next(iter(found.notes), "it holds no files")
        expected = "a folder or a zip of .txt, .md, .docx or .pdf files with text"
        raise CorpusError("sentences", got=f"no document in {source[:60]}: {first.rstrip('.')}", expected=expected)
    return found


def _plain_text(content: bytes) -> str | None:
    """The text of a plain file, or None for bytes that are none."""
    try:
        return "".join(Text(content, field="sentences", error=CorpusError).lines())
    except CorpusError:
        return None


def _keep(found: Documents, name: str, text: str | None) -> None:
    """Keep a text with its line breaks, or the reason why there is none."""
    if text is None or "\0" in text:
        found.left_out[name] = "not text"
        return
    lines = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff").split("\n")
    kept = "\n".join(line.rstrip() for line in lines).strip("\n")
    if kept.strip():
        found.texts[name] = kept
    else:
        found.left_out[name] = "empty"


def _parse(files: list[tuple[str, bytes]], found: Documents, end: float) -> None:
    """The texts of Word and PDF files; where some need too much together, each by itself; none when time is over."""
    if not files:
        return
    if time.monotonic() > end:
        found.left_out |= dict.fromkeys((name for name, _ in files), "not read, since those before it took too long")
        return
    limits = {"field": "sentences", "error": CorpusError}
    try:
        parsed = bounded.call(texts_of, files, PAGES.value, DOCUMENT.value, **limits)  # type: ignore[arg-type]
    except PsaError:
        if len(files) == 1:
            found.left_out[files[0][0]] = "damaged, or it takes too much time or memory to read"
            return
        for file in files:
            _parse([file], found, end)
        return
    for (name, _), (text, reason) in zip(files, parsed, strict=True):
        if reason:
            found.left_out[name] = reason
        else:
            _keep(found, name, text)


def texts_of(files: list[tuple[str, bytes]], pages: int, size: int) -> list[tuple[str, str]]:
    """The text of each Word or PDF file, or a reason: to be called in a process with limits."""
    return [_pdf(content, pages) if _kind(name) == "pdf" else _docx(content, size) for name, content in files]


def _pdf(content: bytes, most: int) -> tuple[str, str]:
    import logging

    from pypdf import PdfReader
    from pypdf.errors import DependencyError, PdfReadError, PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):  # where only printing is restricted, it opens without one
            return "", "encrypted; save it without a password"
        count = len(reader.pages)
        if count > most:
            return "", f"longer than {most:,} pages"
        text = "\n".join(page.extract_text() for page in reader.pages)
    except (DependencyError, NotImplementedError):
        return "", "encrypted; save it without a password"
    except (PyPdfError, PdfReadError, ValueError, LookupError, TypeError, AttributeError, RecursionError, OSError):
        return "", "a damaged PDF"
    if sum(map(str.isalpha, text)) < MIN_LETTERS:
        return "", "a PDF without text, such as a scan; run text recognition on it first"
    return text.encode("utf-8", "replace").decode().replace("\0", ""), ""


def _docx(content: bytes, most: int) -> tuple[str, str]:
    """Headers first, then every paragraph in order: of the body, of tables and of text boxes."""
    from docx import Document
    from docx.opc.exceptions import OpcError
    from lxml.etree import LxmlError

    if content.startswith(b"\xd0\xcf\x11\xe0"):  # the container of encrypted and of old files
        return "", "encrypted, or an old Word file; save it as .docx without a password"
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            if any(entry.filename.lower().endswith("vbaproject.bin") for entry in parts.infolist()):
                return "", ADVICE["docm"]
            if sum(entry.file_size for entry in parts.infolist()) > 8 * most:
                return "", f"larger than {8 * most // 2**20:,} MB unpacked"
        opened = Document(io.BytesIO(content))
        headers = [paragraph.text for section in opened.sections[:1] for paragraph in section.header.paragraphs]
        lines = [*headers, *_paragraphs(opened.element.body)]
    except (*FAULTS, OpcError, LxmlError, AttributeError, TypeError):
        return "", "a damaged Word file"
    return "\n".join(lines).encode("utf-8", "replace").decode().strip("\n"), ""


def _paragraphs(body: object) -> Iterator[str]:
    """The text of each paragraph; what a text box repeats for older programs is not read twice."""
    from docx.oxml.ns import qn
    from docx.text.paragraph import Paragraph

    older = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
    for element in body.iter(qn("w:p")):  # type: ignore[attr-defined]
        if next(element.iterancestors(older), None) is None:
            yield Paragraph(element, None).text  # type: ignore[arg-type]
