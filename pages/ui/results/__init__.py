"""The parts of the pages that read a study."""
