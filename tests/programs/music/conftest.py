"""Makes the helpers of these tests importable."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
