// Paths that were found, in columns.
#ifndef SPASEQ_PATHS_FOUND
#define SPASEQ_PATHS_FOUND

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/graph.hpp"

namespace spaseq {

// Path i has the steps ends[i - 1] to ends[i] of `symbols`, and one vertex more: from ends[i - 1] + i on.
struct FoundPaths {
    std::vector<uint64_t> ends;
    std::vector<vertex_t> vertices;
    std::vector<symbol_t> symbols;

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
        vertices.insert(vertices.end(), on, on + length + 1);
        symbols.insert(symbols.end(), along, along + length);
        complete_path();
    }
};

}  // namespace spaseq

#endif
