"""A cache for what is asked again and again about short texts; long ones are not kept, so its size is bounded."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Final, TypeVar

Asked = TypeVar("Asked", bound=Callable[..., Any])

LONGEST_KEPT: Final = 256
"""Characters or bytes; a title has a tenth of it."""


def remembered_if_short(entries: int) -> Callable[[Asked], Asked]:
    """Remembers results by arguments, unless the first argument, a text or bytes, is long.

    Args:
        entries: that are kept at most; those not asked for longest go first.
    """

    def decorate(function: Asked) -> Asked:
        cached = lru_cache(maxsize=entries)(function)

        if function.__code__.co_argcount == 1:
            # Half of all questions, and nothing to pack.
            @wraps(function)
            def ask(text: str | bytes) -> Any:
                return cached(text) if len(text) <= LONGEST_KEPT else function(text)
        else:

            @wraps(function)
            def ask(text: str | bytes, *more: Any) -> Any:
                return cached(text, *more) if len(text) <= LONGEST_KEPT else function(text, *more)

        # Where `own.use_models` looks for it.
        vars(ask)["cache_clear"] = cached.cache_clear
        return ask  # type: ignore[return-value]

    return decorate
