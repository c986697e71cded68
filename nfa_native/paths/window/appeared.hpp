// Paths that have appeared in a window, in columns of words: edges may go, and their numbers be used again.
#ifndef SPASEQ_PATHS_WINDOW_APPEARED
#define SPASEQ_PATHS_WINDOW_APPEARED

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "nfa_native/paths/window/edges.hpp"

namespace spaseq {

// Path i has the steps ends[i - 1] to ends[i], and one node more: from ends[i - 1] + i on.
struct AppearedPaths {
    static constexpr size_t MOST_NODES = size_t(1) << 25;   // that may wait; after each event somebody may take them

    std::vector<uint64_t> ends;
    std::vector<uint32_t> queries;
    std::vector<uint32_t> events;           // with which of those that came together
    std::vector<uint64_t> nodes;
    std::vector<uint64_t> predicates;
    std::vector<uint8_t> inverse;

    void clear() noexcept {
        ends.clear();
        queries.clear();
        events.clear();
        nodes.clear();
        predicates.clear();
        inverse.clear();
    }
};

// Where paths of one query are written.
struct PathWriter {
    const WindowGraph* graph = nullptr;
    AppearedPaths* to = nullptr;
    uint32_t query = 0;
    uint32_t event = 0;

    // Methods that write a path from its start; `end_path` ends it.  std::bad_alloc.
    void write_vertex(vertex_t vertex) { to->nodes.push_back(graph->vertices.names[vertex].word); }
    void write_step(step_t step) {
        to->predicates.push_back(graph->predicates.names[graph->edges[step >> 1].predicate].word);
        to->inverse.push_back(step & 1);
    }
    void end_path() {
        if (to->nodes.size() > AppearedPaths::MOST_NODES) throw std::domain_error("one event makes too many paths appear");
        to->queries.push_back(query);
        to->events.push_back(event);
        to->ends.push_back(to->predicates.size());
    }

    // A whole path.  std::bad_alloc.
    void write_whole(const vertex_t* vertices, const step_t* steps, size_t length) {
        for (size_t i = 0; i <= length; ++i) write_vertex(vertices[i]);
        for (size_t i = 0; i < length; ++i) write_step(steps[i]);
        end_path();
    }
};

}  // namespace spaseq

#endif
