"""Reads settings: with their declared types and defaults, as policies of the domain packages, as folders."""
