"""How promising is a URL?

Comes in: a URL that scope let through, with its evidence, and what came of each visit. Goes out: the name of a URL's
link class, and the scores of classes.

It promises never to look at a single URL's row again: only classes have scores. What is learned is bounded, and
outlives the process in the frontier's notes and in the file of the model. A user's own function may decide what is a
find (`nuggets`); an exception in it ends nothing.

Begin with `links`: the class of a link, the score that it starts with, its features. `adaptive.Adaptive` learns the
scores from what the crawl found (`visits` shares the reward of a find, also with other workers; `learner` is the
model); `orders` has others to compare with. `hubs` and `revisits` are for pages that are requested again.
"""

from mediacrawl.priority.links import Scores, link_class

__all__ = ["Scores", "link_class"]
