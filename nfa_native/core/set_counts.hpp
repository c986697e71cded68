// How many members compact sets have: for each set the numbers of those that began at some position or later, so that a
// window that moves on asks again without looking at members.
//
// Positions are 32 bits and may wrap.  Numbers are exact up to 2^128 - 1 and stay there beyond (TOO_MANY).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spaseq::set_counts {

typedef unsigned __int128 Count;
constexpr Count TOO_MANY = ~Count(0);
constexpr size_t MOST_HELD = 1 << 21; // steps that are remembered before all are forgotten

inline Count product(Count left, Count right) {
    return left == 0 || right <= TOO_MANY / left ? left * right : TOO_MANY;
}
inline Count sum(Count left, Count right) { return left > TOO_MANY - right ? TOO_MANY : left + right; }
inline bool is_before(uint32_t one, uint32_t other) noexcept { return static_cast<int32_t>(one - other) < 0; }

// So many members began at `start` or later, more than at the next step.
struct Step {
    Count count;
    uint32_t start;
};

// What a node of the ring says: as long as it is the same, so is its set, but for members that are too old.
struct Content {
    uint32_t number, pos, label, next, sibling;
    bool operator==(const Content& other) const {
        return number == other.number && pos == other.pos && label == other.label && next == other.next &&
               sibling == other.sibling;
    }
};

// A set's numbers, by rising start.
class Profile {
public:
    Content content{};  // number 0: of no node
    uint32_t since = 0; // members that began before were left out
    std::vector<Step> steps;

    // Where members begin that began at `lo` or later.
    const Step* from(uint32_t lo) const {
        return std::lower_bound(steps.data(), end(), lo, [](const Step& step, uint32_t start) {
            return is_before(step.start, start);
        });
    }
    const Step* end() const { return steps.data() + steps.size(); }
};

// Members of a set that is being made, or of all that is counted now.
class Gathering {
public:
    void begin() noexcept { members_.clear(); }
    void gather(uint32_t start) { members_.push_back(Step{1, start}); }
    void gather_many(uint32_t start, Count count) { members_.push_back(Step{count, start}); }
    void gather_all(const Profile& profile, uint32_t lo) {
        for (const Step* step = profile.from(lo); step != profile.end(); ++step) {
            const Count rest = step + 1 == profile.end() ? 0 : step[1].count;
            members_.push_back(Step{step->count == TOO_MANY ? TOO_MANY : step->count - rest, step->start});
        }
    }
    size_t size() const noexcept { return members_.size(); }
    // So many began at each start, in any order.
    const std::vector<Step>& members() const noexcept { return members_; }
    void sum_up(std::vector<Step>& out) {
        std::sort(members_.begin(), members_.end(), [](const Step& one, const Step& other) {
            return is_before(one.start, other.start);
        });
        out.clear();
        Count count = 0;
        for (size_t i = members_.size(); i-- > 0;) {
            count = sum(count, members_[i].count);
            if (i == 0 || members_[i - 1].start != members_[i].start) out.push_back(Step{count, members_[i].start});
        }
        std::reverse(out.begin(), out.end());
        out.shrink_to_fit();
    }

private:
    std::vector<Step> members_;
};

// The profiles of nodes, by the place of their number in the ring.
class Memory {
public:
    // Be ready for a ring of so many nodes.
    void fit(size_t nodes) {
        if (profiles_.size() == nodes && held_ < MOST_HELD) return;
        profiles_.clear();
        profiles_.resize(nodes);
        held_ = 0;
    }
    const Profile* find(const Content& content, uint32_t lo) const {
        const Profile& one = profiles_[content.number & (profiles_.size() - 1)];
        return one.content == content && !is_before(lo, one.since) ? &one : nullptr;
    }
    void put(const Content& content, uint32_t lo, Gathering& members) {
        Profile& one = profiles_[content.number & (profiles_.size() - 1)];
        held_ -= one.steps.size();
        one.content = content;
        one.since = lo;
        members.sum_up(one.steps);
        held_ += one.steps.size();
    }

private:
    std::vector<Profile> profiles_;
    size_t held_ = 0;
};

// A sum over sets: how many members there are, and where the first of them began.
class Tally {
public:
    Count count = 0;
    uint32_t first = 0;

    void begin() noexcept { count = 0; }
    void add(uint32_t start, Count number) noexcept {
        if (count == 0 || is_before(start, first)) first = start;
        count = sum(count, number);
    }
    void add_all(const Profile& profile, uint32_t lo) noexcept {
        const Step* step = profile.from(lo);
        if (step != profile.end()) add(step->start, step->count);
    }
    bool is_too_many() const noexcept { return count == TOO_MANY; }
    uint64_t high() const noexcept { return static_cast<uint64_t>(count >> 64); }
    uint64_t low() const noexcept { return static_cast<uint64_t>(count); }
};

}  // namespace spaseq::set_counts
