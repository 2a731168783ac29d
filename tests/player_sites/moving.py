"""Site adapters that were learned from the recordings, where the sites have no port, at a server that has one."""

import re
from typing import Any

_HOST = re.compile(r"[a-z0-9.-]*[a-z0-9-]\.example(?![a-z0-9.:-])")
_NOT_MOVED = {"name", "comment", "learned"}
"""Fields of an adapter that are no addresses: a name has no colon."""


def adapter_at_port(adapter: dict[str, Any], port: int) -> dict[str, Any]:
    """The same adapter for the same sites at this port of all hosts.

    Args:
        adapter: the document as it is written in a file; it stays as it is.
        port: of a `PlayerWeb`.
    """
    return {name: value if name in _NOT_MOVED else _moved(value, port) for name, value in adapter.items()}


def _moved(value: Any, port: int) -> Any:
    if isinstance(value, dict):
        return {name: _moved(each, port) for name, each in value.items()}
    if isinstance(value, list):
        return [_moved(each, port) for each in value]
    return _HOST.sub(lambda found: f"{found[0]}:{port}", value) if isinstance(value, str) else value
