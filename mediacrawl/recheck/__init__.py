"""The decisions and the state of a recheck: which stored records it asks again, and what became of each."""
