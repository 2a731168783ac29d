"""A frontier's file that the disk spoiled: what repair makes of it."""

import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from harness import examples, slow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mediacrawl.base.terms import Candidate, Drop, End, Evidence, Kind, Outcome
from mediacrawl.frontier import FrontierError, FrontierPolicy
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.stores import open_store
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.programs.frontier_tools.checking import check
from mediacrawl.programs.frontier_tools.repairing import UrlNaming, repair

POLICY = FrontierPolicy(delay=DelayPolicy(0, 10, 10, 10), explore=0.0)
PATIENT = DelayPolicy(0, 10, 60, 60)
"""That of the repairs."""
NOW = 1_000_000.0
LATER = NOW + 5_000.0
SITES = 60


def site_of(url):
    return url.split("/")[2]


def link_class(url):
    return url.split("/")[3]


REMAKE = UrlNaming(site_of, link_class)


@dataclass
class Story:
    """A crawl that continued for a while, and what its file must know."""

    folder: Path
    waiting: set = field(default_factory=set)
    ended: set = field(default_factory=set)


def candidate(url):
    scores = {"pages": 0.1, "media": 4.0, "feeds": 1.5}
    name = link_class(url)
    facts = '{"title": "Lied"}' if name == "media" else ""
    evidence = Evidence(anchor="A link " * 5, facts=facts, path="" if name == "feeds" else f"main/ul.{name}/li/a")
    return Candidate(url, site_of(url), name, score=scores[name], evidence=evidence)


def some_urls(rng, number, sites):
    found = set()
    while len(found) < number:
        site = f"s{int(sites * rng.random() ** 2)}.example"
        found.add(f"http://{site}/{rng.choice(['pages', 'media', 'feeds'])}/{rng.randrange(1_000_000)}?x=" + "y" * 20)
    return sorted(found)


def crawl(store, story, rng, now, rounds):
    for _ in range(rounds):
        now += 11.0
        for lease in store.take(now, 30):
            end = rng.choice([End.DONE, End.DONE, End.DROPPED, End.AGAIN, End.CONTINUE, End.RETURNED])
            outcome = Outcome(
                end,
                reason=Drop.ROBOTS if end is End.DROPPED else None,
                response_time=rng.random(),
                state=b"\x01probe" * rng.choice([1, 2000]),
                kind=Kind.MEDIA if end is End.CONTINUE else None,
                hold=500.0 if rng.random() < 0.02 else 0.0,
            )
            store.finish(lease, outcome, now)
            if end in {End.DONE, End.DROPPED}:
                story.waiting.discard(lease.url)
                story.ended.add(lease.url)
    return now


def tell(folder, *, clean=True):
    """A file of some forty pages with leases, ends, pauses, notes, rows at their places and rows in the inbox."""
    rng, urls = random.Random(7), 600
    story = Story(folder)
    store = open_store("sqlite", folder, POLICY, NOW, random.Random(1))
    found = some_urls(rng, urls, SITES)
    cut = urls * 2 // 3
    store.add(map(candidate, found[:cut:]))
    store.prune(urls * 10)
    store._tables.merge()
    story.waiting.update(found[:cut])
    now = crawl(store, story, rng, NOW, 15)
    store.commit()
    store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.add(map(candidate, found[cut:]))
    story.waiting.update(found[cut:])
    now = crawl(store, story, rng, now, 15)
    for number in (3, 30, 50):
        store.pause(f"s{number}.example")
        store.set_note("robots", f"s{number}.example", b"record" * 300)
    store.take(now + 11.0, 9)
    store.commit()
    if clean:
        with closing(sqlite3.connect(folder / "frontier.db")) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    os.close(store._lock)
    store._db.close() if clean else None
    story.store = store
    return story


@pytest.fixture(scope="session")
def told(tmp_path_factory):
    """With everything in the database file. Never changed: tests copy it."""
    return tell(tmp_path_factory.mktemp("told"))


@pytest.fixture(scope="session")
def told_in_wal(tmp_path_factory):
    """Killed, with everything since the last checkpoint in the WAL."""
    return tell(tmp_path_factory.mktemp("told_in_wal"), clean=False)


@pytest.fixture
def path(told, tmp_path):
    """A copy of the database file."""
    return copy(told, tmp_path)


def copy(story, folder):
    folder.mkdir(exist_ok=True)
    for name in contents_of(story.folder):
        shutil.copy(story.folder / name, folder)
    return folder / "frontier.db"


def contents_of(folder):
    """Names and bytes of the files, without the index of the WAL, which SQLite makes to read it."""
    return {file.name: file.read_bytes() for file in folder.iterdir() if not file.name.endswith("-shm")}


def mend(path, **options):
    return repair(path, LATER, REMAKE, policy=PATIENT, **options)


def contents(path):
    """Waiting URLs, keys of ended ones and of all known ones, as the tables have them."""
    waiting = [url for (url,) in rows(path, "SELECT url FROM url UNION ALL SELECT url FROM inbox")]
    ended, seen = ({key for (key,) in rows(path, f"SELECT key FROM {table}")} for table in ("ended", "seen"))
    assert len(waiting) == len(set(waiting))
    return set(waiting), ended, seen | set(map(url_key, waiting))


def rows(path, *question):
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return db.execute(*question).fetchall()


def everything_comes_out(path):
    """Crawl a repaired file to its end; answers the URLs that were asked."""
    store = open_store("sqlite", path.parent, POLICY, LATER, random.Random(2))
    asked = set()
    for number in list(store._tables.sites.among(2)):
        store.resume(number.name)
    now = LATER
    while (release := store.next_release()) is not None:
        now = max(now, release)
        for lease in store.take(now, 500):
            assert lease.url not in asked
            asked.add(lease.url)
            store.finish(lease, Outcome(End.DONE, asked=False), now)
    counts = store.counts()
    assert counts.waiting == counts.leased == 0
    assert counts.seen == sum(counts.ends.values())
    store.close()
    return asked


def page_map(path, kind="%"):
    """Tree -> its pages of a kind: ``internal``, ``leaf`` or ``overflow``."""
    pages = {}
    for name, number in rows(path, "SELECT name, pageno FROM dbstat WHERE pagetype LIKE ?", (kind,)):
        pages.setdefault(name, []).append(number)
    return pages


def most_rows(path, number):
    """How many rows a page has at most, and those of the page above that a reader loses with it."""
    return (
        max((cells for (cells,) in rows(path, "SELECT ncell FROM dbstat WHERE pageno = ?", (number,))), default=0) + 2
    )


def damage(path, at, content):
    with path.open("r+b") as file:
        file.seek(at)
        file.write(content)


def spoil(path, *pages):
    """Write noise over pages of the database file."""
    for number in pages:
        damage(path, (number - 1) * 4096, random.Random(number).randbytes(4096))


@pytest.mark.parametrize("kind", ["noise", *slow("zeros", "another page")])
def test_a_page_that_is_lost_takes_only_its_own_rows_with_it(path, kind):
    rng, whole = random.Random(4), path.read_bytes()
    waiting, ended, seen = contents(path)
    leaves = {number: tree for tree, numbers in page_map(path, "leaf").items() for number in numbers}
    for number in range(2, len(whole) // 4096 + 1):
        path.write_bytes(whole)
        lost = most_rows(path, number)
        other = 4096 * rng.randrange(len(whole) // 4096)
        content = {"noise": rng.randbytes(4096), "zeros": bytes(4096), "another page": whole[other : other + 4096]}
        damage(path, (number - 1) * 4096, content[kind])
        done = mend(path)
        assert check(path).sound
        waits_now, ended_now, seen_now = contents(path)
        assert waits_now <= waiting
        assert ended <= seen_now <= seen, "who ended stays known, even if it is lost how"
        assert ended <= ended_now
        if done.kept is not None:
            assert done.saved["waiting"] == len(waits_now)
            assert done.lost.get("waiting", 0) == (len(waiting) - len(waits_now)) * ("waiting" in done.lost)
        if number in leaves:
            # The root of a table may be its only leaf.
            assert len(waiting - waits_now) <= (lost if leaves[number] in {"url", "inbox"} else 0)


@pytest.mark.parametrize("tree", ["url", "inbox", "site", *slow("seen", "ended", "class", "note", "total", "ending")])
def test_a_crawl_goes_on_when_the_top_of_a_table_is_lost(path, tree):
    left = {url for table in {"url", "inbox"} - {tree} for (url,) in rows(path, f"SELECT url FROM {table}")}
    spoil(path, page_map(path)[tree][0])
    done = mend(path)
    assert tree in done.damaged
    assert tree in str(done)
    assert len(left) > 0
    assert everything_comes_out(path) == left


def test_the_rows_between_two_damaged_pages_are_lost_and_can_be_found_again(path):
    order = [url for (url,) in rows(path, "SELECT url FROM url ORDER BY class, seq")]
    rest = {url for (url,) in rows(path, "SELECT url FROM inbox")}
    leaves = page_map(path, "leaf")["url"]
    spoil(path, leaves[len(leaves) // 3], leaves[len(leaves) // 2])
    done = mend(path)
    saved = contents(path)[0]
    places = [place for place, url in enumerate(order) if url not in saved]
    assert places == list(range(places[0], places[-1] + 1))
    assert rest <= saved
    assert 0 < len(places) < len(order) // 2
    assert done.lost["waiting"] == done.made["forgotten"] == len(places) > 10
    assert f"{len(places)} waiting" in str(done)
    lost = sorted(order[place] for place in places)
    store = open_store("sqlite", path.parent, POLICY, LATER)
    assert store.unknown(lost) == lost
    assert store.add(map(candidate, lost)).new == len(lost)
    store.close()


def test_a_row_that_makes_no_sense_is_left_out_and_its_table_is_told(path):
    waiting, _, _ = contents(path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE url SET url = 'no url' WHERE (class, seq) = (SELECT class, seq FROM url LIMIT 1)")
    assert mend(path).damaged == {"url"}
    assert len(waiting - contents(path)[0]) == 1


@pytest.mark.parametrize("trees", [("site", "sqlite_autoindex_site_1"), *slow(("class",), ("site", "class"))])
def test_sites_and_classes_are_made_anew_of_their_urls(path, trees):
    waiting, _, _ = contents(path)
    spoil(path, *(number for tree in trees for number in page_map(path)[tree]))
    done = mend(path)
    assert done.made["sites"] == len(set(map(site_of, waiting))) > 20 or "site" not in trees
    assert done.made["classes"] > SITES or "class" not in trees
    named = "SELECT site.name, class.name, url.url FROM url JOIN class ON class.id = url.class JOIN site"
    for site, name, url in rows(path, f"{named} ON site.id = class.id >> 8"):
        assert (site, name) == (site_of(url), link_class(url))
    assert everything_comes_out(path) == waiting


def test_a_url_that_ended_stays_known_when_it_is_lost_how(told, path):
    spoil(path, page_map(path, "leaf")["ended"][-1])
    done = mend(path)
    assert done.made["uncertain"] == done.lost["ended"] > 10
    store = open_store("sqlite", path.parent, POLICY, LATER)
    assert store.counts().ends["lost"] == done.lost["ended"]
    assert store.unknown(sorted(told.ended)) == []
    store.close()


def test_a_site_that_lost_its_release_time_waits_its_first_delay(path):
    for number in page_map(path)["site"]:
        damage(path, (number - 1) * 4096, bytes(4096))
    assert mend(path).made["sites"] > 20
    store = open_store("sqlite", path.parent, POLICY, LATER)
    # Of a site without waiting URLs nothing is left: it seems new.
    store.add([candidate(f"http://s{number}.example/pages/new") for number in range(SITES)])
    assert store.take(LATER + 59.0, 1000) == []
    assert len(store.take(LATER + 60.0, 1000)) == SITES
    store.close()


@pytest.mark.parametrize("tree", ["seen", *slow("lease", "url", "site_due", "note")])
def test_no_site_is_early_whatever_was_damaged(path, tree):
    """Nor is one with a Crawl-delay, a slow one, or one that was to be left alone."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE site SET release = ?1, due = ?1 WHERE name = 's5.example'", (LATER * 2,))
        db.execute("UPDATE site SET crawl_delay = 500.0 WHERE name = 's6.example'")
        db.execute("UPDATE site SET delay = 400.0 WHERE name = 's7.example'")
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = dict(rows(path, "SELECT name, release FROM site"))
    spoil(path, page_map(path, "leaf")[tree][0])
    assert mend(path).kept
    after = dict(rows(path, "SELECT name, release FROM site"))
    assert rows(path, "SELECT count(*) FROM site WHERE due < release") == [(0,)]
    assert after.keys() == before.keys()
    assert all(after[name] >= max(before[name], LATER + 10.0) for name in before)
    assert (after["s5.example"], after["s6.example"], after["s7.example"]) == (LATER * 2, LATER + 500.0, LATER + 400.0)
    store = open_store("sqlite", path.parent, POLICY, LATER)
    assert store.take(LATER + 9.0, 1000) == []
    store.close()


KEPT = {
    "url": "SELECT class, seq, url, facts, state FROM url UNION ALL SELECT class, seq, url, facts, state"
    " FROM inbox ORDER BY class, seq",
    "site": "SELECT id, name, place, delay, crawl_delay, samples, visits, earned, granted FROM site",
    "class": "SELECT id, name, score, held FROM class",
    "note": "SELECT * FROM note",
    "ended": "SELECT * FROM ended JOIN ending USING (code)",
}


@pytest.mark.parametrize("noted", [True, False])
def test_visits_anew_are_kept_as_all_else_or_have_ended_if_it_is_lost_that_they_are_any(told, path, noted):
    store = open_store("sqlite", path.parent, POLICY, LATER, random.Random(3))
    urls = sorted(told.ended)[:60]
    assert all(store.rejoin(candidate(url)) for url in urls)
    crawl(store, Story(path.parent), random.Random(3), LATER, 5)
    store.close()
    before = contents(path)
    anew = before[0].intersection(urls)
    assert 0 < len(anew) < len(urls)
    dump = {table: rows(path, question) for table, question in KEPT.items()}
    assert any(len(state or b"") > 4096 for *_, state in dump["url"]), "some are longer than a page"
    if noted:
        spoil(path, page_map(path)["seen"][0])
    else:
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("DELETE FROM note WHERE room = 'again'")
        assert any("URLs wait that have ended" in problem for problem in check(path).problems)
    done = repair(path, LATER + 1_000.0, REMAKE)
    assert not any(done.lost.values()) or not noted
    assert {table: rows(path, question) for table, question in KEPT.items()} == dump or not noted
    assert contents(path) == (before[0] if noted else before[0] - anew, before[1], before[2])
    store = open_store("sqlite", path.parent, POLICY, LATER + 1_000.0)
    counts = store.counts()
    assert (counts.again, sum(counts.ends.values())) == (60, counts.seen + 60 - counts.waiting) or not noted
    assert [store.rejoin(candidate(url)) for url in anew] == [not noted] * len(anew)
    store.close()


def cut(share):
    """Leave so much of the pages of the database file."""
    return lambda path: os.truncate(path, int(path.stat().st_size // 4096 * share) * 4096)


@pytest.mark.parametrize(
    "spoiling",
    [
        *(cut(share) for share in (0.1, 0.5, 0.999)),
        *(lambda path, size=size: os.truncate(path, size) for size in (0, 10, 3000)),
        *(lambda path, size=size: damage(path, 0, random.Random(size).randbytes(size)) for size in (16, 100, 4096)),
        Path.unlink,
    ],
)
def test_where_sqlite_reads_nothing_the_repair_is_refused_and_all_stays(told, told_in_wal, tmp_path, spoiling):
    # Without its file a log alone is left.
    path = copy(told_in_wal if spoiling is Path.unlink else told, tmp_path)
    spoiling(path)
    before = contents_of(tmp_path)
    with pytest.raises(
        FrontierError, match=r"nothing of a frontier can be read in .* -a fresh=1, which keeps the cata"
    ):
        mend(path)
    assert contents_of(tmp_path) == before


def test_a_file_that_lost_a_byte_at_its_end_is_repaired(path):
    waiting, _, _ = contents(path)
    os.truncate(path, path.stat().st_size - 1)
    assert "cut short" in str(check(path))
    mend(path)
    assert check(path).sound
    assert len(contents(path)[0]) >= len(waiting) - 2


def test_more_commits_lost_than_the_mark_has_is_said_once(path):
    """After a repair none is missing."""
    mark = path.with_suffix(".lock")
    commits, *rest = mark.read_text().split()
    mark.write_text(" ".join([str(int(commits) + 7), *rest]) + "\n")
    assert "last 7 commits are missing" in str(check(path))
    done = mend(path)
    assert done.lost["commits"] == 7
    assert "7 commits" in str(done)
    assert check(path).sound
    assert mend(path).kept is None
    open_store("sqlite", path.parent, POLICY, LATER).close()


def test_what_was_deleted_does_not_come_back_from_free_pages(path):
    store = open_store("sqlite", path.parent, POLICY, LATER)
    store.prune(100)
    store.commit()
    store.close()
    waiting, _, seen = contents(path)
    spoil(path, page_map(path)["ended"][-1])
    mend(path)
    assert (contents(path)[0], contents(path)[2]) == (waiting, seen)


# -- the WAL -------------------------------------------------------------------------------------------------------


def unlogged_page(path, tree="url"):
    """A leaf that the log does not have: what is damaged there counts."""
    log = path.with_name("frontier.db-wal").read_bytes()
    logged = {int.from_bytes(log[at : at + 4], "big") for at in range(32, len(log), 24 + 4096)}
    return min(set(page_map(path, "leaf")[tree]) - logged - {1})


def test_what_is_only_in_the_wal_is_read_there(told_in_wal, tmp_path):
    path = copy(told_in_wal, tmp_path)
    waiting, ended, seen = contents(copy(told_in_wal, tmp_path / "same"))
    number = unlogged_page(path)
    most = most_rows(path, number)
    spoil(path, number)
    wal = path.with_name("frontier.db-wal").read_bytes()
    mend(path)
    waits_now, ended_now, seen_now = contents(path)
    assert waits_now <= waiting
    assert 0 < len(waiting - waits_now) <= most
    assert ended <= ended_now
    assert ended <= seen_now <= seen
    assert path.with_name("frontier.db.broken-1-wal").read_bytes() == wal
    assert not path.with_name("frontier.db-wal").exists()


@pytest.mark.parametrize(
    "place", [(0.0, True), (0.0, False), (0.99, False), *slow(*((n / 5, n % 2) for n in range(1, 5)))]
)
def test_noise_in_the_wal_or_its_lost_end_costs_what_was_committed_behind_it(told_in_wal, tmp_path, place):
    share, noisy = place
    path, same = copy(told_in_wal, tmp_path), copy(told_in_wal, tmp_path / "same")
    wal, wal_there = (each.with_name("frontier.db-wal") for each in (path, same))
    at = int(wal.stat().st_size * share)
    os.truncate(wal_there, at)
    if noisy:
        damage(wal, at, random.Random(at).randbytes(1000))
        assert "WAL" in str(check(path)) or "-wal was lost or spoiled" in str(check(path))
    else:
        os.truncate(wal, at)
    done = mend(path)
    assert done.lost["commits"] > 0
    assert f"{done.lost['commits']} commits" in str(done)
    assert check(path).sound
    assert contents(path) == contents(same)
    assert everything_comes_out(path) == contents(same)[0]


# -- any damage ----------------------------------------------------------------------------------------------------

HITS = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 5000), st.booleans()), min_size=1, max_size=6)


@settings(max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hits=HITS, wal=st.booleans(), seed=st.integers(0, 1000), cut=st.floats(0.3, 1))
def test_no_noise_makes_repair_fail_or_a_second_repair_change_anything(
    told, told_in_wal, tmp_path, hits, wal, seed, cut
):
    story = told_in_wal if wal else told
    shutil.rmtree(tmp_path)
    path = copy(story, tmp_path)
    waiting, ended, _ = contents(copy(story, tmp_path / "same"))
    rng = random.Random(seed)
    for share, length, zeros in hits:
        file = path.with_name("frontier.db-wal") if wal and rng.random() < 0.5 else path
        damage(file, int(share * file.stat().st_size), bytes(length) if zeros else rng.randbytes(length))
    os.truncate(path, int(path.stat().st_size * cut))
    try:
        mend(path)
    except FrontierError as error:
        sentence = str(error)
    else:
        sentence = ""
    if sentence:
        assert re.search("nothing of a frontier|layout", sentence)
        return
    assert check(path).sound
    waits_now, _, _ = contents(path)
    assert len(waits_now - waiting - {url for url in waits_now if url_key(url) in ended}) <= len(hits)
    after = path.read_bytes()
    files = sorted(file.name for file in tmp_path.iterdir())
    assert mend(path).kept is None
    assert path.read_bytes() == after
    assert sorted(file.name for file in tmp_path.iterdir()) == files
    assert everything_comes_out(path) == waits_now


# -- the files -----------------------------------------------------------------------------------------------------


def test_a_sound_file_is_left_as_it_is(told_in_wal, tmp_path):
    path = copy(told_in_wal, tmp_path)
    before = contents_of(tmp_path)
    done = mend(path)
    assert done.kept is None
    assert "nothing was changed" in str(done)
    assert contents_of(tmp_path) == before


def test_the_broken_file_is_kept_under_a_new_name_each_time_and_the_new_one_has_its_mode(path):
    path.with_suffix(".bloom").write_bytes(b"of the old file")
    path.chmod(0o640)
    for number in (1, 2):
        spoil(path, 3)
        broken = path.read_bytes()
        done = mend(path)
        assert done.kept == path.with_name(f"frontier.db.broken-{number}")
        assert done.kept.read_bytes() == broken
        assert str(done.kept) in str(done)
        assert path.stat().st_mode & 0o777 == 0o640
    names = ["frontier.db", "frontier.db.broken-1", "frontier.db.broken-2", "frontier.lock"]
    assert sorted(contents_of(path.parent)) == names


def test_what_is_not_ours_or_at_work_is_refused(told, tmp_path):
    for path in (tmp_path / "frontier.db", tmp_path / "nowhere" / "frontier.db"):
        with pytest.raises(FrontierError, match="there is no frontier"):
            mend(path)
    assert not (tmp_path / "nowhere").exists()
    with closing(sqlite3.connect(tmp_path / "frontier.db")) as db:
        db.execute("CREATE TABLE precious (x)")
    with pytest.raises(FrontierError, match="not a frontier"):
        mend(tmp_path / "frontier.db")
    path = copy(told, tmp_path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(FrontierError, match="layout 99"):
        mend(path)
    store = open_store("sqlite", tmp_path / "at work", POLICY, NOW)
    with pytest.raises(FrontierError, match="another crawl is working"):
        mend(tmp_path / "at work" / "frontier.db")
    store.close()


def mend_dying(path, step):
    """Repair in a process that is killed before so many calls that rename or sync a file; answers its exit code."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    calls = [step]

    def dying(real):
        def call(*args, **kwargs):
            calls[0] -= 1
            if calls[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **kwargs)

        return call

    code = 1
    try:
        for name in ("unlink", "link", "rename", "replace", "fsync"):
            setattr(os, name, dying(getattr(os, name)))
        mend(path)
        code = 0
    finally:
        os._exit(code)


@pytest.mark.slow
def test_a_kill_at_any_step_leaves_the_old_file_or_the_new_one(told_in_wal, tmp_path):
    """Killed before each call that changes a file's name, or syncs one."""
    outcomes = []
    whole = None
    for step in range(1, 40):
        folder = tmp_path / str(step)
        path = copy(told_in_wal, folder)
        spoil(path, unlogged_page(path))
        old = path.read_bytes()
        code = mend_dying(path, step)
        is_old = path.read_bytes() == old
        outcomes.append(is_old)
        mend(path)
        assert check(path).sound
        whole = whole or contents(path)
        assert contents(path) == whole, "whatever the kill left, the next repair gets all"
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert outcomes == sorted(outcomes, reverse=True)
    assert outcomes[0]
    assert not outcomes[-1]
    assert len(outcomes) > 5


def test_a_full_disk_leaves_the_old_file(path):
    spoil(path, 3)
    before = path.read_bytes()
    program = "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[2]); import test_repair as t\n"
    program += "try:\n t.mend(Path(sys.argv[1]))\nexcept t.FrontierError as error: print(error)"

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    command = [sys.executable, "-B", "-c", program, str(path), str(Path(__file__).parent)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [Path.cwd(), Path(__file__).parents[2]]))}
    done = subprocess.run(command, preexec_fn=small_files, capture_output=True, text=True, env=environment, check=True)
    assert "make room" in done.stdout
    assert path.read_bytes() == before
    assert sorted(contents_of(path.parent)) == ["frontier.db", "frontier.lock"]
