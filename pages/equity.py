"""Equity: do scores differ when only the gender or the race of the person in a sentence does?"""

from __future__ import annotations

from pages.ui.audits import equity, frame
from pages.ui.audits.equity import AUDIT
from pages.ui.frame import shell

shell.guard()
frame.begin(AUDIT, equity.show)
frame.ask_earlier(AUDIT)

with shell.step(1, "Systems", "The models to test. Several are compared side by side."):
    systems = equity.ask_systems()

with shell.step(2, "Sentences", "The paper's 8,640 sentences, or your own templates, people and words."):
    design, sentences = equity.ask_sentences()

with shell.step(3, "Run", "Every sentence by every system. You can close this page; it keeps running."):
    equity.start(systems, design, sentences)
