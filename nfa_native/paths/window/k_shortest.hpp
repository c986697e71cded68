// Some walks for each pair of vertices, of which those are given that have appeared: breadth first, old ones before new ones.
//
// Of walks of one length those come first that were there before, so that a new one is given only where it is needed to make up
// the number.  If length is of no interest, all old ones come before all new ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "nfa_native/paths/window/path_columns.hpp"
#include "nfa_native/paths/window/forest.hpp"
#include "nfa_native/paths/window/number_table.hpp"

namespace spaseq::paths {

// A walk: one step more than that of `before`.
struct WindowWalk {
    uint32_t before;                // NO_PLACE: it has no step
    vertex_t vertex;
    step_t step;
    uint32_t subset;
    uint32_t length;
    bool is_fresh;                  // something of it has just come
};

struct KShortestAppeared {
    Forest* forest = nullptr;
    uint32_t count = 1;                     // walks for each pair
    bool any_length = false;
    std::vector<WindowWalk> walks;
    std::vector<uint32_t> queues[2];        // walks that were not looked at, by length: old ones, new ones
    size_t next[2] = {0, 0};
    NumberTable visits;                     // how many walks were gone on from, by subset and vertex
    NumberTable answers;                    // how many results end at a vertex
    std::vector<uint32_t> affected;
    std::vector<step_t> steps;
    std::vector<vertex_t> vertices;

    // std::bad_alloc, std::domain_error.
    void give_appeared(PathWriter writer) {
        forest->find_affected(&affected);
        for (uint32_t start : affected) give_from(start, writer);
    }

  private:
    void give_from(uint32_t start, PathWriter& writer) {
        visits.scrambler = answers.scrambler = forest->graph->scrambler;
        visits.clear();
        answers.clear();
        walks.clear();
        for (int fresh = 0; fresh < 2; ++fresh) {
            queues[fresh].clear();
            next[fresh] = 0;
        }
        add_walk(WindowWalk{NO_PLACE, forest->starts[start].vertex, 0, 0, 0, forest->is_fresh_start(start)});
        while (next[0] < queues[0].size() || next[1] < queues[1].size()) look_at(start, take_next(), writer);
    }

    void add_walk(const WindowWalk& walk) {
        if (walks.size() >= NO_PLACE) throw std::domain_error("a search has too many walks");
        queues[walk.is_fresh].push_back(static_cast<uint32_t>(walks.size()));
        walks.push_back(walk);
    }

    uint32_t take_next() noexcept {
        bool has_old = next[0] < queues[0].size(), has_fresh = next[1] < queues[1].size();
        bool old = has_old && (any_length || !has_fresh ||
                               walks[queues[0][next[0]]].length <= walks[queues[1][next[1]]].length);
        return queues[!old][next[!old]++];
    }

    // Once more, if it was not as often as that already.
    bool count_up(NumberTable* table, uint64_t key) {
        uint32_t known = table->at(key);
        if (known == NO_PLACE) known = 0;
        if (known >= count) return false;
        table->put_place(key, known + 1);
        return true;
    }

    void look_at(uint32_t start, uint32_t place, PathWriter& writer) {
        forest->graph->pacer.count_work();
        WindowWalk walk = walks[place];
        if (!count_up(&visits, key_of(walk.subset, walk.vertex))) return;
        bool ends = forest->subsets.moves_at(walk.subset, walk.vertex).accepting && forest->rules.may_end(walk.vertex);
        if (ends && count_up(&answers, walk.vertex) && walk.is_fresh) write_walk(place, writer);
        forest->visit_behind(start, walk.vertex, walk.subset, [&](const HalfEdge& half, step_t step, uint32_t subset) {
            uint32_t visited = visits.at(key_of(subset, half.to));
            if (visited != NO_PLACE && visited >= count) return;
            bool is_fresh = walk.is_fresh || forest->graph->is_fresh(half.edge);
            add_walk(WindowWalk{place, half.to, step, subset, walk.length + 1, is_fresh});
        });
    }

    void write_walk(uint32_t place, PathWriter& writer) {
        steps.clear();
        vertices.clear();
        for (uint32_t at = place; at != NO_PLACE; at = walks[at].before) {
            vertices.push_back(walks[at].vertex);
            if (walks[at].before != NO_PLACE) steps.push_back(walks[at].step);
        }
        std::reverse(steps.begin(), steps.end());
        std::reverse(vertices.begin(), vertices.end());
        writer.write_whole(vertices.data(), steps.data(), steps.size());
    }
};

}  // namespace spaseq::paths
