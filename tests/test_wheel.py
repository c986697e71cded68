"""The sdist and the wheel are complete: built here, installed into an empty environment, run outside the clone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tools.native_code import ENUMS

pytestmark = pytest.mark.deep

ROOT = Path(__file__).parents[1]
EXAMPLE = ("examples/stocks/v_shape.spaseq", "examples/streams/stocks.nq")


def call(*command: str | Path, cwd: Path) -> str:
    """Standard output of a command that must succeed, in an environment that knows nothing of the clone."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run([str(one) for one in command], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that was built from it, made from a copy of what git does not ignore."""
    folder = tmp_path_factory.mktemp("built")
    copy = folder / "clone"
    for name in call("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).splitlines():
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    call(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ".", cwd=copy)
    return folder


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``bin`` folder of an empty environment into which the wheel, and only what it asks for, was installed."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    binaries = folder / ("Scripts" if os.name == "nt" else "bin")
    wheel = next(built.glob("*.whl"))
    call(binaries / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, cwd=folder)
    return binaries


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder outside the clone with copies of an example query and its stream."""
    for name in EXAMPLE:
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def native_sources() -> set[str]:
    files = (path for kind in ("pyx", "pxd", "pxi", "hpp") for path in ROOT.glob(f"nfa_native/**/*.{kind}"))
    return {path.relative_to(ROOT).as_posix() for path in files}


def written_at_build() -> set[Path]:
    """What the build makes of the modules that have the enums."""
    return {module.with_suffix(suffix) for module in ENUMS for suffix in (".hpp", ".pxd")}


def test_sdist_has_the_native_sources(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    sources = native_sources() - {path.as_posix() for path in written_at_build()}
    assert sources <= names and {path.as_posix() for path in ENUMS} <= names and "tools/native_code.py" in names
    assert not [name for name in names if name.endswith((".cpp", ".so")) or name.startswith("tests/")]


def test_wheel_is_complete(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as archive:
        names = archive.namelist()
    for module in (ROOT / "nfa_native").rglob("*.pyx"):
        stem = module.relative_to(ROOT).with_suffix("").as_posix()
        assert any(name.startswith(f"{stem}.") and name.endswith((".so", ".pyd")) for name in names)
    wanted = {"spaseq/py.typed", "gpm/py.typed", "nfa_native/py.typed", "nfa_native/joins/matcher.pyi"}
    wanted |= {f"spaseq/ontologies/{one.name}" for one in (ROOT / "ontologies").glob("*.ttl")}
    wanted |= {
        one.relative_to(ROOT).as_posix() for one in (ROOT / "spaseq").glob("**/*") if one.suffix in {".py", ".lark"}
    }
    wanted |= {one.relative_to(ROOT).as_posix() for one in (ROOT / "gpm").glob("**/*.py")}
    wanted |= {f"spaseq/datasets/{one.name}" for one in (ROOT / "datasets").glob("*.py")}
    assert wanted <= set(names), wanted - set(names)


def test_packages_import(installed: Path, elsewhere: Path) -> None:
    code = "import spaseq, gpm, nfa_native, spaseq.datasets, spaseq.ontologies; print(spaseq.__file__)"
    where = call(installed / "python", "-c", code, cwd=elsewhere)
    assert str(ROOT) not in where


def test_grammars_have_their_tables(installed: Path, elsewhere: Path) -> None:
    """Or it takes a quarter of a second longer to start."""
    code = "from spaseq.languages import ceql, spaseq, grammars\n"
    code += "for folder in (ceql.parser.GRAMMAR, spaseq.parser.GRAMMAR):\n"
    code += "    assert grammars.read_tables(folder, grammars.grammar_text(folder)) is not None, folder"
    call(installed / "python", "-c", code, cwd=elsewhere)


def test_commands_run(installed: Path, elsewhere: Path) -> None:
    command = installed / "spaseq"
    assert call(command, "--version", cwd=elsewhere).strip()
    call(command, "check", "v_shape.spaseq", cwd=elsewhere)
    assert "automaton" in call(command, "explain", "v_shape.spaseq", cwd=elsewhere)
    run = (command, "run", "v_shape.spaseq", "--stream", "stock=stocks.nq", "--format", "jsonl")
    assert call(*run, cwd=elsewhere).count("\n") > 10
    call(command, "generate", "stocks", "--events", "50", "--seed", "1", "--out", "made", cwd=elsewhere)
    assert list((elsewhere / "made").iterdir())
