"""The recordings that are kept beside the sites."""

import gzip
import json
from pathlib import Path
from typing import Any

from player_sites.site import PlayerSite

FOLDER = Path(__file__).parent / "recordings"


def recordings_of(site: PlayerSite, flavour: str = "", folder: Path = FOLDER) -> list[Path]:
    """Files of the recordings of a site, each a HAR packed with gzip.

    Args:
        site: one of `player_sites.sites.SITES`, or another one with its folder.
        flavour: empty for those of Chromium, or ``firefox``; of these there are not all.
        folder: of the recordings.
    """
    ending = f".{flavour}.har.gz" if flavour else ".har.gz"
    paths = [folder / f"{name}{ending}" for name in site.recordings()]
    return [path for path in paths if path.exists()]


def read_har(path: Path) -> dict[str, Any]:
    """The HAR in a file."""
    return json.loads(gzip.decompress(path.read_bytes()))


def write_har(path: Path, har: dict[str, Any]) -> Path:
    """Write a HAR to a file, indented as browsers do; the same HAR gives the same bytes."""
    text = json.dumps(har, ensure_ascii=False, indent=2)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return path
