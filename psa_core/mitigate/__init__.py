"""Mitigation without training: score a text with every name of a list in it, and answer with the mean.

Prabhakaran et al. 2019, section 5: "a simple solution could use post-processing to return system scores as a function
of perturbed sentences, such as by averaging scores across perturbed sentences". What it does is measured on names and
sentences that had no part in it.
"""

from __future__ import annotations

from psa_core.mitigate._held_out import AlsoPeople, Loss, Trial, averaging_table, check, loss, recognised, trial
from psa_core.mitigate._scorer import NameAveraged, Template
from psa_core.mitigate._split import (
    Halves,
    drawn,
    halves,
    halves_of_names,
    name_keys,
    naming_none,
    sentence_keys,
    split_sentences,
)
