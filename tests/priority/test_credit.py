"""A nugget is credited to the whole path that led to it, and no link gets more than one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.priority.visits import CreditPolicy, Past, Visits


def chain(visits, number):
    """Pages 1, 2, 3 ..., each led to by the one before."""
    for key in range(1, number + 1):
        visits.add(key, Past(key - 1, "a.example", f"class {key}", b""))


def shared(visits, key, reward=1.0):
    return {past.link_class: more for past, more in visits.reward(key, reward)}


def test_each_step_back_gets_less():
    visits = Visits(CreditPolicy(decay=0.5, steps=3))
    chain(visits, 5)
    assert shared(visits, 5) == {"class 5": 1.0, "class 4": 0.5, "class 3": 0.25}


def test_a_list_of_many_files_gets_no_more_than_one():
    visits = Visits(CreditPolicy(decay=0.7))
    visits.add(1, Past(0, "a.example", "list", b""))
    for key in range(2, 30):
        visits.add(key, Past(1, "a.example", "file", b""))
    total = sum(shared(visits, key).get("list", 0.0) for key in range(2, 30))
    assert total == pytest.approx(1.0)


def test_pages_that_lead_to_each_other_end():
    visits = Visits(CreditPolicy())
    visits.add(1, Past(2, "a.example", "one", b""))
    visits.add(2, Past(1, "a.example", "two", b""))
    assert shared(visits, 1) == {"one": 1.0, "two": 0.7}


def test_what_is_forgotten_gets_nothing():
    visits = Visits(CreditPolicy(remembered=3))
    chain(visits, 5)
    assert len(visits) == 3
    assert set(shared(visits, 5)) == {"class 5", "class 4", "class 3"}


@given(
    st.lists(st.tuples(st.integers(1, 12), st.integers(0, 12)), min_size=1, max_size=40),
    st.lists(st.tuples(st.integers(0, 12), st.floats(0, 1)), max_size=30),
    st.floats(0, 1),
)
def test_no_visit_ever_gets_more_than_one(visited, rewarded, decay):
    visits = Visits(CreditPolicy(decay=decay, remembered=8))
    made = []
    for key, parent in visited:
        made.append(Past(parent, "a.example", str(key), b""))
        visits.add(key, made[-1])
    for key, reward in rewarded:
        assert all(more > 0 for _, more in visits.reward(key, reward))
    assert all(0 <= past.credit <= 1 for past in made)
    assert len(visits) <= 8
