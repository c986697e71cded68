// All paths that have appeared: those that have an edge, or a start, which has just come.
//
// The first such edge of a path divides it: what is before it is found from there back to the start, within the forest, so
// that each way back is one; what is behind it depth first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/window/path_columns.hpp"
#include "nfa_native/paths/window/depth_first.hpp"
#include "nfa_native/paths/window/forest.hpp"

namespace spaseq::paths {

struct PathsThrough {
    struct Way {
        uint32_t node;
        step_t step;
    };
    struct Place {
        uint32_t node;
        size_t first;               // of its ways back in `ways`
    };

    Forest* forest = nullptr;
    WindowDepthFirst behind;        // the edge; with the restrictor
    PathSoFar back;                 // from the edge to the start
    std::vector<Way> ways;          // those that were not gone yet, of all places
    std::vector<Place> places;

    // Paths of starts, and through edges, that have just come.  std::bad_alloc, std::domain_error.
    void give_appeared(PathWriter writer) {
        for (uint32_t at : forest->changed)
            if (forest->nodes[at].length == 0) give_from(at, writer);
        for (uint32_t edge : forest->graph->arrived)
            for (uint32_t inverse = 0; inverse < 2; ++inverse)
                forest->visit_uses(edge, inverse, [&](uint32_t node, uint32_t subset) {
                    if (forest->length_before(node) != NO_LENGTH) give_through(node, 2 * edge + inverse, subset, writer);
                });
    }

  private:
    void give_from(uint32_t root, PathWriter& writer) {
        behind.search_from(forest->nodes[root].vertex, WindowDepthFirst::ANY_LENGTH);
        write_found(writer);
    }

    void write_found(PathWriter& writer) {
        while (behind.find_path())
            writer.write_whole(behind.path.vertices.data(), behind.path.symbols.data(), behind.path.length());
    }

    // All paths whose first fresh edge is this one, which leaves `node`.
    void give_through(uint32_t node, step_t step, uint32_t subset, PathWriter& writer) {
        back.start_at(forest->nodes[node].vertex, behind.rules.restrictor);
        enter_node(node);
        while (!places.empty()) {
            forest->graph->pacer.count_work();
            if (forest->nodes[places.back().node].length == 0) go_on_behind(step, subset, writer);
            if (ways.size() == places.back().first) {
                places.pop_back();
                if (places.size()) back.remove_edge();
                continue;
            }
            Way way = ways.back();
            ways.pop_back();
            back.append_edge(way.step ^ 1, forest->nodes[way.node].vertex);
            enter_node(way.node);
        }
    }

    void enter_node(uint32_t at) {
        places.push_back(Place{at, ways.size()});
        const ForestNode& node = forest->nodes[at];
        if (forest->has_one_way(at)) {
            if (node.length) add_way(node.parent, node.step);
            return;
        }
        forest->visit_before(node.start, node.vertex, node.subset, [&](uint32_t from, step_t step) {
            add_way(from, step);
            return false;
        });
    }

    void add_way(uint32_t from, step_t step) {
        if (!forest->graph->is_fresh(step >> 1) && forest->length_before(from) != NO_LENGTH && may_lead(from, step))
            ways.push_back(Way{from, step});
    }

    bool may_lead(uint32_t from, step_t step) const noexcept {
        vertex_t vertex = forest->nodes[from].vertex;
        switch (behind.rules.restrictor) {
        case PathRestrictor::TRAIL: return !back.has_edge(edge_of(back.vertices.back(), step ^ 1, vertex));
        case PathRestrictor::ACYCLIC:
        case PathRestrictor::SIMPLE: return !back.has_vertex(vertex);
        default: return true;
        }
    }

    void go_on_behind(step_t step, uint32_t subset, PathWriter& writer) {
        PathSoFar& path = behind.path;
        path.start_at(back.vertices.back(), behind.rules.restrictor);
        for (size_t i = back.length(); i--;) path.append_edge(back.symbols[i] ^ 1, back.vertices[i]);
        const WindowEdge& edge = forest->graph->edges[step >> 1];
        vertex_t to = step & 1 ? edge.subject : edge.object;
        if (!path.admits(behind.rules, step, to)) return;
        path.append_edge(step, to);
        behind.length = WindowDepthFirst::ANY_LENGTH;
        behind.go_on_with(subset);
        write_found(writer);
    }
};

}  // namespace spaseq::paths
