"""The resolver against a real DNS server on loopback, in a real reactor."""

import asyncio
import contextlib
import threading

import pytest
from dns_server import (
    AAAA,
    A,
    DnsServer,
    a,
    aaaa,
    cname,
    in_turn,
    late,
    named,
    nothing,
    nxdomain,
    reply,
    servfail,
    silent,
)
from looking_up import LONG, Names, lose_the_first_round
from reactor_thread import running, wait_for
from twisted.internet.error import DNSLookupError

from mediacrawl.download import resolver as module
from mediacrawl.download.resolver import NoAnswerError, NoSuchNameError
from mediacrawl.politeness import addresses as believed

pytestmark = pytest.mark.usefixtures("patient")


# -- what is asked -----------------------------------------------------------------------------------------------


def test_families_are_asked_in_the_order_of_the_setting_or_one_alone(server):
    server.zone["site.example"] = [aaaa("2001:db8::7"), a("192.0.2.7")]
    assert Names(server, families=("ipv6", "ipv4"))("site.example") == ("2001:db8::7", "192.0.2.7")
    server.asked.clear()
    assert Names(server, families=("ipv4",))("site.example") == ("192.0.2.7",)
    assert server.asked == [("site.example", A)]


def test_a_family_that_is_never_answered_does_not_hold_up_the_other(server, monkeypatch):
    monkeypatch.setattr(module, "_GRACE", 0.3)
    server.zone["half.example"] = lambda q: None if q.type == AAAA else q.answer(named([a("192.0.2.7")], q.name))
    names = Names(server)
    assert names("half.example") == ("192.0.2.7",)
    assert names.count["dns/timeouts"] == 0


@pytest.mark.parametrize(
    ("host", "addresses"),
    [
        ("192.0.2.7", ("192.0.2.7",)),
        ("[2001:DB8::7]", ("2001:db8::7",)),
        ("2001:db8::7", ("2001:db8::7",)),
        ("3221225991", ("192.0.2.7",)),
        ("0xC0.0.2.7", ("192.0.2.7",)),
        ("192.0.519.", ("192.0.2.7",)),
        ("a.localhost.", ("127.0.0.1", "::1")),
    ],
)
def test_addresses_and_this_machine_are_not_asked_for(server, host, addresses):
    assert Names(server)(host) == addresses
    assert server.asked == []


@pytest.mark.parametrize(
    "host",
    ["", ".", "a..b", "x" * 64 + ".example", ".".join(["abc"] * 64), "a b.example", "1.2.3.4.5", "256.256.256.256",
     "[::1", "[::1%25lo]", "::g", "a" * 5_000, "ex\0ample.example", "\ud800.example"],
)  # fmt: skip
def test_what_is_no_name_fails_at_once(server, host):
    with pytest.raises(NoSuchNameError, match="neither a name nor an address"):
        Names(server)(host)
    assert server.asked == []


def test_a_name_beyond_ascii_is_asked_in_its_ascii_form(server):
    server.zone["xn--bcher-kva.example"] = [a("192.0.2.7")]
    assert Names(server)("BÜCHER.example.") == ("192.0.2.7",)


def test_fixed_names_go_before_dns(server):
    server.zone["fixed.example"] = [a("192.0.2.1")]
    names = Names(server, hosts={"fixed.example": ("192.0.2.7", "2001:db8::7")})
    assert names("Fixed.example") == ("192.0.2.7", "2001:db8::7")
    assert server.asked == []


# -- aliases -----------------------------------------------------------------------------------------------------


def test_the_aliases_in_an_answer_are_followed(server):
    links = [cname(f"{number + 1}.example", name=f"{number}.example", ttl=600 - number) for number in range(5)]
    server.zone["0.example"] = [a("192.0.2.7", name="5.example"), *reversed(links)]
    names = Names(server)
    assert names("0.example") == ("192.0.2.7",)
    names.now += 299
    assert names("0.example") == ("192.0.2.7",)
    assert sorted(server.asked) == [("0.example", A), ("0.example", AAAA)]
    names.now += 1
    assert names("0.example") == ("192.0.2.7",)
    assert len(server.asked) == 4


def test_an_alias_without_an_address_is_a_name_without_one(server):
    """As for the C library: it is the name server that follows aliases."""
    server.zone["www.example"] = [cname("cdn.example")]
    with pytest.raises(NoSuchNameError):
        Names(server)("www.example")


def test_aliases_in_a_circle_are_no_answer(server):
    server.zone["a.example"] = [cname("b.example"), cname("a.example", name="b.example")]
    with pytest.raises(NoAnswerError):
        Names(server)("a.example")


# -- how long it is believed -------------------------------------------------------------------------------------


def test_an_answer_is_believed_for_its_time_and_asked_for_again(server):
    server.zone["site.example"] = in_turn([a("192.0.2.1", ttl=100)], [a("192.0.2.2", ttl=100)])
    names = Names(server)
    assert names("site.example") == ("192.0.2.1",)
    names.now += 99
    assert names("site.example") == ("192.0.2.1",)
    assert names.count["dns/cached"] == 1
    names.now += 1
    assert names("site.example") == ("192.0.2.2",)


def test_a_name_that_changes_its_answer_each_time_is_not_asked_each_time(server):
    server.zone["rebind.example"] = in_turn([a("192.0.2.1", ttl=0)], [a("127.0.0.1", ttl=0)])
    names = Names(server)
    assert [names("rebind.example") for _ in range(20)] == [("192.0.2.1",)] * 20
    names.now += 60
    assert names("rebind.example") == ("127.0.0.1",)


@pytest.mark.parametrize("no", [nxdomain, nothing])
def test_no_is_believed_for_as_long_as_the_zone_says(server, no):
    server.zone["gone.example"] = no(minimum=200)
    names = Names(server)
    for passed in (0, 199):
        names.now = 1_000.0 + passed
        with pytest.raises(NoSuchNameError):
            names("gone.example")
    assert len(server.asked) == 2
    server.zone["gone.example"] = [a("192.0.2.7")]
    names.now = 1_200.0
    assert names("gone.example") == ("192.0.2.7",)


def test_a_server_that_fails_is_believed_for_a_short_time(server, monkeypatch):
    monkeypatch.setattr(believed, "FAILURE", 5.0)
    server.zone["broken.example"] = servfail
    names = Names(server)
    for _ in range(2):
        with pytest.raises(NoAnswerError):
            names("broken.example")
    assert len(server.asked) == 2
    assert names.count["dns/bad_answers"] == 2
    server.zone["broken.example"] = [a("192.0.2.7")]
    names.now += 5
    assert names("broken.example") == ("192.0.2.7",)


def test_an_address_that_did_not_answer_goes_to_the_end_of_its_names(server):
    server.zone["site.example"] = [a("192.0.2.1"), a("192.0.2.2")]
    names = Names(server, hosts={"fixed.example": ("192.0.2.1", "192.0.2.3")})
    assert names("site.example") == ("192.0.2.1", "192.0.2.2")
    names.resolver.shun("192.0.2.1")
    assert names("site.example") == ("192.0.2.2", "192.0.2.1")
    assert names("fixed.example") == ("192.0.2.3", "192.0.2.1")
    names.now += 600
    assert names("site.example") == ("192.0.2.1", "192.0.2.2")


# -- many at once ------------------------------------------------------------------------------------------------


def test_many_askers_of_one_name_wait_for_one_look_up(server):
    server.zone["site.example"] = late(0.2, [a("192.0.2.7")])
    names = Names(server)
    assert names.all(["site.example"] * 500) == [("192.0.2.7",)] * 500
    assert len(server.asked) == 2
    assert names.count["dns/names"] == 1


def test_an_asker_who_goes_away_takes_nothing_from_the_others(server):
    gone = threading.Event()
    server.zone["site.example"] = lambda question: gone.wait(LONG) and reply([a("192.0.2.7")], question)
    names = Names(server)

    async def one_goes():
        asked = [asyncio.ensure_future(names.resolver.addresses("site.example", names._told)) for _ in range(3)]
        while not server.asked:
            await asyncio.sleep(0.01)
        asked[0].cancel()
        gone.set()
        return await asyncio.gather(*asked, return_exceptions=True)

    first, *others = wait_for(one_goes)
    assert isinstance(first, asyncio.CancelledError)
    assert others == [("192.0.2.7",)] * 2


def test_silent_names_do_not_hold_up_others(server):
    found = threading.Event()
    for number in range(30):
        server.zone[f"silent{number}.example"] = lambda question: found.wait(LONG) and servfail(question)
    server.zone["site.example"] = [a("192.0.2.7")]
    names = Names(server, timeout=20.0)
    order = []

    async def asked(host):
        with contextlib.suppress(NoAnswerError):
            await names.resolver.addresses(host, names._told)
        order.append(host)
        if host == "site.example":
            found.set()

    async def gather():
        await asyncio.gather(*(asked(f"silent{number}.example") for number in range(30)), asked("site.example"))

    wait_for(gather)
    assert order[0] == "site.example"
    assert len(order) == 31


# -- servers that fail -------------------------------------------------------------------------------------------


def test_a_silent_server_is_followed_by_the_next_and_asked_last_from_then_on(monkeypatch):
    with DnsServer() as dead, DnsServer() as alive:
        ask = module._ask

        def ask_so_long(server, name, kind, seconds):
            return ask(server, name, kind, 0.5 if server[1] == dead.port else seconds)

        monkeypatch.setattr(module, "_ask", ask_so_long)
        for number in range(3):
            dead.zone[f"{number}.example"] = silent
            alive.zone[f"{number}.example"] = [a("192.0.2.7")]
        names = Names(dead, alive)
        for number in range(3):
            assert names(f"{number}.example") == ("192.0.2.7",)
        assert set(dead.names()) == {"0.example"}


@pytest.mark.parametrize("nowhere", ["255.255.255.255", "fe80::1%none"])
def test_a_server_that_no_way_leads_to_is_followed_by_the_next_and_asked_last_from_then_on(
    server, nowhere, monkeypatch
):
    """The system may name one of IPv6 first, on a machine that has none."""
    lose_the_first_round(monkeypatch)
    server.zone.update({name: [a("192.0.2.7")] for name in ("a.example", "b.example")})
    names = Names(nowhere, server)
    assert names("a.example") == ("192.0.2.7",)
    # One for each family.
    assert 1 <= names.count["dns/timeouts"] <= 2
    assert names("b.example") == ("192.0.2.7",)
    assert names.count["dns/timeouts"] <= 2


def test_a_lost_datagram_is_sent_again(server, monkeypatch):
    lose_the_first_round(monkeypatch)
    server.zone["site.example"] = in_turn(silent, [a("192.0.2.7")])
    assert Names(server)("site.example") == ("192.0.2.7",)


# -- Twisted -----------------------------------------------------------------------------------------------------


def test_twisted_looks_names_up_here_when_it_is_installed(server):
    server.zone["site.example"] = [a("192.0.2.7"), aaaa("2001:db8::7")]
    names = Names(server)

    async def through_twisted():
        reactor = running()
        before = reactor.nameResolver
        names.resolver.install_on_reactor()
        try:
            found = await reactor.resolve("site.example").asFuture(reactor._asyncioEventloop)
            with pytest.raises(DNSLookupError):
                await reactor.resolve("gone.example").asFuture(reactor._asyncioEventloop)
            return found
        finally:
            reactor.installNameResolver(before)

    assert wait_for(through_twisted) == "192.0.2.7"
