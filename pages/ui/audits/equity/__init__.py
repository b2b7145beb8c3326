"""The parts of Equity."""
