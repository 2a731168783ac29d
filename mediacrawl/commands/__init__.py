"""Doors for the terminal: what ``scrapy`` can do in this project beside Scrapy's own commands.

Each also works outside of a project, by its entry point, where mediacrawl is installed.
"""
