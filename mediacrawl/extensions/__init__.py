"""Scrapy extensions, one module each."""

from mediacrawl.extensions.breaker import Breaker
from mediacrawl.extensions.feeding import Feeding
from mediacrawl.extensions.last_word import LastWord
from mediacrawl.extensions.log_format import QuietLogFormatter
from mediacrawl.extensions.metrics_port import MetricsPort
from mediacrawl.extensions.notify import Notify
from mediacrawl.extensions.progress import Progress
from mediacrawl.extensions.revisiting import Revisiting
from mediacrawl.extensions.stats_file import StatsFile
from mediacrawl.extensions.status_file import StatusFile
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
