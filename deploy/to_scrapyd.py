"""Deploys an egg to a scrapyd and says how it went: ``to_scrapyd.py EGG [TARGET]``, exit code 1 if it did not go well.

scrapyd-deploy does the sending. It calls anything a success that came with HTTP status 200, and scrapyd says so of
nearly all its errors; and it keeps an egg that cannot be imported, which is then what all jobs run. Here the answer is
read, and such an egg is deleted.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import requests
from scrapyd_client.exceptions import ErrorResponse, MalformedResponse
from scrapyd_client.pyclient import ScrapydClient
from scrapyd_client.utils import get_config

_UNREACHABLE = (requests.RequestException, ErrorResponse, MalformedResponse, RuntimeError)


class DeployError(Exception):
    """The egg is not what the server runs now. The message says why, and what is there instead."""


def main(arguments: Sequence[str]) -> int:
    """Deploy; answers the exit code."""
    if len(arguments) not in {1, 2}:
        print("usage: to_scrapyd.py EGG [TARGET]", file=sys.stderr)
        return 2
    egg, name = Path(arguments[0]), (arguments[1:] or ["default"])[0]
    try:
        print(deploy(egg, name, str(int(time.time()))))
    except DeployError as error:
        print(f"not deployed: {error}", file=sys.stderr)
        return 1
    return 0


def deploy(egg: Path, name: str, version: str) -> str:
    """Send an egg, and see that from now on it is the one that runs.

    Args:
        egg: the file.
        name: of the target in scrapy.cfg; ``default`` is the section ``[deploy]``.
        version: must sort behind all that the server has, as time stamps do.

    Returns:
        One sentence on what is deployed.

    Raises:
        DeployError: it is not.
    """
    target = read_target(name)
    project, url = target["project"], target["url"].rstrip("/")
    client = ScrapydClient(url, target.get("username"), target.get("password"))
    answer = _send(egg, name, version)
    if answer.get("status") != "ok":
        kept = _delete(client, project, version)
        raise DeployError(f"{_last_line(answer)}; {kept}")
    _see_that_it_runs(client, project, version)
    return f"{project} {version} is deployed at {url}, {answer.get('spiders')} spiders"


def read_target(name: str) -> Mapping[str, str]:
    """A target of scrapy.cfg, with all that it takes from ``[deploy]``.

    Raises:
        DeployError: there is none of this name, or it says too little.
    """
    config = get_config()
    section = "deploy" if name == "default" else f"deploy:{name}"
    if not config.has_section(section):
        raise DeployError(f"scrapy.cfg has no section [{section}]")
    common = dict(config.items("deploy")) if config.has_section("deploy") else {}
    target = common | dict(config.items(section))
    if missing := [option for option in ("url", "project") if not target.get(option)]:
        raise DeployError(f"[{section}] in scrapy.cfg does not say {' and '.join(missing)}")
    return target


def _send(egg: Path, name: str, version: str) -> Mapping[str, Any]:
    """The answer of the server; what is no JSON object, such as a page of a proxy, is an error like any other."""
    if not egg.is_file():
        raise DeployError(f"there is no file {egg}; make it with: make egg")
    command = [sys.executable, "-m", "scrapyd_client.deploy", name, "--egg", str(egg), "--version", version]
    sent = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if sent.returncode:
        raise DeployError(_one_line(sent.stdout) or "scrapyd-deploy could not send it, as it says above")
    try:
        answer = json.loads(sent.stdout)
    except ValueError:
        answer = None
    return answer if isinstance(answer, dict) else {"message": sent.stdout}


def _delete(client: ScrapydClient, project: str, version: str) -> str:
    """Delete a version that does not work, and tell what is left of it."""
    try:
        client.delversion(project, version)
    except ErrorResponse as error:
        return f"nothing was stored ({error})"
    except _UNREACHABLE as error:
        return f"version {version} may be there, and all jobs would run it: delete it by delversion.json ({error})"
    return f"version {version} was deleted again"


def _see_that_it_runs(client: ScrapydClient, project: str, version: str) -> None:
    """See that no other version sorts behind this one: 2_0 would, and would run for ever."""
    try:
        versions = client.versions(project)
    except _UNREACHABLE as error:
        raise DeployError(f"version {version} was stored, but what is there now is not told: {error}") from error
    if versions[-1:] != [version]:
        raise DeployError(
            f"version {version} was stored, but jobs run the last of {', '.join(versions)}: "
            "delete by delversion.json what sorts behind it"
        )


def _last_line(answer: Mapping[str, Any]) -> str:
    """What went wrong: of a traceback the last line, after it was shown in full."""
    lines = str(answer.get("message", answer)).strip().splitlines() or ["the server answered nothing"]
    if lines[1:]:
        print(*lines, sep="\n", file=sys.stderr)
    return lines[-1]


def _one_line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
