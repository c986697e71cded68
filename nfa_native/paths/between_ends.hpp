// The shortest paths under a restrictor from one vertex to another: rounds of depth-first searches, one for each length that may be.
//
// A path is gone on from only along ways to the end that keep clear of it (`way_on.hpp`), so each beginning of a path that is
// looked at leads to its end by a walk, if not by a path.  What is too long for a round tells how long paths of the next one are.
// No path is kept, so memory follows the graph and the length of paths.
#ifndef SPASEQ_PATHS_BETWEEN_ENDS
#define SPASEQ_PATHS_BETWEEN_ENDS

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/found.hpp"
#include "nfa_native/paths/path_so_far.hpp"
#include "nfa_native/paths/way_on.hpp"

namespace spaseq {

// A vertex of the path, and the edge to it.
struct PathLevel {
    uint32_t subset;
    uint32_t child;                         // of the level before: which edge was taken
    size_t tried;                           // where its children begin that were looked at
};

struct BetweenEnds {
    static constexpr size_t UNKNOWN = WayOn::ANY_LENGTH;

    PathSoFar path;
    WayOn way;
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
        if (!way.is_looking) begin_way(edges);
        way.look_on(edges);
        if (!way.is_looking) end_way();
    }

  private:
    void begin_round(size_t of_length) {
        vertex_t start = way.to_end.start;
        length = of_length;
        next_length = UNKNOWN;
        has_given = false;
        path.start_at(start, way.rules.restrictor);
        tried.clear();
        ahead.clear();
        levels.assign(1, PathLevel{0, 0, 0});
        is_fresh = true;
    }

    // Give the path if it is a result, and turn back if nothing may follow.
    void look_at_end(uint64_t* edges, FoundPaths* found) {
        *edges -= *edges > 0;
        is_fresh = false;
        if (path.length() == length && way.is_end(levels.back().subset, path.vertices.back())) {
            found->add_path(path.vertices.data(), path.symbols.data(), path.length());
            given += given < UINT32_MAX;
            has_given = true;
            is_over = count && given >= count;
        }
        if (closes_path() || (path.length() >= length && !may_be_longer())) turn_back();
    }

    bool closes_path() const noexcept { return path.length() && way.closes(path.vertices.back()); }

    // Whether it matters what is longer than this round's paths.
    bool may_be_longer() const noexcept { return count || given == 0; }

    void begin_way(uint64_t* edges) {
        const PathLevel& here = levels.back();
        size_t most = may_be_longer() ? next_length - 1 : length;
        if (length != UNKNOWN) most = std::min(most, length + slack);
        way.search_on(&path, here.subset, most, tried.data() + here.tried, tried.data() + tried.size(), edges);
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
        if (!path.admits(way.rules, step.symbol, step.vertex)) return ahead.clear();
        path.append_edge(step.symbol, step.vertex);
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
        path.remove_edge();
        auto first = tried.begin() + static_cast<ptrdiff_t>(levels.back().tried);
        tried.insert(std::upper_bound(first, tried.end(), left.child), left.child);
    }

    void end_round() {
        is_over |= next_length == UNKNOWN || (given && !count);
        slack = has_given ? 0 : 2 * slack + 1;
        if (!is_over) begin_round(next_length);
    }
};

}  // namespace spaseq

#endif
