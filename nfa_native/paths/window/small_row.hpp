// Rows that mostly have one thing or none, and maybe very many.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

namespace spaseq::paths {

// Some values of 8 bytes: one within, several in memory of their own.  A plain value, whose owner releases it.
template <class T>
struct SmallRow {
    union {
        T one;                      // if there is no room elsewhere
        T* many;
    };
    uint32_t count = 0;
    uint32_t room = 0;              // of `many`; 0: that is not there

    SmallRow() noexcept : many(nullptr) {}

    const T* begin() const noexcept { return room ? many : &one; }
    const T* end() const noexcept { return begin() + count; }
    T* at(uint32_t place) noexcept { return (room ? many : &one) + place; }

    // std::bad_alloc: nothing has changed.
    void add_last(T value) {
        if (count == (room ? room : 1)) move_to(2 * count);
        *at(count++) = value;
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
        T* moved = new T[wider];
        std::copy(begin(), end(), moved);
        release();
        many = moved;
        room = wider;
    }

    // Half the memory is enough; without memory for that it stays as it is.
    void tighten_row() noexcept {
        T* moved = new (std::nothrow) T[room / 2];
        if (moved == nullptr) return;
        std::copy(begin(), end(), moved);
        delete[] many;
        many = moved;
        room /= 2;
    }
};

}  // namespace spaseq::paths
