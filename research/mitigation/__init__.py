"""What training on does to a classifier and to a language model, on names, values and texts that it never saw."""
