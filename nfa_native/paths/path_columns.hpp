// Paths that were found, in columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nfa_native/paths/column.hpp"
#include "nfa_native/paths/graph.hpp"

namespace spaseq::paths {

// Path i has the steps ends[i - 1] to ends[i] of `symbols`, and one vertex more: from ends[i - 1] + i on.
struct FoundPaths {
    Column<uint64_t> ends;
    Column<vertex_t> vertices;
    Column<symbol_t> symbols;

    size_t size() const noexcept { return ends.size(); }

    void clear() noexcept {
        ends.clear();
        vertices.clear();
        symbols.clear();
    }

    // A path of `length` steps is complete, whose columns are written.  std::bad_alloc.
    void complete_path() { ends.push_back(symbols.size()); }

    // A path of so many steps.  std::bad_alloc.
    void add_path(const vertex_t* on, const symbol_t* along, size_t length) {
        vertices.append(on, length + 1);
        symbols.append(along, length);
        complete_path();
    }
};

}  // namespace spaseq::paths
