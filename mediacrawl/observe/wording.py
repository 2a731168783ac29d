"""Errors as people say them. Stored values (request log, stats) keep the names of the exceptions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

_WORDS = {
    "CannotResolveHostError": "host name not found",
    "CertificateError": "certificate refused",
    "ConnectError": "connection failed",
    "ConnectionDone": "connection closed",
    "ConnectionLost": "connection lost",
    "ConnectionRefusedError": "connection refused",
    "ConnectionResetError": "connection reset",
    "DNSLookupError": "host name not found",
    "DownloadCancelledError": "answer too large",
    "DownloadConnectionRefusedError": "connection refused",
    "DownloadFailedError": "connection failed",
    "DownloadTimeoutError": "timeout",
    "Error": "TLS failed",
    "IgnoreRequest": "not asked",
    "RefusedRequest": "not asked",
    "ResponseDataLossError": "answer broke off",
    "ResponseFailed": "answer broke off",
    "ResponseNeverReceived": "no answer",
    "TCPTimedOutError": "timeout",
    "TimeoutError": "timeout",
    "VerificationError": "certificate refused",
}
"""Names of the exceptions that a request ends with, of Scrapy, Twisted and OpenSSL (whose only one is ``Error``)."""

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|_")


def in_words(error: str) -> str:
    """The name of an error in words; what is none (a status, a sentence) stays as it is.

    >>> in_words("DownloadConnectionRefusedError"), in_words("item_error"), in_words("BadGzipFile"), in_words("404")
    ('connection refused', 'item error', 'bad gzip file', '404')

    Args:
        error: name of an exception, or a word of ours.
    """
    if error in _WORDS:
        return _WORDS[error]
    if not error.isidentifier():
        return error
    return _HUMP.sub(" ", error.removesuffix("Error") or error).lower()


def counted_in_words(errors: Mapping[str, int]) -> Counter[str]:
    """How often each error came, by its words: several names may mean the same.

    Args:
        errors: by name.
    """
    told: Counter[str] = Counter()
    for name, number in errors.items():
        told[in_words(name)] += number
    return told
