"""Scrapy extensions: what happens beside the requests of a crawl.

They write its status, tell its operator, poll for start URLs, carry out orders, and stop a crawl that fails. Each is
switched on by its setting in ``EXTENSIONS``; most do nothing with another scheduler than ours.
"""

from mediacrawl.extensions.breaker import Breaker
from mediacrawl.extensions.feeding import Feeding
from mediacrawl.extensions.log_format import QuietLogFormatter
from mediacrawl.extensions.notify import Notify
from mediacrawl.extensions.progress import LastWord, Progress
from mediacrawl.extensions.revisiting import Revisiting
from mediacrawl.extensions.status_file import MetricsPort, StatsFile, StatusFile
from mediacrawl.extensions.steering import Steering

__all__ = [
    "Breaker",
    "Feeding",
    "LastWord",
    "MetricsPort",
    "Notify",
    "Progress",
    "QuietLogFormatter",
    "Revisiting",
    "StatsFile",
    "StatusFile",
    "Steering",
]
