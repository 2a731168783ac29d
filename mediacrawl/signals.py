"""Signals of ours, sent as Scrapy's are."""

visit_ended = object()
"""A lease is over: ``(visit, outcome, spider)``. Sent once for each lease, after the frontier knows it."""
