"""The import path of `net.http_handler` that projects have in ``DOWNLOAD_HANDLERS``."""

from mediacrawl.net.http_handler import PoliteHTTPHandler

__all__ = ["PoliteHTTPHandler"]
