// The edges of a time window: what came last with a time, by the vertex and the symbol by which they are left.
//
// Vertices, predicates and edges have numbers that are used again when they have gone, so memory follows the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/window/edge_rows.hpp"
#include "nfa_native/paths/window/number_table.hpp"
#include "nfa_native/paths/window/pacer.hpp"
#include "nfa_native/paths/window/place_table.hpp"
#include "nfa_native/paths/window/term_index.hpp"

namespace spaseq::paths {

typedef uint32_t step_t;            // 2 * edge, + 1 if it is taken against its direction

struct alignas(64) WindowEdge {     // one line of the cache
    vertex_t subject;
    vertex_t object;
    uint32_t predicate;             // a place in `predicates`
    uint32_t label;                 // what queries tell apart
    int64_t time;                   // of its latest arrival
    uint64_t came;                  // the event with which it came into the window
    uint32_t hash;                  // of its terms
    uint32_t older, newer;          // by time, NO_PLACE: there is none; of a free place `newer` is the next one
    uint32_t places[2];             // in its row along, and in that against, if queries walk along its label
};

// A term that edges have, as a node or as a predicate.
struct WindowName {
    uint64_t word = 0;
    uint64_t came = 0;              // the event with which it came
    uint32_t uses = 0;              // 0: the place is free
    uint32_t next_free = NO_PLACE;
    uint32_t label = 0;             // of a predicate: what queries tell apart
    mutable uint32_t given = 0;     // which word of the paths that wait it is, if it is one (`AppearedPaths`)
};

// Terms by their places; places that are free are used again.
struct WindowNames {
    std::vector<WindowName> names;
    WordPlaces places;
    uint32_t free = NO_PLACE;
    size_t living = 0;
    bool has_lost = false;          // some name has gone since somebody asked

    // The place of a word, which is used once more.  std::bad_alloc, std::domain_error.
    uint32_t use_name(uint64_t word, uint64_t event) {
        uint32_t place = places.place_of(word);
        if (place == NO_PLACE) place = new_name(word, event);
        ++names[place].uses;
        return place;
    }

    // Whether nobody uses it any more.
    bool drop(uint32_t place) noexcept {
        if (--names[place].uses) return false;
        places.lose_place(names[place].word);
        names[place].next_free = free;
        free = place;
        --living;
        has_lost = true;
        return true;
    }

  private:
    uint32_t new_name(uint64_t word, uint64_t event) {
        if (free == NO_PLACE) {
            if (names.size() >= NO_PLACE / 2) throw std::domain_error("a window has too many nodes");
            names.emplace_back();
            names.back().next_free = free;
            free = static_cast<uint32_t>(names.size() - 1);
        }
        places.set_place(word, free);
        uint32_t place = free;
        free = names[place].next_free;
        names[place].word = word;
        names[place].came = event;
        ++living;
        return place;
    }
};

struct WindowGraph {
    Pacer pacer;
    Scrambler scrambler;
    WindowNames vertices;
    WindowNames predicates;
    NumberTable labels;                         // of the predicates that queries name, by word
    uint32_t other_label = 0;                   // of all others
    std::vector<WindowEdge> edges;
    uint32_t free_edge = NO_PLACE;
    size_t living = 0;                          // edges in the window
    uint32_t oldest = NO_PLACE, newest = NO_PLACE;
    uint64_t event = 0;                         // that is coming now, from 1
    PlaceTable by_hash;                         // edges by the hash of their terms
    EdgeRows rows;                              // of edges whose labels are walked
    std::vector<uint8_t> walked;                // by label: whether some query has it; those behind the end have none
    std::vector<uint32_t> arrived;              // edges that came into the window with this event
    std::vector<uint32_t> expired;              // edges that are out of their rows, and not forgotten yet

    // `others` is the label of predicates that are in no table.
    void open_graph(Scrambler with, uint32_t others) noexcept {
        scrambler = with;
        other_label = others;
        rows.symbols = 2 * (others + 1);
        vertices.places.others.scrambler = predicates.places.others.scrambler = with;
        labels.scrambler = rows.places.scrambler = with;
    }

    // A query walks along this label, or against it.  std::bad_alloc.
    void walk_label(uint32_t label) {
        if (label >= walked.size()) walked.resize(label + 1, 0);
        walked[label] = 1;
    }

    bool is_walked(uint32_t label) const noexcept { return label < walked.size() && walked[label]; }

    bool is_fresh(uint32_t edge) const noexcept { return edges[edge].came == event; }
    bool is_fresh_vertex(vertex_t vertex) const noexcept { return vertices.names[vertex].came == event; }

    // The edges that leave a vertex by a symbol; NULL: none.
    const EdgeRow* row(vertex_t vertex, symbol_t symbol) const noexcept { return rows.row(vertex, symbol); }

    // An edge comes, maybe again; its place.  Times never fall.  std::bad_alloc, std::domain_error.
    uint32_t take_edge(const uint64_t* words, int64_t time) {
        uint32_t hash = hash_of(words);
        uint32_t found = by_hash.find_place(hash, [&](uint32_t edge) { return is_edge(edge, words); });
        if (found == NO_PLACE) return new_edge(words, hash, time);
        edges[found].time = time;
        unlink(found);
        link_newest(found);
        return found;
    }

    // Ask for the memory of an edge that comes soon, from far to near.
    void prefetch_places(const uint64_t* words) const noexcept {
        by_hash.prefetch_slot(hash_of(words));
        vertices.places.prefetch_place(words[0]);
        vertices.places.prefetch_place(words[2]);
    }
    void prefetch_end(vertex_t vertex) const noexcept {
        if (vertex == NO_PLACE) return;
        __builtin_prefetch(&vertices.names[vertex]);
        rows.prefetch_row(vertex, 0);
    }

    // The edge that goes after so many others, if places were taken in turn, as they mostly are; else some edge, or NO_PLACE.
    uint32_t expected_after(uint32_t others) const noexcept {
        return size_t(oldest) + others < edges.size() ? oldest + others : NO_PLACE;
    }

    // Ask for the memory of an edge that goes soon.
    void prefetch_expiry(uint32_t edge) const noexcept {
        const WindowEdge& one = edges[edge];
        by_hash.prefetch_slot(one.hash);
        __builtin_prefetch(&vertices.names[one.subject]);
        __builtin_prefetch(&vertices.names[one.object]);
        if (!is_walked(one.label)) return;
        rows.prefetch_row(one.subject, 2 * one.label);
        rows.prefetch_row(one.object, 2 * one.label + 1);
    }

    // Take what came before `bound` out of the rows, into `expired`.  std::bad_alloc.
    void expire_edges(int64_t bound) {
        while (oldest != NO_PLACE && edges[oldest].time < bound) {
            uint32_t edge = oldest;
            expired.push_back(edge);
            unlink(edge);
            if (is_walked(edges[edge].label)) leave_rows(edge);
        }
    }

    // Forget what expired; `gone(vertex)` is told of each vertex that has no edge any more.
    template <class Gone>
    void forget_expired(Gone gone) {
        for (uint32_t edge : expired) {
            WindowEdge& one = edges[edge];
            by_hash.leave_place(one.hash, edge);
            for (vertex_t vertex : {one.subject, one.object})
                if (vertices.drop(vertex)) gone(vertex);
            predicates.drop(one.predicate);
            one.newer = free_edge;
            free_edge = edge;
            --living;
        }
        expired.clear();
    }

  private:
    uint32_t hash_of(const uint64_t* words) const noexcept {
        uint64_t state = scrambler.scrambled(words[0]);
        return static_cast<uint32_t>(scrambler.scrambled_on(scrambler.scrambled_on(state, words[1]), words[2]));
    }

    bool is_edge(uint32_t edge, const uint64_t* words) const noexcept {
        const WindowEdge& one = edges[edge];
        return vertices.names[one.subject].word == words[0] && predicates.names[one.predicate].word == words[1] &&
               vertices.names[one.object].word == words[2];
    }

    uint32_t new_edge(const uint64_t* words, uint32_t hash, int64_t time) {
        if (free_edge == NO_PLACE) {
            if (edges.size() >= NO_PLACE / 2) throw std::domain_error("a window has too many edges");
            edges.emplace_back();
            edges.back().newer = NO_PLACE;
            free_edge = static_cast<uint32_t>(edges.size() - 1);
        }
        arrived.push_back(free_edge);
        uint32_t edge = free_edge;
        WindowEdge& one = edges[edge];
        free_edge = one.newer;
        one.subject = vertices.use_name(words[0], event);
        one.predicate = use_predicate(words[1]);
        one.object = vertices.use_name(words[2], event);
        one.label = predicates.names[one.predicate].label;
        one.time = time;
        one.came = event;
        one.hash = hash;
        by_hash.enter_place(hash, edge);
        link_newest(edge);
        if (is_walked(one.label)) enter_rows(edge);
        ++living;
        return edge;
    }

    uint32_t use_predicate(uint64_t word) {
        uint32_t place = predicates.use_name(word, event);
        WindowName& name = predicates.names[place];
        if (name.uses > 1) return place;
        uint32_t label = labels.at(word);
        name.label = label == NO_PLACE ? other_label : label;
        return place;
    }

    void link_newest(uint32_t edge) noexcept {
        edges[edge].older = newest;
        edges[edge].newer = NO_PLACE;
        (newest == NO_PLACE ? oldest : edges[newest].newer) = edge;
        newest = edge;
    }

    void unlink(uint32_t edge) noexcept {
        WindowEdge& one = edges[edge];
        (one.older == NO_PLACE ? oldest : edges[one.older].newer) = one.newer;
        (one.newer == NO_PLACE ? newest : edges[one.newer].older) = one.older;
    }

    void enter_rows(uint32_t place) {
        for (uint32_t inverse = 0; inverse < 2; ++inverse) {
            WindowEdge& edge = edges[place];
            HalfEdge half{place, inverse ? edge.subject : edge.object};
            edge.places[inverse] = rows.enter_row(inverse ? edge.object : edge.subject, 2 * edge.label + inverse, half);
        }
    }

    void leave_rows(uint32_t place) noexcept {
        for (uint32_t inverse = 0; inverse < 2; ++inverse) {
            const WindowEdge& edge = edges[place];
            uint32_t hole = edge.places[inverse];
            uint32_t moved = rows.leave_row(inverse ? edge.object : edge.subject, 2 * edge.label + inverse, hole);
            edges[moved].places[inverse] = hole;
        }
    }
};

}  // namespace spaseq::paths
