#!/bin/sh
# mypy --strict on all packages as they are installed (datasets/ and ontologies/ lie inside spaseq), and on the benchmarks.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
tree=$root/build/typed
rm -rf "$tree"
mkdir -p "$tree/spaseq"
ln -s "$root/gpm" "$root/nfa_native" "$root/benchmarks" "$root/tests" "$tree/"
ln -s "$root"/spaseq/* "$root/datasets" "$root/ontologies" "$tree/spaseq/"
cd "$tree"
exec "$root/.venv/bin/mypy" --config-file "$root/pyproject.toml" -p spaseq -p gpm -p nfa_native -p benchmarks
