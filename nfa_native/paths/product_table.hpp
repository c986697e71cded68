// A number for pairs of a subset and a vertex, with memory for what was touched alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "nfa_native/paths/graph.hpp"

namespace spaseq::paths {

struct ProductTable {
    static constexpr size_t BITS = 10;                      // of a vertex within its page
    static constexpr size_t PAGE = size_t(1) << BITS;

    size_t pages_each = 0;                                  // of a subset
    std::vector<std::vector<std::unique_ptr<uint32_t[]>>> pages;
    std::vector<std::pair<uint32_t, vertex_t>> touched;     // whose numbers are not 0

    void cover(size_t vertices) { pages_each = (vertices >> BITS) + 1; }

    uint32_t at(uint32_t subset, vertex_t vertex) const noexcept {
        if (subset >= pages.size() || pages[subset].empty()) return 0;
        const uint32_t* page = pages[subset][vertex >> BITS].get();
        return page == nullptr ? 0 : page[vertex & (PAGE - 1)];
    }

    // Write a number, which is not 0.  std::bad_alloc.
    void put_number(uint32_t subset, vertex_t vertex, uint32_t number) {
        if (subset >= pages.size()) pages.resize(subset + 1);
        if (pages[subset].empty()) pages[subset].resize(pages_each);
        std::unique_ptr<uint32_t[]>& page = pages[subset][vertex >> BITS];
        if (page == nullptr) page.reset(new uint32_t[PAGE]());
        uint32_t& place = page[vertex & (PAGE - 1)];
        if (place == 0) touched.emplace_back(subset, vertex);
        place = number;
    }

    // All numbers are 0 again.
    void clear() noexcept {
        for (const auto& [subset, vertex] : touched) pages[subset][vertex >> BITS][vertex & (PAGE - 1)] = 0;
        touched.clear();
    }
};

}  // namespace spaseq::paths
