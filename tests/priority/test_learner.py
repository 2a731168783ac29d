"""The model learns what leads to something, and is no worse than a careful one that sees everything."""

import random

import numpy as np
import pytest

from mediacrawl.priority.learner import Learner, dumps, load_model, loads, save_model
from mediacrawl.priority.links import HALF, NOTHING, SIZE, WIDTH
from mediacrawl.priority.orders import OrderModelError


def row(*numbers):
    return [*numbers] + [NOTHING] * (WIDTH - len(numbers))


def odds(learner, *rows):
    return learner.odds(np.array(rows, np.uint32))


def taught(examples):
    learner = Learner()
    for numbers, target in examples:
        learner.learn(row(*numbers), target)
    learner.flush()
    return learner


def test_it_tells_what_leads_to_something_from_what_does_not():
    rng = random.Random(1)
    examples = []
    for _ in range(2000):
        good = rng.random() < 0.3
        examples.append(((7, 11 if good else 12, rng.randrange(1000, 2000)), float(good and rng.random() < 0.9)))
    learner = taught(examples)
    better, worse = odds(learner, row(7, 11), row(7, 12))
    assert better > 0.6 > 0.1 > worse


def test_its_guess_comes_near_the_rate():
    rng = random.Random(2)
    learner = taught([((5,), float(rng.random() < 0.2)) for _ in range(3000)])
    assert odds(learner, row(5))[0] == pytest.approx(0.2, abs=0.05)


def test_a_visit_without_a_find_that_nobody_expected_moves_the_odds_by_little():
    learner = taught([((5,), 0.0)] * 400)
    expected = odds(learner, row(5, 11))[0]
    assert expected < 0.1
    learner.learn(row(5, *range(11, 31)), 0.0)
    learner.flush()
    after_nothing = odds(learner, row(*range(11, 31), 5))[0]
    learner.learn(row(5, *range(41, 61)), 1.0)
    learner.flush()
    after_find = odds(learner, row(*range(41, 61), 5))[0]
    assert after_nothing > 0.5 * expected
    assert after_find > 3 * expected


def test_a_feature_that_was_never_met_says_nothing():
    learner = taught([((3,), 1.0)] * 200)
    assert odds(learner, row(3))[0] == odds(learner, row(3, 999_999))[0]
    assert learner.weights[NOTHING] == 0.0


def test_examples_count_at_the_latest_with_the_next_flush():
    learner = Learner()
    before = odds(learner, row(3))[0]
    learner.learn(row(3), 1.0)
    learner.flush()
    assert odds(learner, row(3))[0] > before
    assert learner.learned == 1


def test_a_saved_model_says_the_same(tmp_path):
    learner = taught([((3, 4), 1.0), ((4, 5), 0.0), ((HALF + 1,), 0.5)] * 40)
    save_model(learner, tmp_path / "deep" / "model.npz", visits=120)
    again, visits = load_model(tmp_path / "deep" / "model.npz", rate=0.1)
    assert visits == 120
    assert again.learned == learner.learned
    assert np.array_equal(again.weights, learner.weights)
    again.learn(row(3), 0.0)
    learner.learn(row(3), 0.0)
    again.flush()
    learner.flush()
    assert np.array_equal(again.weights, learner.weights)


def test_a_warm_start_leaves_the_hosts_of_the_other_crawl_behind():
    old = taught([((3, HALF + 3), 1.0)] * 100)
    new = Learner()
    new.take_general(old)
    assert new.weights[3] == old.weights[3] > 0
    assert new.weights[HALF + 3] == 0.0


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04nothing", b"{}", b"\x93NUMPY"])
def test_what_is_no_model_is_named_in_one_sentence(tmp_path, content):
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    with pytest.raises(OrderModelError, match=r"model\.npz cannot be read as a model"):
        load_model(path, rate=0.2)


def test_a_spoiled_model_is_refused_or_read_and_nothing_else():
    rng, good = random.Random(1), dumps(taught([((3, 4), 1.0), ((4, 5), 0.0)] * 40), 7)
    assert loads(good, 0.2)[1] == 7
    refused = 0
    for _ in range(500):
        spoiled = bytearray(good)
        for _ in range(rng.randrange(1, 4)):
            spoiled[rng.randrange(len(spoiled))] = rng.randrange(256)
        try:
            learner, _ = loads(bytes(spoiled[: rng.choice((len(spoiled), rng.randrange(len(spoiled))))]), 0.2)
            assert np.isfinite(learner.weights).all()
        except OrderModelError:
            refused += 1
    assert refused > 250


def test_a_model_that_unpacks_to_more_than_a_model_is_refused(tmp_path):
    path = tmp_path / "model.npz"
    np.savez_compressed(path, features=np.zeros(40 * SIZE, np.uint8))
    assert path.stat().st_size < SIZE
    with pytest.raises(OrderModelError, match="larger than a model"):
        load_model(path, rate=0.2)


def test_a_model_of_other_features_is_refused(tmp_path):
    path = tmp_path / "model.npz"
    np.savez(path, features=np.array("2 other"))
    with pytest.raises(OrderModelError, match="other features"):
        load_model(path, rate=0.2)


def test_a_model_with_places_beyond_the_table_is_refused(tmp_path):
    path = tmp_path / "model.npz"
    save_model(taught([((3,), 1.0)]), path)
    with np.load(path) as found:
        fields = dict(found)
    fields["places"] = fields["places"] + np.uint32(SIZE)
    np.savez(path, **fields)
    with pytest.raises(OrderModelError, match="cannot be read"):
        load_model(path, rate=0.2)


def test_a_model_cannot_run_code(tmp_path):
    path = tmp_path / "model.npz"
    np.savez(path, features=np.array([print], dtype=object))
    with pytest.raises(OrderModelError, match="cannot be read"):
        load_model(path, rate=0.2)
