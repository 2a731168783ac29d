"""The accounts of several processes as one."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.watch.worker_stats import WorkerStats, summed

NUMBERS = st.dictionaries(
    st.sampled_from(["item_scraped_count", "drop/robots", "memusage/max", "x/min"]), st.integers(0, 10**9)
)
ACCOUNTS = st.builds(
    WorkerStats,
    st.floats(0, 1e9),
    NUMBERS,
)


def test_numbers_are_added_and_the_largest_stays_the_largest():
    one = WorkerStats(1.0, {"item_scraped_count": 2, "memusage/max": 50, "request_depth_max": 3, "ping/min": 4})
    other = WorkerStats(
        2.0, {"item_scraped_count": 5, "memusage/max": 40, "request_depth_max": 9, "ping/min": 1, "new": 1}
    )
    total = {"item_scraped_count": 7, "memusage/max": 50, "request_depth_max": 9, "ping/min": 1, "new": 1}
    assert summed([one, other]).stats == total


def test_times_are_the_first_and_the_last():
    one = WorkerStats(1.0, {"start_time": "2026-01-02T00:00:00+00:00", "finish_time": "2026-01-03T00:00:00+00:00"})
    other = WorkerStats(2.0, {"start_time": "2026-01-01T00:00:00.5+00:00", "finish_time": "2026-01-02T00:00:00+00:00"})
    assert summed([one, other]).stats == {
        "start_time": other.stats["start_time"],
        "finish_time": one.stats["finish_time"],
    }


def test_reasons_that_differ_are_all_named():
    accounts = [WorkerStats(n, {"finish_reason": why}) for n, why in enumerate(["shutdown", "finished", "finished"])]
    assert summed(accounts).stats == {"finish_reason": "finished, shutdown"}


@given(st.lists(ACCOUNTS, min_size=1, max_size=6, unique_by=lambda account: account.written), st.data())
def test_neither_order_nor_grouping_matters(accounts, data):
    whole = summed(accounts)
    shuffled = data.draw(st.permutations(accounts))
    cut = data.draw(st.integers(0, len(accounts)))
    groups = [summed(group) for group in (shuffled[:cut], shuffled[cut:]) if group]
    assert summed(groups) == whole
    name = "item_scraped_count"
    assert whole.stats.get(name, 0) == sum(account.stats.get(name, 0) for account in accounts)


# -- on disk -------------------------------------------------------------------------------------------------


def test_an_account_comes_back_as_it_was_written(tmp_path):
    account = WorkerStats(7.0, {"n": 1, "start_time": datetime(2026, 1, 1, tzinfo=UTC), "none": None})
    account.save(tmp_path / "new" / "stats.json")
    read = WorkerStats.load(tmp_path / "new" / "stats.json")
    assert read == replace(account, stats={"n": 1, "start_time": "2026-01-01T00:00:00+00:00", "none": None})


HOSTILE = [
    *(b"", b"{", b"[]", b"null", b'{"written": "x"}', b'{"written": 1, "stats": 3}', b"\xff\xfe"),
    *(b"[" * 100_000, b'{"written": 1, "stats": [1]}'),
]


@pytest.mark.parametrize("content", HOSTILE)
def test_a_file_that_is_no_account_is_none(tmp_path, content):
    path = tmp_path / "stats.json"
    path.write_bytes(content)
    assert WorkerStats.load(path) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers() | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.text(max_size=3), JSON))
def test_stats_of_other_kinds_harm_nobody(tmp_path_factory, stats):
    path = tmp_path_factory.mktemp("account") / "stats.json"
    path.write_text(json.dumps({"written": 1.0, "stats": stats}))
    account = WorkerStats.load(path)
    assert account is not None
    assert summed([account, account]).stats.keys() <= account.stats.keys()
