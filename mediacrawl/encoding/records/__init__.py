"""Stored records: their text fields (`fields`), the evidence of each decision (`evidence`), and the `fixer`."""
