#!/bin/sh
# Builds the native code with the address and undefined-behaviour sanitizers in a copy of the tree and runs its tests there.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
copy=${SANITIZE_DIR:-$root/build/sanitize}
sh "$root/tools/sanitize_build.sh"
cd "$copy"
runtime=$(${CXX:-g++} -print-file-name=libasan.so):$(${CXX:-g++} -print-file-name=libstdc++.so)
export SPASEQ_SHARED="${SPASEQ_SHARED:-$root/../shared/data}"
SPASEQ_SLICES=2 LD_PRELOAD=$runtime PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1 \
    .venv/bin/python -m pytest -n 2 -p no:cacheprovider -m "not deep" --ignore tests/kernel/test_annotation.py --deselect tests/recognition/test_memory.py --deselect tests/paths/stream/test_memory.py \
    tests/core tests/terms tests/native tests/row_patterns tests/sql tests/agreement tests/kernel tests/recognition tests/tuples/test_matching.py tests/tuples/test_bounded.py tests/tuples/test_bounded_streams.py \
    tests/tuples/encoding/test_correlation.py tests/tuples/aggregates/test_aggregates.py tests/tuples/columns/test_numbering.py \
    tests/tuples/encoding/test_symbols.py tests/tuples/test_compaction.py tests/tuples/test_forgotten.py \
    tests/gpm/native tests/gpm/test_hashing.py tests/gpm/test_pruning.py tests/results/test_jsonl.py \
    tests/results/test_delimited.py tests/results/test_frames.py tests/graphs/test_push.py tests/graphs/test_bounded.py tests/graphs/test_partitions.py \
    tests/streams/test_assembly_model.py tests/streams/test_event_rows.py tests/graphs/test_push_arrow.py \
    tests/graphs/test_to_arrow.py tests/streams/test_robust_nquads.py tests/streams/test_formats.py \
    tests/streams/test_messages.py tests/streams/test_nesting.py tests/gpm/test_nesting.py tests/graphs/test_exclusive.py \
    tests/graphs/test_state.py tests/graphs/test_prepared.py tests/graphs/test_rules.py tests/graphs/test_given.py tests/graphs/test_any_order.py tests/graphs/test_work_bound.py tests/graphs/test_recall_sample.py tests/snapshots tests/tuples/encoding/test_conditions.py \
    tests/tuples/encoding/test_exact.py tests/graphs/test_evaluation.py \
    tests/mapped/test_graphs.py tests/mapped/test_columns.py tests/mapped/test_single_rows.py tests/mapped/test_v_shapes.py tests/mapped/test_needed.py \
    tests/tuples/totals/test_counting.py tests/tuples/test_engine.py tests/tuples/test_given.py tests/tuples/test_families.py tests/paths --ignore tests/paths/rag
