"""One crawl: what its components share, its leases and the requests made of them, spiders' arguments, state files."""
