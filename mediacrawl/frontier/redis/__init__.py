"""The frontier in Redis, for any number of workers at once.

`store.RedisFrontier` is the `Frontier` whose methods wait for Redis; operators' commands and tests use it as it is. A
crawl uses `worker.RedisWorker`, whose methods return at once: they put messages into `outbox.Outbox` and take leases
from `leases.LeasePool`, and `worker_thread.WorkerThread` exchanges both with Redis in one round trip.

The parts of the store: `session.RedisSession` makes this process a worker of the crawl, renews its leases and reads the
counters, and `session.Scripts` runs the files in ``lua/``: every change of a site is one atomic script, and
``lua/common.lua`` lists the keys. `rows` adds URLs, reads those that wait and asks which are known; `sites.Sites` reads
sites; `leases.RedisLeases` takes leases and ends visits, with the notes of other packages; `store.Removal` drops and
prunes. `errors` says which failures pass.

`reader` is the operator's view, `start_urls` the key by which other programs add URLs. Importing this package does not
import redis-py, which takes a tenth of a second.
"""
