"""The pool of connections itself: what it does where the handler cannot lead it."""

import contextlib
import socket

import pytest
from reactor_thread import running, wait_for
from twisted.internet.endpoints import TCP4ClientEndpoint
from twisted.internet.protocol import Factory, Protocol

from mediacrawl.net.address_guard import GuardedNames, GuardedPool, Route, _GuardedEndpoint
from mediacrawl.politeness.address_guard import Guard, GuardedAddressError


def on_loop(deferred):
    return deferred.asFuture(running()._asyncioEventloop)


def test_who_is_there_is_looked_at_once_more_after_connecting():
    """A machine whose network leads packets astray: it meant a public address, and arrived at another."""
    names = GuardedNames(Guard())
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        async def connect():
            astray = TCP4ClientEndpoint(running(), "127.0.0.1", port)
            return await on_loop(
                _GuardedEndpoint(astray, Route("a.example", "192.0.2.7"), names).connect(Factory.forProtocol(Protocol))
            )

        with pytest.raises(GuardedAddressError, match=r"a\.example leads to 127\.0\.0\.1 \(loopback\)"):
            wait_for(connect)
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(10)
            # It is gone without a byte.
            with contextlib.suppress(ConnectionResetError):
                assert connection.recv(1) == b""


def test_without_a_judged_address_there_is_no_connection():
    async def ask():
        endpoint = TCP4ClientEndpoint(running(), "127.0.0.1", 9)
        GuardedPool(running(), GuardedNames(Guard()), None, 10.0).getConnection(
            (b"http", b"a.example", 9, None), endpoint
        )

    with pytest.raises(LookupError):
        wait_for(ask)
