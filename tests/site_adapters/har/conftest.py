"""Makes the modules of this folder, and those that measure how a cost grows, importable by their names."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parents[1]
sys.path += [str(folder) for folder in (HERE, TESTS / "fuzz") if str(folder) not in sys.path]
