// The shortest paths under a restrictor from one vertex to another: rounds of depth-first searches, one for each length that may be.
//
// A path is gone on from only along ways to the end that keep clear of it (`way_on.hpp`), so each beginning of a path that is
// looked at leads to its end by a walk, if not by a path.  What is too long for a round tells how long paths of the next one are.
// No path is kept, so memory follows the graph and the length of paths.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/path_columns.hpp"
#include "nfa_native/paths/path_so_far.hpp"
#include "nfa_native/paths/way_on.hpp"

namespace spaseq::paths {

// A vertex of the path, and the edge to it.
struct PathLevel {
    uint32_t subset;
    uint32_t child;                         // of the level before: which edge was taken
    size_t tried;                           // where its children begin that were looked at
    size_t move = 0;                        // the next one when children are looked at in turn
    uint32_t neighbour = 0;                 // the next one by that move
    uint32_t next_child = 0;
};

struct BetweenEnds {
    static constexpr size_t UNKNOWN = WayOn::ANY_LENGTH;

    WayOn way;                              // with the path
    uint32_t count = 1;                     // paths that are wanted; 0: all of the least length
    std::vector<PathLevel> levels;          // of the vertices of the path
    std::vector<uint32_t> tried;            // by level, rising within it
    std::vector<WayStep> ahead;             // steps that lead to the end, the next one last
    size_t length = UNKNOWN;                // paths of this length are given; UNKNOWN: it is that of the first way
    size_t next_length = UNKNOWN;           // others are not shorter
    size_t slack = 0;                       // ways so much longer are looked for besides
    uint32_t given = 0;
    bool has_given = false;                 // in this round
    bool is_fresh = false;                  // the last vertex was not looked at
    bool is_over = true;

    // std::bad_alloc, std::domain_error
    void search_between(vertex_t from, vertex_t to) {
        way.search_between(from, to);
        given = 0;
        slack = 0;
        is_over = false;
        begin_round(way.is_end(0, from) ? 0 : UNKNOWN);
    }

    bool is_done() const noexcept { return is_over; }

    // Look further.  std::bad_alloc, std::domain_error.
    void look_between(uint64_t* edges, FoundPaths* found) {
        if (is_fresh) return look_at_end(edges, found);
        if (ahead.size()) return take_step();
        if (!way.is_looking) return go_on(edges);
        way.look_on(edges);
        if (!way.is_looking) end_way();
    }

  private:
    void begin_round(size_t of_length) {
        vertex_t start = way.to_end.start;
        length = of_length;
        next_length = UNKNOWN;
        has_given = false;
        way.path.start_at(start, way.rules.restrictor);
        tried.clear();
        ahead.clear();
        levels.assign(1, PathLevel{0, 0, 0});
        is_fresh = true;
    }

    // Give the path if it is a result, and turn back if nothing may follow.
    void look_at_end(uint64_t* edges, FoundPaths* found) {
        *edges -= *edges > 0;
        is_fresh = false;
        if (way.path.length() == length && way.is_end(levels.back().subset, way.path.vertices.back())) {
            found->add_path(way.path.vertices.data(), way.path.symbols.data(), way.path.length());
            given += given < UINT32_MAX;
            has_given = true;
            is_over = count && given >= count;
        }
        if (closes_path() || (way.path.length() >= length && !may_be_longer())) turn_back();
    }

    bool closes_path() const noexcept { return way.path.length() && way.closes(way.path.vertices.back()); }

    // Whether it matters what is longer than this round's paths.
    bool may_be_longer() const noexcept { return count || given == 0; }

    // Ways on are looked for by all children that are left together, so that nothing is looked at twice where there is none.  As
    // that looks at each child, it is done after 0, 1, 2, 4, 8, … of them; in between they are tried in turn.
    void go_on(uint64_t* edges) {
        size_t count_tried = tried.size() - levels.back().tried;
        if ((count_tried & (count_tried - 1)) == 0) begin_way(edges);
        else if (!take_next_child(edges)) turn_back();
    }

    // Into the next child that may be short enough; false: none is left.
    bool take_next_child(uint64_t* edges) {
        PathLevel& here = levels.back();
        vertex_t vertex = way.path.vertices.back();
        uint32_t longer = static_cast<uint32_t>(way.path.length()) + 1;
        const std::vector<SubsetMove>& moves = way.subsets->moves_at(here.subset, vertex).moves;
        for (; here.move < moves.size(); ++here.move, here.neighbour = 0) {
            Neighbours next = way.graph->symbols[moves[here.move].symbol].of(vertex);
            while (next.begin + here.neighbour != next.end) {
                vertex_t to = next.begin[here.neighbour++];
                *edges -= *edges > 0;
                WayStep step{NO_PLACE, moves[here.move].subset, to, moves[here.move].symbol, here.next_child++, longer};
                if (!may_enter(step)) continue;
                enter_child(step);
                return true;
            }
        }
        return false;
    }

    bool may_enter(const WayStep& step) {
        auto first = tried.begin() + static_cast<ptrdiff_t>(levels.back().tried);
        if (std::binary_search(first, tried.end(), step.child)) return false;
        size_t bound = way.bound_by(way.path.vertices.back(), step);
        if (bound > length) next_length = std::min(next_length, bound);
        return bound <= length;
    }

    void begin_way(uint64_t* edges) {
        const PathLevel& here = levels.back();
        size_t most = may_be_longer() ? next_length - 1 : length;
        if (length != UNKNOWN) most = std::min(most, length + slack);
        way.search_on(here.subset, most, tried.data() + here.tried, tried.data() + tried.size(), edges);
    }

    void end_way() {
        if (way.found == NO_PLACE) {
            next_length = std::min(next_length, way.left_out);
            return turn_back();
        }
        size_t total = way.steps[way.found].length;
        if (length == UNKNOWN) length = total;
        if (total > length) {
            next_length = std::min(next_length, total);
            return turn_back();
        }
        for (uint32_t at = way.found; at != NO_PLACE; at = way.steps[at].before) ahead.push_back(way.steps[at]);
    }

    void take_step() {
        WayStep step = ahead.back();
        ahead.pop_back();
        if (!way.path.admits(way.rules, step.symbol, step.vertex)) return ahead.clear();
        enter_child(step);
    }

    void enter_child(const WayStep& step) {
        way.path.append_edge(step.symbol, step.vertex);
        levels.push_back(PathLevel{step.subset, step.child, tried.size()});
        is_fresh = true;
    }

    // Leave the last vertex; its edge was tried.
    void turn_back() {
        PathLevel left = levels.back();
        levels.pop_back();
        tried.resize(left.tried);
        ahead.clear();
        if (levels.empty()) return end_round();
        way.path.remove_edge();
        auto first = tried.begin() + static_cast<ptrdiff_t>(levels.back().tried);
        tried.insert(std::upper_bound(first, tried.end(), left.child), left.child);
    }

    void end_round() {
        is_over |= next_length == UNKNOWN || (given && !count);
        slack = has_given ? 0 : 2 * slack + 1;
        if (!is_over) begin_round(next_length);
    }
};

}  // namespace spaseq::paths
