"""Say in one line what a machine lacks before anything is installed.  Old Pythons run it too: its syntax is plain."""

import os
import shutil
import sys

COMPILERS = (os.environ.get("CXX", "c++").split()[0], "g++", "clang++")
INSTALL = "install g++ (Debian, Ubuntu: apt install g++; macOS: xcode-select --install)"

if sys.version_info < (3, 11):  # noqa: UP036
    found = ".".join(str(part) for part in sys.version_info[:2])
    sys.exit("spaseq needs Python 3.11 or newer, this is " + found + ": install one and run make PYTHON=python3.11")
if not any(shutil.which(name) for name in COMPILERS):
    sys.exit("spaseq needs a C++17 compiler: " + INSTALL)
