"""The frontier in one SQLite file, or in memory."""
