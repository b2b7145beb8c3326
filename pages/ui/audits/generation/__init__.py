"""The parts of Language models."""
