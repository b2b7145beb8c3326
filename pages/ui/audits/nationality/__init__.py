"""The parts of Nationality."""
