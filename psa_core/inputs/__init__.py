"""What a person hands in: sentences, name lists, single values; read once, checked, and safe for a spreadsheet."""
