"""Our own signals, sent as Scrapy's are."""

seeds_joined = object()
"""All seeds are in the frontier, committed: ``(spider)``. Sent once for each start, with or without seeds."""

visit_ended = object()
"""A lease has ended: ``(visit, outcome, spider)``. Sent once for each lease, after the frontier has recorded it."""
