"""The report of a crawl: a page that needs no network, and a screen for a terminal.

`page` writes the HTML page from the facts that `watch.facts` gathered; `screen` draws ``scrapy top``.
"""
