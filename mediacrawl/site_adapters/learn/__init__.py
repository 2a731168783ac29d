"""Learns site adapters from recordings of browsers.

`learning.learn` is all that others use. This is how it works:

* `visits` parses the answers of each recorded page (`trees`), `subject` chooses the pages to learn from, and `holders`
  looks where the media that they played stand.
* `roles` aligns the requests of the pages. `reach` explains their URLs (`urls`): `templates` takes them apart, and
  `tracing` finds for each piece that differs the source that gives it on all pages (`sources`, `steps`, `items`).
  `noise` drops parameters that the answers do not need.
* `mapper` finds the media in the answers, `joining` those that are joined of values. `mappings` weighs which are the
  page's: by what was played, by ids and titles (`marks`), by the lists that they stand in (`lists`), and never those of
  advertisements (`targets`). `nextpage` finds how a list goes on.
* `building` writes the adapter, with the form of the pages' URLs (`pages`) and facts (`facts`). `proof` applies it with
  the engine to the recordings; what they refute is not returned.
* `refusing` says why there is no adapter, by the signs in `protection`, and `onepage` what one page does not tell.
  `telling` says how an adapter works.

A wrong adapter is worse than none: it gives media of other pages to millions of pages. So whatever is right on the
recorded pages by chance, or by its place in a list only, is refused.
"""
