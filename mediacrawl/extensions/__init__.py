"""Doors to Scrapy's extensions, one file each."""

from mediacrawl.extensions.breaker import Breaker
from mediacrawl.extensions.log_format import QuietLogFormatter
from mediacrawl.extensions.progress import Progress
from mediacrawl.extensions.steering import Steering
from mediacrawl.extensions.tuning import Tuning

__all__ = ["Breaker", "Progress", "QuietLogFormatter", "Steering", "Tuning"]
