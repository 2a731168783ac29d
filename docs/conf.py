"""The documentation site: ``make docs`` builds it in ``docs/_build/html``."""  # noqa: INP001

import sys
from pathlib import Path

import mediacrawl

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import reference_pages  # noqa: E402 - it stands next to this file

reference_pages.write(HERE / "reference")

project = "mediacrawl"
author = "mediacrawl contributors"
project_copyright = f"2026, {author}"
release = version = mediacrawl.__version__
extensions = ["myst_parser", "sphinxcontrib.mermaid"]
myst_fence_as_directive = ["mermaid"]
html_theme = "furo"
html_title = f"mediacrawl {release}"
html_static_path: list[str] = []
exclude_patterns = ["_build"]
# Examples are shell commands, Python and output, mostly together.
highlight_language = "none"
myst_heading_anchors = 4
# Hosts of examples are reserved names (RFC 2606); the others are asked once.
linkcheck_ignore = [r"https?://([\w-]+\.)*(example|example\.(org|com|net)|localhost|127\.0\.0\.1)(:\d+)?(/.*)?$"]
linkcheck_anchors = False
linkcheck_timeout = 10
linkcheck_retries = 1
