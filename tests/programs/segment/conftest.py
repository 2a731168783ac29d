"""The helpers of these tests are next to them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
