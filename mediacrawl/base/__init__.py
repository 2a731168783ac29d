"""The ground of all packages: values, vocabularies and small helpers that know nothing of a crawl's decisions.

`terms` has the values that packages exchange (candidate, lease, outcome, drop reasons), `visit` the one object that
travels through a request, `facts` what a page says of a file. `codecs`, `languages`, `parts`, `identifiers` and
`loudness` are vocabularies of media. The rest are helpers: text for terminals, files that are replaced
whole, the clock, threads.
"""
