// Frontiers: sets of partial matches that enumeration has still to look into, as heaps by the age of their nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spaseq::events {

// A node, or the groups of a view from one of them on.
struct Reached {
    int64_t place = 0;        // of the group in its list
    uint32_t age = 0;         // of the node: how many nodes of the ring are older
    uint32_t origin = 0;      // what is picked after it
    uint32_t view = 0;
    bool is_view = false;

    bool operator<(const Reached& other) const noexcept { return age < other.age; }
};

// A stack of frontiers; only the last one changes.
struct Frontiers {
    static constexpr size_t MOST_COMPARED = 16;

    std::vector<Reached> items;
    size_t first = 0;         // of the last one

    bool empty() const noexcept { return items.size() == first; }

    // The newest node of the frontier, which is not empty.
    const Reached& newest() const noexcept { return items[first]; }

    bool holds(const Reached& one) const noexcept {
        for (size_t i = first; i < items.size(); ++i)
            if (items[i].age == one.age && items[i].is_view == one.is_view && items[i].view == one.view) return true;
        return false;
    }

    // Whether all of another frontier is in this one; a large one is not looked at.
    bool covers(const Frontiers& other) const noexcept {
        if (other.items.size() - other.first > MOST_COMPARED) return false;
        for (size_t i = other.first; i < other.items.size(); ++i)
            if (!holds(other.items[i])) return false;
        return true;
    }

    // std::bad_alloc
    void add(const Reached& one) {
        items.push_back(one);
        std::push_heap(items.begin() + static_cast<ptrdiff_t>(first), items.end());
    }

    void drop_newest() noexcept {
        std::pop_heap(items.begin() + static_cast<ptrdiff_t>(first), items.end());
        items.pop_back();
    }

    // Begin another one; gives where the last one begins, to which `close` goes back.
    size_t open() noexcept {
        size_t before = first;
        first = items.size();
        return before;
    }

    void close(size_t before) noexcept {
        items.resize(first);
        first = before;
    }

    void clear() noexcept {
        items.clear();
        first = 0;
    }
};

}  // namespace spaseq::events
