"""Wiring of a crawl: reads the settings into the domain packages' policies, and makes what one crawl shares."""
