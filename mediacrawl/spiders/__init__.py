"""Doors: the spiders. They are short, since they only join the rooms. Nothing here prints: scrapyd reads stdout."""
