"""Every sentence about a study's numbers: one plain headline, with its evidence."""
