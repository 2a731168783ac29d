"""Records these sites: ``PYTHONPATH=.:tests python -m player_sites.unseen.record [NAME ...]``."""

import sys

from player_sites.recorder import record
from player_sites.unseen import FOLDER, UNSEEN

if __name__ == "__main__":
    for path in record([UNSEEN[name] for name in sys.argv[1:]] or UNSEEN.values(), FOLDER):
        print(path, path.stat().st_size)
