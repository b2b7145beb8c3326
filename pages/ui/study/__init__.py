"""The steps of Study, and the run they start."""
