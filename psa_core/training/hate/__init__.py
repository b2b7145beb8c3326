"""Training tables for a hate-speech adapter, from public sets and our own sentences: ``python -m psa_core.training.hate``."""
