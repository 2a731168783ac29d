"""Player sites: synthetic sites whose pages hide their media behind scripts, with recordings by a real browser.

    from player_sites.sites import SITES              # name -> site
    from player_sites.server import PlayerWeb         # one server for all of them
    from player_sites.recordings_of import recordings_of, read_har

`site.PlayerSite` says what a site tells of itself: its pages, the media of each page (the truth), and what a learner
should make of it. ``recordings/NAME.har.gz`` are what Chromium recorded of it; ``recorder.py`` records them again.
"""
