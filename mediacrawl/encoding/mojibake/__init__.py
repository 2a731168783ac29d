"""Repair of mojibake: text that was decoded with a wrong encoding before it was stored.

`repairer` decides; `routes` lists the wrong decodings that can be undone without loss, `lossy` those that lost bytes
(`utf8_losses` for UTF-8, `lost_bytes` for code pages); `substitutions` learns from pairs of stored and right texts.
"""
