"""What is tested only where it was built: CI has a compiler, and nothing is skipped elsewhere."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

collect_ignore = [] if find_spec("mediacrawl.encoding._native") else ["test_native.py"]
