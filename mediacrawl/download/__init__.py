"""From a leased request to its response: names and their addresses, connections, and the bytes that are read.

`http_handler` is what Scrapy calls; begin there. It connects (`http_client`) only to addresses that the guard has
allowed (`resolver.GuardedNames`), and the crawl reads no more of a body than it needs (`body_bytes`).
"""
