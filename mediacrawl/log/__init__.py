"""The request log: a line of JSON for each request, a month of days, by which a complaint is answered weeks later.

No header of a server breaks a line or sends escape sequences to a terminal, a process kill loses no line, and the crawl
continues when the log's disk is full. Begin reading in `request_log`; `archive` keeps the days, `search` reads them.
"""
