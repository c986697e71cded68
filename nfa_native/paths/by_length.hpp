// The shortest paths under a restrictor, from a vertex to each other one: rounds of depth-first searches, one for each length.
//
// No path is kept, so memory follows their length.  A walk may lead to a vertex to which no trail does; how far to look is then
// told by the searches alone: none was cut.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nfa_native/paths/breadth_first.hpp"
#include "nfa_native/paths/depth_first.hpp"
#include "nfa_native/paths/path_columns.hpp"
#include "nfa_native/paths/product_table.hpp"

namespace spaseq::paths {

struct ByLength {
    DepthFirst depth;                       // with the restrictor
    BreadthFirst walks;                     // without: what may be reached at all
    uint32_t count = 1;                     // paths for each pair of vertices; 0: all of the least length
    ProductTable answers;                   // how many were given that end at a vertex, with subset 0
    ProductTable least;                     // 1 + the length of the first of them
    size_t pending = 0;                     // ends that walks lead to, and that have not all their paths yet
    vertex_t start = 0;
    bool is_known = false;                  // `pending` is
    bool is_over = false;

    void search_from(vertex_t from) {
        start = from;
        pending = 0;
        is_known = is_over = false;
        walks.count = 1;
        walks.search_from(from);
        answers.cover(depth.graph->vertices);
        least.cover(depth.graph->vertices);
        answers.clear();
        least.clear();
    }

    bool is_done() const noexcept { return is_over; }

    // Look further.  std::bad_alloc, std::domain_error.
    void look_at_length(uint64_t* edges, FoundPaths* found) {
        if (!is_known) return find_ends(edges);
        if (depth.find_path(edges)) return take_path(found);
        if (depth.is_done()) end_round();
    }

  private:
    void find_ends(uint64_t* edges) {
        if (!walks.is_done()) {
            pending += walks.look_at_walk(edges, nullptr);
            return;
        }
        is_known = true;
        is_over = pending == 0;
        depth.search_from(start, 0);
    }

    void take_path(FoundPaths* found) {
        vertex_t end = depth.path.vertices.back();
        uint32_t given = answers.at(0, end), length = static_cast<uint32_t>(depth.path.length()) + 1;
        if (given == 0) least.put_number(0, end, length);
        if (count ? given >= count : least.at(0, end) != length) return;
        answers.put_number(0, end, given == UINT32_MAX ? given : given + 1);
        pending -= given + 1 == (count ? count : 1);
        found->add_path(depth.path.vertices.data(), depth.path.symbols.data(), depth.path.length());
    }

    void end_round() {
        is_over = pending == 0 || !depth.was_cut;
        if (!is_over) depth.search_from(start, depth.length + 1);
    }
};

}  // namespace spaseq::paths
