"""Tells people how an adapter makes its data requests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mediacrawl.site_adapters.learn.mappings import Mapping
from mediacrawl.site_adapters.learn.pages import PageForm
from mediacrawl.site_adapters.learn.reach import Reached
from mediacrawl.site_adapters.learn.steps import written
from mediacrawl.site_adapters.learn.tracing import Use
from mediacrawl.site_adapters.learn.trees import written_path

_SENT = frozenset({"x-requested-with", "x-client-data"})
"""Headers that an adapter sends, and one that Chrome adds itself."""


def told(chain: Sequence[Reached], mapping: Mapping, form: PageForm) -> list[str]:
    """One sentence for each piece of the data URLs, each parameter that is left out, and the media."""
    found = [f"Pages are on {form.host}."]
    for step, each in enumerate(chain, 1):
        found += _of_request(step, each)
    trees = chain[-1].role.trees
    for place in mapping.media:
        _, path = written_path(place.path, trees)
        found.append(f"The media are at {path} in answer {len(chain)}.")
    found += [f"The media's URLs have {_use(use)}." for use in dict.fromkeys(mapping.uses)]
    if mapping.each is not None:
        found.append(f"Each item of {written_path(mapping.each, trees)[1]} is a record of its own.")
    return found


def _of_request(step: int, reached: Reached) -> Iterator[str]:
    for use in dict.fromkeys(reached.template.uses):
        yield f"Data request {step} has {_use(use)}."
    if not reached.template.uses:
        yield f"Data request {step} is the same on all pages."
    if reached.callback:
        yield f"Data request {step} has any name of a function in its parameter {reached.callback}."
    for name in _other_headers(reached):
        yield f"Data request {step} is made without the header {name} that the page's script set (not proven)."
    for each in reached.dropped:
        yield f"Data request {step} leaves out the parameter {each.name} (not proven): {each.why}."


def _use(use: Use) -> str:
    steps = f", changed by {', '.join(map(str, written(use.steps)))}" if use.steps else ""
    return f"{use.source.written}{steps}"


def _other_headers(reached: Reached) -> list[str]:
    """Headers of the page's script that an adapter cannot send."""
    each = [set(answered.entry.request_headers) for answered in reached.role.requests]
    return sorted(name for name in set.intersection(*each) if name.startswith("x-") and name not in _SENT)[:10]
