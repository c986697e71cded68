"""Say in one line what a machine lacks before anything is installed.  Runs on old Pythons too, so its syntax is plain."""

import os
import shutil
import sys

if sys.version_info < (3, 11):
    found = ".".join(str(part) for part in sys.version_info[:2])
    sys.exit("spaseq needs Python 3.11 or newer, this is " + found + ": install one and run make PYTHON=python3.11")
if not any(shutil.which(name) for name in (os.environ.get("CXX", "c++").split()[0], "g++", "clang++")):
    sys.exit("spaseq needs a C++17 compiler: install g++ (Debian, Ubuntu: apt install g++; macOS: xcode-select --install)")
