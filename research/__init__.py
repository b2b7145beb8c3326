"""How the numbers in docs/ were made, and the packaged models trained: see README.md. Not in the wheel."""
