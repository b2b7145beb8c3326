"""How fast the scoring core is, against its limits and its peers."""
