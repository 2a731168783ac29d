"""`describe`: the record of one media file, without a crawl."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import IO, Any

from mediacrawl import DescribeError
from mediacrawl.base.clock import written_now
from mediacrawl.base.content_type import is_media
from mediacrawl.base.terms import Evidence
from mediacrawl.probe import FirstAnswer, Probe, ProbePolicy, ProbeResult
from mediacrawl.record import Fixer, build_item
from mediacrawl.scope.urls import spelling
from mediacrawl.scope.wrapped import unwrapped

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]


def describe(source: Source, *, contact: str = "", allow: Iterable[str] = (), timeout: float = 30.0) -> dict[str, Any]:
    """See `mediacrawl.describe`. Not safe for several threads on one open file."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _of_bytes(BytesIO(source))
    if isinstance(source, str) and "://" in source:
        return _of_url(source, contact, allow, timeout)
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        try:
            with path.open("rb") as file:
                return _of_file(file, path.absolute().as_uri(), str(path))
        except OSError as error:
            raise DescribeError(f"{path} cannot be read: {error.strerror}") from error
    if hasattr(source, "read") and hasattr(source, "seek"):
        return _of_open(source)
    raise TypeError(f"describe takes a path, a URL, bytes or a file opened in binary mode, not {type(source).__name__}")


def probe_file(
    file: IO[bytes], policy: ProbePolicy, name: str = "", *, is_whole: bool = True
) -> tuple[Probe, ProbeResult]:
    """Probe an open file by the ranges that would be requested from a server.

    Args:
        file: opened in binary mode.
        policy: the limits.
        name: its own, which may claim that it is MPEG audio.
        is_whole: whether the file ends where it does here; otherwise its size is taken as unknown.

    Raises:
        OSError: it cannot be read.
    """
    probe = Probe(policy, names=[name])
    length = file.seek(0, SEEK_END) if is_whole else None
    while asked := probe.next_range():
        file.seek(asked[0])
        probe.feed(asked[0], file.read(asked[1] - asked[0]), length)
    return probe, probe.result()


def _of_url(source: str, contact: str, allow: Iterable[str], timeout: float) -> dict[str, Any]:
    # With the client comes TLS, which takes 0.1 s to import.
    from mediacrawl.download.one_file import FileRequests  # noqa: PLC0415

    allow = [allow] if isinstance(allow, str) else [*allow]
    inner, asked = unwrapped(source, is_enclosure=True), spelling(source)
    evidence = Evidence(via="", requested_url=asked.requested if asked else "")

    def described(address: str, seconds: float) -> dict[str, Any]:
        file = FileRequests(address, contact, allow, seconds)
        result, session, form = file.run(), file.session, file.form
        url, key = form.requested, form.key
        return _record(session.probe, result, source, url=url, key=key, evidence=evidence, first=session.first)

    if inner is not None:
        with suppress(DescribeError):
            return described(inner.requested, timeout / 2)
        timeout /= 2
    return described(source, timeout)


def _of_bytes(file: IO[bytes]) -> dict[str, Any]:
    probe, result = probe_file(file, ProbePolicy())
    cut = [note for note in result.notes if note.endswith(":truncated")]
    if cut:
        # They are the beginning of a file, which is as long as it says itself.
        probe, result = probe_file(file, ProbePolicy(), is_whole=False)
        result.notes = list(dict.fromkeys([*result.notes, *cut]))
        result.status = "partial" if result.status == "complete" else result.status
    return _record(probe, result, "the source")


def _of_open(file: IO[bytes]) -> dict[str, Any]:
    name = getattr(file, "name", "")
    told = name if isinstance(name, str) and name else "the open file"
    try:
        position = file.tell()
        if not isinstance(file.read(0), bytes):
            raise DescribeError(f"{told} is opened in text mode; open it with mode 'rb'")
        try:
            # The name of a member of an archive is no path.
            is_path = told == name and Path(name).is_file()
            return _of_file(file, Path(name).absolute().as_uri() if is_path else "", told)
        finally:
            file.seek(position)
    except (OSError, ValueError) as error:
        raise DescribeError(f"{told} cannot be read: {error}") from error


def _of_file(file: IO[bytes], url: str, told: str) -> dict[str, Any]:
    probe, result = probe_file(file, ProbePolicy(), told)
    return _record(probe, result, told, url=url)


def _record(
    probe: Probe,
    result: ProbeResult,
    told: str,
    *,
    url: str = "",
    key: str = "",
    evidence: Evidence | None = None,
    first: FirstAnswer | None = None,
) -> dict[str, Any]:
    """The repaired record.

    Raises:
        DescribeError: it is no media file.
    """
    if not is_media(result.encoding_format):
        known = result.container or result.encoding_format
        why = f"is {known}, neither audio nor video" if known else "is of no format that is known"
        raise DescribeError(f"{told} {why if probe.head else 'is empty'}")
    checked = None if first is None else written_now()
    item = build_item(
        result, probe, url=url, key=key, evidence=evidence or Evidence(via=""), checked_at=checked, first=first
    )
    record = asdict(item)
    if not url:
        record["id"] = ""
    Fixer().fix(record)
    return record
