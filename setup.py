"""Build of the compiled parts: every .pyx of PACKAGES is an extension, every grammar gets its tables.

The rest of the project is in pyproject.toml.

SPASEQ_DEBUG=1 builds with assertions, SPASEQ_SANITIZE=1 with the address and undefined-behaviour sanitizers (the
interpreter then needs the sanitizer's runtime preloaded).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, ExecError, LinkError, PlatformError

sys.path.insert(0, str(Path(__file__).resolve().parent))
from tools.native_code import headers_of, write_enums

PACKAGES = ("nfa_native", "gpm/native")
DEBUG = os.environ.get("SPASEQ_DEBUG") == "1"
SANITIZE = os.environ.get("SPASEQ_SANITIZE") == "1"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-omit-frame-pointer"] if SANITIZE else []
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
}
MISSING_COMPILER = (
    "spaseq needs a C++17 compiler (GCC or Clang) to build: install g++ "
    "(Debian, Ubuntu: apt install g++; Fedora: dnf install gcc-c++; macOS: xcode-select --install)."
)


def extension(source: Path) -> Extension:
    """The extension module of one Cython file."""
    optimisation = ["-O1", "-g", "-UNDEBUG"] if DEBUG or SANITIZE else ["-O2", "-fno-plt", "-g0", "-DNDEBUG"]
    return Extension(
        ".".join(source.with_suffix("").parts),
        [source.as_posix()],
        include_dirs=["."],
        language="c++",
        extra_compile_args=["-std=c++17", *optimisation, *SANITIZERS],
        extra_link_args=SANITIZERS,
        define_macros=[("CYTHON_WITHOUT_ASSERTIONS", None)] if not (DEBUG or SANITIZE) else [],
    )


def with_headers(module: Extension) -> Extension:
    """An extension that is built again when a header changes that it includes, and for no other one."""
    module.depends = headers_of(Path(module.sources[0]))
    return module


class BuildNative(build_ext):
    """`build_ext` on all cores, that says in one line what is missing instead of failing with a trace."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        try:
            super().run()
        except (ExecError, PlatformError):
            sys.exit(MISSING_COMPILER)

    def build_extensions(self) -> None:
        self.require_compiler()
        super().build_extensions()

    def require_compiler(self) -> None:
        """Compile one empty C++ file, to tell a missing compiler from an error in our code."""
        folder = Path(self.build_temp)
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / "probe.cpp"
        probe.write_text("#include <charconv>\nint main() { return sizeof(__int128) != 16; }\n")
        try:
            self.compiler.compile([str(probe)], output_dir=self.build_temp, extra_postargs=["-std=c++17"])
        except (CompileError, LinkError, ExecError, PlatformError, FileNotFoundError):
            sys.exit(MISSING_COMPILER)


def compile_grammars() -> None:
    """Write the tables of all grammars beside them, unless they are there."""
    subprocess.run([sys.executable, "-m", "spaseq.languages.grammars"], check=True)


os.chdir(Path(__file__).resolve().parent)
compile_grammars()
write_enums()
modules = cythonize(
    [extension(source) for package in PACKAGES for source in sorted(Path(package).rglob("*.pyx"))],
    compiler_directives=DIRECTIVES,
    nthreads=os.cpu_count() or 1,
    annotate=os.environ.get("SPASEQ_ANNOTATE") == "1",
)
setup(
    ext_modules=[with_headers(module) for module in modules],
    cmdclass={"build_ext": BuildNative},
)
