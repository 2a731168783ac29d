"""How promising is a URL?

Comes in: a URL that scope let through, with its evidence. Goes out: the name of its link class, and the score
with which a new class starts. It promises never to look at a single URL's row again: only classes have scores.
"""

from mediacrawl.priority.link_class import link_class
from mediacrawl.priority.score import Scores

__all__ = ["Scores", "link_class"]
