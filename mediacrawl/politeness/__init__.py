"""When may we go, and may we at all?

Comes in: what a site did so far (response times, its robots.txt), and the time. Goes out: a delay in seconds,
a site's clocks after a visit, a verdict on a URL. It promises to decide only: nothing here sleeps, fetches or writes.
"""
