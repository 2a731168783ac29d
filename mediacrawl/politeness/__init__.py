"""When may we go, and may we at all?

Comes in: what a site did so far (response times, troubles, its robots.txt), where its name leads, and the time. Goes
out: a delay in seconds, a site's and an address's clocks after a visit, a verdict on a URL (`robots`, `wishes`) and on
an address (`guard`). It promises to decide only: nothing here sleeps, fetches or looks a name up.
"""
