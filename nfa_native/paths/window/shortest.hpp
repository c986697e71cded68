// One walk for each pair of vertices: what a forest has of them, and what of it an event has changed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/window/path_columns.hpp"
#include "nfa_native/paths/window/forest.hpp"

namespace spaseq::paths {

// The shortest walks of a pair of a start and a vertex.
struct PairLengths {
    uint32_t now = NO_LENGTH;
    uint32_t before = NO_LENGTH;        // the event
    uint32_t node = NO_PLACE;           // the first one that has the length `now`
};

struct ShortestWalks {
    Forest* forest = nullptr;
    bool any_length = false;            // a pair is given when it gets its first walk, and not when it gets a shorter one
    std::vector<step_t> steps;
    std::vector<vertex_t> vertices;

    // std::bad_alloc, std::domain_error.
    PairLengths lengths_of(uint32_t start, vertex_t vertex) {
        PairLengths found;
        forest->find_node(start, vertex, [&](uint32_t at) {
            const ForestNode& node = forest->nodes[at];
            if (!forest->is_end(node)) return false;
            found.before = std::min(found.before, forest->length_before(at));
            if (node.length >= found.now) return false;
            found.now = node.length;
            found.node = at;
            return false;
        });
        return found;
    }

    // The walks that have appeared with the changes.  std::bad_alloc, std::domain_error.
    void give_appeared(PathWriter writer) {
        for (uint32_t at : forest->changed) {
            const ForestNode& node = forest->nodes[at];
            if (!forest->is_end(node)) continue;
            PairLengths pair = lengths_of(node.start, node.vertex);
            bool is_new = any_length ? pair.before == NO_LENGTH : pair.now < pair.before;
            if (is_new && pair.node == at) write_walk(at, writer);
        }
    }

    // A walk of each pair that has one now.  std::bad_alloc, std::domain_error.
    void give_all(PathWriter writer) {
        for (const SmallRow<NodeHere>& row : forest->here)
            for (const NodeHere& one : row) {
                const ForestNode& node = forest->nodes[one.node];
                if (forest->is_end(node) && lengths_of(node.start, node.vertex).node == one.node) write_walk(one.node, writer);
            }
    }

  private:
    void write_walk(uint32_t at, PathWriter& writer) {
        steps.clear();
        vertices.clear();
        for (; forest->nodes[at].parent != NO_PLACE; at = forest->nodes[at].parent) {
            steps.push_back(forest->nodes[at].step);
            vertices.push_back(forest->nodes[at].vertex);
        }
        vertices.push_back(forest->nodes[at].vertex);
        std::reverse(steps.begin(), steps.end());
        std::reverse(vertices.begin(), vertices.end());
        writer.write_whole(vertices.data(), steps.data(), steps.size());
    }
};

}  // namespace spaseq::paths
