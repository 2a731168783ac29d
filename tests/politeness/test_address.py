"""Which addresses are nobody's web server."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.politeness.addresses import layers, refusal

WORDS = {
    "unspecified": ["0.0.0.0", "::", "::ffff:0.0.0.0"],
    "this_network": ["0.0.0.1", "0.255.255.255"],
    "private": [
        "10.0.0.0",
        "10.255.255.255",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "fc00::",
        "fdff::1",
        "fec0::1",
    ],
    "shared": ["100.64.0.0", "100.127.255.255"],
    "loopback": ["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1"],
    "link_local": ["169.254.0.1", "fe80::1", "fe80::1%eth0", "febf::1"],
    "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "3fff::1", "3fff:fff::1"],
    "benchmark": ["198.18.0.0", "198.19.255.255", "2001:2::1"],
    "multicast": ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"],
    "broadcast": ["255.255.255.255"],
    "reserved": [
        "192.0.0.1",
        "192.88.99.1",
        "240.0.0.1",
        "255.255.255.254",
        "100::1",
        "5f00::1",
        "4000::1",
        "2001:20::1",
    ],
    "metadata": [
        *("169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16"),
        *("fd00:ec2::254", "fd20:ce::254", "fe80::a9fe:a9fe", "fe80::a9fe:a9fe%1", "::ffff:169.254.169.254"),
    ],
    "no_address": ["", "localhost", "127.1", "0177.0.0.1", "1.2.3.4.5", "[::1]", "::1%", "1.2.3.4\n"],
}
PUBLIC = [
    *(
        "1.0.0.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
    ),
    *("169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0"),
    *("198.17.255.255", "198.20.0.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "168.63.129.15"),
    *("2001:4860:4860::8888", "2606:4700::1111", "2a00:1450::1", "2001:200::1", "2001:db9::1", "3fff:1000::1"),
    *("::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2001:0:808:808::f7f7:f7f7"),
]


@pytest.mark.parametrize(("address", "word"), [(address, word) for word, all_of in WORDS.items() for address in all_of])
def test_an_address_that_is_no_public_server_is_refused_with_its_word(address, word):
    assert refusal(address) == word


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_not_refused(address):
    assert refusal(address) is None


GUARDED = ["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
           "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
           "240.0.0.0/4"]  # fmt: skip
SERVERS = ["2001:200::/23", "2003::/18", "2400::/12", "2600::/12", "2800::/12", "2a00::/12", "2c00::/12"]
"""What the registries hand out to providers (IANA IPv6 Global Unicast Address Assignments)."""


def within(*networks):
    parsed = [ip_network(network) for network in networks]
    return st.sampled_from(parsed).flatmap(
        lambda network: st.integers(int(network[0]), int(network[-1])).map(type(network[0]))
    )


guarded = within(*GUARDED)
public = within("1.0.0.0/9", "8.0.0.0/8", "93.184.0.0/16", "198.20.0.0/14", "151.101.0.0/16", "185.0.0.0/8")
rest = st.integers(0, 2**16 - 1)
not_isatap = rest.filter(lambda low: low != 0x5EFE)


def tail(prefix):
    network = IPv6Network(prefix)
    return lambda v4, _: IPv6Address(int(network[0]) | int(v4))


FORMS = {
    "mapped": tail("::ffff:0:0/96"),
    "compatible": tail("::/96"),
    "translated": tail("::ffff:0:0:0/96"),
    "nat64": tail("64:ff9b::/96"),
    "local nat64, at its end": tail("64:ff9b:1::/96"),
    "local nat64, after the prefix": lambda v4, _: IPv6Address(
        int(IPv6Address("64:ff9b:1::")) | (int(v4) >> 16) << 64 | (int(v4) & 0xFFFF) << 40
    ),
    "6to4": lambda v4, low: IPv6Address(0x2002 << 112 | int(v4) << 80 | low),
    "teredo server": lambda v4, low: IPv6Address(0x20010000 << 96 | int(v4) << 64 | low << 32 | 0xF7F7F7F7),
    "teredo client": lambda v4, low: IPv6Address(
        0x20010000 << 96 | 0x08080808 << 64 | low << 32 | int(v4) ^ 0xFFFFFFFF
    ),
    "isatap": lambda v4, low: IPv6Address(0x2A00 << 112 | low << 64 | 0x5EFE << 32 | int(v4)),
    "isatap, global": lambda v4, low: IPv6Address(0x2A00 << 112 | low << 64 | 0x02005EFE << 32 | int(v4)),
}


@given(st.sampled_from(sorted(FORMS)), guarded, rest)
def test_a_guarded_address_is_refused_in_whatever_it_is_wrapped(form, v4, low):
    wrapped = FORMS[form](v4, low)
    assert refusal(wrapped) is not None
    assert refusal(str(wrapped)) == refusal(wrapped)
    # "::" and "::1" are themselves, and not what 0.0.0.0 and 0.0.0.1 are wrapped in.
    assert v4 in layers(wrapped) or int(wrapped) < 2


@given(st.sampled_from(["mapped", "nat64", "6to4", "teredo server", "teredo client", "isatap"]), public, not_isatap)
def test_a_public_address_passes_in_what_leads_to_it(form, v4, low):
    assert refusal(FORMS[form](v4, low)) is None


@given(public | within(*SERVERS).filter(lambda address: int(address) >> 32 & 0xFCFFFFFF != 0x5EFE))
def test_what_the_registries_hand_out_is_not_refused(address):
    assert refusal(address) is None


@given(st.integers(0, 2**32 - 1).map(IPv4Address) | st.integers(0, 2**128 - 1).map(IPv6Address))
def test_what_python_calls_special_is_refused(address):
    """Python's own table is older than ours, so it may call less special, never more."""
    special = address.is_private or address.is_loopback or address.is_multicast or address.is_link_local
    if special or address.is_unspecified:
        assert refusal(address) is not None


@given(st.text(max_size=60))
def test_any_text_gets_a_verdict(text):
    verdict = refusal(text)
    assert verdict is None or verdict.replace("_", "").isalpha()
