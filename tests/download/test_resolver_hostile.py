"""The resolver against a DNS server that no server should be."""

import contextlib
import struct
from dataclasses import replace

import pytest
from dns_server import A, a, aaaa, by_tcp, in_turn, named, nxdomain
from looking_up import Names, lose_the_first_round
from twisted.internet.error import DNSLookupError

from mediacrawl.download.resolver import NoAnswerError

pytestmark = pytest.mark.usefixtures("patient")


def test_an_answer_that_does_not_fit_is_asked_for_by_tcp(server):
    server.zone["large.example"] = by_tcp([a(f"192.0.2.{number}") for number in range(250)])
    assert Names(server)("large.example") == tuple(f"192.0.2.{number}" for number in range(16))


def test_an_answer_for_other_names_is_not_believed(server):
    server.zone["evil.example"] = [a("192.0.2.66", name="bank.example"), a("192.0.2.7")]
    server.zone["bank.example"] = [a("192.0.2.1")]
    names = Names(server)
    assert names("evil.example") == ("192.0.2.7",)
    assert names("bank.example") == ("192.0.2.1",)


def good(question):
    return question.answer(named([a("192.0.2.7"), aaaa("2001:db8::7")], question.name))


def wrong_id(question):
    return struct.pack("!H", question.id ^ 1) + good(question)[2:]


def other_question(question):
    return good(question).replace(b"\x04site", b"\x04mite")


def no_to_another_question(question):
    return nxdomain(minimum=9_000)(question).replace(b"\x04site", b"\x04mite")


def no_answer_bit(question):
    data = good(question)
    return data[:2] + bytes([data[2] & 0x7F]) + data[3:]


def loop(question):
    """A name that leads to itself."""
    return struct.pack("!HHHHHH", question.id, 0x8180, 0, 1, 0, 0) + b"\xc0\x0c" + struct.pack("!HHIH", A, 1, 9, 4)


def cut(question):
    return good(question)[:-7]


def counts_that_lie(question):
    return good(question)[:6] + b"\xff\xff\xff\xff\xff\xff" + good(question)[12:]


def empty(question):
    return b""


def noise(question):
    return bytes(range(256)) * 16


def thousands(question):
    record = b"\0" + struct.pack("!HHIH", A, 1, 9, 4) + b"\x7f\0\0\1"
    return struct.pack("!HHHHHH", question.id, 0x8180, 0, 4_000, 0, 0) + record * 4_000


UNREADABLE = [wrong_id, loop, empty, noise]
BESIDE = [other_question, no_to_another_question, no_answer_bit]
HALF = [cut, counts_that_lie, thousands]


def called(bad):
    return bad.__name__


@pytest.mark.parametrize("bad", UNREADABLE, ids=called)
def test_a_packet_that_cannot_be_read_is_passed_over_and_the_name_asked_again(server, bad, monkeypatch):
    lose_the_first_round(monkeypatch)
    server.zone["site.example"] = in_turn(bad, good)
    assert Names(server, timeout=20.0)("site.example") == ("192.0.2.7", "2001:db8::7")


@pytest.mark.parametrize("bad", BESIDE, ids=called)
def test_an_answer_to_something_else_is_none(server, bad):
    server.zone["site.example"] = bad
    with pytest.raises(NoAnswerError):
        Names(server, timeout=1.0)("site.example")


@pytest.mark.parametrize("bad", HALF, ids=called)
def test_of_half_an_answer_no_more_is_believed_than_can_be_read(server, bad):
    server.zone["site.example"] = bad
    with contextlib.suppress(DNSLookupError):
        assert set(Names(server, timeout=1.0)("site.example")) <= {"192.0.2.7", "2001:db8::7"}


@pytest.mark.parametrize("bad", [wrong_id, noise, empty], ids=called)
def test_a_bad_packet_before_the_good_one_does_not_keep_it_out(server, bad):
    server.zone["site.example"] = lambda question: [bad(question), bad(question), good(question)]
    assert Names(server)("site.example") == ("192.0.2.7", "2001:db8::7")
    assert len(server.asked) == 2


@pytest.mark.parametrize("bad", [*UNREADABLE, *BESIDE, *HALF], ids=called)
def test_after_a_bad_answer_by_tcp_others_are_looked_up(server, bad):
    server.zone["site.example"] = lambda q: bad(q) if q.tcp else q.message(truncated=True).toStr()
    server.zone["other.example"] = by_tcp([a("192.0.2.9")])
    names = Names(server, timeout=1.0)
    with contextlib.suppress(DNSLookupError):
        assert set(names("site.example")) <= {"192.0.2.7", "2001:db8::7"}
    # Some of these are never heard; the good answer is waited for.
    names.resolver._policy = replace(names.resolver._policy, timeout=20.0)
    assert names("other.example") == ("192.0.2.9",)
