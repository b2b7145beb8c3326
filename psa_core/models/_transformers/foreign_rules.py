"""What a tokenizer's rules may do at a text: they come with a model, and their library raises whatever it likes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from psa_core.errors import ModelError
from psa_core.models._answers import reason

#: What a fault in the library's own language is called; it is no `Exception`, and cannot be imported.
PANIC = "PanicException"


@contextmanager
def foreign_rules() -> Iterator[None]:
    """Say in a sentence that a tokenizer fails in this block: a regular expression that gives up, no token for a word.

    Raises
    ------
    ModelError
    """
    try:
        yield
    except MemoryError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            raise
        got = f"rules that fail at a text ({reason(error)})"
        fix = "Save it again with tokenizer.save_pretrained."
        raise ModelError("tokenizer", got=got, expected="a token for everything", fix=fix) from error
