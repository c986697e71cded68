// Nodes in a ring, by running numbers of 32 bits instead of pointers.  Numbers wrap; `take` never gives 0: it means none.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace spaseq {

template <class Node>
struct NodeRing {
    static constexpr size_t MOST = size_t(1) << 31;    // more would not be told apart

    std::vector<Node> nodes;   // a power of two of them; one place stays free
    uint32_t mask = 0;         // to the place of a number
    uint32_t head = 1;         // next number
    uint32_t tail = 1;         // numbers below are over

    uint32_t count() const noexcept { return head - tail; }
    bool has(uint32_t number) const noexcept { return number - tail < head - tail; }
    bool has_room(uint64_t more) const noexcept { return count() + more <= mask; }
    bool is_widest() const noexcept { return nodes.size() >= MOST; }
    Node* at(uint32_t number) noexcept { return nodes.data() + (number & mask); }
    const Node* at(uint32_t number) const noexcept { return nodes.data() + (number & mask); }

    // An empty ring of `size` places, a power of two, whose first node gets the number `first`.  std::bad_alloc.
    void open(size_t size, uint32_t first) {
        assert(size >= 2 && (size & (size - 1)) == 0);
        nodes.assign(size, Node());
        mask = static_cast<uint32_t>(size - 1);
        head = tail = first;
    }

    // The next number, whose node is to be written; there is room for it.
    uint32_t take() noexcept {
        assert(has_room(1));
        head += head == 0;
        return head++;
    }

    // The same, and the ring grows if it is full.  std::bad_alloc.
    uint32_t claim() {
        if (!has_room(1)) grow();
        return take();
    }

    // Twice the room; nodes keep their numbers.  std::bad_alloc: nothing has changed.
    void grow() {
        size_t size = 2 * nodes.size();
        if (size > MOST) throw std::bad_alloc();
        std::vector<Node> wider(size);
        for (uint32_t i = tail; i != head; ++i) wider[i & (size - 1)] = *at(i);
        nodes.swap(wider);
        mask = static_cast<uint32_t>(size - 1);
    }

    // The same; whether there was memory.
    bool could_grow() noexcept {
        try {
            grow();
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }
};

// Nodes with numbers below `head` hold nothing younger than `start`.
struct RingMark {
    int64_t start;
    uint32_t head;
};

// Nodes that are over by their age.  Marks between them say how old those before can be.
template <class Node>
struct AgingRing : NodeRing<Node> {
    static constexpr uint32_t MARK_EVERY = 1024;       // nodes between two marks

    std::vector<RingMark> marks;
    size_t first_mark = 0;     // those before it are used up

    // How many nodes there are to be before the next mark.
    uint32_t until_mark() const noexcept {
        uint32_t since = marks.empty() ? MARK_EVERY : this->head - marks.back().head;
        return since < MARK_EVERY ? MARK_EVERY - since : 0;
    }

    // So far nothing is younger than `start`.  std::bad_alloc.
    void mark(int64_t start) { marks.push_back(RingMark{start, this->head}); }

    // What starts before `least` is over.
    void forget(int64_t least) noexcept {
        for (; first_mark < marks.size() && marks[first_mark].start < least; ++first_mark)
            this->tail = marks[first_mark].head;
        if (first_mark * 2 > marks.size()) {
            marks.erase(marks.begin(), marks.begin() + static_cast<ptrdiff_t>(first_mark));
            first_mark = 0;
        }
    }

    // All is over.
    void clear() noexcept {
        this->tail = this->head;
        marks.clear();
        first_mark = 0;
    }
};

}  // namespace spaseq
