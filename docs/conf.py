"""The documentation as a site: ``make docs`` writes it to ``docs/_build``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
project = "Perturbation sensitivity"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = project
# A table without a title, made by a tool; and what a package index shows.
exclude_patterns = ["_build", "licences.md", "pypi.md"]
napoleon_use_ivar = True
myst_heading_anchors = 3
autodoc_typehints = "signature"
# The pages at the root (SECURITY.md …) are no part of the site; tests/test_docs.py follows every link.
suppress_warnings = ["myst.xref_missing"]
