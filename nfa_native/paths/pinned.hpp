// Values that stay where they are as others come.  An empty one has no memory, so that it can be a member of a Python object.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace spaseq::paths {

template <class T> struct Pinned {
    template <class Value> struct Iterator {
        const std::unique_ptr<T>* at;

        Value& operator*() const noexcept { return **at; }
        Iterator& operator++() noexcept {
            ++at;
            return *this;
        }
        bool operator!=(const Iterator& other) const noexcept { return at != other.at; }
    };

    std::vector<std::unique_ptr<T>> values;     // none of them is NULL

    size_t size() const noexcept { return values.size(); }
    T& operator[](size_t place) noexcept { return *values[place]; }
    const T& operator[](size_t place) const noexcept { return *values[place]; }
    T& front() noexcept { return *values.front(); }
    T& back() noexcept { return *values.back(); }
    Iterator<T> begin() noexcept { return {values.data()}; }
    Iterator<T> end() noexcept { return {values.data() + values.size()}; }
    Iterator<const T> begin() const noexcept { return {values.data()}; }
    Iterator<const T> end() const noexcept { return {values.data() + values.size()}; }

    // std::bad_alloc: nothing has changed.
    void push_back(T&& value) { values.push_back(std::make_unique<T>(std::move(value))); }
    T& emplace_back() {
        values.push_back(std::make_unique<T>());
        return back();
    }
};

}  // namespace spaseq::paths
