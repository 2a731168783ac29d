"""Small files of what was learned: written whole, and put aside when they are damaged."""

from __future__ import annotations

from pathlib import Path


def write_anew(path: Path, text: str) -> None:
    """Write a file beside the old one and put it in its place, so that a kill leaves one of the two.

    Args:
        path: of the file; its folder is made if it is missing.
        text: ASCII.

    Raises:
        OSError: the disk refuses.
    """
    beside = path.with_name(f"{path.name}.new")
    path.parent.mkdir(parents=True, exist_ok=True)
    beside.write_text(text, encoding="ascii")
    beside.replace(path)


def put_aside(path: Path) -> str:
    """Rename a damaged file, and say so in a sentence; nothing if it cannot be renamed."""
    kept = path.with_name(f"{path.name}.damaged")
    try:
        path.replace(kept)
    except OSError:
        return ""
    return f" The file is kept as {kept}."
