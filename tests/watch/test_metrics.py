"""Metrics as OpenMetrics text, and the server that gives them."""

import contextlib
import http.client
import os
import socket
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from mediacrawl.watch.metrics import open_metrics
from mediacrawl.watch.server import MOST_CLIENTS, MetricsServer, Reports
from mediacrawl.watch.status import CrawlStatus

NOW = 1_790_000_000.0


def status(**fields):
    known = {
        "written": NOW - 1,
        "began": NOW - 60,
        "pid": os.getpid(),
        "spider": "media",
        "requests": 7,
        "records": 3,
        "waiting": 40,
        "drops": {"robots": 2},
        "sites": {"resting": 2, "waiting": 9},
    }
    return CrawlStatus(**{**known, **fields})


def samples(text):
    """Name and labels of each series -> value, as Prometheus reads the text."""
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_workers_are_added_up_and_the_frontier_is_the_newest():
    found = samples(open_metrics([status(), status(written=NOW, waiting=30, reason="finished")], NOW, free=5e9))
    assert found["mediacrawl_requests_total",] == 14
    assert found["mediacrawl_records_total",] == 6
    assert found["mediacrawl_urls_waiting",] == 30
    assert found["mediacrawl_drops_total", "robots"] == 4
    assert found["mediacrawl_sites", "resting"] == 2
    assert found["mediacrawl_up",] == 1
    assert found["mediacrawl_processes",] == 1
    assert found["mediacrawl_ended", "finished"] == 1
    assert found["mediacrawl_disk_free_bytes",] == 5e9


def test_without_a_state_it_is_down():
    assert samples(open_metrics([], NOW))["mediacrawl_up",] == 0


names = st.dictionaries(st.text(), st.integers(0, 10**15), max_size=150)


@given(drops=names, formats=names, sites=names, version=st.text(), reason=st.text())
def test_any_names_are_valid_and_there_are_at_most_500_series(drops, formats, sites, version, reason):
    known = status(
        drops=drops, formats=formats, sites=sites, version=version, reason=reason, troubles=drops, limits=drops
    )
    found = samples(open_metrics([known], NOW))
    assert len(found) <= 500
    assert sum(value for name, value in found.items() if name[0] == "mediacrawl_drops_total") == sum(drops.values())


@pytest.fixture
def served(tmp_path):
    status(written=time.time(), began=time.time() - 9).save(tmp_path)
    server = MetricsServer("127.0.0.1", 0, tmp_path)
    yield server, tmp_path
    server.close()


def get(server, path, method="GET", **headers):
    connection = http.client.HTTPConnection(server.url.split("/")[2], timeout=30)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.getheaders(), answer.read().decode()
    finally:
        connection.close()


def test_metrics_and_health_follow_the_files(served):
    server, folder = served
    code, headers, text = get(server, "/metrics")
    assert code == 200
    assert dict(headers)["Content-Type"].startswith("application/openmetrics-text")
    assert samples(text)["mediacrawl_requests_total",] == 7
    assert get(server, "/health")[0] == 200
    status(written=time.time(), requests=9, reason="finished").save(folder)
    assert samples(get(server, "/metrics")[2])["mediacrawl_requests_total",] == 9
    code, _, text = get(server, "/health")
    assert (code, text) == (503, "the crawl does not run: finished\n")


def test_the_page_and_its_facts_are_made_as_of_now(served):
    server, folder = served
    code, headers, page = get(server, "/")
    assert (code, dict(headers)["Cache-Control"]) == (200, "no-store")
    assert page.startswith("<!doctype html>")
    # The first page may take longer than a crawl is silent for, where much else goes on.
    status(written=time.time(), began=time.time() - 9).save(folder)
    assert '"state": "running"' in get(server, "/report.json")[2]


def test_other_paths_methods_and_host_names_are_refused(served):
    server, _ = served
    assert get(server, "/../etc/passwd")[0] == 404
    assert get(server, "/metrics", "POST")[0] == 501
    assert get(server, "/metrics", Host="rebound.example")[0] == 403
    assert get(server, "/metrics", Host="localhost:9100")[0] == 200
    assert get(server, "/metrics", Host="[::1]:9100")[0] == 200
    code, _, body = get(server, "/metrics", "HEAD")
    assert (code, body) == (200, "")


def test_clients_that_hold_connections_do_not_keep_it_from_ending(served):
    server, _ = served
    host, port = server.url.split("/")[2].split(":")
    held = [socket.create_connection((host, int(port))) for _ in range(MOST_CLIENTS + 4)]
    time.sleep(0.2)
    for connection in held:
        connection.close()
    deadline = time.monotonic() + 20
    while True:
        try:
            assert get(server, "/metrics")[0] == 200
            break
        except (OSError, http.client.HTTPException):
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_report_is_kept_for_a_while_and_a_failure_is_not(tmp_path):
    made = []

    def make(folder, form):
        made.append(form)
        if len(made) == 1:
            raise OSError("broken")
        return b"page"

    reports = Reports(tmp_path, make)
    with pytest.raises(OSError, match="broken"):
        reports.report("html")
    assert [reports.report("html") for _ in range(3)] == [b"page"] * 3
    assert made == ["html", "html"]


@pytest.mark.parametrize("drip", [b"G", b"X: y\r\n", b""])
@pytest.mark.parametrize("patience", [1.0, 600.0])
def test_clients_that_never_end_their_request_do_not_keep_the_port(served, monkeypatch, drip, patience):
    # With the longer time it is a further client that ends one of them.
    monkeypatch.setattr("mediacrawl.watch.server.PATIENCE", patience)
    server, _ = served
    host, port = server.url.split("/")[2].rsplit(":", 1)
    with contextlib.ExitStack() as opened:
        slow = [opened.enter_context(socket.create_connection((host, int(port)))) for _ in range(MOST_CLIENTS)]
        over = threading.Event()

        def write():
            while not over.wait(0.1):
                for client in slow:
                    with contextlib.suppress(OSError):
                        client.send(drip)

        for client in slow:
            client.sendall(b"GET /metrics HTTP/1.1\r\n" if drip != b"G" else b"G")
        writing = threading.Thread(target=write)
        writing.start()
        try:
            # A minute is more than any machine needs; the slow clients would stay for ever.
            end = time.monotonic() + 60
            while (found := answered(server)) != 200 and time.monotonic() < end:
                time.sleep(0.2)
        finally:
            over.set()
            writing.join()
    assert found == 200


def answered(server):
    """The status of an answer; None if the connection was closed because there are too many."""
    try:
        return get(server, "/metrics")[0]
    except (ConnectionError, http.client.HTTPException):
        return None


def test_a_slow_report_is_not_cut_off_by_the_time_for_a_request(served, monkeypatch):
    monkeypatch.setattr("mediacrawl.watch.server.PATIENCE", 0.3)
    server, folder = served

    def make(*_):
        time.sleep(1)
        return b"made"

    server.reports = Reports(folder, make)
    assert get(server, "/report.json")[2] == "made"
