"""The frontier in one SQLite file, or in memory.

Begin in `store`: `store.SQLiteFrontier` answers each call of the contract, and `store.SiteLifecycle` moves sites and
URLs between their places. Both stand on `front` (which site is next) and `tables` (what is kept, and its transaction),
which has the table of known URLs from `seen`. `database` opens the file, `pruning` deletes URLs, `reader` is the
operator's view.
"""
