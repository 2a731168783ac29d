"""``scrapy version`` says whether the native part of the encoding detection is used."""

import subprocess
import sys

from mediacrawl.encoding import use_models


def test_the_command_tells_whether_texts_are_priced_in_c():
    command = [sys.executable, "-m", "scrapy", "version", "-v"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    used = "native" if use_models(check_only=True).is_native else "pure Python (the C extension was not built)"
    assert f"Encoding detection: {used}" in done.stdout.splitlines()
