"""Signals of ours, sent as Scrapy's are."""

seeds_joined = object()
"""All seeds of a start are in the frontier, safe from a kill: ``(spider)``. Sent once for each start, seeds or none."""

visit_ended = object()
"""A lease is over: ``(visit, outcome, spider)``. Sent once for each lease, after the frontier knows it."""
