"""Numbers and error names in words: sizes, durations, counts, shares."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping

_VERBS = {"is": "are", "was": "were", "has": "have", "goes": "go"}
_UNITS = ("KB", "MB", "GB", "TB", "PB")


def size(count: float) -> str:
    """Write a number of bytes, 1 KB being 1000 bytes.

    >>> size(812), size(9_840_000), size(412_345)
    ('812 B', '9.8 MB', '412 KB')
    """
    if count < 1000:
        return f"{count:.0f} B"
    value, units = count / 1000, iter(_UNITS)
    unit = next(units)
    # 999.5 would be written as 1000.
    while value >= 999.5 and unit != _UNITS[-1]:
        value, unit = value / 1000, next(units)
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"


def plural(number: int, noun: str, verb: str = "") -> str:
    """Write a number of things: the noun gets an s, and the verb loses one, unless it is one thing.

    Args:
        number: how many.
        noun: of one thing; empty if it was named before.
        verb: what one thing does, or ``is``, ``was``; empty for none.

    >>> plural(1, "site"), plural(1200, "URL"), plural(1, "URL", "waits"), plural(2, "entry", "was")
    ('1 site', '1,200 URLs', '1 URL waits', '2 entries were')
    """
    if number == 1:
        words = ("1", noun, verb)
    else:
        first, space, rest = noun.partition(" that ")
        many = f"{first[:-1]}ies" if first.endswith(("ry", "py")) else f"{first}{'es' if first.endswith('ss') else 's'}"
        words = (count(number), f"{many}{space}{rest}" if noun else "", _VERBS.get(verb) or verb.removesuffix("s"))
    return " ".join(filter(None, words))


def playing_time(seconds: float) -> str:
    """Write the length of a recording as ``m:ss``, from an hour on as ``h:mm:ss``.

    >>> playing_time(59.6), playing_time(3725)
    ('1:00', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def elapsed(seconds: float) -> str:
    """Write how long something took, with two units at most.

    >>> elapsed(0.42), elapsed(12.3), elapsed(252), elapsed(12_000), elapsed(187_200)
    ('0.4 s', '12.3 s', '4 min 12 s', '3 h 20 min', '2 d 4 h')
    """
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"


def count(number: int) -> str:
    """Write a count with a comma between thousands.

    >>> count(1234567)
    '1,234,567'
    """
    return f"{number:,}"


def share(part: float, whole: float) -> str:
    """Write a part of a whole in per cent.

    >>> share(412, 9840), share(0, 0)
    ('4.2 %', '0 %')
    """
    if not whole or not part:
        return "0 %"
    percent = 100 * part / whole
    return f"{percent:.1f} %" if percent < 99.95 else f"{percent:.0f} %"


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
    "MappedPage": "its data is asked for by a site adapter",
    "RefusedRequest": "not asked",
    "ResponseDataLossError": "answer broke off",
    "ResponseFailed": "answer broke off",
    "ResponseNeverReceived": "no answer",
    "TCPTimedOutError": "timeout",
    "TimeoutError": "timeout",
    "VerificationError": "certificate of another host",
}
"""Names of the exceptions that a request ends with, of Scrapy, Twisted and OpenSSL (whose only one is ``Error``)."""

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|_")


def in_words(error: str) -> str:
    """The name of an error in words; a status or a sentence stays as it is.

    >>> in_words("DownloadConnectionRefusedError"), in_words("item_error"), in_words("BadGzipFile"), in_words("404")
    ('connection refused', 'item error', 'bad gzip file', '404')
    """
    if error in _WORDS:
        return _WORDS[error]
    if not error.isidentifier():
        return error
    return _HUMP.sub(" ", error.removesuffix("Error") or error).lower()


def reason_of(error: BaseException) -> str:
    """Return why a connection or a response failed, in a few words of ours, never in those of the server.

    Args:
        error: of the client: its own, whose attribute ``reason`` has the words, OSError, `OpenSSL.SSL.Error`.
    """
    reason = getattr(error, "reason", None)
    if isinstance(reason, str):
        return reason
    if isinstance(error, ConnectionResetError | ConnectionAbortedError | BrokenPipeError):
        return "connection reset"
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno).lower()
    words = in_words(type(error).__name__)
    # OpenSSL's errors are lists of library, function and reason.
    said = error.args[0] if error.args else None
    return f"{words}: {said[-1][-1]}" if isinstance(said, list) and said and words == _WORDS["Error"] else words


def counted_in_words(errors: Mapping[str, int]) -> Counter[str]:
    """How often each error came, by its words; several names may have the same. After how many bytes does not count."""
    counts: Counter[str] = Counter()
    for name, number in errors.items():
        counts[in_words(name).partition(" after ")[0]] += number
    return counts
