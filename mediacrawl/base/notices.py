"""Delivers messages to the operator: to a webhook, or to a command."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError

from mediacrawl.base.clock import within
from mediacrawl.base.text import cut, printable

PATIENCE = 30.0
"""Seconds that a command or a webhook may take."""
_LONGEST = 300
"""Columns of a server's or a command's words in an error."""
_WEB = ("http://", "https://")


class NoticeError(Exception):
    """A message was not delivered; the text says why."""


def target_problem(target: str) -> str | None:
    """Return what is wrong with a target, as the end of a sentence; None if it can be used.

    Args:
        target: an http or https URL, or a command.
    """
    try:
        return None if target.startswith(_WEB) or shlex.split(target) else "is empty"
    except ValueError as error:
        return f"cannot be read as a command: {error}"


def send(target: str, notice: Mapping[str, Any]) -> None:
    """Deliver a message; takes up to `PATIENCE`.

    Args:
        target: an http or https URL, which gets the message as JSON by POST and must answer with a status of success;
            redirects are not followed. Or a command: the text is its last argument, and its standard input is the
            message as JSON. No shell is involved.
        notice: the message. ``event`` is what happened (``end``, ``stall``), ``reason`` why, ``text`` all of it for a
            person, which chat services show.

    Raises:
        NoticeError: it was not delivered.
    """
    try:
        if target.startswith(_WEB):
            _post(target, json.dumps(notice).encode())
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


def _post(url: str, body: bytes) -> None:
    headers = {"Content-Type": "application/json", "User-Agent": "mediacrawl"}
    # The scheme was checked; the URL is the operator's.
    request = urllib.request.Request(url, body, headers)  # noqa: S310
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


def _run(words: list[str], notice: Mapping[str, Any]) -> None:
    done = subprocess.run(
        [*words, notice["text"]],
        input=json.dumps(notice).encode(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, "MEDIACRAWL_EVENT": notice["event"], "MEDIACRAWL_REASON": notice["reason"]},
    )
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip()[-200:]
        raise NoticeError(f"the command ended with exit code {done.returncode}{why and f': {why}'}")
