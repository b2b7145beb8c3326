"""What the transformers plug-ins share: where files are, how they are loaded, heads, adapters, language models."""

from __future__ import annotations

import threading

_importing = threading.Lock()


def import_transformers() -> None:
    """Import transformers, to be called before each import from it, by one thread at a time.

    It puts another module in its own place while it is imported, so a thread that comes upon the first one, waits and
    goes on with it, as Python lets it, finds none of the names that it wants.
    """
    with _importing:
        import transformers  # noqa: F401
