"""The measure of growth finds readers that are slower than linear, and no others, also where new memory costs much."""

import re
import sys
from resource import RUSAGE_SELF, getrusage

import fuzz_growth
import pytest
from fuzz_growth import GrowthError, check_growth
from fuzz_readers import read_url

LARGEST = 64 * 1024
PAGE = 40e-6
"""Seconds for a new page of memory, as on a busy virtual machine."""


def new_pages():
    """The number of pages that the system has given to this process."""
    return getrusage(RUSAGE_SELF).ru_minflt


@pytest.fixture(params=[0, pytest.param(PAGE, marks=pytest.mark.slow)])
def memory(request, monkeypatch):
    """Charge new pages of memory: nothing more than they cost here, or so much."""
    measured = fuzz_growth.cost

    def cost(read, value):
        before = new_pages()
        seconds = measured(read, value)
        return seconds + request.param * (new_pages() - before)

    monkeypatch.setattr(fuzz_growth, "cost", cost)


def texts(size):
    return b"http://a.example/?a=" + b"&lt" * (size // 3)


def many_objects(value):
    """Linear: objects by the number of bytes."""
    return [[number] for number in range(2 * len(value))]


def large_copies(value):
    """Linear: each copy is returned to the system, and the next one needs new pages again."""
    for _ in range(20):
        bytes(100 * len(value))


@pytest.mark.parametrize("read", [read_url, many_objects, large_copies])
@pytest.mark.usefixtures("memory")
def test_what_is_linear_passes(read):
    for _ in range(3):
        check_growth(read, texts, 1024, LARGEST)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems give memory in other ways")
@pytest.mark.parametrize("read", [read_url, many_objects])
def test_what_is_compared_needs_no_new_memory(read, monkeypatch):
    given = {}

    def compare(read, *values):
        for value in values:
            read(value)
            before = new_pages()
            read(value)
            given[len(value)] = new_pages() - before
        raise GrowthError

    monkeypatch.setattr(fuzz_growth, "_compare", compare)
    with pytest.raises(GrowthError):
        fuzz_growth._see_growth(read, texts, LARGEST)
    assert max(given) > 3 * LARGEST
    assert max(given.values()) < 100, given


def each_with_the_rest(value):
    """Quadratic in time."""
    return sum(value.count(b"&", at) for at in range(0, len(value), 3))


def parts_of_the_rest(value):
    """Quadratic in memory."""
    return [value[at:].split(b"&") for at in range(0, len(value), 1024)]


def backtracking(value):
    """Quadratic in a pattern."""
    return re.search(rb"(?:&|l|t)+!", value)


def cheap_at_first(value):
    """Quadratic, and up to 8 KB most of its time is linear."""
    read_url(value)
    return sum(value.count(b"&", at) for at in range(0, len(value), 5))


LONG = [pytest.param(each, marks=pytest.mark.slow) for each in (backtracking, cheap_at_first)]


@pytest.mark.parametrize("read", [each_with_the_rest, *LONG])
@pytest.mark.usefixtures("memory")
def test_what_is_quadratic_is_found(read):
    with pytest.raises(GrowthError, match="bytes take"):
        check_growth(read, texts, 1024, LARGEST)


@pytest.mark.slow
def test_what_is_quadratic_in_memory_is_found():
    """As memory costs here: where a page is charged, those of the small inputs hide how fast the cost grows."""
    with pytest.raises(GrowthError, match="bytes take"):
        check_growth(parts_of_the_rest, texts, 1024, LARGEST)
