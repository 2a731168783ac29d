"""One crawl: its leases, the requests made of them, its spiders' arguments, and its state files."""
