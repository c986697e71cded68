// All walks of short queries at once, if these are few: first they are counted, then written into columns of just that size.
//
// Where a last step finds its ends is noted by the first pass, so that the second one looks for nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/fixed_length.hpp"

namespace spaseq::paths {

// Where walks are written; there is room for all that were counted.
struct WalkColumns {
    uint32_t* queries;
    uint64_t* ends;
    vertex_t* vertices;
    symbol_t* symbols;
};

struct FewWalks {
    static constexpr uint64_t MOST_EDGES = 1 << 17;     // that are looked at, and about as many walks
    static constexpr size_t LONGEST = 8, AHEAD = 8;     // steps of a query; routes

    const FixedPlan* plan = nullptr;
    const std::vector<FixedRoute>* routes = nullptr;
    WalkColumns to{nullptr, nullptr, nullptr, nullptr};
    FixedQuery query{0, 0, false, nullptr};     // whose walks are looked for
    uint32_t number = 0;                        // of that query
    vertex_t on[LONGEST + 1];                   // the walk so far
    symbol_t taken[LONGEST];
    std::vector<Neighbours> lasts;              // the ends of the last steps, in the order in which both passes come there
    size_t next_last = 0;                       // for the second one
    uint64_t walks = 0;                         // counted, which some may be in vain; then written
    uint64_t steps = 0;                         // of them
    uint64_t edges = 0;                         // that were looked at, and those of the walks that were written

    // False: they are not few, or some are long.  std::bad_alloc.
    bool count_few() {
        if (plan->longest > LONGEST) return false;
        for (size_t i = 0; i < routes->size() && edges + walks <= MOST_EDGES; ++i) {
            prefetch_route(i + AHEAD);
            uint64_t before = walks;
            open_few((*routes)[i]);
            count_from(0, on[0]);
            steps += (walks - before) * query.length;
        }
        return edges + walks <= MOST_EDGES;
    }

    // They were counted, and there are columns for them.
    void write_all() noexcept {
        walks = steps = edges = next_last = 0;
        for (const FixedRoute& route : *routes) {
            open_few(route);
            switch (query.length) {
            case 1: write_from<1>(0, on[0]); break;
            case 2: write_from<2>(0, on[0]); break;
            case 3: write_from<3>(0, on[0]); break;
            default: write_from<0>(0, on[0]);
            }
        }
        edges += steps;
    }

  private:
    void prefetch_route(size_t place) const noexcept {
        if (place >= routes->size()) return;
        const FixedRoute& route = (*routes)[place];
        const FixedStep& step = plan->steps[plan->queries[route.query].first_step];
        if (step.first == step.end) return;
        const Adjacency& rows = plan->graph->symbols[plan->symbols[step.first]];
        if (rows.vertices == nullptr) __builtin_prefetch(rows.offsets + route.start);
    }

    void open_few(const FixedRoute& route) noexcept {
        number = route.query;
        query = plan->queries[number];
        on[0] = route.start;
    }

    const FixedStep& step_at(size_t depth) const noexcept { return plan->steps[query.first_step + depth]; }
    const Adjacency& rows_of(uint32_t symbol) const noexcept { return plan->graph->symbols[plan->symbols[symbol]]; }

    void count_from(size_t depth, vertex_t vertex) {
        if (depth + 1 == query.length) return count_last(vertex);
        const FixedStep& step = step_at(depth);
        for (uint32_t symbol = step.first; symbol != step.end; ++symbol) {
            Neighbours next = rows_of(symbol).of(vertex);
            edges += static_cast<uint64_t>(next.end - next.begin);
            if (edges + walks > MOST_EDGES) return;
            for (const vertex_t* at = next.begin; at != next.end; ++at) {
                if (query.not_back && *at == on[0]) continue;
                if (depth + 2 == query.length) count_last(*at);
                else count_from(depth + 1, *at);
            }
        }
    }

    void count_last(vertex_t vertex) {
        const FixedStep& step = step_at(query.length - 1);
        for (uint32_t symbol = step.first; symbol != step.end; ++symbol) {
            Neighbours next = rows_of(symbol).of(vertex);
            walks += static_cast<uint64_t>(next.end - next.begin);
            lasts.push_back(next);
        }
    }

    // LENGTH is that of the query; 0: any.
    template <size_t LENGTH>
    void write_from(size_t depth, vertex_t vertex) noexcept {
        const size_t length = LENGTH ? LENGTH : query.length;
        if (depth + 1 == length) return write_last<LENGTH>();
        const FixedStep& step = step_at(depth);
        for (uint32_t symbol = step.first; symbol != step.end; ++symbol) {
            taken[depth] = plan->symbols[symbol];
            Neighbours next = rows_of(symbol).of(vertex);
            edges += static_cast<uint64_t>(next.end - next.begin);
            for (const vertex_t* at = next.begin; at != next.end; ++at) {
                if (query.not_back && *at == on[0]) continue;
                on[depth + 1] = *at;
                if (depth + 2 == length) write_last<LENGTH>();
                else write_from<LENGTH>(depth + 1, *at);
            }
        }
    }

    template <size_t LENGTH>
    void write_last() noexcept {
        const FixedStep& step = step_at((LENGTH ? LENGTH : query.length) - 1);
        for (uint32_t symbol = step.first; symbol != step.end; ++symbol) {
            taken[(LENGTH ? LENGTH : query.length) - 1] = plan->symbols[symbol];
            Neighbours next = lasts[next_last++];
            edges += static_cast<uint64_t>(next.end - next.begin);
            write_ends<LENGTH>(next);
        }
    }

    // A walk to each of these.  What is read again and again is copied, since it might be what is written.
    template <size_t LENGTH>
    void write_ends(Neighbours last) noexcept {
        const size_t length = LENGTH ? LENGTH : query.length;
        const WalkColumns out = to;
        const uint32_t whose = number;
        const bool chooses = query.not_back || query.ends != nullptr;
        vertex_t nodes[LENGTH ? LENGTH : LONGEST];
        symbol_t symbols[LENGTH ? LENGTH : LONGEST];
        std::copy(on, on + length, nodes);
        std::copy(taken, taken + length, symbols);
        uint64_t walk = walks, first = steps;
        for (const vertex_t* at = last.begin; at != last.end; ++at) {
            if (chooses && !may_end(*at)) continue;
            std::copy(nodes, nodes + length, out.vertices + walk + first);
            std::copy(symbols, symbols + length, out.symbols + first);
            out.vertices[walk + first + length] = *at;
            out.queries[walk] = whose;
            out.ends[walk++] = first += length;
        }
        walks = walk;
        steps = first;
    }

    bool may_end(vertex_t vertex) const noexcept {
        return !(query.not_back && vertex == on[0]) && (query.ends == nullptr || query.ends[vertex]);
    }
};

}  // namespace spaseq::paths
