"""The parts of Answers to people."""
