"""Attached files of Matroska (RFC 9559, 5.1.6): pictures are described and never requested."""

from __future__ import annotations

from mediacrawl.model.parts import COVER_TYPES
from mediacrawl.probe.context import ParseContext, peek
from mediacrawl.probe.formats import ebml
from mediacrawl.probe.formats.ebml import Element

_FILE, _FILE_NAME, _FILE_TYPE, _FILE_DATA = 0x61A7, 0x466E, 0x4660, 0x465C
_NAMES = {"cover": "front", "cover_land": "front", "small_cover": "other icon", "small_cover_land": "other icon"}
"""What pictures show by their names without the ending (Matroska's guidelines for cover art)."""
_MAX_NAME = 100


def read_attachments(context: ParseContext, parent: Element) -> None:
    """Reads the types of the attached files. One behind a long picture is not worth a request."""
    at, result = parent.body, context.result
    while at < parent.stop:
        if at > parent.body and peek(context.file, at, min(at + ebml.HEADER_BYTES, parent.stop)) is None:
            if not result.has_cover:
                result.has_cover = None
            return
        element = ebml.read_element(context, at, parent.stop)
        if element.name == _FILE:
            _read_attached(context, element)
        at = element.stop


def _read_attached(context: ParseContext, attached: Element) -> None:
    name, mime, data, at = "", "", None, attached.body
    while at < attached.stop and not (mime and data):
        part = ebml.read_element(context, at, attached.stop)
        if part.name == _FILE_TYPE:
            mime = ebml.text(context, part).decode("latin-1").lower()
        elif part.name == _FILE_NAME:
            name = ebml.text(context, part)[:_MAX_NAME].decode("utf-8", errors="replace").lower()
        elif part.name == _FILE_DATA:
            data = part
        at = part.stop
    if mime.startswith("image/"):
        kind = _NAMES.get(name.rpartition(".")[0])
        number = COVER_TYPES.index(kind) if kind else None
        size, position = (data.size, data.body) if data else (None, None)
        context.result.set_cover(mime, size, position=position, number=number)
