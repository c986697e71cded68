// Walks of a fixed number of steps: loops over neighbours, without automaton, for many queries together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/column.hpp"
#include "nfa_native/paths/graph.hpp"

namespace spaseq::paths {

// A step is an edge of one of some symbols: those from `first` to before `end` of all symbols.
struct FixedStep {
    uint32_t first;
    uint32_t end;
};

struct FixedQuery {
    uint32_t first_step;            // of all steps
    uint32_t length;                // so many steps, one at least
    bool not_back;                  // the start does not come again
    const uint8_t* ends;            // by vertex: whether a walk may end there; NULL: anywhere
};

// A query from one start.
struct FixedRoute {
    uint32_t query;
    vertex_t start;
};

// The queries, and from where they go; frozen while somebody searches.
struct FixedPlan {
    const PathGraph* graph = nullptr;
    std::vector<symbol_t> symbols;
    std::vector<FixedStep> steps;
    std::vector<FixedQuery> queries;
    std::vector<FixedRoute> routes;
    size_t longest = 0;             // steps of a query

    // Methods of its maker: a query, then for each of its steps a step, then its symbols.  std::bad_alloc.
    void add_query(bool not_back, const uint8_t* ends) {
        queries.push_back(FixedQuery{static_cast<uint32_t>(steps.size()), 0, not_back, ends});
    }
    void add_step() {
        uint32_t here = static_cast<uint32_t>(symbols.size());
        steps.push_back(FixedStep{here, here});
        longest = std::max<size_t>(longest, ++queries.back().length);
    }
    void add_step_symbol(symbol_t symbol) {
        symbols.push_back(symbol);
        ++steps.back().end;
    }
    void add_query_start(uint32_t query, vertex_t start) { routes.push_back(FixedRoute{query, start}); }
};

// Walks that were found, and whose they are (see `FoundPaths`).
struct FixedFound {
    Column<uint32_t> queries;
    Column<uint64_t> ends;
    Column<vertex_t> vertices;
    Column<symbol_t> symbols;

    size_t size() const noexcept { return ends.size(); }

    // For so many walks more, of so many steps each.  std::bad_alloc
    void make_room(size_t count, size_t length) {
        queries.room_for(count);
        ends.room_for(count);
        vertices.room_for(count * (length + 1));
        symbols.room_for(count * length);
    }

    // There is room for it: a walk through the vertices `on`, at last to `to`, along those symbols.
    void write_walk(uint32_t query, const vertex_t* on, vertex_t to, const symbol_t* along, size_t length) noexcept {
        vertex_t* node = vertices.end();
        symbol_t* step = symbols.end();
        for (size_t i = 0; i < length; ++i) {
            node[i] = on[i];
            step[i] = along[i];
        }
        node[length] = to;
        vertices.extend(length + 1);
        symbols.extend(length);
        *queries.end() = query;
        *ends.end() = symbols.size();
        queries.extend(1);
        ends.extend(1);
    }
};

// Where a walk stands at one of its vertices.
struct FixedLevel {
    const vertex_t* at;             // the next neighbour by the symbol that is taken
    const vertex_t* end;
    uint32_t next_symbol;           // of all symbols
};

struct FixedLength {
    const FixedPlan* plan = nullptr;
    const std::vector<FixedRoute>* routes = nullptr;
    size_t next_route = 0;
    size_t depth = 0;                       // vertices of the walk that is open; 0: none is
    FixedQuery query{0, 0, false, nullptr}; // whose it is
    uint32_t number = 0;                    // of that query
    std::vector<FixedLevel> levels;         // by vertex of the walk
    std::vector<vertex_t> vertices;
    std::vector<symbol_t> taken;
    FixedFound found;
    uint64_t edges = 0;                     // that were looked at, and those of the walks that were found
    int broken = 0;

    // std::bad_alloc
    void open_walks(const FixedPlan* with, const std::vector<FixedRoute>* along) {
        plan = with;
        routes = along;
        levels.resize(plan->longest);
        vertices.resize(plan->longest + 1);
        taken.resize(plan->longest);
    }

    bool is_done() const noexcept { return depth == 0 && next_route == routes->size(); }

    // Search until all is found, or so many edges were looked at, or that many paths found.  std::bad_alloc.
    void advance_walks(uint64_t most_edges, size_t most_paths) {
        uint64_t left = most_edges;
        while (left && found.size() < most_paths && !is_done()) {
            if (depth == 0) open_route((*routes)[next_route++]);
            walk_on(&left, most_paths);
        }
        edges += most_edges - left;
    }

  private:
    void open_route(const FixedRoute& route) noexcept {
        number = route.query;
        query = plan->queries[number];
        vertices[0] = route.start;
        enter_level();
    }

    void enter_level() noexcept {
        levels[depth] = FixedLevel{nullptr, nullptr, plan->steps[query.first_step + depth].first};
        ++depth;
    }

    // Take the next symbol of the step at this level; false: it has no more.
    bool take_symbol(FixedLevel* here) noexcept {
        if (here->next_symbol == plan->steps[query.first_step + depth - 1].end) return false;
        symbol_t symbol = plan->symbols[here->next_symbol++];
        Neighbours next = plan->graph->symbols[symbol].of(vertices[depth - 1]);
        here->at = next.begin;
        here->end = next.end;
        taken[depth - 1] = symbol;
        return true;
    }

    void walk_on(uint64_t* left, size_t most_paths) {
        while (depth && *left && found.size() < most_paths) {
            FixedLevel* here = &levels[depth - 1];
            if (here->at == here->end) {
                if (!take_symbol(here)) --depth;
            } else if (depth == query.length) {
                write_walks(here, left, most_paths - found.size());
            } else {
                vertex_t to = *here->at++;
                --*left;
                if (query.not_back && to == vertices[0]) continue;
                vertices[depth] = to;
                enter_level();
            }
        }
    }

    // All walks that end at the next neighbours, `most` at most.
    void write_walks(FixedLevel* here, uint64_t* left, size_t most) {
        size_t count = std::min({static_cast<size_t>(here->end - here->at), most, static_cast<size_t>(*left)});
        size_t length = query.length, before = found.symbols.size();
        found.make_room(count, length);
        for (const vertex_t* stop = here->at + count; here->at != stop; ++here->at) {
            vertex_t to = *here->at;
            if (query.not_back && to == vertices[0]) continue;
            if (query.ends != nullptr && !query.ends[to]) continue;
            found.write_walk(number, vertices.data(), to, taken.data(), length);
        }
        *left -= count;
        *left -= std::min<uint64_t>(*left, found.symbols.size() - before);
    }
};

}  // namespace spaseq::paths
