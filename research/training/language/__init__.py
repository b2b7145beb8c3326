"""Training a language model on, so that what it writes differs less in sentiment from value to value of an attribute.

Steps two and three of Huang et al. 2020, section 4: a projection that reads sentiment from hidden states, and a part of
the loss that asks for the same of a prefix with one value and with another.
"""

from __future__ import annotations

from research.training.language.recipe import METHODS, LanguageRecipe
from research.training.language.run import FILE, HELD_OUT, Order, debias

__all__ = ["FILE", "HELD_OUT", "METHODS", "LanguageRecipe", "Order", "debias"]
