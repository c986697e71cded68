# Natural numbers of any size up to `MOST_LIMBS` limbs of 64 bits; what is larger is only known to be TOO LARGE, which
# is compatible with sums and products: what is below is exact.

cdef extern from *:
    """
    #include <cstddef>
    #include <cstdint>
    #include <utility>
    #include <vector>

    class Natural {
        // below 2**63 the number itself, else the highest bit and half the address of its limbs, the least one first
        uint64_t bits = 0;
        typedef std::vector<uint64_t> Limbs;
        static constexpr size_t MOST_LIMBS = 220;
        static constexpr uint64_t HIGHEST = 1ULL << 63;

        bool is_small() const { return !(bits & HIGHEST); }
        Limbs* limbs() const { return reinterpret_cast<Limbs*>(static_cast<uintptr_t>(bits << 1)); }
        void hold(Limbs* some) { bits = HIGHEST | reinterpret_cast<uintptr_t>(some) >> 1; }
        void drop() { if (!is_small()) delete limbs(); bits = 0; }
        size_t length() const { return is_small() ? bits != 0 : limbs()->size(); }
        uint64_t at(size_t i) const { return is_small() ? bits : (*limbs())[i]; }
        Limbs& enlarge(size_t size) {
            if (is_small()) { uint64_t value = bits; hold(new Limbs(1, value)); }
            if (limbs()->size() < size) limbs()->resize(size, 0);
            return *limbs();
        }
        void trim() {
            Limbs& own = *limbs();
            while (own.size() > 1 && own.back() == 0) own.pop_back();
            if (own.size() > MOST_LIMBS) own.assign(MOST_LIMBS + 1, ~0ULL);
        }
        static void add_limb(Limbs& own, size_t i, uint64_t value) {
            while (value) {
                bool carries = __builtin_add_overflow(own[i], value, &own[i]);
                value = carries; ++i;
            }
        }
      public:
        Natural() = default;
        Natural(const Natural& other) : bits(other.bits) { if (!is_small()) hold(new Limbs(*other.limbs())); }
        Natural(Natural&& other) noexcept : bits(other.bits) { other.bits = 0; }
        Natural& operator=(Natural other) noexcept { std::swap(bits, other.bits); return *this; }
        ~Natural() { drop(); }

        bool is_zero() const { return bits == 0; }
        bool is_too_large() const { return !is_small() && limbs()->size() > MOST_LIMBS; }
        size_t size() const { return length(); }
        uint64_t limb(size_t i) const { return at(i); }
        void clear() { if (bits) drop(); }
        void set(unsigned __int128 value) {
            drop();
            if (value < HIGHEST) { bits = static_cast<uint64_t>(value); return; }
            uint64_t low = static_cast<uint64_t>(value), high = static_cast<uint64_t>(value >> 64);
            hold(high ? new Limbs{low, high} : new Limbs{low});
        }
        void assign(const uint64_t* from, size_t count) {     // the least limb first
            while (count && from[count - 1] == 0) --count;
            drop();
            if (count == 1 && from[0] < HIGHEST) bits = from[0];
            else if (count) { hold(new Limbs(from, from + count)); trim(); }
        }
        void add(const Natural& other) {
            if (is_small() && other.is_small() && bits + other.bits < HIGHEST) { bits += other.bits; return; }
            if (other.is_zero() || is_too_large()) return;
            size_t size = other.length();
            Limbs& own = enlarge((length() > size ? length() : size) + 1);
            for (size_t i = 0; i < size; ++i) add_limb(own, i, other.at(i));
            trim();
        }
        void add_product(const Natural& one, const Natural& other) {     // neither of them is this one
            if (one.is_zero() || other.is_zero() || is_too_large()) return;
            if (one.is_small() && other.is_small()) {
                unsigned __int128 product = static_cast<unsigned __int128>(one.bits) * other.bits;
                if (product < HIGHEST && is_small() && product + bits < HIGHEST) {
                    bits += static_cast<uint64_t>(product);
                    return;
                }
            }
            size_t n = one.length(), m = other.length();
            Limbs& own = enlarge((length() > n + m ? length() : n + m) + 1);
            for (size_t i = 0; i < n; ++i) {
                uint64_t factor = one.at(i), carry = 0;
                for (size_t j = 0; j < m; ++j) {
                    unsigned __int128 sum = static_cast<unsigned __int128>(factor) * other.at(j) + own[i + j] + carry;
                    own[i + j] = static_cast<uint64_t>(sum);
                    carry = static_cast<uint64_t>(sum >> 64);
                }
                add_limb(own, i + m, carry);
            }
            trim();
        }
    };
    """
    cppclass Natural:
        bint is_zero() nogil
        bint is_too_large() nogil
        size_t size() nogil
        uint64_t limb(size_t) nogil
        void clear() nogil
        void set(unsigned_wide) nogil
        void assign(const uint64_t*, size_t) nogil
        void add(const Natural&) nogil
        void add_product(const Natural&, const Natural&) nogil


cdef object python_integer(Natural* number):
    """The number; None: it is too large."""
    cdef size_t i = number.size()
    if number.is_too_large():
        return None
    value = 0
    while i:
        i -= 1
        value = value << 64 | number.limb(i)
    return value
