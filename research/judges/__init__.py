"""Three decisions of a language model over name lists."""
