"""Pages driven without a browser, each in a folder of runs of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

PAGES = Path(__file__).resolve().parent.parent.parent / "pages"


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs and cache of a test are its own; Streamlit's advice to run a server is not wanted."""
    monkeypatch.setenv("PSA_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("PSA_HISTORY", raising=False)
    logging.getLogger("streamlit").setLevel(logging.ERROR)


@pytest.fixture
def open_page() -> Callable[..., AppTest]:
    """Open a page by its file name, with query parameters."""

    def opened(stem: str, **parameters: str | list[str]) -> AppTest:
        page = AppTest.from_file(str(PAGES / f"{stem}.py"), default_timeout=120)
        for name, value in parameters.items():
            page.query_params[name] = value
        return run(page)

    return opened


def run(page: AppTest) -> AppTest:
    """Run a page and insist that nothing was raised."""
    page.run()
    assert not page.exception, page.exception
    return page


@pytest.fixture(name="run")
def run_fixture() -> Callable[[AppTest], AppTest]:
    """`run`, for tests that cannot import from here."""
    return run


@pytest.fixture
def words_of() -> Callable[[AppTest], str]:
    """Everything that a page says: markdown, plain text, HTML and captions."""

    def words(page: AppTest) -> str:
        html = [element.proto.body.replace("&nbsp;", " ") for element in page.get("html")]
        kinds = (page.title, page.header, page.markdown, page.text, page.caption)
        return "\n".join([*html, *(element.value for kind in kinds for element in kind)])

    return words
