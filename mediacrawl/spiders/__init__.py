"""The spiders. Nothing here prints: scrapyd reads stdout."""
