"""Learns site adapters from recordings of browsers.

`learning.learn` is all that others use. This is how it works:

* `visits` parses the answers of each recorded page, `holders` looks where the media that it played stand.
* `roles` aligns the requests of the pages. `reach` explains their URLs: `templates` takes them apart, and `tracing`
  finds for each piece that differs the source that gives it on all pages (`sources`, `steps`). `noise` drops
  parameters that the answers do not need.
* `mappings` finds the media in the answers, and decides which are the page's: by what was played, by ids and titles
  (`marks`), by the lists that they stand in (`lists`), and never those of advertisements (`targets`).
* `building` writes the adapter, with the form of the pages' URLs (`pages`) and facts (`facts`). `proof` applies it with
  the engine to the recordings; what they refute is not returned.
* `refusing` says why there is no adapter, by the signs in `protection`. `telling` says how one works.
"""
