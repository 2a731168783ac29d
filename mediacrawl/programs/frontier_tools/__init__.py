"""Operators' tools: check and repair a frontier's file, carry out orders for a site, print what a frontier holds."""
