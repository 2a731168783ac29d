"""Programs on top of the crawler. Each stands on the rest; nothing stands on them.

`fleet` runs several workers, `rerun` repairs stored items again, `music` the tags of files, `segment` makes seeds of
stored links, `complaint` answers a site's owner, `report` draws a page or a terminal screen, `recheck` probes doubtful
records again, `frontier_tools` checks and repairs a frontier, `single` shows what one URL gives, `demo` is a web to
crawl. `commands` has their commands.
"""
