"""Several workers of one crawl on one machine: started, looked after, and told of as one.

Comes in: how many, what they are told, and the means to start a process and to say something. Goes out: processes, each
in a folder of its own; one stream of all their logs; ``fleet.json`` with the sums of all their stats. It promises that
what dies is started again, with pauses, until that has no use; that a worker is asked to stop once, and killed only
when the operator insists; and that none goes on when the fleet itself is killed (`leash`). Where nobody named a Redis
server, the fleet has one of its own (`server`).
"""

from mediacrawl.fleet.account import Account
from mediacrawl.fleet.alone import FleetError, alone
from mediacrawl.fleet.fleet import Fleet, Plan, World
from mediacrawl.fleet.orders import Orders
from mediacrawl.fleet.patience import Deaths, Patience
from mediacrawl.fleet.worker import LOST

__all__ = ["LOST", "Account", "Deaths", "Fleet", "FleetError", "Orders", "Patience", "Plan", "World", "alone"]
