"""A small web on loopback with real media files, for the first run and for the tests.

Comes in: a free port. Goes out: an HTTP server in a thread of its own, the seeds, the names of its hosts,
and a log of every request as the *server* saw it. It promises to be a web: it knows nothing of the crawler.
"""
