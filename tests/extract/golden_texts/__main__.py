"""Write what is extracted of the cases of all families, or of those that are named."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from golden_texts import FAMILIES, write

if __name__ == "__main__":
    for family in sys.argv[1:] or FAMILIES:
        write(family)
