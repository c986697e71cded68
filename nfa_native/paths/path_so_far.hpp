// The path that a search stands at the end of, and what restrictors want to know of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "nfa_native/automata/kinds.hpp"
#include "nfa_native/paths/graph.hpp"

namespace spaseq::paths {

using kinds::PathRestrictor;

// What a path must fulfil besides the expression.
struct PathRules {
    PathRestrictor restrictor = PathRestrictor::WALK;
    bool not_back = false;              // the start does not come again
    const uint8_t* ends = nullptr;      // by vertex: whether a path may end there; NULL: anywhere

    bool may_end(vertex_t vertex) const noexcept { return ends == nullptr || ends[vertex]; }
};

typedef std::tuple<symbol_t, vertex_t, vertex_t> Edge;      // label, subject, object

static inline Edge edge_of(vertex_t from, symbol_t symbol, vertex_t to) noexcept {
    return symbol & 1 ? Edge(symbol >> 1, to, from) : Edge(symbol >> 1, from, to);
}

struct PathSoFar {
    static constexpr size_t SHORT = 32;     // so many steps are looked through one by one

    std::vector<vertex_t> vertices;
    std::vector<symbol_t> symbols;
    std::set<vertex_t> passed;              // the vertices behind the first SHORT ones
    std::set<Edge> taken;                   // the edges behind the first SHORT ones
    PathRestrictor restrictor = PathRestrictor::WALK;

    size_t length() const noexcept { return symbols.size(); }

    void start_at(vertex_t start, PathRestrictor with) {
        restrictor = with;
        vertices.assign(1, start);
        symbols.clear();
        passed.clear();
        taken.clear();
    }

    bool has_vertex(vertex_t vertex) const noexcept {
        size_t count = vertices.size() < SHORT ? vertices.size() : SHORT;
        for (size_t i = 0; i < count; ++i)
            if (vertices[i] == vertex) return true;
        return vertices.size() > SHORT && passed.count(vertex);
    }

    bool has_edge(const Edge& edge) const noexcept {
        size_t count = symbols.size() < SHORT ? symbols.size() : SHORT;
        for (size_t i = 0; i < count; ++i)
            if (edge_of(vertices[i], symbols[i], vertices[i + 1]) == edge) return true;
        return symbols.size() > SHORT && taken.count(edge);
    }

    // Whether the path may go on along this edge.
    bool admits(const PathRules& rules, symbol_t symbol, vertex_t to) const noexcept {
        return admits_from(vertices.back(), rules, symbol, to);
    }

    // Whether a walk behind the path may take this edge, as far as the path alone is concerned.
    bool admits_from(vertex_t from, const PathRules& rules, symbol_t symbol, vertex_t to) const noexcept {
        if (rules.not_back && to == vertices.front()) return false;
        switch (rules.restrictor) {
        case PathRestrictor::TRAIL: return !has_edge(edge_of(from, symbol, to));
        case PathRestrictor::ACYCLIC: return !has_vertex(to);
        case PathRestrictor::SIMPLE: return to == vertices.front() || !has_vertex(to);
        default: return true;
        }
    }

    // Whether no path goes on behind this end.
    bool is_closed() const noexcept {
        return restrictor == PathRestrictor::SIMPLE && symbols.size() && vertices.back() == vertices.front();
    }

    // std::bad_alloc
    void append_edge(symbol_t symbol, vertex_t to) {
        if (symbols.size() >= SHORT && restrictor == PathRestrictor::TRAIL) taken.insert(edge_of(vertices.back(), symbol, to));
        if (vertices.size() >= SHORT && (restrictor == PathRestrictor::ACYCLIC || restrictor == PathRestrictor::SIMPLE)) passed.insert(to);
        symbols.push_back(symbol);
        vertices.push_back(to);
    }

    void remove_edge() noexcept {
        vertex_t to = vertices.back();
        symbol_t symbol = symbols.back();
        vertices.pop_back();
        symbols.pop_back();
        if (symbols.size() >= SHORT && restrictor == PathRestrictor::TRAIL) taken.erase(edge_of(vertices.back(), symbol, to));
        if (vertices.size() >= SHORT && passed.size()) passed.erase(to);
    }
};

}  // namespace spaseq::paths
