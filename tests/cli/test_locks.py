"""Two runs keep out of each other's files, and a checkpoint writes over nothing but itself."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from spaseq.cli.checkpoint import checkpoint_held
from spaseq.cli.locks import LockHolder, held
from spaseq.cli.on_spark.checkpoint import Kept, folder_held, keep, read_kept
from spaseq.errors import OptionError
from tests.cli.conftest import Invoke, start
from tests.cli.crowding import trial
from tests.cli.killing import prepare, prepare_tuples
from tests.cli.test_checkpoint import SELECT, event

RUN = ("run", "q.spaseq", "--quiet")
STREAM = ("--stream", "s=s.nq")


@pytest.fixture
def place(folder: Path) -> Path:
    Path("q.spaseq").write_text(SELECT)
    Path("s.nq").write_text("".join(map(event, range(10))))
    return folder


@pytest.fixture
def other(place: Path) -> Iterator[subprocess.Popen[str]]:
    """A run at work with a checkpoint and an output, which has written its ten results."""
    process = start(*RUN, *STREAM, "--checkpoint", "state", "--output", "out", "--late", "late", "--follow", cwd=place)
    while not (Path("state").exists() and Path("out").exists() and Path("out").read_bytes().count(b"\n") >= 9):
        assert process.poll() is None
    yield process
    process.kill()
    process.communicate()


def contents() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


@pytest.mark.parametrize("way", [prepare, pytest.param(prepare_tuples, marks=pytest.mark.deep)])
def test_a_crowd(way: object) -> None:
    codes, wrong = trial(3, 600, 4, way, rounds=1)  # type: ignore[arg-type]
    assert wrong == [] and sum(codes.values()) == 3


def test_who_has_it_is_told(other: subprocess.Popen[str], invoke: Invoke) -> None:
    Path("link").symlink_to("state")
    Path("chain").symlink_to("link")
    before = contents()
    for name in ("state", str(Path("state").absolute()), "link", "chain"):
        found = invoke(*RUN, *STREAM, "--checkpoint", name, "--output", "new")
        assert found.exit_code == 2
        assert re.fullmatch(
            rf"error: --checkpoint {name}: another run has it \(process {other.pid} on \S+, since 20\d\d-\S+Z\); "
            "let that end, or take another one\n",
            found.stderr,
        ), found.stderr
    assert contents() == before


@pytest.mark.parametrize("option", ["--output", "--late"])
def test_outputs_are_of_one_run(other: subprocess.Popen[str], invoke: Invoke, option: str) -> None:
    name = {"--output": "out", "--late": "late"}[option]
    Path("hard").hardlink_to(name)
    Path("soft").symlink_to(name)
    before = contents()
    for path in (name, "hard", "soft"):
        found = invoke(*RUN, *STREAM, option, path, "--output" if option == "--late" else "--late", "new")
        assert found.exit_code == 2
        assert f"error: {option} {path}: another run writes this file (process {other.pid})\n" == found.stderr
    assert contents() == before


@pytest.mark.parametrize(
    "command", [["tuples", "q.ceql", "--events", "s.csv"], ["paths", "q.paths", "--graph", "g.nt"]]
)
def test_outputs_of_other_commands(place: Path, invoke: Invoke, command: list[str]) -> None:
    Path("q.ceql").write_text("SELECT * FROM S WHERE A WITHIN 3 EVENTS")
    Path("s.csv").write_text("type\nA\n")
    Path("q.paths").write_text("QUERY q FROM <urn:a> ANY <urn:p>")
    Path("g.nt").write_text("<urn:a> <urn:p> <urn:b> .\n")
    with Path("out").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        found = invoke(*command, "--output", "out")
        assert found.exit_code == 2 and "--output out: another run writes this file" in found.stderr
    assert invoke(*command, "--output", "out").exit_code == 0 and Path("out").stat().st_size


def test_a_lock_ends_with_its_process(other: subprocess.Popen[str], invoke: Invoke) -> None:
    other.kill()
    other.wait()
    assert json.loads(Path("state.lock").read_text())["pid"] == other.pid
    found = invoke(*RUN, *STREAM, "--checkpoint", "state", "--output", "out", "--late", "late")
    assert "with --follow given" in found.stderr  # it was read
    assert not Path("state.lock").exists()


def test_one_that_was_killed_is_not_named(place: Path) -> None:
    """A lock is taken before it is signed: until then it has the name of who was killed."""
    process = subprocess.Popen(["true"])
    process.wait()
    assert not LockHolder(process.pid, os.uname().nodename, "").may_live
    assert LockHolder(1, "elsewhere", "").may_live and LockHolder(1, os.uname().nodename, "").may_live
    signed = {"lock": "of a run of spaseq", "pid": process.pid, "host": os.uname().nodename, "since": "x"}
    Path("state.lock").write_text(json.dumps(signed))
    with Path("state.lock").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with (
            pytest.raises(OptionError, match="state: another run has it; let that end"),
            held(Path("state.lock"), "state"),
        ):
            pass


def test_a_file_system_without_locks(place: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", none)
    found = invoke(*RUN, *STREAM, "--checkpoint", "state")
    assert found.exit_code == 2
    assert "--checkpoint state: the file system of state.lock has no locks, which keep two runs apart" in found.stderr
    assert invoke(*RUN, *STREAM, "--output", "out").exit_code == 0
    assert Path("out").read_text().count("\n") == 10


# ── names ────────────────────────────────────────────────────────────────────────────────────────────────
def test_files_beside_a_checkpoint_stay(place: Path, invoke: Invoke) -> None:
    lines = Path("s.nq").read_text()
    names = ("in1.new", ".in1.new", f".in1.{os.getpid()}.new", f".in1.{'0' * 24}.new")
    for name in names:
        Path(name).write_text(lines)
    found = invoke(*RUN, "--stream", "s=in1.new", "--checkpoint", "in1")
    assert found.stdout.count("\n") == 10
    assert all(Path(name).read_text() == lines for name in names)


def test_outputs_beside_a_checkpoint_are_whole(place: Path, invoke: Invoke) -> None:
    Path("s.nq").write_text("".join(map(event, [0, 1, 2, 9, 3, 4])))
    assert invoke(*RUN, *STREAM, "--checkpoint", "cp", "--output", "cp.new", "--late", "late").exit_code == 0
    assert Path("cp.new").read_text().count("\n") == 4
    assert invoke(*RUN, *STREAM, "--checkpoint", "lt", "--output", "out", "--late", "lt.new").exit_code == 0
    assert Path("lt.new").read_bytes() == Path("late").read_bytes() != b""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--stream", "s=in1.lock", "--checkpoint", "in1"], "the lock of --checkpoint in1.lock: this file is read"),
        (["--checkpoint", "in1"], "--checkpoint in1: in1.lock is no lock of spaseq, and would be written over"),
        (["--checkpoint", "cp", "--output", "cp.lock"], "and the lock of --checkpoint cannot both write cp.lock"),
        (["--checkpoint", "cp", "--late", "./cp.lock"], "and the lock of --checkpoint cannot both write cp.lock"),
        (["--checkpoint", "link"], "--checkpoint link: cannot write link.lock: "),
        (["--output", "a", "--late", "soft"], "--output and --late cannot both write soft"),
        (["--output", "b", "--late", "hard"], "--output and --late cannot both write hard"),
    ],
)
def test_names_that_are_taken(place: Path, invoke: Invoke, arguments: list[str], message: str) -> None:
    Path("in1.lock").write_text(Path("s.nq").read_text())
    Path("link.lock").symlink_to("q2")
    Path("soft").symlink_to("a")
    Path("b").touch()
    Path("hard").hardlink_to("b")
    before = contents()
    found = invoke(*RUN, *([] if "--stream" in arguments else STREAM), *arguments)
    assert found.exit_code == 2
    assert message in found.stderr
    assert contents() == before


@pytest.mark.parametrize(
    ("path", "kind"), [("/dev/zero", "device"), ("/dev/full", "device"), ("pipe", "pipe"), ("link", "device")]
)
def test_what_is_no_file_is_refused_at_once(place: Path, invoke: Invoke, path: str, kind: str) -> None:
    os.mkfifo("pipe")
    Path("link").symlink_to("/dev/zero")
    Path("t.csv").write_text("type\nA\n")
    Path("q.ceql").write_text("SELECT * FROM S WHERE A WITHIN 3 EVENTS")
    for command in ([*RUN, *STREAM], ["tuples", "q.ceql", "--events", "t.csv"]):
        found = invoke(*command, "--checkpoint", path)
        assert found.exit_code == 2
        assert f"error: --checkpoint {path}: this is a {kind}, and a checkpoint is a file\n" == found.stderr
    assert invoke(*RUN, *STREAM, "--checkpoint", ".").exit_code == 2


def test_of_a_large_file_only_the_beginning_is_read(place: Path, invoke: Invoke) -> None:
    with Path("large").open("wb") as file:
        file.truncate(1 << 40)
    found = invoke(*RUN, *STREAM, "--checkpoint", "large")
    assert found.exit_code == 2 and "this is no snapshot" in found.stderr


def test_a_link_to_a_checkpoint_stays_one(place: Path, invoke: Invoke) -> None:
    Path("link").symlink_to("state")
    assert invoke(*RUN, *STREAM, "--checkpoint", "link").stdout.count("\n") == 10
    assert Path("link").is_symlink() and Path("state").is_file()
    assert invoke(*RUN, *STREAM, "--checkpoint", "state").stdout == ""


# ── folders of Spark ─────────────────────────────────────────────────────────────────────────────────────
def test_a_folder_is_of_one_driver(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "state"
    with folder_held(folder):
        assert read_kept(folder, {}) is None
        keep(folder, Kept({}, 2))
        with (
            pytest.raises(OptionError, match=rf"state: another run has it \(process {os.getpid()} on"),
            folder_held(folder),
        ):
            pass
    with folder_held(folder):
        assert read_kept(folder, {}) == Kept({}, 2)
    assert [path.name for path in folder.iterdir()] == ["spaseq.json"]


def test_a_folder_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with folder_held(tmp_path), pytest.raises(OptionError, match="has files, but no checkpoint"):
        read_kept(tmp_path, {})
    with pytest.raises(OptionError, match="cannot make the folder"), folder_held(tmp_path / "notes.txt"):
        pass


def test_leftovers_of_a_kill_are_removed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from spaseq import whole_file

    left = Path(whole_file._name("state", "0123456789abcdef"))
    left.write_bytes(b"half")
    busy = Path(whole_file._name("state", "f" * 16))
    with busy.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with checkpoint_held(Path("state")):
            assert not left.exists() and busy.exists()


@pytest.mark.parametrize("name", ["x" * 5000, "x" * 253, "nowhere/x", "q.spaseq/x"])
def test_names_that_no_file_can_have(place: Path, invoke: Invoke, name: str) -> None:
    found = invoke(*RUN, *STREAM, "--checkpoint", name)
    assert found.exit_code == 2 and "error: --checkpoint" in found.stderr and ": cannot " in found.stderr
