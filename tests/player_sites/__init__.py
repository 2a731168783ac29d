"""Player sites: synthetic sites whose pages hide their media behind scripts, with recordings by real browsers.

    from player_sites.sites import SITES                           # name -> site
    from player_sites.server import PlayerWeb                      # one server for all of them
    from player_sites.recordings_of import read_har, recordings_of
    from player_sites.moving import adapter_at_port                # what was learned, at a server's port

`site.PlayerSite` says what a site tells of itself: its pages, the media of each page (the truth), the requests that
name them, and what a learner should make of it. ``recordings/NAME.har.gz`` are what Chromium recorded,
``recordings/NAME.firefox.har.gz`` what Firefox exported; `flavours` makes other exports of the first.

In recordings no URL has a port: the browser is told where the hosts are. In a crawl each host has the server's port,
and the answers name it, because sites write URLs for the host that the request names. `PlayerSite.truth` answers with
the port of the page that it is asked about.

To add a site, write a module in ``sites/`` and name its class in ``sites/__init__.py``, then record it with
``PYTHONPATH=.:tests python -m player_sites.recorder NAME``.
"""
