"""Recordings of browsers (HTTP Archive, HAR): read in bounded memory, and without their secrets (`reading`)."""
