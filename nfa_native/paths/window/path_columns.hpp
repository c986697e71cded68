// Paths that have appeared in a window, in columns of words: edges may go, and their numbers be used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "nfa_native/paths/window/edges.hpp"

namespace spaseq::paths {

// Words by the order in which paths first have them; `WindowName::given` is the place of a name that is here.
struct GivenNames {
    std::vector<uint64_t> words;

    // std::bad_alloc
    uint32_t given_number(const WindowName& name) {
        if (name.given >= words.size() || words[name.given] != name.word) {
            name.given = static_cast<uint32_t>(words.size());
            words.push_back(name.word);
        }
        return name.given;
    }
};

// Path i has the steps ends[i - 1] to ends[i], and one node more: from ends[i - 1] + i on.
struct AppearedPaths {
    static constexpr size_t MOST_NODES = size_t(1) << 25;   // that may wait; after each event somebody may take them

    std::vector<uint64_t> ends;
    std::vector<uint32_t> queries;
    std::vector<uint32_t> events;           // with which of those that came together
    std::vector<uint32_t> vertices;         // numbers of nodes
    std::vector<uint32_t> symbols;          // 2 * number of the predicate, + 1 if the step is against the edge
    GivenNames nodes;                       // a term is there twice if its node has gone and come again
    GivenNames predicates;                  // likewise

    void clear() noexcept {
        ends.clear();
        queries.clear();
        events.clear();
        vertices.clear();
        symbols.clear();
        nodes.words.clear();
        predicates.words.clear();
    }
};

// Where paths of one query are written.
struct PathWriter {
    const WindowGraph* graph = nullptr;
    AppearedPaths* to = nullptr;
    uint32_t query = 0;
    uint32_t event = 0;

    // Methods that write a path from its start; `end_path` ends it.  std::bad_alloc.
    void write_vertex(vertex_t vertex) { to->vertices.push_back(to->nodes.given_number(graph->vertices.names[vertex])); }
    void write_step(step_t step) {
        const WindowName& predicate = graph->predicates.names[graph->edges[step >> 1].predicate];
        to->symbols.push_back(2 * to->predicates.given_number(predicate) + (step & 1));
    }
    void end_path() {
        if (to->vertices.size() > AppearedPaths::MOST_NODES) throw std::domain_error("one event makes too many paths appear");
        to->queries.push_back(query);
        to->events.push_back(event);
        to->ends.push_back(to->symbols.size());
    }

    // A whole path.  std::bad_alloc.
    void write_whole(const vertex_t* vertices, const step_t* steps, size_t length) {
        for (size_t i = 0; i < length; ++i) __builtin_prefetch(&graph->edges[steps[i] >> 1]);
        for (size_t i = 0; i <= length; ++i) write_vertex(vertices[i]);
        for (size_t i = 0; i < length; ++i) write_step(steps[i]);
        end_path();
    }
};

}  // namespace spaseq::paths
