"""The sibling audits' pages."""
