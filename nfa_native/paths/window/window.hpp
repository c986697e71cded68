// Path queries on the edges of a time window: edges come with their times, and go when they are older than the window is wide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/automaton.hpp"
#include "nfa_native/paths/pinned.hpp"
#include "nfa_native/paths/search.hpp"
#include "nfa_native/paths/window/all_shortest.hpp"
#include "nfa_native/paths/window/path_columns.hpp"
#include "nfa_native/paths/window/by_length.hpp"
#include "nfa_native/paths/window/edges.hpp"
#include "nfa_native/paths/window/forest.hpp"
#include "nfa_native/paths/window/k_shortest.hpp"
#include "nfa_native/paths/window/number_table.hpp"
#include "nfa_native/paths/window/shortest.hpp"
#include "nfa_native/paths/window/through.hpp"

namespace spaseq::paths {

struct WindowQuery {
    const PathAutomaton* automaton = nullptr;
    PathRules rules;
    PathSelection selector = PathSelection::ALL;
    uint32_t count = 1;                             // of SHORTEST
    bool any_length = false;                        // any paths, not the shortest ones
    size_t first_condition = 0;                     // among those of all queries
    std::vector<std::vector<uint8_t>> conditions;   // of each, by vertex: whether it holds
    bool has_ends = false;
    NumberTable end_words;                          // of nodes where a path may end
    std::vector<uint8_t> ends;                      // by vertex
    NumberTable start_words;                        // the number of a start, by its word

    Forest forest;
    ShortestWalks shortest;                         // the search that is in use, of these five
    AllShortestAppeared all_shortest;
    PathsThrough through;
    KShortestAppeared k_shortest;
    ByLengthAppeared by_length;

    // All is set.  std::bad_alloc.
    void open_query(WindowGraph* graph) {
        forest.open_forest(graph, automaton);
        for (symbol_t symbol = 0; symbol < forest.is_used.size(); ++symbol)
            if (forest.is_used[symbol]) graph->walk_label(symbol >> 1);
        forest.rules = rules;
        forest.rules.restrictor = PathRestrictor::WALK;
        forest.follows_ties = selector == PathSelection::ALL_SHORTEST;
        forest.has_leaves = selector != PathSelection::ALL && (rules.restrictor != PathRestrictor::WALK || selector == PathSelection::ALL_SHORTEST || count == 1);
        forest.subsets.conditions.resize(conditions.size());
        shortest.forest = all_shortest.forest = through.forest = k_shortest.forest = by_length.forest = &forest;
        all_shortest.walks = &shortest;
        shortest.any_length = k_shortest.any_length = by_length.any_length = any_length;
        k_shortest.count = count;
        by_length.count = selector == PathSelection::ALL_SHORTEST ? 0 : count;
        for (WindowDepthFirst* depth : {&through.behind, &by_length.depth}) {
            depth->graph = graph;
            depth->subsets = &forest.subsets;
        }
        refresh_pointers();
    }

    // Another start; its number.  std::bad_alloc.
    void add_start(uint64_t word) {
        if (start_words.at(word) != NO_PLACE) return;
        start_words.put_place(word, static_cast<uint32_t>(forest.starts.size()));
        forest.starts.emplace_back();
    }

    void add_end(uint64_t word) { end_words.put_place(word, 1); }

    // Columns have room for so many vertices.  std::bad_alloc.
    void cover_vertices(size_t vertices) {
        if (forest.here.size() >= vertices) return;
        size_t room = vertices + vertices / 2;
        forest.cover_vertices(room);
        for (std::vector<uint8_t>& flags : conditions) flags.resize(room, 0);
        ends.resize(room, 0);
        refresh_pointers();
    }

    // A vertex has come: what holds of it, and whether walks begin there.  `flags[i]` are those of condition i of all queries.
    void take_vertex(vertex_t vertex, uint64_t word, const uint8_t* flags, size_t stride) {
        for (size_t i = 0; i < conditions.size(); ++i) conditions[i][vertex] = flags[(first_condition + i) * stride];
        if (has_ends) ends[vertex] = end_words.at(word) != NO_PLACE;
        uint32_t start = start_words.at(word);
        if (start != NO_PLACE && forest.starts[start].vertex == NO_PLACE) forest.plant(start, vertex);
    }

    void lose_vertex(uint64_t word) noexcept {
        uint32_t start = start_words.at(word);
        if (start != NO_PLACE) forest.uproot(start);
    }

    // The paths that have appeared.  std::bad_alloc, std::domain_error.
    void give_appeared(PathWriter writer) {
        if (selector == PathSelection::ALL) through.give_appeared(writer);
        else if (rules.restrictor != PathRestrictor::WALK) by_length.give_appeared(writer);
        else if (selector == PathSelection::ALL_SHORTEST) all_shortest.give_appeared(writer);
        else if (count > 1) k_shortest.give_appeared(writer);
        else shortest.give_appeared(writer);
    }

  private:
    void refresh_pointers() {
        for (size_t i = 0; i < conditions.size(); ++i) forest.subsets.conditions[i] = conditions[i].data();
        forest.rules.ends = rules.ends = has_ends ? ends.data() : nullptr;
        through.behind.rules = by_length.depth.rules = rules;
    }
};

struct EdgeWindow {
    static constexpr uint32_t NEXT = 2, NEAR = 4, FAR = 8;      // rows ahead

    WindowGraph graph;
    Pinned<WindowQuery> queries;
    AppearedPaths found;
    int64_t width = 0;                      // an edge is there as long as it is not older
    int broken = 0;

    // Another query, to be filled in.  std::bad_alloc.
    WindowQuery* add_query() {
        queries.emplace_back();
        WindowQuery* query = &queries.back();
        query->end_words.scrambler = query->start_words.scrambler = graph.scrambler;
        return query;
    }

    // Nothing comes, but time goes on.  std::bad_alloc, std::domain_error.
    void pass_time(int64_t time) {
        graph.expire_edges(time < INT64_MIN + width ? INT64_MIN : time - width);
        if (graph.expired.empty()) return;
        for (WindowQuery& query : queries) query.forest.cut(graph.expired);
        graph.forget_expired([&](vertex_t vertex) {
            for (WindowQuery& query : queries) query.lose_vertex(graph.vertices.names[vertex].word);
        });
        tighten_tables();
    }

    // Rows come, of which `left` are there: ask for the memory that the next ones need, from far to near.
    void look_ahead(const uint64_t* words, size_t stride, size_t left) const noexcept {
        expect_expiry();
        if (left > FAR) {
            const uint64_t far[3] = {words[FAR], words[stride + FAR], words[2 * stride + FAR]};
            graph.prefetch_places(far);
        }
        for (size_t end = 0; end < 2; ++end) {
            const uint64_t* column = words + 2 * stride * end;
            if (left > NEAR) prefetch_vertex(graph.vertices.places.place_of(column[NEAR]));
            if (left > NEXT) prefetch_nodes(graph.vertices.places.place_of(column[NEXT]));
        }
    }

    // Edges come together: `count` of `stride` columns of words, and flags of their nodes; `paths` are called those of `event`.
    // Times never fall.  std::bad_alloc, std::domain_error.
    void take_edges(const uint64_t* words, const uint8_t* flags, size_t stride, size_t count, int64_t time, uint32_t event) {
        pass_time(time);
        ++graph.event;
        graph.arrived.clear();
        for (WindowQuery& query : queries) query.forest.begin_changes();
        for (size_t i = 0; i < count; ++i) take_row(words + i, flags + i, stride, time);
        if (graph.arrived.empty()) return;
        for (size_t i = 0; i < queries.size(); ++i) {
            Forest& forest = queries[i].forest;
            forest.approach_along(graph.arrived);
            forest.shorten_walks();
            queries[i].give_appeared(PathWriter{&graph, &found, static_cast<uint32_t>(i), event});
        }
    }

    // One walk of each pair that has one now, of a query that has a forest of them.  std::bad_alloc, std::domain_error.
    void give_all(size_t query) { queries[query].shortest.give_all(PathWriter{&graph, &found, static_cast<uint32_t>(query), 0}); }

  private:
    void expect_expiry() const noexcept {
        uint32_t near = graph.expected_after(NEAR), next = graph.expected_after(NEXT);
        if (near == NO_PLACE) return;
        graph.prefetch_expiry(near);
        for (const WindowQuery& query : queries) {
            query.forest.prefetch_cut(near, false);
            query.forest.prefetch_cut(next, true);
        }
    }

    void prefetch_vertex(vertex_t vertex) const noexcept {
        graph.prefetch_end(vertex);
        for (const WindowQuery& query : queries) query.forest.prefetch_here(vertex);
    }

    void prefetch_nodes(vertex_t vertex) const noexcept {
        for (const WindowQuery& query : queries) query.forest.prefetch_node(vertex);
    }

    // Row i of an event: its words are stride apart, and so are the flags of its subject and of its object for each condition.
    void take_row(const uint64_t* words, const uint8_t* flags, size_t stride, int64_t time) {
        uint64_t edge[3] = {words[0], words[stride], words[2 * stride]};
        size_t known = graph.arrived.size();
        uint32_t place = graph.take_edge(edge, time);
        if (graph.arrived.size() == known) return;
        take_vertex(graph.edges[place].subject, edge[0], flags, stride);
        take_vertex(graph.edges[place].object, edge[2], flags + stride, stride);
    }

    void take_vertex(vertex_t vertex, uint64_t word, const uint8_t* flags, size_t stride) {
        if (!graph.is_fresh_vertex(vertex)) return;
        for (WindowQuery& query : queries) {
            query.cover_vertices(graph.vertices.names.size());
            query.take_vertex(vertex, word, flags, 2 * stride);
        }
    }

    void tighten_tables() {
        graph.vertices.places.others.tighten_table();
        graph.predicates.places.others.tighten_table();
        graph.by_hash.tighten_slots();
        graph.rows.places.tighten_table();
        for (WindowQuery& query : queries) query.forest.chains.tighten_slots();
    }
};

}  // namespace spaseq::paths
