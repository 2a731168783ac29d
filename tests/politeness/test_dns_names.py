"""Names that DNS is not asked for, and the servers that are asked for the others."""

import pytest

from mediacrawl.politeness.addresses import NamePolicy, fixed_hosts, localhost, read_hosts, read_servers, server_of


def test_names_of_this_machine_are_its_loopback():
    assert localhost("localhost") == localhost("a.b.localhost") == ("127.0.0.1", "::1")
    assert localhost("notlocalhost") == localhost("localhost.example") == ()


def test_a_file_of_hosts_is_read_as_the_system_reads_it():
    text = (
        "# comment\n127.0.0.1\tlocalhost Box # this machine\n::1 localhost\n\nnonsense name\n10.0.0.1\n10.0.0.2 box\n"
    )
    assert read_hosts(text) == {"localhost": ("127.0.0.1", "::1"), "box": ("127.0.0.1", "10.0.0.2")}


def test_the_systems_name_servers_are_read_the_first_three_of_them():
    text = "# comment\nsearch home.example\nnameserver 192.0.2.1\nnameserver\nnameserver dns.example\n"
    text += "nameserver 2001:db8::1\nnameserver 192.0.2.2\nnameserver 192.0.2.3\n"
    assert read_servers(text) == (("192.0.2.1", 53), ("2001:db8::1", 53), ("192.0.2.2", 53))
    assert read_servers("") == (("127.0.0.1", 53),)


def test_addresses_are_kept_in_the_spelling_in_which_a_socket_tells_them():
    """An answer of a name server counts only if it comes from its address; a peer, only if it has the allowed one."""
    assert server_of("[2001:DB8:0:0::1]:5353") == ("2001:db8::1", 5353)
    assert read_servers("nameserver 2001:4860:4860:0:0:0:0:8888") == (("2001:4860:4860::8888", 53),)
    assert fixed_hosts({"a.example": "0:0:0:0:0:0:0:1"}) == {"a.example": ("::1",)}
    assert read_hosts("0:0::1 a.example") == {"a.example": ("::1",)}


@pytest.mark.parametrize(
    ("written", "server"),
    [
        ("192.0.2.1", ("192.0.2.1", 53)),
        (" 192.0.2.1:5353 ", ("192.0.2.1", 5353)),
        ("2001:db8::1", ("2001:db8::1", 53)),
        ("[2001:db8::1]", ("2001:db8::1", 53)),
        ("[2001:db8::1]:5353", ("2001:db8::1", 5353)),
    ],
)
def test_a_name_server_is_written_with_or_without_a_port(written, server):
    assert server_of(written) == server


@pytest.mark.parametrize("written", ["", "dns.example", "192.0.2.1:", "192.0.2.1:0", "192.0.2.1:65536", "192.0.2.1:x"])
def test_what_is_no_name_server_is_told_with_what_to_write(written):
    with pytest.raises(ValueError, match=r"RESOLVER_SERVERS: .* write it as"):
        server_of(written)


def test_fixed_names_have_one_address_or_several():
    written = {"a.example": "192.0.2.1", "b.example": ["192.0.2.2", "::1"]}
    assert fixed_hosts(written) == {"a.example": ("192.0.2.1",), "b.example": ("192.0.2.2", "::1")}


@pytest.mark.parametrize("value", ["", "localhost", [], ["192.0.2.1", "x"], None, 7, {"a": 1}])
def test_a_fixed_name_without_an_address_is_told(value):
    with pytest.raises(ValueError, match=r"RESOLVER_HOSTS: .* write"):
        fixed_hosts({"a.example": value})


@pytest.mark.parametrize("families", [(), ("ipv5",), ("ipv4", "IPv6")])
def test_families_that_do_not_exist_are_told(families):
    with pytest.raises(ValueError, match="RESOLVER_FAMILIES"):
        NamePolicy(families=families)
