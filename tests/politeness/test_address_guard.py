"""What a crawl's own guard lets pass."""

import pytest

from mediacrawl.politeness.addresses import Guard, GuardedAddressError


def test_without_a_word_of_the_operator_only_public_addresses_pass():
    guard = Guard()
    assert guard.refusal("8.8.8.8", "a.example") is None
    assert guard.refusal("127.0.0.1", "a.example") == "loopback"
    assert guard.refusal("nonsense", "a.example") == "no_address"


@pytest.mark.parametrize("address", ["10.1.2.3", "::ffff:10.1.2.3", "::1", "2002:a01:203::1"])
def test_an_allowed_network_passes_whatever_it_is_wrapped_in(address):
    assert Guard(["10.1.0.0/16", "::1"]).refusal(address, "a.example") is None


@pytest.mark.parametrize(
    ("address", "word"),
    [("10.2.0.1", "private"), ("::2", "this_network"), ("::10.1.2.3", "reserved"), ("2001:0:a01:203::1", "reserved")],
)
def test_what_is_beside_an_allowed_network_is_refused(address, word):
    assert Guard(["10.1.0.0/16", "::1"]).refusal(address, "a.example") == word


def test_an_allowed_name_passes_with_all_below_it_and_no_other():
    guard = Guard(["Intra.example."])
    assert guard.refusal("10.0.0.1", "intra.example") is None
    assert guard.refusal("10.0.0.1", "wiki.intra.example") is None
    assert guard.refusal("10.0.0.1", "notintra.example") == "private"


def test_an_address_that_the_operator_gave_a_name_passes_for_that_name_only():
    guard = Guard(fixed={"demo.example": ["127.0.0.1"]})
    assert guard.refusal("127.0.0.1", "demo.example") is None
    assert guard.refusal("127.0.0.2", "demo.example") == "loopback"
    assert guard.refusal("127.0.0.1", "other.example") == "loopback"


def test_the_addresses_that_may_be_asked_stay_in_their_order():
    assert Guard().allowed("a.example", ["10.0.0.1", "8.8.8.8", "::1", "8.8.4.4"]) == ("8.8.8.8", "8.8.4.4")


def test_a_host_with_guarded_addresses_only_is_refused_with_the_first():
    with pytest.raises(GuardedAddressError, match=r"^a\.example leads to 10\.0\.0\.1 \(private\)$") as caught:
        Guard().allowed("a.example", ["10.0.0.1", "127.0.0.1"])
    assert (caught.value.host, caught.value.address, caught.value.word) == ("a.example", "10.0.0.1", "private")


def test_a_further_judge_is_asked_about_allowed_addresses_and_those_inside_others():
    guard = Guard(["0.0.0.0/0", "::/0"], fixed={"b.example": ["192.0.2.7"]})
    guard.judges.append(lambda address, host: "nevercrawl" if str(address) == "192.0.2.7" else None)
    assert guard.refusal("192.0.2.8", "a.example") is None
    assert guard.refusal("192.0.2.7", "b.example") == "nevercrawl"
    assert guard.refusal("::ffff:192.0.2.7", "a.example") == "nevercrawl"


@pytest.mark.parametrize(
    "entry", ["10.1.0.0/33", "10.1.0.1/16", "300.1.1.1", "http://intra.example/", "a b", "", "::g"]
)
def test_an_entry_that_means_nothing_is_told_with_what_to_write(entry):
    with pytest.raises(ValueError, match=r"GUARD_ALLOW: .* write it as"):
        Guard([entry])
