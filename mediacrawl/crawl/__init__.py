"""The life of a visit: from a lease of the frontier to the end of it.

`context` holds what the components of one crawl share, complete when it is open. `leases` makes requests of leases and
ends them, whatever happened; `intake` adds links to the frontier. `policies` reads settings into the policies of other
rooms, and `scrapy_internals` has each use of an undocumented part of Scrapy. Begin in `leases`.
"""
