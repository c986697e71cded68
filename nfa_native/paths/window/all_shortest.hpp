// All shortest walks that have appeared: those that have an edge, or a start, which has just come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/window/path_columns.hpp"
#include "nfa_native/paths/window/forest.hpp"
#include "nfa_native/paths/window/shortest.hpp"

namespace spaseq::paths {

// One step back on a shortest walk.
struct BackStep {
    uint32_t node;                  // where it begins
    step_t step;
    bool wants_fresh;               // the walk to that node must have something that has just come
};

struct AllShortestAppeared {
    struct Place {
        uint32_t node;
        size_t first;               // of its steps back in `ways`
    };
    struct Way {
        uint32_t from;
        step_t step;
    };
    // The last steps of the shortest walks to a node, as of an event.
    struct KnownWays {
        uint64_t event = 0;         // of the forest; of another one they are not known
        size_t first = 0;           // in `known_ways`
        size_t count = 0;
    };

    Forest* forest = nullptr;
    ShortestWalks* walks = nullptr;
    std::vector<uint8_t> renewed;           // by node: some shortest walk to it is new
    std::vector<uint32_t> all_renewed;
    std::vector<KnownWays> known;           // by node
    std::vector<Way> known_ways;            // of this event
    std::vector<BackStep> ways;             // those that were not gone yet, of all places
    std::vector<Place> places;              // from the end of the walk on
    std::vector<step_t> steps;
    std::vector<vertex_t> vertices;

    // std::bad_alloc, std::domain_error.
    void give_appeared(PathWriter writer) {
        if (renewed.size() < forest->nodes.size()) renewed.resize(forest->nodes.size(), 0);
        if (known.size() < forest->nodes.size()) known.resize(forest->nodes.size());
        known_ways.clear();
        find_renewed();
        for (uint32_t at : all_renewed) {
            const ForestNode& node = forest->nodes[at];
            if (forest->is_end(node) && walks->lengths_of(node.start, node.vertex).now == node.length) give_walks(at, writer);
        }
        for (uint32_t at : all_renewed) renewed[at] = 0;
        all_renewed.clear();
    }

  private:
    void renew_node(uint32_t at) {
        if (renewed[at]) return;
        renewed[at] = 1;
        all_renewed.push_back(at);
    }

    void find_renewed() {
        for (uint32_t at : forest->changed) renew_node(at);
        for (uint32_t edge : forest->graph->arrived)
            for (uint32_t inverse = 0; inverse < 2; ++inverse)
                forest->visit_uses(edge, inverse, [&](uint32_t node, uint32_t subset) {
                    const WindowEdge& one = forest->graph->edges[edge];
                    renew_behind(node, inverse ? one.subject : one.object, subset);
                });
        for (size_t i = 0; i < all_renewed.size(); ++i) go_on_from(all_renewed[i]);
    }

    void renew_behind(uint32_t from, vertex_t to, uint32_t subset) {
        uint32_t at = forest->forest_node(forest->nodes[from].start, to, subset);
        if (at != NO_PLACE && forest->nodes[at].length == forest->nodes[from].length + 1) renew_node(at);
    }

    void go_on_from(uint32_t at) {
        const ForestNode& node = forest->nodes[at];
        forest->visit_behind(node.start, node.vertex, node.subset, [&](const HalfEdge& half, step_t, uint32_t subset) {
            renew_behind(at, half.to, subset);
        });
    }

    bool is_new(uint32_t at) const noexcept { return forest->nodes[at].length < forest->length_before(at); }

    // All shortest walks to a node that were not there before.
    void give_walks(uint32_t end, PathWriter& writer) {
        steps.clear();
        vertices.clear();
        enter_node(end, !is_new(end));
        while (!places.empty()) {
            forest->graph->pacer.count_work();
            if (forest->nodes[places.back().node].length == 0) write_walk(writer);
            if (ways.size() == places.back().first) {
                places.pop_back();
                vertices.pop_back();
                if (steps.size()) steps.pop_back();
                continue;
            }
            BackStep way = ways.back();
            ways.pop_back();
            steps.push_back(way.step);
            enter_node(way.node, way.wants_fresh);
        }
    }

    void enter_node(uint32_t at, bool wants_fresh) {
        places.push_back(Place{at, ways.size()});
        const ForestNode& node = forest->nodes[at];
        vertices.push_back(node.vertex);
        if (!node.has_ties) {
            if (node.length) add_way(Way{node.parent, node.step}, wants_fresh);
            return;
        }
        KnownWays some = ways_to(at);
        for (size_t i = some.first; i < some.first + some.count; ++i) add_way(known_ways[i], wants_fresh);
    }

    void add_way(Way way, bool wants_fresh) {
        bool still = wants_fresh && !forest->graph->is_fresh(way.step >> 1);
        if (!still || renewed[way.from]) ways.push_back(BackStep{way.from, way.step, still && !is_new(way.from)});
    }

    KnownWays ways_to(uint32_t at) {
        if (known[at].event == forest->event) return known[at];
        KnownWays found{forest->event, known_ways.size(), 0};
        const ForestNode& node = forest->nodes[at];
        if (node.length) forest->visit_before(node.start, node.vertex, node.subset, [&](uint32_t from, step_t step) {
            if (forest->nodes[from].length + 1 == forest->nodes[at].length) known_ways.push_back(Way{from, step});
            return false;
        });
        found.count = known_ways.size() - found.first;
        return known[at] = found;
    }

    void write_walk(PathWriter& writer) {
        for (size_t i = vertices.size(); i--;) writer.write_vertex(vertices[i]);
        for (size_t i = steps.size(); i--;) writer.write_step(steps[i]);
        writer.end_path();
    }
};

}  // namespace spaseq::paths
