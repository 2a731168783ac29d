"""What is tested only where it is installed: CI installs it (`make native`), and nothing is skipped elsewhere."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

collect_ignore = [] if find_spec("mediacrawl_native") else ["test_native.py"]
