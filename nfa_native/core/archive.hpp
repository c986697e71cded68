// A checked archive: named stores of named columns of numbers, as bytes and back.
//
// Whoever keeps a state describes it once, as columns: a vector of records is one column for each field, so no struct is
// ever written as it lies in memory.  The same description writes and reads.  What is read is believed in nothing: counts
// are compared with the bytes that are there before anything is allocated, and what a number means (a place, a link, a
// length) is for the store to check with `require`.  Each store has a version of its own, and is asked for it.
//
//   archive  "SPAR", format (u16), stores
//   store    name, version (u16), columns (u32), columns
//   column   name, kind ('u' unsigned, 'i' signed, 'w' words), width of a number (u8), width as stored (u8),
//            axes (u8: 1, or 2 of a table), numbers a row (u32), rows (u64), numbers
//   name     length (u8), bytes
//
// Numbers are little-endian, and stored as narrow as the greatest of their column; words always have their 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace spaseq {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "archives are written as numbers lie in memory");

// What is read is not what was written.
struct ArchiveError : std::domain_error {
    using std::domain_error::domain_error;
};

inline void require(bool holds, const char* what) {
    if (!holds) throw ArchiveError(what);
}

// A column.  One that is read lies in memory of the caller's, one that is written in `own`.
struct ArchiveColumn {
    std::string name;
    char kind = 'u';
    uint8_t width = 8;    // bytes of a number
    uint8_t stored = 8;   // bytes of a number here
    uint8_t axes = 1;     // 2: a table, of which a row may have any length
    uint32_t per = 1;     // numbers a row
    uint64_t rows = 0;
    std::string own;
    const char* data = nullptr;

    size_t numbers() const noexcept { return static_cast<size_t>(rows) * per; }
    size_t size() const noexcept { return numbers() * stored; }
    const char* begin() const { return data ? data : own.data(); }
    uint64_t raw(size_t at) const;      // a number, with its sign carried on
};

struct ArchiveStore {
    std::string name;
    uint32_t version = 0;
    std::vector<ArchiveColumn> columns;

    ArchiveColumn* find(const std::string& wanted) {
        for (auto& one : columns)
            if (one.name == wanted) return &one;
        return nullptr;
    }
};

inline uint64_t ArchiveColumn::raw(size_t at) const {
    const char* from = begin() + at * stored;
    uint64_t value = 0;
    std::memcpy(&value, from, stored);
    if (kind == 'i' && stored < 8 && (value >> (8 * stored - 1)) & 1) value |= ~uint64_t(0) << (8 * stored);
    return value;
}

// The bytes that a number takes.
template <class T> inline unsigned archive_width(T value) {
    if constexpr (std::is_signed_v<T>) {
        const int64_t number = value;
        return number == int8_t(number) ? 1 : number == int16_t(number) ? 2 : number == int32_t(number) ? 4 : 8;
    } else {
        const uint64_t number = value;
        return number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : number <= 0xFFFFFFFF ? 4 : 8;
    }
}

class Archive {
  public:
    std::vector<ArchiveStore> stores;

    // ── as bytes ──
    // Read these from now on; they must stay where they are.  ArchiveError: they are no archive.
    void open(const char* bytes, size_t size);
    // What was written.
    void close(std::string& out) const;

    // ── stores ──
    // Begin to write a store, or to read it: its version, which is at most `newest`.
    uint32_t store(const char* name, uint32_t newest);
    bool has_store(const char* name) const;

    // ── columns of the present store ──
    // A field of all records.  When the first field of a vector is read, it gets as many records as there are.
    template <class R, class T> void field(const char* name, std::vector<R>& records, const R& sample, const T& part);
    // The same of records that are there: no others may come.
    template <class R, class T> void update(const char* name, std::vector<R>& records, const R& sample, const T& part);
    // Both by the field's own name.
    template <class R, class T> void field(const char* name, std::vector<R>& records, T R::*part) {
        const R sample{};
        field(name, records, sample, sample.*part);
    }
    template <class R, class T> void update(const char* name, std::vector<R>& records, T R::*part) {
        const R sample{};
        update(name, records, sample, sample.*part);
    }
    // Numbers one after the other; `words` are such as have other values in another process.
    template <class T> void numbers(const char* name, std::vector<T>& values);
    void words(const char* name, std::vector<uint64_t>& values);
    // Numbers of 128 bits, as two columns, of the upper and the lower halves; doubles, as their bits.
    void wides(const char* name, std::vector<__int128>& values);
    void doubles(const char* name, std::vector<double>& values);
    // A single number.
    template <class T> void number(const char* name, T& value);
    // Any column, which the caller fills.
    ArchiveColumn& add(const char* name, char kind, unsigned width, uint64_t rows);

    bool reads() const noexcept { return reading_; }

  private:
    bool reading_ = false;
    size_t at_ = 0;                     // the present store
    const void* table_ = nullptr;       // the vector of which fields are read

    const ArchiveColumn& column(const char* name, char kind, unsigned width);
    template <class T> void write(const char* name, const char* first, size_t stride, size_t count);
    template <class T> void read(const ArchiveColumn& column, char* first, size_t stride) const;
    template <class T> static constexpr char kind() { return std::is_signed_v<T> ? 'i' : 'u'; }
    [[noreturn]] void fail(const char* column, const char* what) const;
};

// Append the next `count` values of a column to `out`, from number `at` on, which becomes that of the one after them.
template <class T> void take_part(const std::vector<T>& column, size_t& at, size_t count, std::vector<T>& out) {
    require(count <= column.size() - at, "a list is longer than its column");
    out.insert(out.end(), column.begin() + at, column.begin() + at + count);
    at += count;
}

// Bytes one after the other, never past their end.
class ArchiveCursor {
  public:
    ArchiveCursor(const char* at, size_t size) : at_(at), left_(size) {}
    size_t left() const noexcept { return left_; }
    const char* take(size_t size) {
        require(size <= left_, "the archive is not all there");
        const char* begin = at_;
        at_ += size;
        left_ -= size;
        return begin;
    }
    template <class T> T number() {
        T value;
        std::memcpy(&value, take(sizeof(T)), sizeof(T));
        return value;
    }
    std::string name() {
        const size_t size = number<uint8_t>();
        return std::string(take(size), size);
    }

  private:
    const char* at_;
    size_t left_;
};

inline void Archive::fail(const char* column, const char* what) const {
    throw ArchiveError("store " + stores[at_].name + ": " + column + " " + what);
}

inline void Archive::open(const char* bytes, size_t size) {
    ArchiveCursor cursor(bytes, size);
    require(size >= 6 && std::memcmp(cursor.take(4), "SPAR", 4) == 0, "this is no archive");
    require(cursor.number<uint16_t>() == 1, "the archive has another format");
    stores.clear();
    reading_ = true;
    while (cursor.left()) {
        ArchiveStore store;
        store.name = cursor.name();
        store.version = cursor.number<uint16_t>();
        const uint32_t count = cursor.number<uint32_t>();
        for (uint32_t i = 0; i < count; ++i) {
            ArchiveColumn one;
            one.name = cursor.name();
            one.kind = cursor.number<char>();
            one.width = cursor.number<uint8_t>();
            one.stored = cursor.number<uint8_t>();
            one.axes = cursor.number<uint8_t>();
            one.per = cursor.number<uint32_t>();
            one.rows = cursor.number<uint64_t>();
            const auto is_width = [](unsigned width) { return width == 1 || width == 2 || width == 4 || width == 8; };
            require(one.kind == 'u' || one.kind == 'i' || one.kind == 'w', "a column is of no known kind");
            require(is_width(one.width) && is_width(one.stored) && one.stored <= one.width, "a column has no such width");
            require(one.kind != 'w' || one.stored == 8, "a column of words has another width");
            require(one.axes == 2 || (one.axes == 1 && one.per == 1), "a column has rows of another length");
            require(one.rows < (uint64_t(1) << 48), "a column is too long");
            require(one.per == 0 || one.rows <= cursor.left() / one.stored / one.per, "a column is not all there");
            one.data = cursor.take(one.size());
            store.columns.push_back(std::move(one));
        }
        stores.push_back(std::move(store));
    }
}

inline void Archive::close(std::string& out) const {
    const auto put = [&out](auto value) { out.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
    const auto name = [&out, &put](const std::string& text) {
        require(text.size() < 256, "a name is too long");
        put(uint8_t(text.size()));
        out.append(text);
    };
    size_t size = 6;
    for (const auto& store : stores)
        for (const auto& one : store.columns) size += one.size() + one.name.size() + store.name.size() + 32;
    out.clear();
    out.reserve(size);
    out.append("SPAR", 4);
    put(uint16_t(1));
    for (const auto& store : stores) {
        name(store.name);
        put(uint16_t(store.version));
        put(uint32_t(store.columns.size()));
        for (const auto& one : store.columns) {
            name(one.name);
            put(one.kind);
            put(one.width);
            put(one.stored);
            put(one.axes);
            put(one.per);
            put(one.rows);
            out.append(one.begin(), one.size());
        }
    }
}

inline bool Archive::has_store(const char* name) const {
    for (const auto& one : stores)
        if (one.name == name) return true;
    return false;
}

inline uint32_t Archive::store(const char* name, uint32_t newest) {
    table_ = nullptr;
    if (!reading_) {
        at_ = stores.size();
        stores.emplace_back();
        stores.back().name = name;
        return stores.back().version = newest;
    }
    for (at_ = 0; at_ < stores.size(); ++at_)
        if (stores[at_].name == name) break;
    if (at_ == stores.size()) throw ArchiveError(std::string("store ") + name + " is missing");
    const uint32_t version = stores[at_].version;
    if (version == 0 || version > newest) fail("", "has a version that this program does not read");
    return version;
}

inline ArchiveColumn& Archive::add(const char* name, char kind, unsigned width, uint64_t rows) {
    auto& columns = stores[at_].columns;
    columns.emplace_back();
    ArchiveColumn& one = columns.back();
    one.name = name;
    one.kind = kind;
    one.width = one.stored = static_cast<uint8_t>(width);
    one.rows = rows;
    return one;
}

inline const ArchiveColumn& Archive::column(const char* name, char kind, unsigned width) {
    const ArchiveColumn* found = stores[at_].find(name);
    if (found == nullptr) fail(name, "is missing");
    if (found->kind != kind || found->width != width || found->axes != 1) fail(name, "is of another kind");
    return *found;
}

template <class T> void Archive::write(const char* name, const char* first, size_t stride, size_t count) {
    unsigned stored = 1;
    T value;
    for (size_t i = 0; i < count && stored < sizeof(T); ++i) {
        std::memcpy(&value, first + i * stride, sizeof(T));
        if (const unsigned width = archive_width(value); width > stored) stored = width;
    }
    ArchiveColumn& out = add(name, kind<T>(), sizeof(T), count);
    out.stored = static_cast<uint8_t>(stored);
    out.own.resize(out.size());
    for (size_t i = 0; i < count; ++i) std::memcpy(&out.own[i * stored], first + i * stride, stored);
}

template <class T> void Archive::read(const ArchiveColumn& from, char* first, size_t stride) const {
    for (size_t i = 0; i < from.rows; ++i) {
        const T value = static_cast<T>(from.raw(i));
        std::memcpy(first + i * stride, &value, sizeof(T));
    }
}

template <class R, class T>
void Archive::update(const char* name, std::vector<R>& records, const R& sample, const T& part) {
    const ptrdiff_t offset = reinterpret_cast<const char*>(&part) - reinterpret_cast<const char*>(&sample);
    if (offset < 0 || offset + sizeof(T) > sizeof(R)) fail(name, "is no field");
    char* first = records.empty() ? nullptr : reinterpret_cast<char*>(records.data()) + offset;
    if (!reading_) {
        write<T>(name, first, sizeof(R), records.size());
        return;
    }
    const ArchiveColumn& from = column(name, kind<T>(), sizeof(T));
    if (from.rows != records.size()) fail(name, "has another length");
    read<T>(from, first, sizeof(R));
}

template <class R, class T>
void Archive::field(const char* name, std::vector<R>& records, const R& sample, const T& part) {
    if (reading_ && table_ != &records) {
        records.clear();
        records.resize(column(name, kind<T>(), sizeof(T)).rows);
        table_ = &records;
    }
    update(name, records, sample, part);
}

template <class T> void Archive::numbers(const char* name, std::vector<T>& values) {
    if (reading_) values.resize(column(name, kind<T>(), sizeof(T)).rows);
    const T sample{};
    update(name, values, sample, sample);
}

inline void Archive::words(const char* name, std::vector<uint64_t>& values) {
    if (!reading_) {
        ArchiveColumn& out = add(name, 'w', 8, values.size());
        if (!values.empty()) out.own.assign(reinterpret_cast<const char*>(values.data()), out.size());
        return;
    }
    const ArchiveColumn& from = column(name, 'w', 8);
    values.resize(from.rows);
    if (from.rows) std::memcpy(values.data(), from.begin(), from.size());
}

inline void Archive::wides(const char* name, std::vector<__int128>& values) {
    std::vector<int64_t> high;
    std::vector<uint64_t> low;
    for (size_t i = 0; !reading_ && i < values.size(); ++i) {
        high.push_back(static_cast<int64_t>(values[i] >> 64));
        low.push_back(static_cast<uint64_t>(values[i]));
    }
    numbers((std::string(name) + " high").c_str(), high);
    numbers((std::string(name) + " low").c_str(), low);
    if (!reading_) return;
    if (high.size() != low.size()) fail(name, "has halves of different lengths");
    values.resize(high.size());
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<__int128>(static_cast<unsigned __int128>(high[i]) << 64 | low[i]);
}

inline void Archive::doubles(const char* name, std::vector<double>& values) {
    std::vector<uint64_t> bits(reading_ ? 0 : values.size());
    if (!bits.empty()) std::memcpy(bits.data(), values.data(), bits.size() * sizeof(double));
    numbers(name, bits);
    values.resize(bits.size());
    if (!bits.empty()) std::memcpy(values.data(), bits.data(), bits.size() * sizeof(double));
}

template <class T> void Archive::number(const char* name, T& value) {
    if (!reading_) {
        write<T>(name, reinterpret_cast<const char*>(&value), sizeof(T), 1);
        return;
    }
    const ArchiveColumn& from = column(name, kind<T>(), sizeof(T));
    if (from.rows != 1) fail(name, "is not one number");
    value = static_cast<T>(from.raw(0));
}

}  // namespace spaseq
