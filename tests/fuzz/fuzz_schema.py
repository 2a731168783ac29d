"""Whether the record of a probed file is as its JSON Schema says."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from mediacrawl.probe import Probe
from mediacrawl.record import MediaItem, build_item


class SchemaError(Exception):
    """A record is not as its JSON Schema says. The message has the field, without numbers, and the rule."""


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(MediaItem.schema())


def validate(probe: Probe) -> None:
    """Compares the record of a finished probe with the schema, as it is exported.

    Raises:
        SchemaError: it is another one.
    """
    check(asdict(build_item(probe.result(), probe, url="http://example.org/a")))


def check(item: dict[str, Any]) -> None:
    """Compares an exported record with the schema; see `validate`."""
    for error in _validator().iter_errors(json.loads(json.dumps(item))):
        place = ".".join("#" if isinstance(part, int) else part for part in error.absolute_path)
        raise SchemaError(f"{place} breaks {error.validator}")
