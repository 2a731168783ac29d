"""What is frozen before it is collected is finalized in the order it was made."""

import gc

import pytest

from mediacrawl.crawl.housekeeping import freeze


class Part:
    def __init__(self, name, ended):
        self.name, self.ended = name, ended
        self.other = None

    def __del__(self):
        self.ended.append(self.name)


@pytest.fixture
def collecting_by_hand():
    gc.collect()
    gc.disable()
    yield
    gc.unfreeze()
    gc.enable()


def test_an_owner_that_is_older_than_its_part_is_finalized_before_it(collecting_by_hand):
    ended = []
    owner = Part("owner", ended)
    # It is of the second generation now, and what follows of the first.
    gc.collect(0)
    owner.other = Part("part", ended)
    owner.other.other = owner
    del owner
    freeze()
    gc.unfreeze()
    gc.collect()
    assert ended == ["owner", "part"]
