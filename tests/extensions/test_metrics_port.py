"""Metrics of a real crawl, read while it runs."""

import http.client
import time

import harness
from command_line import MEDIACRAWL, environment
from harness import free_port
from prometheus_client.openmetrics.parser import text_string_to_metric_families


def read(port, path):
    """Status and text of an answer; None as long as nobody listens."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except ConnectionError:
        return None
    finally:
        connection.close()


def test_a_running_crawl_is_read_and_the_port_is_free_afterwards(tmp_path):
    port = free_port()
    words = [*MEDIACRAWL, "demo", "--folder", "demo", "-s", f"METRICS_PORT={port}"]
    with (tmp_path / "out").open("wb") as out:
        crawl = harness.start("mediacrawl", words[3:], tmp_path, environment(), out, out)
        requests = page = health = 0
        while crawl.poll() is None:
            answer = read(port, "/metrics")
            if answer is not None and answer[0] == 200:
                families = {family.name: family for family in text_string_to_metric_families(answer[1])}
                if (found := families.get("mediacrawl_requests")) is not None:
                    requests = max(requests, found.samples[0].value)
            if requests and not page:
                health, page = read(port, "/health"), read(port, "/")
            time.sleep(0.2)
    said = (tmp_path / "out").read_text()
    assert crawl.returncode == 0, said
    assert requests > 20
    assert health[0] == 200
    assert page[0] == 200
    assert "running" in page[1]
    assert f"Metrics at http://127.0.0.1:{port}/metrics" in said
    assert read(port, "/metrics") is None
