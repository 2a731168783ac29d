"""What is tested only where it is installed: CI installs it (`make native`), and nothing is skipped elsewhere."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("mediacrawl_native") else ["test_native.py"]
