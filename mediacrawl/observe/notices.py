"""Messages to the operator: when a crawl ends, and when it has found nothing for long."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import urllib.request
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError

from mediacrawl.clock import within
from mediacrawl.observe.text import cut, printable

PATIENCE = 30.0
"""Seconds that a command or a webhook may take."""
_LONGEST = 300
"""Columns of a server's or a command's words in an error."""


class Event(StrEnum):
    """What happened."""

    END = "end"
    STALL = "stall"


class NoticeError(Exception):
    """A message was not delivered; the text says why."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A message.

    Attributes:
        event: what happened.
        reason: why: the crawl's reason for the end (``finished``, ``shutdown``, ``breaker`` ...).
        text: everything as a sentence or two, for a person.
        crawl: name of the spider.
        folder: state folder of the crawl.
        counts: ``records``, ``pages``, ``requests``, ``waiting``.
    """

    event: Event
    reason: str
    text: str
    crawl: str
    folder: str
    counts: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> bytes:
        """The message as a JSON object. Chat services show its field ``text``."""
        return json.dumps(asdict(self)).encode()


def target_problem(target: str) -> str | None:
    """What is wrong with a target, as the end of a sentence; None if it can be used.

    Args:
        target: an http or https URL, or a command.
    """
    if target.startswith(("http://", "https://")):
        return None
    try:
        words = shlex.split(target)
    except ValueError as error:
        return f"cannot be read as a command: {error}"
    return None if words else "is empty"


def send(target: str, notice: Notice) -> None:
    """Deliver a message; takes up to `PATIENCE`.

    Args:
        target: an http or https URL, which gets the message as JSON by POST and must answer with a status of success;
            redirects are not followed. Or a command: the text is its last argument, and its standard input is the
            message as JSON. No shell is involved.
        notice: the message.

    Raises:
        NoticeError: it was not delivered.
    """
    try:
        if target.startswith(("http://", "https://")):
            _post(target, notice)
        else:
            _run(shlex.split(target), notice)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise NoticeError(cut(printable(str(error) or type(error).__name__), _LONGEST)) from error
    except HTTPException as error:
        raise NoticeError(f"the server's answer is no HTTP ({type(error).__name__})") from error


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Takes a redirect for a failure: followed, it would be a GET without the message, to any host."""

    def redirect_request(self, *_: Any) -> None:
        """Follow nothing."""


def _post(url: str, notice: Notice) -> None:
    headers = {"Content-Type": "application/json", "User-Agent": "mediacrawl"}
    # The scheme was checked; the URL is the operator's.
    request = urllib.request.Request(url, notice.as_json(), headers)  # noqa: S310
    opener = urllib.request.build_opener(_NoRedirects)
    try:
        # The timeout of `urllib` is for each read, and not for the answer.
        within(PATIENCE, lambda: opener.open(request, timeout=PATIENCE).close())
    except HTTPError as error:
        error.close()
        hint = "; a redirect is not followed, name its target" if 300 <= error.code < 400 else ""
        raise NoticeError(f"the server answered with status {error.code}{hint}") from error
    except TimeoutError as error:
        raise NoticeError(f"there was no answer within {PATIENCE:g} s") from error


def _run(words: list[str], notice: Notice) -> None:
    done = subprocess.run(
        [*words, notice.text],
        input=notice.as_json(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, "MEDIACRAWL_EVENT": notice.event, "MEDIACRAWL_REASON": notice.reason},
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()[-200:]
        raise NoticeError(f"the command ended with exit code {done.returncode}{said and f': {said}'}")
