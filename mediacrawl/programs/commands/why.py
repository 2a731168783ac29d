"""What speaks for a link that waits, as ``scrapy frontier why`` prints it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mediacrawl.base.format import count as in_figures
from mediacrawl.base.format import plural
from mediacrawl.base.terms import Kind
from mediacrawl.base.text import printable
from mediacrawl.priority.adaptive import ScorePolicy, SiteClasses
from mediacrawl.priority.learner import Learner
from mediacrawl.priority.links import Found, features, places

_STRONGEST = 5


@dataclass(frozen=True, slots=True)
class Explanation:
    """What speaks for a link.

    Attributes:
        fetches, credit: number of fetches of its class, and the sum of their rewards.
        odds: what the model says of this link, 0 to 1.
        factor: what the score of record and model is multiplied by; 1 for a site with finds.
        inlinks: how many sites with finds link to its site.
        goes_first: whether it is a file of a site without a record, see `SiteClasses.put_files_first`.
        score: the product.
        strongest: its features with the greatest weights, the greatest first: text and weight in log odds.
        learned: examples that the model has learned.
    """

    fetches: float
    credit: float
    odds: float
    factor: float
    inlinks: int
    goes_first: bool
    score: float
    strongest: tuple[tuple[str, float], ...]
    learned: int

    def rows(self) -> list[tuple[str, str]]:
        """Label and text of each row of ``scrapy frontier why``."""
        ended = f"{in_figures(int(self.fetches))} URLs of its class came to an end, worth {self.credit:.2f} in all"
        linked = f"times {self.factor:.3f}: it has no finds, and {plural(self.inlinks, 'site')} with finds link to it"
        rows = [
            ("record", ended if self.fetches else "no URL of its class has come to an end"),
            ("model", f"{self.odds:.3f} for this link, after {plural(self.learned, 'example')}"),
            *([("site", linked)] if self.factor != 1 else []),
            ("score", f"{self.score:.3f} by all of this, now"),
            *([("file", "goes before the pages of its site, which has no record yet")] if self.goes_first else []),
        ]
        for label, sign in (("for it", 1), ("against it", -1)):
            words = [f"{printable(text)} {weight:+.2f}" for text, weight in self.strongest if weight * sign > 0]
            rows += [(label, ", ".join(words))] if words else []
        return rows


def explain(found: Found, link_class: str, learner: Learner, record: bytes | None) -> Explanation:
    """Return what speaks for a link.

    Args:
        found: as it was found.
        link_class: the class that it waits in.
        learner: the model.
        record: of its site's classes, as `SiteClasses.dump` wrote it, if there is one.
    """
    classes = SiteClasses.load(record)
    number = classes.numbers.get(link_class)
    fetches = float(classes.fetches[number]) if number is not None else 0.0
    credit = float(classes.credit[number]) if number is not None else 0.0
    odds = learner.odds(np.array([places(found)], np.uint32))
    policy = ScorePolicy()
    factor = policy.factor(classes)
    score = policy.scores(np.array([fetches]), np.array([credit]), odds) * factor
    weighed = [(text, float(learner.weights[place])) for text, place in features(found)]
    weighed = sorted((pair for pair in weighed if pair[1]), key=lambda pair: -abs(pair[1]))
    return Explanation(
        fetches=fetches,
        credit=credit,
        odds=float(odds[0]),
        factor=factor,
        inlinks=classes.inlinks,
        goes_first=found.kind is Kind.MEDIA and (not classes.files or classes.awaits_file),
        score=float(score[0]),
        strongest=tuple(weighed[:_STRONGEST]),
        learned=learner.learned,
    )
