"""The studies behind ``docs/results.md``, and the command that runs them and writes the page's measured sections."""
