"""When a site may be requested, and whether a URL may be.

In come what is known of a site (response times, failures, robots.txt), the addresses of its host, and the time. Out
come delays in seconds, the clocks of a site and of an address after a visit, and verdicts on a URL (`robots`,
`robots_book`) and on an address (`addresses`). Nothing here sleeps, fetches or resolves names.
"""
