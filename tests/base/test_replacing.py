"""Files that take another's place, with something planted at the name that they have until then."""

import pytest

from mediacrawl.base.files import replacing


@pytest.mark.parametrize("sync", [False, True])
@pytest.mark.parametrize("planted", ["link", "broken link", "hard link", "file", "nothing"])
def test_what_is_planted_is_removed_and_not_followed(tmp_path, planted, sync):
    victim, draft = tmp_path / "victim", tmp_path / "x.new"
    victim.write_text("precious")
    if planted == "link":
        draft.symlink_to(victim)
    elif planted == "broken link":
        draft.symlink_to(tmp_path / "none")
    elif planted == "hard link":
        draft.hardlink_to(victim)
    elif planted == "file":
        draft.write_text("left by a kill, and longer than the new one")
    with replacing(tmp_path / "x", sync=sync) as file:
        file.write(b"new")
    assert (tmp_path / "x").read_bytes() == b"new"
    assert {path.name for path in tmp_path.iterdir()} == {"victim", "x"}
    assert victim.read_text() == "precious"


def test_an_error_leaves_the_earlier_file_only(tmp_path):
    (tmp_path / "x").write_text("earlier")
    with pytest.raises(ZeroDivisionError):
        write(tmp_path / "x", lambda: 1 / 0)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"x": "earlier"}


def test_what_another_process_puts_there_meanwhile_takes_no_place(tmp_path):
    (tmp_path / "x").write_text("earlier")
    (tmp_path / "other").write_text("another's")
    with pytest.raises(FileExistsError):
        write(tmp_path / "x", lambda: (tmp_path / "other").replace(tmp_path / "x.new"))
    assert (tmp_path / "x").read_text() == "earlier"


def write(path, meanwhile):
    with replacing(path) as file:
        file.write(b"half")
        meanwhile()
