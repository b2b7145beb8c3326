"""Answers to people: does a language model answer one person as it answers another?"""

from __future__ import annotations

from pages.ui.audits import chats, frame, parts
from pages.ui.audits.chats import AUDIT
from pages.ui.frame import shell

shell.guard()
frame.begin(AUDIT, chats.show, chats.show_so_far)
frame.ask_earlier(AUDIT)

with shell.step(1, "Language model", "The model that answers."):
    generator = parts.ask_generator(AUDIT)

with shell.step(2, "Tasks and people", "What is asked, and who asks."):
    asked, files, first = chats.ask_tasks_and_people()

with shell.step(3, "Scores", "What is measured of each answer, beside length, reading level and refusals."):
    scores = chats.ask_scores()

with shell.step(4, "Run", "You can close this page; it keeps running."):
    chats.start(generator, {**asked, **scores}, files, first)
