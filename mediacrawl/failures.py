"""Exceptions of the network, as what they say of the site that was asked."""

from __future__ import annotations

from collections.abc import Iterator

from OpenSSL import SSL
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from service_identity import VerificationError
from twisted.internet import error as network
from twisted.python.failure import Failure
from twisted.web.client import ResponseFailed

from mediacrawl.records import Trouble

_KINDS: tuple[tuple[tuple[type[BaseException], ...], Trouble], ...] = (
    ((SSL.Error, VerificationError, network.VerifyError, network.CertificateError), Trouble.TLS),
    ((CannotResolveHostError, network.DNSLookupError), Trouble.DNS),
    ((DownloadTimeoutError, network.TimeoutError, network.TCPTimedOutError, TimeoutError), Trouble.TIMEOUT),
    (
        (
            *(DownloadConnectionRefusedError, DownloadFailedError, ResponseFailed),
            *(network.ConnectError, network.ConnectionClosed, ConnectionError),
        ),
        Trouble.CONNECTION,
    ),
)
"""The first that fits counts: a failed handshake comes wrapped in a lost connection."""


def trouble_in(error: BaseException | None) -> Trouble | None:
    """What an exception says against the site that was asked; None if it says nothing: our own decisions and faults.

    Args:
        error: what ended the request, if anything. What it was raised from, and the reasons that Twisted wraps, count
            as well.
    """
    if isinstance(error, IgnoreRequest):
        return None
    chain = list(_chain(error))
    for kinds, trouble in _KINDS:
        if any(isinstance(each, kinds) for each in chain):
            return trouble
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    waiting = [error]
    while waiting and len(seen) < 20:
        each = waiting.pop(0)
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting.append(each.__cause__)
        reasons = getattr(each, "reasons", None)
        waiting += [reason.value for reason in reasons or () if isinstance(reason, Failure)]
