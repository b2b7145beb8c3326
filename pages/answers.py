"""Answers to people: does a language model answer one person as it answers another?"""

from __future__ import annotations

from pages.ui.audits import frame, model_choice
from pages.ui.audits.chats import results, setup
from pages.ui.audits.chats.setup import AUDIT
from pages.ui.frame import shell
from pages.ui.frame.step import step

shell.guard()
frame.begin(AUDIT, results.show, results.show_so_far)
frame.ask_earlier(AUDIT)

with step(1, "Language model", "The model that answers."):
    generator = model_choice.ask_generator(AUDIT)

with step(2, "Tasks and people", "What is asked, and who asks."):
    asked, files, chats = setup.ask_tasks_and_people()

with step(3, "Scores", "What is measured of each answer, beside length, reading level and refusals."):
    scores = setup.ask_scores()

with step(4, "Run", "You can close this page; it keeps running."):
    setup.start(generator, {**asked, **scores}, files, chats)
