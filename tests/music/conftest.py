"""Makes the helpers of these tests importable."""

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1] / "adapters")]
