"""Makes the modules of this folder and of the probe's tests importable by their names."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path += [str(folder) for folder in (HERE, HERE.parent / "probe") if str(folder) not in sys.path]
