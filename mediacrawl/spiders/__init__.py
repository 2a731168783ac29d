"""The spiders: `media` crawls from seeds, `feeds` polls feeds, `base` is what they share.

A spider makes seeds of its arguments and hands each response to `reading`. Nothing here prints: scrapyd reads stdout.
"""
