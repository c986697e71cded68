"""Files that are whole at any moment, and what is beside them for a moment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spaseq.whole_file import _name, remove_leftovers, write_whole


def test_nothing_else_is_written_over(tmp_path: Path) -> None:
    tokens = iter(["a" * 16, "b" * 16])
    taken = tmp_path / _name("f", "a" * 16)
    taken.write_bytes(b"mine")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spaseq.whole_file.secrets.token_hex", lambda _: next(tokens))
        write_whole(tmp_path / "f", [b"new ", b"content"])
    assert (tmp_path / "f").read_bytes() == b"new content" and taken.read_bytes() == b"mine"
    assert len(list(tmp_path.iterdir())) == 2


def test_an_error_leaves_the_old_one_alone(tmp_path: Path) -> None:
    path = tmp_path / "f"
    write_whole(path, [b"old"])
    with pytest.raises(RuntimeError):
        write_whole(path, (b"x" if number < 3 else _fail() for number in range(9)))
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def _fail() -> bytes:
    raise RuntimeError


def test_links_are_followed_and_rights_are_those_of_any_file(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there/f")
    write_whole(tmp_path / "link", [b"x"])
    assert (tmp_path / "there" / "f").read_bytes() == b"x" and (tmp_path / "link").is_symlink()
    (tmp_path / "plain").touch()
    assert (tmp_path / "there" / "f").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_what_was_taken_for_left_is_made_again(tmp_path: Path) -> None:
    """Another process may remove a file that was made, and is not locked yet."""
    path, removed = tmp_path / "f", []

    def remove_first(file: object, kind: int) -> None:
        if not removed:
            removed.extend(one for one in tmp_path.iterdir())
            removed[0].unlink()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spaseq.whole_file.fcntl.flock", remove_first)
        write_whole(path, [b"x"])
    assert removed and path.read_bytes() == b"x" and list(tmp_path.iterdir()) == [path]


def test_only_what_was_left_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "g.spaseqgraph"
    kept = {".g.spaseqgraph.new", f".g.spaseqgraph.{'0' * 24}.new", _name("other", "1" * 16), "g.spaseqgraph"}
    for name in kept | {_name(path.name, "2" * 16), _name(path.name, os.urandom(8).hex())}:
        (tmp_path / name).touch()
    remove_leftovers(path)
    assert {one.name for one in tmp_path.iterdir()} == kept
    remove_leftovers(tmp_path / "nowhere" / "f")
