"""TLS for the HTTP client: one context, the sessions of sites, and the encryption of one connection.

It uses pyOpenSSL, as Twisted does: ciphers and versions stay those of Scrapy's own handler. Python's ``ssl`` copies a
session through its serialized form at both ends, which takes longer (0.34 ms) than resuming it spares (0.29 ms).
"""

from __future__ import annotations

import logging
import os
from collections import OrderedDict
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from OpenSSL import SSL
from service_identity.pyopenssl import verify_hostname, verify_ip_address

from mediacrawl.scope.urls import is_address

logger = logging.getLogger(__name__)

SESSIONS = 2000
"""Sites whose TLS session is kept. One takes 6 KB, and more with a chain of large certificates."""

GROUPS = b"X25519:P-256:P-384:P-521"
"""Groups of the key exchange (RFC 8446, section 4.2.7). OpenSSL would also send a share of ML-KEM, which takes 0.08 ms
and makes the first message larger than a packet; some servers and firewalls cannot read that."""

_LEGACY_SERVER_CONNECT = 0x4
"""OpenSSL's option to accept servers without secure renegotiation (RFC 5746), as Scrapy sets it."""

_READ_BYTES = 64 * 1024

_VERSIONS = {
    "TLSv1.0": SSL.TLS1_VERSION,
    "TLSv1.1": SSL.TLS1_1_VERSION,
    "TLSv1.2": SSL.TLS1_2_VERSION,
    "TLSv1.3": SSL.TLS1_3_VERSION,
}

Session = Any
"""A session of pyOpenSSL, which has no type for it."""


@cache
def tls_context(*, verify: bool, ciphers: str, least: str | None, most: str | None) -> SSL.Context:
    """Return the process's TLS context for these settings.

    One context serves all connections: making one takes 0.3 ms. The server's name belongs to the connection. Scrapy
    took back a shared context (its issue 7445) because Twisted keeps the name in the context, so that a server of
    several names was asked for the wrong one.

    Args:
        verify: whether certificates are verified (``DOWNLOAD_VERIFY_CERTIFICATES``).
        ciphers: OpenSSL's cipher list (``DOWNLOADER_CLIENT_TLS_CIPHERS``); empty for OpenSSL's own.
        least: version such as ``TLSv1.2`` (``DOWNLOAD_TLS_MIN_VERSION``); None for 1.2.
        most: version (``DOWNLOAD_TLS_MAX_VERSION``); None for any.

    Raises:
        ValueError: a version or the cipher list is unknown.
    """
    context = SSL.Context(SSL.TLS_CLIENT_METHOD)
    context.set_options(_LEGACY_SERVER_CONNECT)
    context.set_alpn_protos([b"http/1.1"])
    if verify:
        context.set_default_verify_paths()
        context.set_verify(SSL.VERIFY_PEER, None)
    if ciphers:
        try:
            context.set_cipher_list(ciphers.encode("ascii", "replace"))
        except SSL.Error as error:
            raise ValueError(f"DOWNLOADER_CLIENT_TLS_CIPHERS: OpenSSL knows no cipher of {ciphers!r}") from error
    context.set_min_proto_version(_version("DOWNLOAD_TLS_MIN_VERSION", least or "TLSv1.2"))
    if most is not None:
        context.set_max_proto_version(_version("DOWNLOAD_TLS_MAX_VERSION", most))
    _set_groups(context)
    _log_keys(context)
    return context


def _version(setting: str, name: str) -> int:
    if name not in _VERSIONS:
        raise ValueError(f"{setting}: {name!r} is not one of {', '.join(_VERSIONS)}")
    return _VERSIONS[name]


def _set_groups(context: SSL.Context) -> None:
    """Set `GROUPS`. pyOpenSSL has no public function for it; without one, OpenSSL's own groups are used."""
    with suppress(ImportError, AttributeError):
        from OpenSSL._util import lib  # noqa: PLC0415 - see above

        lib.SSL_CTX_set1_curves_list(context._context, GROUPS)  # noqa: SLF001


def _log_keys(context: SSL.Context) -> None:
    """Write the keys of sessions to the file of ``SSLKEYLOGFILE``, for a packet analyser, as Scrapy does."""
    name = os.environ.get("SSLKEYLOGFILE")
    if not name:
        return
    path = Path(name)

    def write(_: SSL.Connection, line: bytes) -> None:
        with path.open("ab") as file:
            file.write(line + b"\n")

    try:
        path.open("ab").close()
    except OSError as error:
        logger.warning("SSLKEYLOGFILE: the keys of TLS sessions cannot be written to %s: %s", path, error)
        return
    context.set_keylog_callback(write)


class CertificateRefusedError(SSL.Error):
    """OpenSSL does not accept the certificate; `reason` says why, in two or three words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


_REFUSED = {9: "certificate not valid yet", 10: "certificate expired", 18: "certificate self-signed"} | dict.fromkeys(
    (19, 20, 21), "certificate of an unknown issuer"
)
"""OpenSSL's results of a verification (``X509_V_ERR_...``) in words."""


class TlsSessions:
    """The last TLS session of each site, in memory only.

    A resumed session spares the server's signature and the client's check of it (RFC 8446, section 2.2). A session is
    used for the host and port that it is from, and for no other: servers refuse it otherwise, some with status 421.

    Args:
        limit: number of sites; the one that was connected to longest ago goes first.
    """

    def __init__(self, limit: int = SESSIONS) -> None:
        self._limit = limit
        self._kept: OrderedDict[tuple[str, int], Session] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def take(self, site: tuple[str, int]) -> Session | None:
        """Return and forget the session of a host and port: a ticket is for one connection (RFC 8446, appendix C.4)."""
        return self._kept.pop(site, None)

    def put(self, site: tuple[str, int], session: Session | None) -> None:
        """Keep the session of a host and port."""
        if session is None:
            return
        self._kept[site] = session
        if len(self._kept) > self._limit:
            self._kept.popitem(last=False)


class TlsClient:
    """The client's side of TLS on one connection; it reads and writes bytes only.

    Args:
        context: from `tls_context`.
        host: the server's name or address, for SNI and the certificate.
        session: an earlier one of this host and port.

    Attributes:
        is_ready: whether the handshake is complete.
        is_over: whether the server announced that it sends no more.
        failure: why no more can be decrypted, though bytes before it could; None without.
    """

    def __init__(self, context: SSL.Context, host: str, session: Session | None = None) -> None:
        self._host = host
        self._verifies = context.get_verify_mode() != SSL.VERIFY_NONE
        self._tls = SSL.Connection(context, None)
        self._is_address = ":" in host or is_address(host)
        if not self._is_address:
            self._tls.set_tlsext_host_name(host.encode("ascii"))
        self._tls.set_connect_state()
        self._used: object = None
        if session is not None:
            self._tls.set_session(session)
            self._used = _number_of(session)
        self.is_ready = False
        self.is_over = False
        self.failure: SSL.Error | None = None

    def new_session(self) -> Session | None:
        """Return the session for the next connection; None if there is none that was not given before.

        With TLS 1.3 the server sends tickets after the handshake, each for one connection (RFC 8446, appendix C.4).
        """
        session = self._tls.get_session()
        if session is None or (number := _number_of(session)) == self._used:
            return None
        if self._tls.get_protocol_version_name() == "TLSv1.3":
            self._used = number
        return session

    @property
    def certificate(self) -> Any:
        """The server's certificate, an `OpenSSL.crypto.X509`; None without."""
        return self._tls.get_peer_certificate()

    @property
    def described(self) -> str:
        """Version and cipher, for the log."""
        return f"{self._tls.get_protocol_version_name()}, cipher {self._tls.get_cipher_name()}"

    def begin(self) -> bytes:
        """Start the handshake; answers what to send."""
        self._handshake()
        return self._to_send()

    def receive(self, data: bytes) -> tuple[bytes, bytes]:
        """Take bytes from the connection.

        Returns:
            The decrypted bytes, and what to send.

        Raises:
            OpenSSL.SSL.Error: the handshake failed, or the bytes are not TLS.
            service_identity.VerificationError: the certificate is another host's.
        """
        self._tls.bio_write(data)
        if not self.is_ready:
            self._handshake()
        plain = self._plain() if self.is_ready else b""
        return plain, self._to_send()

    def encrypt(self, data: bytes) -> bytes:
        """Return what to send for `data`."""
        self._tls.sendall(data)
        return self._to_send()

    def end(self) -> bytes:
        """Return the message that ends the connection; empty before the handshake is complete.

        OpenSSL would not resume a session whose connection was not ended.
        """
        if not self.is_ready:
            return b""
        with suppress(SSL.Error):
            self._tls.shutdown()
        self._tls.set_shutdown(SSL.SENT_SHUTDOWN | SSL.RECEIVED_SHUTDOWN)
        return self._to_send()

    def _handshake(self) -> None:
        try:
            self._tls.do_handshake()
        except SSL.WantReadError:
            return
        except SSL.Error:
            # pyOpenSSL has no public function for it.
            with suppress(ImportError, AttributeError):
                from OpenSSL._util import lib  # noqa: PLC0415 - see above

                if self._verifies and (result := lib.SSL_get_verify_result(self._tls._ssl)):  # noqa: SLF001
                    raise CertificateRefusedError(_REFUSED.get(result, "certificate refused")) from None
            raise
        if self._verifies:
            (verify_ip_address if self._is_address else verify_hostname)(self._tls, self._host)
        self.is_ready = True

    def _to_send(self) -> bytes:
        found: list[bytes] = []
        try:
            while not found or len(found[-1]) == _READ_BYTES:
                found.append(self._tls.bio_read(_READ_BYTES))
        except SSL.WantReadError:
            pass
        return found[0] if len(found) == 1 else b"".join(found)

    def _plain(self) -> bytes:
        found: list[bytes] = []
        try:
            while True:
                found.append(self._tls.recv(_READ_BYTES))
        except SSL.WantReadError:
            pass
        except SSL.ZeroReturnError:
            self.is_over = True
        except SSL.Error as error:
            if not found:
                raise
            # What came before it may be a whole response.
            self.failure = error
        return found[0] if len(found) == 1 else b"".join(found)


def _number_of(session: Session) -> object:
    """Return what tells one session from another: pyOpenSSL makes a new object of the same session at each call."""
    return getattr(session, "_session", session)
