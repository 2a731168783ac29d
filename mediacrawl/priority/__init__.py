"""How promising is a URL?

Comes in: a URL that scope let through, with its evidence, and what came of each visit. Goes out: the name of a URL's
link class, and the scores of classes. `adaptive` learns them from what the crawl found; `orders` has others to compare
with. It promises never to look at a single URL's row again: only classes have scores.
"""

from mediacrawl.priority.links import Scores, link_class

__all__ = ["Scores", "link_class"]
