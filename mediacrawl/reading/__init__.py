"""Reads responses: pages, lists and media files become links and records."""
