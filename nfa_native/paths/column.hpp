// A growing array whose memory can be given away.  It is of realloc, so that large ones grow where they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>

namespace spaseq::paths {

template <class T> struct Column {
    static_assert(std::is_trivially_copyable<T>::value, "realloc moves it");

    Column() = default;
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;
    ~Column() { std::free(start); }

    size_t size() const noexcept { return count; }
    T* begin() noexcept { return start; }
    T* end() noexcept { return start + count; }
    void clear() noexcept { count = 0; }

    // std::bad_alloc
    void push_back(T value) {
        T* to = room_for(1);
        *to = value;
        ++count;
    }

    // So many values more.  std::bad_alloc
    void append(const T* values, size_t number) {
        T* to = room_for(number);
        for (size_t i = 0; i < number; ++i) to[i] = values[i];
        count += number;
    }

    // The end, behind which there is room for so many values; when they are written, `extend` by them.  std::bad_alloc
    T* room_for(size_t number) {
        if (room - count < number) grow_column(number);
        return start + count;
    }
    void extend(size_t number) noexcept { count += number; }

    // The memory, for whoever frees it; the column is empty then.
    T* release() noexcept {
        void* given = count ? std::realloc(start, count * sizeof(T)) : nullptr;
        if (count == 0) std::free(start);
        else if (given == nullptr) given = start;       // it may stay larger than it need be
        start = nullptr;
        count = room = 0;
        return static_cast<T*>(given);
    }

  private:
    T* start = nullptr;
    size_t count = 0;
    size_t room = 0;

    void grow_column(size_t number) {
        size_t most = SIZE_MAX / 2 / sizeof(T);
        if (number > most - count) throw std::bad_alloc();
        size_t more = std::min(most, std::max({count + number, room + room / 2, size_t(64)}));
        void* moved = std::realloc(start, more * sizeof(T));
        if (moved == nullptr) throw std::bad_alloc();
        start = static_cast<T*>(moved);
        room = more;
    }
};

}  // namespace spaseq::paths
