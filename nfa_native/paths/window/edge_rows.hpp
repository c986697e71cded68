// The edges of a window by the vertex that they leave and the symbol by which they do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/window/number_table.hpp"
#include "nfa_native/paths/window/small_row.hpp"

namespace spaseq::paths {

// An edge as one of its ends sees it.
struct HalfEdge {
    uint32_t edge;
    vertex_t to;
};

typedef SmallRow<HalfEdge> EdgeRow;

// Rows side by side for each vertex, if there are few symbols, else in a table.
struct EdgeRows {       // vertices behind the last row have no edges
    static constexpr uint32_t FEW_SYMBOLS = 32;

    uint32_t symbols = 0;
    std::vector<EdgeRow> rows;
    NumberTable places;             // by symbol and vertex, if there are many symbols
    std::vector<uint32_t> free;     // places without edges, likewise

    EdgeRows() = default;
    EdgeRows(const EdgeRows&) = delete;
    EdgeRows& operator=(const EdgeRows&) = delete;
    ~EdgeRows() {
        for (EdgeRow& row : rows) row.release();
    }

    // NULL: there are none.
    const EdgeRow* row(vertex_t vertex, symbol_t symbol) const noexcept {
        size_t place = is_dense() ? size_t(vertex) * symbols + symbol : places.at(key_of(symbol, vertex));
        return place < rows.size() && rows[place].count ? &rows[place] : nullptr;
    }

    // Ask for the memory of a row.
    void prefetch_row(vertex_t vertex, symbol_t symbol) const noexcept {
        size_t place = size_t(vertex) * symbols + symbol;
        if (is_dense() && place < rows.size()) __builtin_prefetch(&rows[place]);
    }

    // Where the edge stands in its row.  std::bad_alloc.
    uint32_t enter_row(vertex_t vertex, symbol_t symbol, HalfEdge half) {
        EdgeRow& row = is_dense() ? dense_row(vertex, symbol) : sparse_row(vertex, symbol);
        row.add_last(half);
        return row.count - 1;
    }

    // Take an edge out of its row; the edge that comes to its place, or itself.
    uint32_t leave_row(vertex_t vertex, symbol_t symbol, uint32_t place) noexcept {
        uint64_t key = key_of(symbol, vertex);
        uint32_t number = is_dense() ? 0 : places.at(key);
        EdgeRow& row = rows[is_dense() ? size_t(vertex) * symbols + symbol : number];
        uint32_t moved = row.at(row.count - 1)->edge;
        row.remove(place);
        if (row.count == 0 && !is_dense()) {
            free.push_back(number);     // there is room: see `sparse_row`
            places.remove(key);
        }
        return moved;
    }

  private:
    bool is_dense() const noexcept { return symbols <= FEW_SYMBOLS; }

    EdgeRow& dense_row(vertex_t vertex, symbol_t symbol) {
        size_t wanted = (size_t(vertex) + 1) * symbols;
        if (rows.size() < wanted) rows.resize(wanted);
        return rows[wanted - symbols + symbol];
    }

    EdgeRow& sparse_row(vertex_t vertex, symbol_t symbol) {
        uint32_t place = places.at(key_of(symbol, vertex));
        if (place != NO_PLACE) return rows[place];
        if (free.empty()) {
            if (rows.size() >= NO_PLACE) throw std::bad_alloc();
            rows.emplace_back();
            free.reserve(rows.capacity());
            free.push_back(static_cast<uint32_t>(rows.size() - 1));
        }
        place = free.back();
        places.put_place(key_of(symbol, vertex), place);
        free.pop_back();
        return rows[place];
    }
};

}  // namespace spaseq::paths
