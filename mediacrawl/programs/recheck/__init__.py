"""Doubtful records probed once more: which of them, and the spider that requests them again."""
