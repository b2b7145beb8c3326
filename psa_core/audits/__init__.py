"""The sibling audits: other published methods on the same cube, scorers and cache."""
