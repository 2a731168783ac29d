"""``mediacrawl`` is Scrapy's own command line with our settings, so that it works outside a checkout as well."""

from __future__ import annotations

import os

from scrapy.cmdline import execute


def main() -> None:
    """Hand over to Scrapy. A settings module that is set already is left alone."""
    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "mediacrawl.settings")
    execute()


if __name__ == "__main__":
    main()
