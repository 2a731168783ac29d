"""Learns site adapters from recordings of browsers.

`learning.learn` is all that others use. This is how it works:

* `visits` parses the answers of each recorded page (`trees`), and `subject` chooses the pages to learn from, and looks
  where the media that they played are.
* `reach` aligns the requests of the pages and explains their URLs (`urls`): `templates` takes them apart, and
  `tracing` finds for each piece that differs the source that gives it on all pages (`sources`). Parameters
  that the page's script makes up are left out.
* `mapper` finds the media in the answers, also those that are joined of values, and weighs which are the
  page's: by what was played, by ids and titles, and by the lists that they are in (`lists`).
* `building` writes the adapter, with the form of the pages' URLs (`pages`) and facts (`facts`). `learning` proves it:
  the engine applies it to the recordings. `secrets` tells which constants it may not have.
* `refusing` says why there is no adapter, by the signs in `protection`.

All words that it knows are in `words`. A wrong adapter is worse than none: it gives media of other pages to millions of
pages. So whatever is right on the recorded pages by chance, or by its place in a list only, is refused.
"""
