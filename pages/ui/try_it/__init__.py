"""The parts of Try it."""
