"""What is read out of DNS answers, and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.politeness.dns import (
    AAAA,
    ADDRESSES,
    CNAME,
    LINKS,
    SOA,
    A,
    DnsAnswer,
    DnsAnswerError,
    DnsRecord,
    join,
    read_answer,
)

NAME = "www.site.example"


def soa(ttl=900, minimum=300):
    return DnsRecord("site.example", SOA, ttl, minimum=minimum)


def test_addresses_come_in_the_servers_order_with_the_shortest_life():
    records = [
        DnsRecord(NAME, A, 300, "192.0.2.2"),
        DnsRecord(NAME, A, 60, "192.0.2.1"),
        DnsRecord(NAME, A, 300, "192.0.2.2"),
    ]
    assert read_answer(NAME, A, 0, records) == DnsAnswer(("192.0.2.2", "192.0.2.1"), 60)


def test_an_alias_is_followed_within_the_answer_in_whatever_order_its_records_stand():
    records = [
        DnsRecord("c.example", A, 300, "192.0.2.1"),
        DnsRecord("b.example", CNAME, 20, "c.example"),
        DnsRecord(NAME, CNAME, 600, "b.example"),
    ]
    assert read_answer(NAME, A, 0, records) == DnsAnswer(("192.0.2.1",), 20)


def test_an_alias_without_an_address_is_asked_on():
    assert read_answer(NAME, A, 0, [DnsRecord(NAME, CNAME, 50, "b.example")]) == DnsAnswer(ttl=50, alias="b.example")


def test_an_alias_to_a_name_without_addresses_of_this_family_is_not_asked_on():
    assert read_answer(NAME, AAAA, 0, [DnsRecord(NAME, CNAME, 50, "b.example")], [soa()]) == DnsAnswer(ttl=300)
    assert read_answer(NAME, AAAA, 3, [DnsRecord(NAME, CNAME, 50, "b.example")]) == DnsAnswer()


def test_addresses_of_other_names_and_of_the_other_family_are_not_read():
    records = [DnsRecord("bank.example", A, 300, "192.0.2.1"), DnsRecord(NAME, AAAA, 300, "2001:db8::1")]
    assert read_answer(NAME, A, 0, records) == DnsAnswer()


@pytest.mark.parametrize("code", [0, 3])
def test_no_may_be_kept_for_as_long_as_the_zone_says(code):
    assert read_answer(NAME, A, code, [], [soa(900, 300)]) == DnsAnswer(ttl=300)
    assert read_answer(NAME, A, code, [], [soa(100, 300)]) == DnsAnswer(ttl=100)
    assert read_answer(NAME, A, code, []) == DnsAnswer(ttl=None)


@pytest.mark.parametrize("code", [1, 2, 4, 5, 15])
def test_a_server_that_fails_has_said_nothing(code):
    with pytest.raises(DnsAnswerError, match=f"code {code}"):
        read_answer(NAME, A, code, [DnsRecord(NAME, A, 300, "192.0.2.1")])


def test_aliases_in_a_circle_end():
    records = [DnsRecord(NAME, CNAME, 9, "b.example"), DnsRecord("b.example", CNAME, 9, NAME)]
    with pytest.raises(DnsAnswerError, match="no end"):
        read_answer(NAME, A, 0, records)


def test_so_many_aliases_are_followed_and_no_more():
    def chain(length):
        names = [NAME, *(f"{number}.example" for number in range(length))]
        links = [DnsRecord(name, CNAME, 9, names[place + 1]) for place, name in enumerate(names[:-1])]
        return [*links, DnsRecord(names[-1], A, 9, "192.0.2.1")]

    assert read_answer(NAME, A, 0, chain(LINKS)).addresses == ("192.0.2.1",)
    with pytest.raises(DnsAnswerError):
        read_answer(NAME, A, 0, chain(LINKS + 1))


def test_an_alias_to_what_is_no_name_is_not_asked():
    for written in ("", "a..b", "x" * 64 + ".example", "a b.example", "münchen.example", ".".join(["abc"] * 64)):
        with pytest.raises(DnsAnswerError, match="no name"):
            read_answer(NAME, A, 0, [DnsRecord(NAME, CNAME, 9, written)])


def test_of_thousands_of_addresses_a_few_are_kept():
    records = [DnsRecord(NAME, A, 9, f"192.0.{number // 256}.{number % 256}") for number in range(4_000)]
    assert len(read_answer(NAME, A, 0, records).addresses) == ADDRESSES


def test_a_life_with_the_highest_bit_set_is_none():
    assert read_answer(NAME, A, 0, [DnsRecord(NAME, A, 2**31, "192.0.2.1")]).ttl == 0


def test_families_are_joined_in_order_and_one_is_enough():
    four, six = DnsAnswer(("192.0.2.1",), 60), DnsAnswer(("2001:db8::1",), 30)
    assert join([four, six]) == DnsAnswer(("192.0.2.1", "2001:db8::1"), 30)
    assert join([None, six]) == six
    assert join([four, DnsAnswer(ttl=5)]) == four


def test_no_address_is_known_only_if_both_families_have_answered():
    assert join([DnsAnswer(ttl=300), DnsAnswer(ttl=60)]) == DnsAnswer(ttl=60)
    assert join([DnsAnswer(), DnsAnswer()]) == DnsAnswer()
    assert join([DnsAnswer(ttl=300), None]) is None
    assert join([None, None]) is None


names = st.sampled_from([NAME, "b.example", "c.example", "", "x y"])
records = st.lists(
    st.builds(
        DnsRecord, names, st.sampled_from([A, AAAA, CNAME, SOA]), st.integers(0, 2**32 - 1), names, st.integers(0, 9)
    )
)


@given(st.integers(0, 15), records, records)
def test_any_answer_is_read_or_refused(code, answers, authority):
    try:
        answer = read_answer(NAME, A, code, answers, authority)
    except DnsAnswerError:
        return
    assert len(answer.addresses) <= ADDRESSES
    assert answer.ttl is None or 0 <= answer.ttl < 2**31
    assert not (answer.addresses and answer.alias)
