"""Commands for ``scrapy`` and ``mediacrawl``, one module each; `own` has their base classes, `late` finds them.

Each also works outside of a project, by its entry point, where mediacrawl is installed. This module imports nothing,
since Scrapy imports it before it knows which command runs.
"""
