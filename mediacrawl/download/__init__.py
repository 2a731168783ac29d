"""The network side: HTTP handler, address guard, and name resolution."""
