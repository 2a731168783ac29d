"""Where URLs wait.

Comes in: candidates that scope let through, and the outcome of each visit. Goes out: leases, one per site at
a time, each of a site whose release time has come. It promises that no URL is lost and no site asked early,
whenever the process dies; `contract.Frontier` says so method by method. Begin there, then read `sqlite.store`;
`stores.open_store` opens what the settings name.
"""

from mediacrawl.frontier.contract import Counts, Frontier, FrontierBusyError, FrontierError, FrontierPolicy

__all__ = ["Counts", "Frontier", "FrontierBusyError", "FrontierError", "FrontierPolicy"]
