"""What the transformers plug-ins share: where files are, how they are loaded, heads, adapters, language models."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from psa_core import trust
from psa_core.errors import ModelError, PsaError
from psa_core.models._answers import reason

#: What a fault in the tokenizers library's own language is called; it is no `Exception`, and cannot be imported.
PANIC = "PanicException"
_importing = threading.Lock()


def import_transformers() -> None:
    """Import transformers, to be called before each import from it, by one thread at a time.

    It puts another module in its own place while it is imported, so a thread that comes upon the first one, waits and
    goes on with it, as Python lets it, finds none of the names that it wants.
    """
    with _importing:
        import transformers


@contextmanager
def foreign(field: str, got: str, expected: str, fix: str = "") -> Iterator[None]:
    """Say in one sentence what a model's own files make a library raise in this block, which may be anything.

    Raises `ModelError` with what was raised in brackets after `got`; a `PsaError` and a lack of memory pass as they
    are.
    """
    try:
        yield
    except (PsaError, MemoryError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            raise
        raise ModelError(field, got=f"{got} ({reason_of(error)})", expected=expected, fix=fix) from error


def foreign_rules() -> AbstractContextManager[None]:
    """For a block that reads a text by a tokenizer's rules, which may give up or have no token for a word."""
    fix = "Save it again with tokenizer.save_pretrained."
    return foreign("tokenizer", "rules that fail at a text", "a token for everything", fix)


def reason_of(error: BaseException) -> str:
    """What an error says; a visitor is not told where the server keeps its models."""
    words = reason(error)
    return re.sub(r"(/[^/\s'\"]+)+/", "", words) if trust.current() >= trust.Origin.VISITOR else words
