"""The header Link."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.extract import link_header


@pytest.mark.parametrize(
    ("values", "target"),
    [
        ([], ""),
        (['<https://a.example/x>; rel="canonical"'], "https://a.example/x"),
        (["</x>;rel=canonical"], "/x"),
        (["</x> ; REL = 'canonical'"], ""),
        (['</x>; rel="Canonical"; type="text/html"'], "/x"),
        (['</x>; title="a, b; rel=next"; rel="canonical"'], "/x"),
        (['</x>; rel="alternate canonical"'], "/x"),
        (['</x>; rel=next, </y>; rel="canonical", </z>; rel=prev'], "/y"),
        (["</x>; rel=next", "</y>; rel=canonical"], "/y"),
        (["</x>; rel=canonical", "</x>; rel=canonical"], "/x"),
        (["</x>; rel=canonical", "</y>; rel=canonical"], ""),
        (["</x>; rel=next; rel=canonical"], ""),
        (['</x>; rel="canonical"; anchor="#foo"'], ""),
        (["</a,b;c>; rel=canonical"], "/a,b;c"),
        (["/x; rel=canonical"], ""),
        (["</x; rel=canonical"], ""),
        (["<>; rel=canonical"], ""),
        (["</x>; rel=canonicals"], ""),
    ],
)
def test_a_header_names_a_target_for_a_relation(values, target):
    assert link_header(values, "canonical") == target


@given(st.lists(st.text(st.sampled_from('<>;,="/ relcanonical\\"'), max_size=200)))
def test_no_header_makes_it_raise(values):
    assert isinstance(link_header(values, "canonical"), str)


@pytest.mark.parametrize("piece", ["<", "<a>", '<a>"', "<a>;", "<a>; rel", '<a>; a="', "<a>; a=b", ",,,", '"'])
def test_a_long_header_is_read_to_a_bound(piece):
    """Without one, or with a pattern that goes back, this would take minutes."""
    assert link_header([piece * 300_000], "canonical") == ""
