"""Retraining, so that a classifier's answers move less with a name: measured on names and sentences it never saw."""

from __future__ import annotations

from psa_core.retraining.run import ADAPTER, AFTER, BEFORE, FILE, MAX_SEEDS, Order, retrain
from psa_core.retraining.student import METHODS, Retraining
