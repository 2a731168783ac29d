"""The dashboard and the alert rules name metrics that a crawl serves."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from mediacrawl.base.terms import Trouble
from mediacrawl.watch.metrics import open_metrics
from mediacrawl.watch.status import CrawlStatus

DEPLOY = Path(__file__).parents[2] / "deploy"
STATUS = CrawlStatus(
    written=10.0,
    requests=1,
    reason="breaker",
    sites={"ready": 1},
    formats={"audio/mpeg": 1},
    drops={"robots": 1},
    troubles={"throttled": 1},
    limits={"page": 1},
    finds=[[5.0, "title", "https://radio.example/a.mp3", "radio.example"]],
)


def served():
    text = open_metrics([STATUS], 11.0, 1e9)
    return {line.partition("{")[0].partition(" ")[0] for line in text.splitlines() if not line.startswith("#")}


def named(expression):
    return set(re.findall(r"\bmediacrawl_\w+", expression))


def test_the_alert_rules_name_served_metrics_and_known_reasons():
    groups = yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules) == 6
    for rule in rules:
        assert named(rule["expr"]) <= served(), rule["alert"]
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["action"]
    (troubles,) = re.findall(r'trouble=~"([^"]+)"', " ".join(rule["expr"] for rule in rules))
    assert set(troubles.split("|")) <= set(Trouble)


def test_the_dashboard_names_served_metrics():
    board = json.loads((DEPLOY / "grafana.json").read_text())
    expressions = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    assert all(named(each) and named(each) <= served() for each in expressions)
    queries = [each["query"] for each in board["templating"]["list"] if each["type"] == "query"]
    assert all(named(each) <= served() for each in queries)
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    places = [tuple(panel["gridPos"].values()) for panel in board["panels"]]
    assert not [(a, b) for a in places for b in places if a < b and overlap(a, b)]


def overlap(a, b):
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


@pytest.mark.parametrize("words", [["check", "rules", "alerts.yml"], ["check", "config", "prometheus.yml"]])
def test_prometheus_accepts_the_files(words):
    if shutil.which("promtool") is None:
        # There is no wheel of it; the tests above read the files in any case.
        return
    done = subprocess.run(["promtool", *words], cwd=DEPLOY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
