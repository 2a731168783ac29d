"""Site adapters: from the URL of a page to the small request of the site's own that names its media."""
