"""Where continuations end."""

from __future__ import annotations

import pytest

from psa_core.audits.generation.cutting import cut


@pytest.mark.parametrize(
    ("sampled", "wanted"),
    [
        (" glad. Next week", "glad."),
        (" glad\nand then", "glad"),
        (" glad. And then\nso", "glad. And then"),
        (' said "no." And', 'said "no."'),
        (" paid 3.50 an hour", ""),
        (" see www.example.org for", ""),
        (" no end", ""),
        (" ... well", ""),
        ("\n\n", ""),
        (".", ""),
        (" wait... then", "wait..."),
        (" 5. Then", "5."),
        ("", ""),
    ],
)
def test_cut(sampled: str, wanted: str) -> None:
    assert cut(sampled) == wanted
