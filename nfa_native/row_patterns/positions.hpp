// Row patterns as positions, each of which takes a row and has followers in the order of preference.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spaseq::row_patterns {

constexpr int32_t ACCEPT = -1;     // what follows is the end of the match
constexpr int32_t NOWHERE = -2;    // nothing follows

// What may come next: a position, or ACCEPT.
struct Follower {
    int32_t position;
    bool at_end;          // only behind the last row of a partition; of ACCEPT alone
};

// Nodes are the positions, then where a match begins: with any row, and with the first of a partition.
struct Positions {
    uint32_t count = 0;                  // of positions
    size_t words = 0;                    // of 64 bits that a set of positions takes
    std::vector<uint32_t> begins;        // by node: its first follower; one more at the end
    std::vector<Follower> followers;
    std::vector<uint64_t> behind;        // by position: the set of the positions that may follow, `words` each
    std::vector<uint8_t> accepts;        // by position: a match may end behind its row: 1 only at the end of the partition, 2 anywhere

    uint32_t first_node(bool starts_partition) const noexcept { return count + starts_partition; }

    // Followers are there: what is asked of them all at once.  std::bad_alloc.
    void complete() {
        assert(begins.size() == count + 3);
        words = count == 0 ? 1 : (static_cast<size_t>(count) + 63) / 64;
        behind.assign(count * words, 0);
        accepts.assign(count, 0);
        for (uint32_t position = 0; position < count; ++position)
            for (uint32_t at = begins[position]; at < begins[position + 1]; ++at) {
                const Follower& follower = followers[at];
                if (follower.position == ACCEPT) accepts[position] |= follower.at_end ? 1 : 2;
                else behind[position * words + follower.position / 64] |= uint64_t(1) << (follower.position % 64);
            }
    }
};

}  // namespace spaseq::row_patterns
