"""How long the crash tests are, and by which dice.

MEDIACRAWL_KILLS=200     kills of the crawl; without it 20, the short form, with half of the damages that are repaired.
                         ``make crash`` runs the long one.
MEDIACRAWL_DICE=12345    repeats the kills of an earlier run, as far as two runs are alike. A failure names its own.
"""

import os
import random

KILLS = int(os.environ.get("MEDIACRAWL_KILLS") or 20)
LONG = KILLS > 20
DICE = int(os.environ.get("MEDIACRAWL_DICE") or random.SystemRandom().randrange(2**32))


def dice(name):
    """The random numbers of one test."""
    return random.Random(f"{DICE}/{name}")
