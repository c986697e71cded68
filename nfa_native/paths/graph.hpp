// A graph as walks see it: for each symbol (a label, along its edges or against them) the neighbours of each vertex.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spaseq::paths {

typedef uint32_t vertex_t;
typedef uint32_t symbol_t;          // 2 * label + 1 if edges are taken against their direction
constexpr uint32_t NO_PLACE = UINT32_MAX;

struct Neighbours {
    const vertex_t* begin;
    const vertex_t* end;
};

// The edges of one symbol, by the vertex that they leave (compressed sparse rows).
struct Adjacency {
    const vertex_t* vertices;       // [rows] those that have edges, rising; NULL: row v is that of vertex v
    const uint32_t* offsets;        // [rows + 1] where the targets of each row begin
    const vertex_t* targets;        // rising within a row
    size_t rows;

    Neighbours of(vertex_t vertex) const noexcept {
        size_t row = vertex;
        if (vertices != nullptr) {
            const vertex_t* found = std::lower_bound(vertices, vertices + rows, vertex);
            if (found == vertices + rows || *found != vertex) return Neighbours{nullptr, nullptr};
            row = static_cast<size_t>(found - vertices);
        }
        return Neighbours{targets + offsets[row], targets + offsets[row + 1]};
    }

    bool has(vertex_t vertex) const noexcept {
        Neighbours found = of(vertex);
        return found.begin != found.end;
    }

    size_t size() const noexcept { return offsets[rows]; }
};

struct PathGraph {
    std::vector<Adjacency> symbols;
    size_t vertices = 0;

    // Another label: its edges along and against their direction.  std::bad_alloc.
    void add_label(const Adjacency& along, const Adjacency& against) {
        symbols.reserve(symbols.size() + 2);
        symbols.push_back(along);
        symbols.push_back(against);
    }
};

}  // namespace spaseq::paths
