"""The recording of two pages of the demo web's player, and how it is made.

From the project's folder: ``PYTHONPATH=.:tests python tests/site_adapters/demo_recording.py`` records them anew with a
headless Chromium.
"""

import tempfile
from datetime import date
from pathlib import Path

from mediacrawl.demo import DemoWeb
from mediacrawl.demo.sites import build_hosts, names

PORT = 8016
"""The port in the URLs of the recording."""
PATHS = ("/robots.txt", "/", "/horfa/107", "/horfa/31")
"""What was opened in the browser."""
RECORDING = Path(__file__).parent / "recordings" / "demo.har.gz"


def recorded_host():
    """The host that was recorded, as it answers at the port of the recording; no server is needed."""
    return next(host for host in build_hosts(PORT, date(2026, 11, 26)) if host.host == names.PLAYER)


def record():
    """Write the recording."""
    from player_sites.recorder import Recorder
    from player_sites.recordings_of import write_har
    from player_sites.site import Step

    steps = [Step(url=recorded_host().url(path)) for path in PATHS]
    with DemoWeb(PORT), tempfile.TemporaryDirectory() as profile:
        recorder = Recorder(Path(profile), PORT, [])
        try:
            write_har(RECORDING, recorder.record(steps))
        finally:
            recorder.close()


if __name__ == "__main__":
    record()
    print(RECORDING, RECORDING.stat().st_size)
