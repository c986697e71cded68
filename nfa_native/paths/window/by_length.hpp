// Some paths under a restrictor for each pair of vertices, of which those are given that have appeared: rounds of depth-first
// searches, one for each length, from the starts and for the ends that something which has just come may concern.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/window/path_columns.hpp"
#include "nfa_native/paths/window/depth_first.hpp"
#include "nfa_native/paths/window/forest.hpp"
#include "nfa_native/paths/window/number_table.hpp"

namespace spaseq::paths {

// A vertex where a path may end that has appeared.
struct ConcernedEnd {
    uint32_t taken = 0;             // paths that count, old and new
    uint32_t old = 0;               // of those of this round; no more than `taken` leaves
    std::vector<vertex_t> vertices; // of the new ones of this round, one path after the other
    std::vector<step_t> steps;
    uint32_t fresh = 0;             // how many these are
};

struct ByLengthAppeared {
    Forest* forest = nullptr;
    WindowDepthFirst depth;                 // with the restrictor
    uint32_t count = 1;                     // paths for each pair; 0: all of the least length
    bool any_length = false;
    std::vector<uint32_t> affected;
    std::vector<uint8_t> seen;              // by node
    std::vector<uint32_t> concerned;        // the nodes that were seen
    NumberTable places;                     // of vertices in `ends`
    std::vector<ConcernedEnd> ends;
    size_t pending = 0;                     // ends that have not all their paths yet

    // std::bad_alloc, std::domain_error.
    void give_appeared(PathWriter writer) {
        forest->find_affected(&affected);
        if (seen.size() < forest->nodes.size()) seen.resize(forest->nodes.size(), 0);
        for (uint32_t start : affected) give_from(start, writer);
    }

  private:
    void give_from(uint32_t start, PathWriter& writer) {
        find_ends(start);
        bool is_fresh = forest->is_fresh_start(start);
        depth.only_old = any_length && !is_fresh;
        if (depth.only_old) {
            search_rounds(start, false, writer);
            depth.only_old = false;
        }
        search_rounds(start, is_fresh, writer);
    }

    // ── the ends that are concerned ──────────────────────────────────────────────────────────────────────────
    void find_ends(uint32_t start) {
        places.scrambler = forest->graph->scrambler;
        places.clear();
        ends.clear();
        see_first(start);
        for (size_t i = 0; i < concerned.size(); ++i) {
            const ForestNode& node = forest->nodes[concerned[i]];
            if (forest->is_end(node) && places.at(node.vertex) == NO_PLACE) {
                places.put_place(node.vertex, static_cast<uint32_t>(ends.size()));
                ends.emplace_back();
            }
            forest->visit_behind(start, node.vertex, node.subset, [&](const HalfEdge& half, step_t, uint32_t subset) {
                see(forest->forest_node(start, half.to, subset));
            });
        }
        for (uint32_t at : concerned) seen[at] = 0;
        concerned.clear();
        pending = ends.size();
    }

    void see_first(uint32_t start) {
        if (forest->is_fresh_start(start)) return see(forest->starts[start].root);
        for (uint32_t edge : forest->graph->arrived)
            for (uint32_t inverse = 0; inverse < 2; ++inverse)
                forest->visit_uses(edge, inverse, [&](uint32_t node, uint32_t subset) {
                    const WindowEdge& one = forest->graph->edges[edge];
                    if (forest->nodes[node].start == start)
                        see(forest->forest_node(start, inverse ? one.subject : one.object, subset));
                });
    }

    void see(uint32_t at) {
        if (seen[at]) return;
        seen[at] = 1;
        concerned.push_back(at);
    }

    // ── rounds ───────────────────────────────────────────────────────────────────────────────────────────────
    void search_rounds(uint32_t start, bool is_fresh, PathWriter& writer) {
        for (size_t length = 0; pending; ++length) {
            depth.search_from(forest->starts[start].vertex, length);
            while (depth.find_path()) take_path(is_fresh || has_fresh());
            for (ConcernedEnd& end : ends) end_round(&end, length, writer);
            if (!depth.was_cut) return;
        }
    }

    bool has_fresh() const noexcept {
        for (step_t step : depth.path.symbols)
            if (forest->graph->is_fresh(step >> 1)) return true;
        return false;
    }

    void take_path(bool is_fresh) {
        uint32_t place = places.at(depth.path.vertices.back());
        if (place == NO_PLACE) return;
        ConcernedEnd& end = ends[place];
        if (is_done(end)) return;
        if (!is_fresh) {
            if (count == 0 || end.old < count) end.old += !any_length || depth.only_old;
        } else if (count == 0 || end.fresh < count - end.taken) {
            end.vertices.insert(end.vertices.end(), depth.path.vertices.begin(), depth.path.vertices.end());
            end.steps.insert(end.steps.end(), depth.path.symbols.begin(), depth.path.symbols.end());
            ++end.fresh;
        }
    }

    bool is_done(const ConcernedEnd& end) const noexcept { return end.taken >= (count ? count : 1); }

    // Old paths of the round count before new ones.
    void end_round(ConcernedEnd* end, size_t length, PathWriter& writer) {
        if (is_done(*end)) return;
        uint32_t room = count ? count - end->taken : NO_PLACE;
        uint32_t old = std::min(room, end->old), fresh = std::min(room - old, end->fresh);
        for (size_t i = 0; i < fresh; ++i)
            writer.write_whole(end->vertices.data() + i * (length + 1), end->steps.data() + i * length, length);
        end->taken = count ? end->taken + old + fresh : (old || fresh);
        end->old = end->fresh = 0;
        end->vertices.clear();
        end->steps.clear();
        pending -= is_done(*end);
    }
};

}  // namespace spaseq::paths
