"""The frontier in Redis, for any number of workers at once."""
