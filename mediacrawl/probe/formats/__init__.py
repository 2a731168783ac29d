"""Readers of media formats: one module a container, a codec or a family of small ones."""
