// Load shedding, what partial matches are worth: how many matches one is expected to come to, and how much work until
// then.  A class of partial matches is a state, a bucket of values and an age.  Of each class it is learned what a look
// at a cell of it brings, and costs; what the looks to come bring and cost follows from that and from the class of the
// next age (temporal differences).  Classes are few: they must be known soon.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spaseq::shedding {

constexpr uint32_t BUCKETS = 49;           // of one value; of two values seven each
constexpr uint32_t BUCKETS_OF_TWO = 7;
constexpr uint32_t AGES = 4;               // of a window
constexpr double FEW_LOOKS = 3;            // what was looked at less often is hardly known
constexpr double MANY_LOOKS = 30;          // tell whether a class is hopeless
constexpr double FORGETTING = 1 - 1.0 / 512;  // of looks, from one event that learns to the next
constexpr double FASTEST = 0.01;           // how much one look counts in an average, once there are many
constexpr double SLOWEST = 1.0 / 512;      // the same of what every event tells
constexpr double FADING_SUM = 0.999;       // of sums, from one event to the next
constexpr double LOOKS_FOR_EVER = 64;      // where no window ends what waits, so many looks are taken into account
constexpr double MOST_LOOKS = 1e6;
constexpr size_t RECENT = 512;             // values that quantiles are made of
constexpr uint64_t FIRST_EDGES = 64;       // values after which there are some
constexpr uint64_t FINE_EDGES = 1024;      // values after which they are no longer coarse
constexpr uint64_t RARER_EDGES = 8;        // edges are made anew after so many times more values
constexpr double MOST_EXPECTED = 1e12;
constexpr double MORE_THAN_MEAN = 1000;    // times what a beginning has come to, on an average, at most
// What makes more than one of its like would be worth whatever it was once thought to be worth: so much is counted.
constexpr double MOST_GROWTH = 0.7;

inline double rate_of(double count, double least) noexcept { return std::max(least, 1 / count); }

// ── buckets of values ──

// The last values, a ring.
struct LastValues {
    std::vector<double> values;
    uint64_t seen = 0;

    void note(double value) {
        if (values.size() < RECENT) values.push_back(value);
        else values[seen % RECENT] = value;
        ++seen;
    }
};

// Where values are told apart: half of the edges are quantiles of what entered lately, half of what was of use.
struct Quantiles {
    uint32_t parts = 1;
    LastValues entered;
    LastValues useful;
    std::vector<double> edges;             // ascending: what is less than edge i is in bucket i at most
    uint64_t due = FIRST_EDGES;            // values after which edges are made anew

    uint32_t bucket(double value) const noexcept {
        return uint32_t(std::upper_bound(edges.begin(), edges.end(), value) - edges.begin());
    }

    // Half way between its edges; at the ends an edge.
    double middle(uint32_t bucket) const noexcept {
        if (edges.empty()) return 0;
        double low = bucket > 0 ? edges[bucket - 1] : edges.front();
        double high = bucket < edges.size() ? edges[bucket] : edges.back();
        return low + (high - low) / 2;
    }
};

inline void add_quantiles(const LastValues& of, uint32_t count, std::vector<double>* edges) {
    std::vector<double> sorted = of.values;
    std::sort(sorted.begin(), sorted.end());
    for (uint32_t i = 1; i <= count; ++i) edges->push_back(sorted[i * sorted.size() / (count + 1)]);
}

inline std::vector<double> quantile_edges(const Quantiles& of) {
    std::vector<double> edges;
    add_quantiles(of.entered, of.parts / 2, &edges);
    add_quantiles(of.useful.values.empty() ? of.entered : of.useful, of.parts / 2, &edges);
    std::sort(edges.begin(), edges.end());
    return edges;
}

// Note a value; whether it is time for new edges.
inline bool note_value(Quantiles* of, double value) {
    of->entered.note(value);
    if (of->entered.seen < of->due) return false;
    of->due *= RARER_EDGES;
    return true;
}

// The value of what brought something.
inline void note_useful(Quantiles* of, double value) { of->useful.note(value); }

// For each new bucket the old one that has its middle.
inline std::vector<uint32_t> old_buckets(const Quantiles& of, const std::vector<double>& edges) {
    Quantiles renewed;
    std::vector<uint32_t> old;
    renewed.edges = edges;
    for (uint32_t i = 0; i < of.parts; ++i) old.push_back(of.bucket(renewed.middle(i)));
    return old;
}

// ── classes ──

// Of a class: averages of a look at a cell of it, and what follows from them.
struct ClassUtility {
    double looks = 0;
    double yield = 0;                      // matches that a partial match came to, or is expected to come to
    double work = 0;                       // units, of this look and of what it made
    double leaving = 0;                    // how many of the cells step, and leave
    double again = 0;                      // successors in the same state
    double utility = 0;                    // matches of all looks to come
    double cost = 0;                       // units of all looks to come
};

// Of all classes of a state, C each.
template <class C> struct Classes {
    std::vector<C> classes = std::vector<C>((BUCKETS + 1) * AGES);  // the last bucket is of all
    std::array<Quantiles, 2> values;

    C& at(uint32_t bucket, uint32_t age) noexcept { return classes[bucket * AGES + age]; }
    const C& at(uint32_t bucket, uint32_t age) const noexcept { return classes[bucket * AGES + age]; }

    // What is known of a class, or else of all of the age.
    const C& known(uint32_t bucket, uint32_t age) const noexcept {
        return at(at(bucket, age).looks < FEW_LOOKS ? BUCKETS : bucket, age);
    }

    uint32_t buckets() const noexcept { return values[0].parts * values[1].parts; }

    uint32_t bucket(double first, double second) const noexcept {
        return values[0].bucket(first) * values[1].parts + values[1].bucket(second);
    }

    // The middle of what a bucket has of one of the two values.
    double middle(uint32_t bucket, size_t which) const noexcept {
        return values[which].middle(which == 0 ? bucket / values[1].parts : bucket % values[1].parts);
    }
};

struct StateUtility : Classes<ClassUtility> {
    double most_utility = MOST_EXPECTED;
    double most_cost = MOST_EXPECTED;
};

// Partial matches of the state have so many values.
template <class C> void begin_values(Classes<C>* s, size_t count) noexcept {
    s->values[0].parts = count == 0 ? 1 : count == 1 ? BUCKETS : BUCKETS_OF_TWO;
    s->values[1].parts = count > 1 ? BUCKETS_OF_TWO : 1;
}

// Move what is known to where the new edges of one value have it.  The first edges are too coarse for that: what is of
// use and what is not lie in one bucket, and what has its successors in itself would hardly learn that it is useless.
template <class C> void renew_edges(Classes<C>* s, size_t which) {
    std::vector<double> edges = quantile_edges(s->values[which]);
    std::vector<uint32_t> old = old_buckets(s->values[which], edges);
    std::vector<C> known = s->classes;
    bool coarse = s->values[which].entered.seen < FINE_EDGES;
    for (uint32_t bucket = 0; bucket < s->buckets(); ++bucket) {
        uint32_t i = bucket / s->values[1].parts, j = bucket % s->values[1].parts;
        uint32_t from = which == 0 ? old[i] * s->values[1].parts + j : i * s->values[1].parts + old[j];
        for (uint32_t age = 0; age < AGES; ++age) s->at(bucket, age) = coarse ? C{} : known[from * AGES + age];
    }
    s->values[which].edges = edges;
}

// Values of a set that enters.
inline void note_values(StateUtility* s, double first, double second) {
    if (s->values[0].parts > 1 && note_value(&s->values[0], first)) renew_edges(s, 0);
    if (s->values[1].parts > 1 && note_value(&s->values[1], second)) renew_edges(s, 1);
}

// What has not been looked at for long is hardly known any more.
inline void forget_looks(StateUtility* s) noexcept {
    for (ClassUtility& c : s->classes) c.looks *= FORGETTING;
}

// Beginnings have come to so many matches, and so much work, on an average.
inline void bound_expectations(StateUtility* s, double matches, double work) noexcept {
    s->most_utility = MORE_THAN_MEAN * matches;
    s->most_cost = MORE_THAN_MEAN * work;
}

// ── how often cells are looked at ──

// Events that try a transition: how often they come, and which part of them has the key of what waits.
struct Probing {
    double apart = 0;                      // from one to the next, in ages
    double share = 0;
    double events = 0;
    double compared = 0;
    double latest = 0;                     // when the last one came, in ages
};

inline void note_event(Probing* p, double time) noexcept {
    if (p->events > 0) p->apart += rate_of(p->events, SLOWEST) * (time - p->latest - p->apart);
    p->events = std::min(MOST_LOOKS, p->events + 1);
    p->latest = time;
}

// One has the key of something that waits, or has not.
inline void note_key(Probing* p, bool equal) noexcept {
    p->compared = std::min(MOST_LOOKS, p->compared + 1);
    p->share += rate_of(p->compared, SLOWEST) * (double(equal) - p->share);
}

// How often the transition looks at a cell in an age.
inline double looks_an_age(const Probing& p) noexcept {
    return p.apart > 1 / MOST_LOOKS ? p.share / p.apart : p.share * MOST_LOOKS;
}

// ── what looks teach ──

// What a look at a cell came to.
struct Outcome {
    double yield = 0;                      // matches of each of its partial matches,
    double work = 0;                       // and units: of successors in other states, and of what ends
    double again = 0;                      // successors in its own state,
    double yield_again = 0;                // what they yield,
    double work_again = 0;                 // and their work
    bool left = false;                     // it stepped, and leaves
};

inline void add_outcome(Outcome* sum, const Outcome& more) noexcept {
    sum->yield += more.yield;
    sum->work += more.work;
    sum->again += more.again;
    sum->yield_again += more.yield_again;
    sum->work_again += more.work_again;
    sum->left = sum->left || more.left;
}

// The mean of what so many cells came to.
inline Outcome part_of(const Outcome& sum, double cells) noexcept {
    double part = cells > 0 ? 1 / cells : 0;
    return {
        sum.yield * part, sum.work * part, sum.again * part, sum.yield_again * part, sum.work_again * part, sum.left
    };
}

// What a class is expected to come to, which is looked at so often in an age; `older`: it when it is older.
inline void expect(const StateUtility& s, ClassUtility* c, double looks, const ClassUtility& older) noexcept {
    double times = looks / (1 + looks * c->leaving), stays = 1 / (1 + looks * c->leaving);
    c->utility = std::min(s.most_utility, times * c->yield + stays * older.utility);
    c->cost = std::min(s.most_cost, times * c->work + stays * older.cost);
}

inline void learn_of(StateUtility* s, uint32_t bucket, uint32_t age, const Outcome& outcome, double looks) noexcept {
    ClassUtility* c = &s->at(bucket, age);
    c->looks = std::min(MOST_LOOKS, c->looks + 1);
    double rate = rate_of(c->looks, FASTEST);
    c->leaving += rate * (double(outcome.left) - c->leaving);
    c->again += rate * (outcome.again - c->again);
    double growth = looks / (1 + looks * c->leaving) * c->again, part = std::min(1.0, MOST_GROWTH / (growth + 1e-9));
    c->yield += rate * (outcome.yield + part * outcome.yield_again - c->yield);
    c->work += rate * (outcome.work + part * outcome.work_again - c->work);
    expect(*s, c, looks, age + 1 < AGES ? s->at(bucket, age + 1) : ClassUtility{});
}

// Learn from a look at a cell of a class, which is looked at so often in an age.
inline void learn(StateUtility* s, uint32_t bucket, uint32_t age, const Outcome& outcome, double looks) noexcept {
    learn_of(s, bucket, age, outcome, looks);
    learn_of(s, BUCKETS, age, outcome, looks);
}

}  // namespace spaseq::shedding
