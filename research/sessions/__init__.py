"""How long visitors wait when many of them ask at the same moment."""
