"""The client against servers that send what they are told, plain and by TLS."""

import asyncio
import socket
import ssl
import threading
import time

import pytest
from OpenSSL import SSL
from scripted_server import NAME, ScriptedServer, certificate_in, unaccepting
from service_identity import VerificationError

from mediacrawl.base.format import reason_of
from mediacrawl.download.http_client import (
    ADDRESSES,
    HEAD_BYTES,
    KEPT,
    Call,
    ClosedError,
    ConnectTimeoutError,
    End,
    HttpClient,
    LeaseOverError,
    Proxy,
    RequestTimeoutError,
    Route,
    TunnelError,
    WireError,
)
from mediacrawl.download.tls import TlsClient, TlsSessions, tls_context

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
OPEN = b"HTTP/1.1 200 OK\r\n\r\nhello"


class Received:
    """What came; `most` bytes of the body are wanted."""

    def __init__(self, most=None, *, body=True):
        self.head, self.data = None, b""
        self.most, self.body = most, body

    def take_head(self, head):
        self.head = head
        return self.body

    def take_body(self, data):
        self.data += data
        return self.most is None or len(self.data) < self.most


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return certificate_in(tmp_path_factory.mktemp("tls"))


@pytest.fixture(params=["plain", "tls"])
def scheme(request, certificate):
    """The certificate of the server, or None."""
    return certificate if request.param == "tls" else None


def client(*, verify=False, connected=lambda *_: None, failed=lambda _: None):
    return HttpClient(tls_context(verify=verify, ciphers="DEFAULT", least=None, most=None), connected, failed)


async def closing(run, one=None):
    """Run something with a client, and close it."""
    one = one or client()
    try:
        return await run(one)
    finally:
        one.close()
        # Transports close in the loop's next turns.
        await asyncio.sleep(0.01)


def call(server, *, target=b"/", name=NAME, method="GET", may_send=lambda: True, **more):
    tls = getattr(server, "_tls", None) is not None
    route = Route(name, "127.0.0.1", target, may_send)
    more = {"timeout": 10.0, "body": b"", "is_tls": tls, "port": server.port, **more}
    return Call(method=method, name=name, fields=[(b"Host", name.encode())], route=route, **more)


def fetch(server, received=None, **more):
    """One request; answers what came and how it ended."""
    received = received or Received()

    async def run(one):
        _, end = await one.fetch(call(server, **more), received)
        return received, end

    return asyncio.run(closing(run))


# -- how responses end -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "data", "end"),
    [
        ([HELLO], b"hello", End.WHOLE),
        ([HELLO + b"more"], b"hello", End.WHOLE),
        ([bytes([byte]) for byte in HELLO], b"hello", End.WHOLE),
        ([OPEN], b"hello", End.CLOSED),
        ([b"ICY 200 OK\r\n\r\nhello"], b"hello", End.CLOSED),
        ([b"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + HELLO], b"hello", End.WHOLE),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"], b"hello", End.BROKEN),
        ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", b"lo\r\n0\r\n\r\n"], b"hello", End.WHOLE),
        ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"], b"hello", End.BROKEN),
        ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nno\r\n"], b"hello", End.BROKEN),
        ([b"HTTP/1.1 204 No Content\r\n\r\n"], b"", End.WHOLE),
    ],
)
def test_a_response_ends_as_its_head_says(scheme, script, data, end):
    with ScriptedServer(*script, certificate=scheme) as server:
        received, ended = fetch(server)
    assert (received.data, ended) == (data, end)


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ([b""], ClosedError),
        ([b"HTTP/1.1 200 OK\r\nContent-Le"], ClosedError),
        ([b"HTTP/1.1 101 Switching Protocols\r\n\r\n"], WireError),
        ([b"\x16\x03\x01 no HTTP\r\n\r\n"], WireError),
        ([b"HTTP/1.1 200 OK\r\n" + b"X-More: and more\r\n" * 5000], WireError),
        ([b"HTTP/1.1 200 OK\r\nX: " + b"x" * 2 * HEAD_BYTES], WireError),
        ([b"HTTP/1.1 100 Continue\r\n\r\n" * 4000], WireError),
        (["reset"], ConnectionError),
    ],
)
def test_what_is_no_response_is_a_failure(scheme, script, error):
    with ScriptedServer(*script, certificate=scheme) as server, pytest.raises(error):
        fetch(server)


def test_a_body_without_length_is_broken_if_its_connection_is_reset():
    with ScriptedServer(OPEN, 0.2, "reset") as server:
        assert fetch(server)[1] is End.BROKEN


def test_a_body_without_length_counts_over_tls_even_if_its_connection_is_reset(certificate):
    """Many servers do not end TLS in order."""
    with ScriptedServer(OPEN, 0.2, "reset", certificate=certificate) as server:
        assert fetch(server)[1] is End.CLOSED


def test_a_download_ends_when_the_receiver_says_so(scheme):
    endless = [b"HTTP/1.1 200 OK\r\n\r\n", *[b"x" * 1000] * 1000]
    with ScriptedServer(*endless, certificate=scheme) as server:
        received, end = fetch(server, Received(most=2000))
        assert end is End.STOPPED
        assert 2000 <= len(received.data) <= 2000 + 65536
        received, end = fetch(server, Received(body=False))
        assert (received.data, end) == (b"", End.STOPPED)


def test_what_the_receiver_raises_is_raised(scheme):
    class Failing(Received):
        def take_body(self, data):
            raise LookupError(len(data))

    with ScriptedServer(HELLO, certificate=scheme) as server, pytest.raises(LookupError, match="5"):
        fetch(server, Failing())


# -- time --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "script", [[20], [b"HTTP/1.1 200 OK\r\n", 20], [HELLO[:-2], 20]], ids=["head", "fields", "body"]
)
def test_a_response_that_does_not_end_is_given_up(scheme, script):
    with ScriptedServer(*script, certificate=scheme) as server, pytest.raises(RequestTimeoutError):
        fetch(server, timeout=0.3)


def test_a_handshake_that_does_not_end_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as mute:
        server = type("Mute", (), {"port": mute.getsockname()[1], "_tls": None})()
        with pytest.raises(RequestTimeoutError):
            fetch(server, is_tls=True, timeout=0.3)


def test_a_connection_that_is_not_accepted_is_given_up_and_its_address_told():
    told = []

    async def run(one):
        with unaccepting() as port:
            server = type("Full", (), {"port": port})()
            await one.fetch(call(server, connect_timeout=0.3), Received())

    with pytest.raises(ConnectTimeoutError):
        asyncio.run(closing(run, client(failed=told.append)))
    assert told == ["127.0.0.1"]


def test_a_refused_connection_is_told():
    told = []
    with socket.create_server(("127.0.0.1", 0)) as free:
        server = type("Gone", (), {"port": free.getsockname()[1]})()
    with pytest.raises(ConnectionRefusedError):
        asyncio.run(closing(lambda one: one.fetch(call(server), Received()), client(failed=told.append)))
    assert told == ["127.0.0.1"]


def test_a_large_request_is_sent_whole(scheme):
    body = bytes(range(256)) * 2_000
    got = b""

    def answer(request):
        nonlocal got
        got = request
        return [HELLO]

    with ScriptedServer(answer, certificate=scheme, body_bytes=len(body)) as server:
        assert fetch(server, method="POST", body=body)[0].data == b"hello"
    assert got.endswith(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


# -- connections -------------------------------------------------------------------------------------------------


def test_the_peer_is_judged_before_a_byte_is_sent():
    """A machine whose network leads packets astray: it meant a public address, and arrived at another."""

    def refuse(peer, _):
        raise PermissionError(peer)

    with ScriptedServer(HELLO) as server:
        with pytest.raises(PermissionError, match=r"127\.0\.0\.1"):
            asyncio.run(closing(lambda one: one.fetch(call(server), Received()), client(connected=refuse)))
        time.sleep(0.1)
        assert server.requests == []


@pytest.mark.parametrize(("answers", "clients"), [([False], 0), ([True, False], 1)])
def test_a_request_whose_lease_ended_is_not_sent(scheme, answers, clients):
    left = iter(answers)
    with ScriptedServer(HELLO, certificate=scheme) as server:
        with pytest.raises(LeaseOverError):
            fetch(server, may_send=lambda: next(left))
        time.sleep(0.1)
        assert (server.clients, server.requests) == (clients, [])


async def fetch_some(one, server, number, pause=0.0, **more):
    for _ in range(number):
        await one.fetch(call(server, **more), Received())
        await asyncio.sleep(pause)


def fetch_in_turn(server, number, pause=0.0):
    asyncio.run(closing(lambda one: fetch_some(one, server, number, pause)))


def test_a_connection_is_used_again(scheme):
    with ScriptedServer(HELLO, "keep", certificate=scheme) as server:
        fetch_in_turn(server, 3)
        assert (server.clients, len(server.requests)) == (1, 3)


@pytest.mark.parametrize(
    "answer",
    [HELLO.replace(b"OK\r\n", b"OK\r\nConnection: close\r\n"), HELLO.replace(b"/1.1", b"/1.0"), HELLO + b"more"],
)
def test_a_connection_is_not_used_again_if_it_must_not_be(scheme, answer):
    with ScriptedServer(answer, "keep", certificate=scheme) as server:
        fetch_in_turn(server, 2, 0.05)
        assert (server.clients, len(server.requests)) == (2, 2)


def test_a_connection_that_the_server_closed_meanwhile_is_replaced_and_nothing_is_sent_twice(scheme):
    with ScriptedServer(HELLO, certificate=scheme) as server:
        fetch_in_turn(server, 2, 0.2)
        assert (server.clients, len(server.requests)) == (2, 2)


def test_an_idle_connection_that_sends_something_is_closed(scheme):
    with ScriptedServer(HELLO, 0.1, b"unasked", "keep", certificate=scheme) as server:
        fetch_in_turn(server, 2, 0.3)
        assert (server.clients, len(server.requests)) == (2, 2)


def test_an_idle_connection_is_closed_after_some_seconds(monkeypatch):
    monkeypatch.setattr("mediacrawl.download.http_client.KEPT", KEPT / 50)
    with ScriptedServer(HELLO, "keep") as server:
        fetch_in_turn(server, 2, KEPT / 20)
        assert server.clients == 2


def second_on_a_kept_connection(scheme, *answers, proxy=False, **more):
    """A request over a kept connection, and what the server does with it: first, and if it comes again."""
    left = iter(answers)

    def script(request):
        return [HELLO, "keep"] if b"/1 " in request else next(left)

    async def run(one):
        through = {"proxy": Proxy("127.0.0.1", server.port)} if proxy else {}
        await one.fetch(call(server, target=b"/1", **through), Received())
        received = Received()
        await one.fetch(call(server, target=b"/2", **through, **more), received)
        return received.data

    with ScriptedServer(script, certificate=scheme) as server:
        try:
            return asyncio.run(closing(run)), len(server.requests) - 1, server.clients
        except (ConnectionError, ClosedError) as error:
            return type(error), len(server.requests) - 1, server.clients


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("end", [[], ["reset"], [0.1], [0.1, "reset"]])
def test_a_request_is_sent_again_if_a_kept_connection_was_closed_before_an_answer(scheme, end, method):
    data = b"" if method == "HEAD" else b"hello"
    assert second_on_a_kept_connection(scheme, end, [HELLO, "keep"], method=method) == (data, 2, 2)


@pytest.mark.parametrize("end", [[], ["reset"]])
def test_the_same_through_a_proxy(end):
    assert second_on_a_kept_connection(None, end, [HELLO], proxy=True) == (b"hello", 2, 2)


def test_a_request_is_sent_a_third_time_by_nobody(scheme):
    error, requests, clients = second_on_a_kept_connection(scheme, ["reset"], ["reset"], [HELLO])
    assert issubclass(error, (ConnectionError, ClosedError))
    assert (requests, clients) == (2, 2)


@pytest.mark.parametrize(
    ("answer", "more"),
    [([], {"method": "POST"}), (["reset"], {"method": "PATCH"}), ([b"H"], {}), ([b"\r\n", 0.1, "reset"], {})],
    ids=["post", "patch", "a byte came", "a line break came"],
)
def test_a_request_that_may_have_had_an_effect_is_not_sent_again(scheme, answer, more):
    error, requests, clients = second_on_a_kept_connection(scheme, answer, [HELLO], **more)
    assert issubclass(error, (ConnectionError, ClosedError))
    assert (requests, clients) == (1, 1)


def test_a_request_on_a_new_connection_is_sent_once(scheme):
    with ScriptedServer("reset", certificate=scheme) as server:
        with pytest.raises((ConnectionError, ClosedError)):
            fetch(server)
        assert len(server.requests) == 1


def test_a_request_whose_lease_ended_meanwhile_is_not_sent_again():
    left = iter([True, True, False])
    with pytest.raises(LeaseOverError):
        second_on_a_kept_connection(None, ["reset"], [HELLO], may_send=lambda: next(left))


# -- several addresses -------------------------------------------------------------------------------------------


def fetch_from(server, first, *others, may_use=None):
    """A request to a host of several addresses; answers which it went to, which failed, and which it asked about."""
    failed, asked = [], []

    async def use(address):
        asked.append(address)
        return may_use is None or may_use(address)

    async def run(one):
        request = call(server)
        request.route = Route(NAME, first, b"/", others=others, may_use=use)
        connection, _ = await one.fetch(request, Received())
        return connection.peer

    try:
        return asyncio.run(closing(run, client(failed=failed.append))), failed, asked
    except ConnectionRefusedError:
        return None, failed, asked


def test_the_next_address_is_tried_if_one_refuses():
    with ScriptedServer(HELLO) as server:
        assert fetch_from(server, "127.0.0.1", "127.0.0.9") == ("127.0.0.1", [], [])
        assert fetch_from(server, "127.0.0.9", "127.0.0.1") == ("127.0.0.1", ["127.0.0.9"], ["127.0.0.1"])
        dead = ["127.0.0.9", "127.0.0.10"]
        assert fetch_from(server, *dead, "127.0.0.1") == ("127.0.0.1", dead, [dead[1], "127.0.0.1"])


def test_an_address_of_another_family_that_cannot_be_reached_is_passed_over():
    """2001:db8:: is for documentation: no machine has a route to it, or an address of its own there."""
    with ScriptedServer(HELLO) as server:
        peer, failed, _ = fetch_from(server, "::1", "127.0.0.1")
        assert (peer, failed) == ("127.0.0.1", ["::1"])


def test_a_name_with_many_dead_addresses_draws_few_connections():
    with ScriptedServer(HELLO) as server:
        many = [f"127.0.0.{number}" for number in range(9, 30)]
        peer, failed, _ = fetch_from(server, *many, "127.0.0.1")
        assert (peer, failed) == (None, many[:ADDRESSES])


def test_an_address_that_may_not_be_used_now_is_not_connected_to():
    with ScriptedServer(HELLO) as server:
        assert fetch_from(server, "127.0.0.9", "127.0.0.1", may_use=lambda _: False) == (
            *(None, ["127.0.0.9"], ["127.0.0.1"]),
        )
        assert server.clients == 0


# -- reasons -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ([b""], "connection closed without an answer"),
        ([b"HTTP/1.1 200 OK\r\nContent-Le"], "connection closed within the head"),
        (["reset"], "connection reset"),
        ([b"SSH-2.0-OpenSSH_9.2\r\n\r\n"], "bad status line"),
        ([b"220 mail.example ESMTP\r\n"], "bad status line"),
        ([b"SSH-2.0-OpenSSH_9.2\r\n", 5.0], "bad status line"),
        ([b"HTTP/1.1 200 OK\r\nX: " + b"x" * 2 * HEAD_BYTES], "head too large"),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"], "bad Content-Length"),
        ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: \x1b[2J\r\n\r\n"], "unknown transfer coding"),
    ],
)
def test_the_reason_of_a_failure_is_told(script, reason):
    with ScriptedServer(*script) as server, pytest.raises((ClosedError, WireError, OSError)) as caught:
        fetch(server)
    assert reason_of(caught.value) == reason


@pytest.mark.parametrize(
    ("body", "loss"),
    [
        ([b"Content-Length: 9\r\n\r\nhello"], "connection closed"),
        ([b"Content-Length: 9\r\n\r\nhello", 0.2, "reset"], "connection reset"),
        ([b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nno\r\n"], "bad chunk"),
        ([b"Transfer-Encoding: chunked\r\n\r\n0\r\n", *[b"X: " + b"y" * 1000 + b"\r\n"] * 100], "trailer too large"),
    ],
)
def test_the_reason_of_an_incomplete_response_is_told(body, loss):
    async def run(one):
        connection, end = await one.fetch(call(server), Received())
        return connection.loss, end

    with ScriptedServer(b"HTTP/1.1 200 OK\r\n", *body) as server:
        assert asyncio.run(closing(run)) == (loss, End.BROKEN)


@pytest.mark.parametrize(
    ("days", "name", "trusts", "reason"),
    [
        ((-9, -1), NAME, True, "certificate expired"),
        ((1, 9), NAME, True, "certificate not valid yet"),
        ((-1, 1), NAME, False, "certificate self-signed"),
        ((-1, 1), "other.example", True, "certificate of another host"),
    ],
)
def test_the_reason_of_a_failed_handshake_is_told(tmp_path, days, name, trusts, reason):
    path = certificate_in(tmp_path, days=days)
    context = SSL.Context(SSL.TLS_CLIENT_METHOD)
    context.set_verify(SSL.VERIFY_PEER, None)
    if trusts:
        context.load_verify_locations(str(path))
    with ScriptedServer(HELLO, certificate=path) as server:
        one = HttpClient(context, lambda *_: None, lambda _: None)
        with pytest.raises((SSL.Error, VerificationError)) as caught:
            asyncio.run(closing(lambda one: one.fetch(call(server, name=name), Received()), one))
    assert reason_of(caught.value) == reason


@pytest.mark.parametrize(
    ("answer", "reasons"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", {"TLS failed: wrong version number"}),
        (b"", {"connection closed in the TLS handshake", "connection reset"}),
    ],
)
def test_the_reason_is_told_if_the_server_speaks_no_tls(answer, reasons):
    def serve():
        with mute.accept()[0] as opened:
            opened.recv(65536)
            opened.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as mute:
        server = type("Mute", (), {"port": mute.getsockname()[1], "_tls": None})()
        serving = threading.Thread(target=serve)
        serving.start()
        with pytest.raises((ClosedError, OSError, SSL.Error)) as caught:
            fetch(server, is_tls=True)
        serving.join()
    assert reason_of(caught.value) in reasons


# -- TLS ---------------------------------------------------------------------------------------------------------


def test_a_session_is_resumed_by_the_same_name_and_by_no_other(certificate):
    with ScriptedServer(HELLO, certificate=certificate) as server:

        async def run(one):
            await fetch_some(one, server, 3, 0.05)
            await fetch_some(one, server, 2, 0.05, name="other.example")

        asyncio.run(closing(run))
        assert server.resumed == [False, True, True, False, True]
        assert server.names[0] == NAME
        assert "other.example" in server.names


def test_a_session_is_resumed_after_a_download_that_was_ended(certificate):
    endless = [b"HTTP/1.1 200 OK\r\n\r\n", *[b"x" * 1000] * 1000]
    with ScriptedServer(*endless, certificate=certificate) as server:

        async def run(one):
            for _ in range(2):
                await one.fetch(call(server), Received(most=10))

        asyncio.run(closing(run))
        assert server.resumed == [False, True]


def test_names_at_one_server_are_asked_for_at_once_each_by_its_own(certificate):
    """A context that keeps the last name would mix them up (Scrapy's issue 7445)."""
    with ScriptedServer(HELLO, certificate=certificate) as server:

        async def run(one):
            names = [f"n{number}.example" for number in range(8)]
            await asyncio.gather(*(one.fetch(call(server, name=name), Received()) for name in names))
            return names

        names = asyncio.run(closing(run))
        assert sorted(server.names) == sorted(names)
        # The Host of each request is that of its connection, so each name was asked once.
        assert sorted(line for each in server.requests for line in each.split(b"\r\n") if line.startswith(b"Host")) == [
            b"Host: " + name.encode() for name in names
        ]


def test_sessions_are_bounded():
    sessions = TlsSessions(2)
    for name in "abc":
        sessions.put((name, 443), name)
    assert [sessions.take((name, 443)) for name in "abc"] == [None, "b", "c"]
    assert len(sessions) == 0


@pytest.mark.parametrize(
    ("trusts", "name", "error"), [(False, NAME, SSL.Error), (True, "other.example", VerificationError)]
)
def test_a_certificate_is_verified_if_it_is_to_be(certificate, trusts, name, error):
    context = tls_context(verify=True, ciphers="DEFAULT", least=None, most=None)
    if trusts:
        context = SSL.Context(SSL.TLS_CLIENT_METHOD)
        context.set_verify(SSL.VERIFY_PEER, None)
        context.load_verify_locations(str(certificate))
    with ScriptedServer(HELLO, certificate=certificate) as server:

        def run(name):
            one = HttpClient(context, lambda *_: None, lambda _: None)
            asyncio.run(closing(lambda one: one.fetch(call(server, name=name), Received()), one))

        with pytest.raises(error):
            run(name)
        assert server.requests == []
        if trusts:
            run(NAME)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"least": "TLSv9"}, "DOWNLOAD_TLS_MIN_VERSION: 'TLSv9' is not one of TLSv1.0, TLSv1.1, TLSv1.2, TLSv1.3"),
        ({"most": "SSLv3"}, "DOWNLOAD_TLS_MAX_VERSION: 'SSLv3' is not one of"),
        ({"ciphers": "NONSENSE"}, "DOWNLOADER_CLIENT_TLS_CIPHERS: OpenSSL knows no cipher of 'NONSENSE'"),
    ],
)
def test_a_setting_that_openssl_cannot_follow_is_told(settings, message):
    with pytest.raises(ValueError, match=message):
        tls_context(**{"verify": False, "ciphers": "", "least": None, "most": None, **settings})


# -- proxies -----------------------------------------------------------------------------------------------------


def test_a_proxy_connects_to_the_server_and_is_told_no_more_than_its_name(certificate):
    with ScriptedServer(HELLO, certificate=certificate) as server:

        def pump(source, sink):
            try:
                while data := source.recv(65536):
                    sink.sendall(data)
                sink.shutdown(socket.SHUT_WR)
            except OSError:
                pass

        def serve(listening):
            opened, _ = listening.accept()
            with opened, socket.create_connection(("127.0.0.1", server.port)) as behind:
                asked.append(opened.recv(65536))
                opened.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                back = threading.Thread(target=pump, args=(behind, opened))
                back.start()
                pump(opened, behind)
                back.join(5)

        asked = []
        with socket.create_server(("127.0.0.1", 0)) as listening:
            serving = threading.Thread(target=serve, args=(listening,))
            serving.start()
            proxy = Proxy("127.0.0.1", listening.getsockname()[1], authorization=b"Basic eDp5")
            received, _ = fetch(server, proxy=proxy, name="far.example", target=b"/secret")
            serving.join(5)
    assert received.data == b"hello"
    head = b"CONNECT far.example:%d HTTP/1.1\r\nHost: far.example:%d\r\nProxy-Authorization: Basic eDp5\r\n\r\n"
    assert asked == [head % (server.port, server.port)]
    assert server.names == ["far.example"]


def test_a_proxy_that_does_not_connect_is_told(certificate):
    with ScriptedServer(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n") as proxy:
        server = type("Far", (), {"port": 443, "_tls": True})()
        with pytest.raises(TunnelError, match="answered CONNECT with status 403"):
            fetch(server, proxy=Proxy("127.0.0.1", proxy.port))


# -- servers that end, wait or break off at another time -----------------------------------------------------------


@pytest.fixture(params=["asyncio", "uvloop"])
def run_in(request):
    """Runs a coroutine in one of the event loops; answers its result and what the loop was told of errors."""
    new_loop = pytest.importorskip(request.param).new_event_loop

    def run(coroutine):
        told = []
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.get_loop().set_exception_handler(lambda _, context: told.append(context["message"]))
            return runner.run(coroutine), told

    return run


def test_idle_connections_that_the_server_closed_first_are_forgotten(run_in, scheme, monkeypatch):
    monkeypatch.setattr("mediacrawl.download.http_client.KEPT", 0.2)

    async def run(one, server):
        await one.fetch(call(server), Received())
        await asyncio.sleep(0.5)
        return len(one._idle)

    with ScriptedServer(HELLO, 0.05, certificate=scheme) as server:
        assert run_in(closing(lambda one: run(one, server))) == (0, [])


def test_a_client_with_connections_that_servers_closed_is_closed_as_a_whole(run_in, scheme):
    async def run(one, servers):
        connections = [(await one.fetch(call(server), Received()))[0] for server in servers]
        await asyncio.sleep(0.3)
        one.close()
        await asyncio.sleep(0.05)
        return [connection.is_open for connection in connections]

    keeping = ScriptedServer(HELLO, "keep", certificate=scheme)
    with ScriptedServer(HELLO, 0.05, certificate=scheme) as ending, keeping:
        assert run_in(closing(lambda one: run(one, (ending, keeping)))) == ([False, False], [])


def test_a_server_that_does_not_read_a_request_does_not_keep_its_connection_open(run_in):
    async def run(one, server):
        refused = call(server, method="POST", body=bytes(30_000_000))
        connection, _ = await one.fetch(refused, Received())
        await asyncio.sleep(0.05)
        return connection._transport.get_write_buffer_size()

    listening = socket.create_server(("127.0.0.1", 0))

    def serve():
        opened, _ = listening.accept()
        opened.recv(1000)
        opened.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        done.wait(20)
        opened.close()

    done = threading.Event()
    thread = threading.Thread(target=serve)
    thread.start()
    try:
        server = type("Deaf", (), {"port": listening.getsockname()[1]})()
        assert run_in(closing(lambda one: run(one, server))) == (0, [])
    finally:
        done.set()
        thread.join()
        listening.close()


def test_many_line_breaks_before_a_head_are_passed_over():
    with ScriptedServer(*[b"\n" * 50] * 400, b"\r\n" * 20, HELLO) as server:
        received, end = fetch(server)
    assert (received.data, end) == (b"hello", End.WHOLE)


def test_a_head_that_is_too_large_is_refused_though_it_came_with_its_body():
    large = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: " + b"x" * HEAD_BYTES + b"\r\n\r\n"
    received = Received()
    with ScriptedServer(large) as server, pytest.raises(WireError, match="more than"):
        fetch(server, received)
    assert received.head is None


def test_what_was_decrypted_before_a_broken_record_counts(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = context.wrap_bio(incoming, outgoing, server_side=True)
    tls = TlsClient(tls_context(verify=False, ciphers="DEFAULT", least=None, most=None), NAME)
    incoming.write(tls.begin())
    with pytest.raises(ssl.SSLWantReadError):
        server.do_handshake()
    incoming.write(tls.receive(outgoing.read())[1])
    server.do_handshake()
    server.write(b"whole")
    assert tls.receive(outgoing.read() + b"\xff" * 20)[0] == b"whole"
    assert tls.failure is not None
    with pytest.raises(SSL.Error):
        tls.receive(b"")


def test_a_ticket_is_offered_once_though_two_connections_have_it(certificate):
    offered = []

    async def run(one, server):
        taken = one.sessions.take

        def take(site):
            session = taken(site)
            offered.append(None if session is None else session._session)
            return session

        one.sessions.take = take
        await one.fetch(call(server), Received())
        slow = asyncio.ensure_future(one.fetch(call(server, target=b"/slow"), Received()))
        await asyncio.sleep(0.1)
        await one.fetch(call(server), Received())
        await slow
        one.close()
        await one.fetch(call(server), Received())

    def script(request):
        return (0.5, HELLO, "keep") if b"/slow" in request else (HELLO, "keep")

    with ScriptedServer(script, certificate=certificate) as server:
        asyncio.run(closing(lambda one: run(one, server)))
    known = [number for number in offered if number is not None]
    assert len(known) >= 1
    assert len(known) == len({str(number) for number in known})


def test_a_request_that_is_out_of_time_before_it_is_sent_says_so(certificate, run_in):
    async def run(one, server):
        errors = []
        for number in range(40):
            try:
                await one.fetch(call(server, timeout=0.0003 * (number + 1)), Received())
            except Exception as error:
                errors.append(type(error))
            one.close()
        return errors

    with ScriptedServer(HELLO, certificate=certificate) as server:
        errors, told = run_in(closing(lambda one: run(one, server)))
    assert set(errors) <= {RequestTimeoutError, ConnectTimeoutError}
    assert told == []
