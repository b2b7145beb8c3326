"""A folder or a zip of documents: each one text, and what cannot be read left out with its reason."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from docx import Document
from pypdf import PdfWriter

from psa_core import trust
from psa_core.errors import CorpusError
from psa_core.inputs import corpus, documents
from psa_core.plurals import noun_of


def pdf(text: str, pages: int = 1) -> bytes:
    """A PDF written by hand, with the text on each page."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    lines = b" ".join(b"(%s) Tj T*" % line.encode("latin-1") for line in text.split("\n") if text)
    stream = b"BT /F1 12 Tf 14 TL 72 720 Td %s ET" % lines
    objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R %s >>"
    page %= b"/Resources << /Font << /F1 3 0 R >> >>"
    objects += [page] * pages
    kids = b" ".join(b"%d 0 R" % number for number in range(5, 5 + pages))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (pages, kids)
    body, starts = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        starts.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    size = len(objects) + 1
    end = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (size, table, end)


def encrypted(password: str) -> bytes:
    writer, buffer = PdfWriter(clone_from=io.BytesIO(pdf("Nobody may read of Maria Hollowell."))), io.BytesIO()
    writer.encrypt(password, "owner", algorithm="RC4-128")
    writer.write(buffer)
    return buffer.getvalue()


def docx() -> bytes:
    document, buffer = Document(), io.BytesIO()
    document.sections[0].header.paragraphs[0].text = "Maria Hollowell"
    document.add_paragraph("Cook, Leeds")
    cells = document.add_table(1, 2).rows[0].cells
    cells[0].text, cells[1].text = "2019", "Head cook"
    document.add_paragraph("She likes chess.")
    document.save(buffer)
    return buffer.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    return documents.zipped([*files.items()])


FILES = {
    "cvs/a.txt": b"Maria Hollowell\r\n\r\nCook  \r\n",
    "cvs/b.docx": docx(),
    "cvs/more/c.pdf": pdf("Maria Hollowell of Leeds\nHead cook since 2019"),
    "cvs/d.md": "# مرحبا\nدان".encode(),
    "cvs/printing-only.pdf": encrypted(""),
}
TEXTS = {
    "a.txt": "Maria Hollowell\n\nCook",
    "b.docx": "Maria Hollowell\nCook, Leeds\n2019\nHead cook\nShe likes chess.",
    "d.md": "# مرحبا\nدان",
    "more/c.pdf": "Maria Hollowell of Leeds\nHead cook since 2019",
    "printing-only.pdf": "Nobody may read of Maria Hollowell.",
}
UNREADABLE = {
    "locked.pdf": (encrypted("secret"), "encrypted; save it without a password"),
    "scan.pdf": (pdf(""), "a PDF without text, such as a scan; run text recognition on it first"),
    "long.pdf": (pdf("Again and again.", pages=400), "longer than 100 pages"),
    "torn.pdf": (pdf("Torn.")[:60], "a damaged PDF"),
    "torn.docx": (docx()[:900], "a damaged Word file"),
    "old.docx": (b"\xd0\xcf\x11\xe0rest", "encrypted, or an old Word file; save it as .docx without a password"),
    "macros.docm": (b"PK", "it may hold macros; save it as .docx"),
    "hidden.docx": (zipped({"word/vbaProject.bin": b"x"}), "it may hold macros; save it as .docx"),
    "bytes.txt": (b"\0\1\2", "not text"),
    "blank.txt": (b" \n", "empty"),
    "photo.png": (b"\x89PNG", "of another kind than .txt, .md, .docx or .pdf"),
}


def in_folder(files: dict[str, bytes], folder: Path) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def texts(read: corpus.Corpus) -> dict[str, str]:
    return dict(zip(read.sentences["sentence_id"], read.sentences["text"], strict=True))


def test_a_zip_and_a_folder_of_documents_give_one_text_a_file_with_its_lines(tmp_path: Path) -> None:
    packed = corpus.parse("cvs.zip", zipped(FILES))
    assert texts(packed) == TEXTS and packed.notes == ()
    folder = in_folder(FILES, tmp_path) / "cvs"
    assert texts(corpus.load(str(folder))) == TEXTS
    (folder / "a.txt").write_text("Other")
    assert corpus.load(str(folder)).sha256 != packed.sha256


@pytest.mark.parametrize("kind", documents.KINDS)
def test_short_files_of_every_kind_are_documents_and_their_texts_in_a_table_sentences(kind: str) -> None:
    ids = [f"team/Anna.{kind.upper()}", f"ben.{kind}"]
    table = pd.DataFrame({"sentence_id": ids, "text": ["He left.", "She stayed."]})
    assert noun_of(table) == "document"
    assert noun_of(table.assign(sentence_id=["1", ids[1]])) == noun_of(table.iloc[:0]) == "sentence"
    read = corpus.parse("cvs.zip", zipped({"a.txt": b"He left.", "b.txt": b"She stayed."}))
    assert read.noun == "document"


def test_what_cannot_be_read_is_left_out_with_its_reason_and_the_rest_goes_on() -> None:
    broken = {name: content for name, (content, _) in UNREADABLE.items()}
    unseen = {"__MACOSX/._a.txt": b"\0", ".DS_Store": b"\0", "~$b.docx": b"\0"}
    packed = zipped({"a.txt": b"A text.", **broken, **unseen})
    found = documents.read_zip("cvs.zip", packed)
    assert found.texts == {"a.txt": "A text."}
    assert found.left_out == {name: reason for name, (_, reason) in UNREADABLE.items()}
    read = corpus.parse("cvs.zip", packed)
    assert read.left_out == len(UNREADABLE)
    assert "1 file left out (encrypted; save it without a password): locked.pdf." in read.notes
    assert "2 files left out (it may hold macros; save it as .docx): hidden.docx, macros.docm." in read.notes


@pytest.mark.parametrize("name", ["scan.pdf", "torn.docx", "locked.pdf"])
def test_a_document_by_itself_that_cannot_be_read_is_one_sentence(name: str) -> None:
    content, reason = UNREADABLE[name]
    with pytest.raises(CorpusError) as told:
        corpus.parse(name, content)
    assert str(told.value) == f"sentences: got {name} ({reason}), expected a document with text."


@pytest.mark.parametrize(
    ("content", "got"),
    [
        (b"PK\3\4", "cvs.zip, which is no zip or a damaged one"),
        (zipped({}), "no document in cvs.zip: it holds no files"),
        (zipped({"a.xlsx": b"", "b.png": b""}), "no document in cvs.zip: 2 files left out (of another kind than"),
    ],
)
def test_a_zip_without_a_document_is_one_sentence(content: bytes, got: str) -> None:
    with pytest.raises(CorpusError) as told:
        corpus.parse("cvs.zip", content)
    assert got in str(told.value) and "\n" not in str(told.value)


def test_ten_thousand_files_are_read_as_far_as_the_limit_goes_and_the_others_counted() -> None:
    read = corpus.parse("many.zip", zipped({f"{n:05}.txt": b"A text." for n in range(10_000)}))
    assert len(read.sentences) == 2_000 and read.left_out == 8_000
    assert read.notes == (
        "8,000 files left out (beyond the first 2,000 files): 02000.txt, 02001.txt, 02002.txt and 7,997 more.",
    )


def test_sizes_are_limited_by_file_and_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_MAX_DOCUMENT_MB", "1")
    monkeypatch.setenv("PSA_MAX_FILE_MB", "2")
    large = {"0.txt": b"a" * (2**20 + 1)} | {f"{n}.txt": b"a" * (2**20 - 10) for n in range(1, 4)}
    assert documents.read_zip("a.zip", zipped(large)).left_out == {
        "0.txt": "larger than 1 MB",
        "3.txt": "larger than 2 MB together",
    }


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A text.")
    (tmp_path / "b.txt").symlink_to("/etc/hostname")
    assert documents.read_folder(tmp_path).left_out == {"b.txt": "damaged or unreadable"}


def test_a_visitors_texts_unpack_to_a_quarter_of_what_a_session_may_upload(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_MAX_UPLOADS_EACH_MB", "4")
    small = zipped({f"{n}.txt": b"A text. " * 60_000 for n in range(4)})  # 0.48 MB each
    assert len(small) < 20_000
    with trust.acting(trust.Origin.VISITOR):
        assert documents.read_zip("a.zip", small).left_out == dict.fromkeys(
            ("2.txt", "3.txt"), "larger than 1 MB together"
        )
    assert not documents.read_zip("a.zip", small).left_out


def test_a_visitors_documents_are_read_for_a_limited_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now, parsed = [0.0], list[str]()

    def call(function: object, files: Any, *_: object, **__: object) -> Any:
        if function is documents.unzipped:
            return [(name, files and b"x") for name in ("a.pdf", "b.pdf", "c.txt")]
        parsed.extend(name for name, _ in files)
        now[0] += 2 * documents.READ_SECONDS
        raise CorpusError("sentences", got="a file that needs more than 15 seconds", expected="less")

    monkeypatch.setattr(documents.bounded, "call", call)
    monkeypatch.setattr(documents.time, "monotonic", lambda: now[0])
    with trust.acting(trust.Origin.VISITOR):
        found = documents.read_zip("a.zip", b"x")
    assert parsed == ["a.pdf", "b.pdf"] and found.texts == {"c.txt": "x"}
    assert set(found.left_out.values()) == {"not read, since those before it took too long"}


def test_documents_are_kept_as_compactly_as_rows() -> None:
    text = "He came. " * 10_000 + "\N{GRINNING FACE}"  # Python's own string of it takes four bytes a letter
    kept = corpus.parse("a.zip", zipped({"a.txt": text.encode(), "b.txt": text.encode()})).sentences
    assert kept["text"].tolist() == [text, text]
    assert kept.memory_usage(deep=True).sum() < 1.1 * 2 * len(text.encode())


def test_a_file_locked_inside_a_zip_or_there_twice_is_left_out() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        for text in ("One.", "Two."):
            archive.writestr("a.txt", text)
        archive.writestr("b.txt", "Secret.")
    # The flag of encryption of the last entry, in its two headers.
    content = bytearray(buffer.getvalue())
    content[content.rindex(b"PK\3\4") + 6] |= 1
    content[content.rindex(b"PK\1\2") + 8] |= 1
    found = documents.read_zip("a.zip", bytes(content))
    assert found.texts == {"a.txt": "One."}
    assert found.left_out == {"a.txt (again)": "another file of the same name", "b.txt": "locked by a password"}


def test_a_file_that_takes_too_long_is_left_out_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def call(function: object, files: list[tuple[str, bytes]], *_: object, **__: object) -> list[tuple[str, str]]:
        calls.append(len(files))
        if any(name == "slow.pdf" for name, _ in files):
            raise CorpusError("sentences", got="a file that needs more", expected="less")
        return [("Text.", "") for _ in files]

    monkeypatch.setattr(documents.bounded, "call", call)
    files: list[documents.Gathered] = [(name, b"") for name in ("a.pdf", "slow.pdf", "z.pdf")]
    found = documents._read("cvs", files)
    assert list(found.texts) == ["a.pdf", "z.pdf"] and calls == [3, 1, 1, 1]
    assert found.left_out == {"slow.pdf": "damaged, or it takes too much time or memory to read"}


def test_lines_of_a_table_s_long_texts_survive() -> None:
    read = corpus.parse("a.csv", b'id,text\n1,"Dear all,\n\n  I write\tto you.\nBye"\n')
    assert read.sentences["text"].tolist() == ["Dear all,\n\n  I write\tto you.\nBye"]


def test_several_files_of_one_name_are_kept_apart_in_a_zip() -> None:
    assert documents.read_zip("a.zip", documents.zipped([("a.txt", b"One"), ("a.txt", b"Two")])).texts == {
        "a (2).txt": "Two",
        "a.txt": "One",
    }
