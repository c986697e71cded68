// Natural numbers of any size up to `MOST_LIMBS` limbs of 64 bits; what is larger is only known to be TOO LARGE, which
// is compatible with sums and products: what is below is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace spaseq::semirings {

class Natural {
    // The limbs of a number that was large once, the least one first; it keeps them until it ends.
    struct Limbs { uint32_t count, room; uint64_t at[1]; };
    struct View { const uint64_t* at; size_t count; };

    // below 2**63 the number itself, else the highest bit and half the address of its limbs
    uint64_t bits = 0;
    static constexpr size_t MOST_LIMBS = 220;
    static constexpr uint64_t HIGHEST = 1ULL << 63;

    bool is_small() const noexcept { return !(bits & HIGHEST); }
    Limbs* limbs() const noexcept { return reinterpret_cast<Limbs*>(static_cast<uintptr_t>(bits << 1)); }
    View view() const noexcept {
        if (is_small()) return {&bits, bits != 0};
        return {limbs()->at, limbs()->count};
    }
    // Room for so many limbs; those that there are stay.
    Limbs& reserve(size_t room) {
        if (!is_small() && limbs()->room >= room) return *limbs();
        room = (room + 3) & ~size_t(3);
        Limbs* old = is_small() ? nullptr : limbs();
        Limbs* own = static_cast<Limbs*>(std::realloc(old, offsetof(Limbs, at) + room * sizeof(uint64_t)));
        if (own == nullptr) throw std::bad_alloc();
        if (old == nullptr) { own->count = bits != 0; own->at[0] = bits; }
        own->room = static_cast<uint32_t>(room);
        bits = HIGHEST | reinterpret_cast<uintptr_t>(own) >> 1;
        return *own;
    }
    // It has at most so many limbs.
    static void settle(Limbs& own, size_t count) noexcept {
        while (count && own.at[count - 1] == 0) --count;
        if (count > MOST_LIMBS) std::memset(own.at, 0xFF, (count = MOST_LIMBS + 1) * sizeof(uint64_t));
        own.count = static_cast<uint32_t>(count);
    }
    // The sum of a limb, a carry and another limb; what does not fit is the new carry.
    static uint64_t add_limb(uint64_t one, uint64_t other, uint64_t& carry) noexcept {
        uint64_t sum;
        const bool first = __builtin_add_overflow(one, other, &sum);
        carry = __builtin_add_overflow(sum, carry, &sum) | first;
        return sum;
    }
    void add_view(View other) {
        size_t count = view().count, i = 0;
        uint64_t carry = 0;
        Limbs& own = reserve((count > other.count ? count : other.count) + 1);
        for (const size_t both = count < other.count ? count : other.count; i < both; ++i)
            own.at[i] = add_limb(own.at[i], other.at[i], carry);
        for (; i < other.count; ++i) own.at[i] = add_limb(0, other.at[i], carry);
        for (; carry && i < count; ++i) own.at[i] = add_limb(own.at[i], 0, carry);
        if (i > count) count = i;
        if (carry) own.at[count++] = carry;
        settle(own, count);
    }
    void add_product(View one, View other) {
        const size_t product = one.count + other.count, before = view().count;
        const size_t count = (before > product ? before : product) + 1;
        Limbs& own = reserve(count);
        for (size_t i = before; i < count; ++i) own.at[i] = 0;
        for (size_t i = 0; i < one.count; ++i) {
            const uint64_t factor = one.at[i];
            uint64_t carry = 0;
            size_t k = i;
            for (size_t j = 0; j < other.count; ++j, ++k) {
                const unsigned __int128 sum = static_cast<unsigned __int128>(factor) * other.at[j] + own.at[k] + carry;
                own.at[k] = static_cast<uint64_t>(sum);
                carry = static_cast<uint64_t>(sum >> 64);
            }
            for (; carry; ++k) own.at[k] = add_limb(own.at[k], 0, carry);
        }
        settle(own, count);
    }
  public:
    Natural() = default;
    Natural(const Natural& other) { assign(other.view().at, other.view().count); }
    Natural(Natural&& other) noexcept : bits(other.bits) { other.bits = 0; }
    Natural& operator=(const Natural& other) {
        if (is_small() && other.is_small()) bits = other.bits;
        else if (this != &other) assign(other.view().at, other.view().count);
        return *this;
    }
    Natural& operator=(Natural&& other) noexcept { std::swap(bits, other.bits); return *this; }
    ~Natural() { if (!is_small()) std::free(limbs()); }

    bool is_zero() const noexcept { return is_small() ? bits == 0 : limbs()->count == 0; }
    bool is_too_large() const noexcept { return !is_small() && limbs()->count > MOST_LIMBS; }
    size_t size() const noexcept { return view().count; }
    uint64_t limb(size_t i) const noexcept { return view().at[i]; }
    void clear() noexcept { if (is_small()) bits = 0; else limbs()->count = 0; }
    void assign(const uint64_t* from, size_t count) {     // the least limb first; none of its own
        while (count && from[count - 1] == 0) --count;
        if (is_small() && (count == 0 || (count == 1 && from[0] < HIGHEST))) { bits = count ? from[0] : 0; return; }
        Limbs& own = reserve(count);
        if (count) std::memcpy(own.at, from, count * sizeof(uint64_t));
        settle(own, count);
    }
    void set(unsigned __int128 value) {
        const uint64_t halves[2] = {static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64)};
        assign(halves, 2);
    }
    void add(const Natural& other) {
        if (is_small() && other.is_small() && bits + other.bits < HIGHEST) bits += other.bits;
        else if (!other.is_zero() && !is_too_large()) add_view(other.view());
    }
    void add_product(const Natural& one, const Natural& other) {     // neither of them is this one
        if (one.is_zero() || other.is_zero()) return;
        if (other.is_one()) return add(one);
        if (one.is_one()) return add(other);
        if (is_too_large()) return;
        if (one.is_small() && other.is_small() && is_small()) {
            const unsigned __int128 sum = static_cast<unsigned __int128>(one.bits) * other.bits + bits;
            if (sum < HIGHEST) { bits = static_cast<uint64_t>(sum); return; }
        }
        add_product(one.view(), other.view());
    }
    bool is_one() const noexcept { return bits == 1; }
};

}  // namespace spaseq::semirings
