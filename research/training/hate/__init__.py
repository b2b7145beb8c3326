"""Training tables for a hate-speech adapter from public sets and our own sentences."""
