#!/bin/sh
# Builds the native code with the address and undefined-behaviour sanitizers in a copy of the tree: $SANITIZE_DIR.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
copy=${SANITIZE_DIR:-$root/build/sanitize}
rm -rf "$copy"
mkdir -p "$copy"
(cd "$root" && git ls-files -z | tar cf - --null -T -) | tar xf - -C "$copy"
cd "$copy"
"${PYTHON:-python3}" -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check "setuptools>=77" "cython>=3.1" "lark>=1.2.2" wheel
SPASEQ_SANITIZE=1 .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation \
    --editable ".[arrow,pandas,jelly,dev]"
touch built.stamp
