#!/bin/sh
# Fuzzes the doors on the sanitizer build: MINUTES for each, DOOR=name for one of them, SEED=number to repeat a run.
# The build of the last time is used again unless native code has changed since.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
copy=${SANITIZE_DIR:-$root/build/sanitize}
stamp=$copy/built.stamp
cd "$root"
if [ ! -e "$stamp" ] || [ -n "$(find setup.py nfa_native gpm/native -newer "$stamp" \( -name setup.py -o -name '*.pyx' -o -name '*.px[di]' -o -name '*.hpp' \) | head -n 1)" ]; then
    sh tools/sanitize_build.sh
fi
git ls-files -z --cached --others --exclude-standard | tar cf - --null -T - | tar xf - -C "$copy"
runtime=$(${CXX:-g++} -print-file-name=libasan.so):$(${CXX:-g++} -print-file-name=libstdc++.so)
cd "$copy"
LD_PRELOAD=$runtime PYTHONMALLOC=malloc UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
    ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16:allocator_may_return_null=1 \
    .venv/bin/python -m tests.fuzz ${DOOR:-} --minutes "${MINUTES:-10}" ${SEED:+--seed "$SEED"} --save "$root/tests/fuzz/corpus"
