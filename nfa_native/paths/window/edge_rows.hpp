// The edges of a window by the vertex that they leave and the symbol by which they do.
#ifndef SPASEQ_PATHS_WINDOW_EDGE_ROWS
#define SPASEQ_PATHS_WINDOW_EDGE_ROWS

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/window/number_table.hpp"

namespace spaseq {

// An edge as one of its ends sees it.
struct HalfEdge {
    uint32_t edge;
    vertex_t to;
};

// Some edges: one within, several in memory of their own.  A plain value, whose owner releases it.
struct EdgeRow {
    union {
        HalfEdge one;               // if there is no room elsewhere
        HalfEdge* many;
    };
    uint32_t count = 0;
    uint32_t room = 0;              // of `many`; 0: that is not there

    EdgeRow() noexcept : many(nullptr) {}

    const HalfEdge* begin() const noexcept { return room ? many : &one; }
    const HalfEdge* end() const noexcept { return begin() + count; }
    HalfEdge* at(uint32_t place) noexcept { return (room ? many : &one) + place; }

    // std::bad_alloc: nothing has changed.
    void add_half(HalfEdge half) {
        if (count == (room ? room : 1)) move_to(2 * count);
        *at(count++) = half;
    }

    // Take out what stands at a place; the last one comes there.
    void remove(uint32_t place) noexcept {
        *at(place) = *at(--count);
        if (room > 8 && count * 4 < room) tighten_row();
        else if (count == 0) release();
    }

    void release() noexcept {
        if (room) delete[] many;
        room = 0;
    }

  private:
    void move_to(uint32_t wider) {
        HalfEdge* moved = new HalfEdge[wider];
        std::copy(begin(), end(), moved);
        release();
        many = moved;
        room = wider;
    }

    // Half the memory is enough; without memory for that it stays as it is.
    void tighten_row() noexcept {
        HalfEdge* moved = new (std::nothrow) HalfEdge[room / 2];
        if (moved == nullptr) return;
        std::copy(begin(), end(), moved);
        delete[] many;
        many = moved;
        room /= 2;
    }
};

// Rows side by side for each vertex, if there are few symbols, else in a table.
struct EdgeRows {
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
        uint32_t place = is_dense() ? 0 : places.at(key_of(symbol, vertex));
        if (place == NO_PLACE) return nullptr;
        const EdgeRow* found = &rows[is_dense() ? size_t(vertex) * symbols + symbol : place];
        return found->count ? found : nullptr;
    }

    // Where the edge stands in its row.  std::bad_alloc.
    uint32_t enter_row(vertex_t vertex, symbol_t symbol, HalfEdge half) {
        EdgeRow& row = is_dense() ? dense_row(vertex, symbol) : sparse_row(vertex, symbol);
        row.add_half(half);
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

}  // namespace spaseq

#endif
