"""Makes `probe_media` importable: in importlib mode a test's own folder is not on the path."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
