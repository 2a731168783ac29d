"""Repair of mojibake: text that was decoded with a wrong encoding before it was stored.

`repairer` decides; `routes` lists the wrong readings that can be undone without loss, `lossy` those that lost bytes
(`wrecks` for UTF-8, `gaps` for code pages); `substitutions` learns from pairs of stored and right texts (`alignment`).
"""
