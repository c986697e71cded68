// Load shedding, how much work there may be: so many units an event on an average, with a store of unused work.  Each
// step that is offered brings matches for its work, more or less; a histogram knows how much work was offered lately at
// each ratio, and the *level* is where it is cut: what lies above it is as much as may be done.  A cap for each event
// would be simpler, but cuts rare events that need much at once, and what others leave over is lost: on an equal amount
// of work it found a third of the matches.
//
// All of it is plain arithmetic on what came before: the same events give the same levels, however they are cut.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace spaseq::shedding {

constexpr double AT_ONCE = 64;             // times the rate: what an event may take, however worthy it is, if nobody says
constexpr double OWED = 4;                 // times what an event may take: so much debt is kept at most
constexpr double REPAYING = 1024;          // events within which debt is paid back
constexpr double LEAST_ROOM = 0.02;        // of the rate: so much is left for steps that may be dropped
constexpr double MOST_ROOM = 1;
constexpr double MOST_ROOM_OF_SHORT = 4;   // where steps are held to cost more than they do
constexpr double DEBT_ROOM = 3;            // how much room full debt takes: three parts of four
constexpr double GAIN = 0.005;              // how much room changes from one level to the next
constexpr double LATELY = 1.0 / 256;       // how much the last event counts in averages
constexpr double NEAR = 4;                 // times what is done lately: more than the rate
constexpr uint32_t BETWEEN_CUTS = 16;      // events from one level to the next
constexpr double FADING = 0.985;           // of what was offered, from one level to the next
constexpr int RATIOS = 128;                // buckets of ratios, two for each power of two
constexpr int LEAST_POWER = -40;           // of two: the ratios of the first bucket are less
constexpr double BEST_RATIO = 1 << 23;     // of what is hardly known: that of the last bucket
constexpr uint64_t SPREADING = 0x9E3779B97F4A7C15;  // odd, and its multiples lie everywhere
constexpr double STEP_WORK = 8;            // units of a step
constexpr double LEAST_RESULTS = 8;        // so many an event may always have
constexpr int DITHER = 4;                  // powers of two over which the level is spread, from event to event
constexpr uint64_t LEARNING = 8;           // one of so many events learns

struct Allowance {
    double rate = 0;                       // units an event
    double most = 0;                       // units that one event may take; so many unused ones are kept
    double level = 0;                      // matches that a unit of work must be expected to bring; 0: any work is done
    double debt = 0;                       // units that were too many; of unused ones it is less than 0
    double spent = 0;                      // units of the present event
    double recent = 0;                     // units an event lately
    double room = 1;                       // times the rate: work for steps that may be dropped
    double roomiest = MOST_ROOM;           // as long as work is short; else there is none but for what may be done
    double done = 0;                       // units of all events
    uint64_t events = 0;
    uint64_t over = 0;                     // events that took more than the rate
    std::array<double, RATIOS> offered{};  // work of steps that were offered lately, by ratio

    bool is_short() const noexcept { return level > 0; }
    bool is_spent() const noexcept { return spent > most; }
};

// A number of 32 bits that follows from an event and how much of it was judged: the same however the input is cut.
inline uint64_t chance_of(uint64_t position, uint64_t judged) noexcept {
    uint64_t mixed = (position * SPREADING) ^ (judged * SPREADING);
    return (mixed ^ mixed >> 31) * SPREADING >> 32;
}

// By what the level is multiplied for an event whose number is mixed so.
inline double dither_of(uint64_t mixed) noexcept {
    double place = double(mixed >> 12) / double(uint64_t(1) << 52) * DITHER;  // between 0 and DITHER
    return std::ldexp(1 + (place - std::floor(place)), int(place) - DITHER / 2);
}

inline bool is_lesson(uint64_t mixed) noexcept { return (mixed >> 40) % LEARNING == 0; }

// Another rate, and what an event may take; before the first event the store is full.
inline void begin_allowance(Allowance* a, double rate, double most) noexcept {
    a->rate = rate;
    a->most = most;
    a->debt = a->events == 0 ? -most : std::clamp(a->debt, -most, OWED * most);
}

// So much is done that it may soon be more than may be.
inline bool is_near(const Allowance& a) noexcept { return a.debt > 0 || NEAR * a.recent > a.rate; }

inline int bucket_of_ratio(double ratio) noexcept {
    int power;
    if (!(ratio > 0)) return 0;
    bool upper = std::frexp(ratio, &power) >= 0.75;
    return std::clamp(2 * (power - LEAST_POWER) + int(upper), 0, RATIOS - 1);
}

// The least ratio of a bucket.
inline double ratio_of(int bucket) noexcept {
    return bucket == 0 ? 0 : std::ldexp(bucket % 2 ? 0.75 : 0.5, bucket / 2 + LEAST_POWER);
}

// A step was offered that costs so much, and brings so much for each unit.
inline void offer(Allowance* a, double ratio, double work) noexcept { a->offered[size_t(bucket_of_ratio(ratio))] += work; }

// The level above which as much was offered as may be done in an event; 0: all of it may.
inline double level_of(const Allowance& a) noexcept {
    double owed = std::max(0.0, a.debt) / (OWED * a.most);
    double left = a.room / (1 + DEBT_ROOM * owed) * a.rate * BETWEEN_CUTS / (1 - FADING);
    for (int i = RATIOS - 1; i >= 0; --i) {
        double work = a.offered[size_t(i)];
        if (work > left) {
            double above = i + 1 < RATIOS ? ratio_of(i + 1) : 2 * ratio_of(i);
            return std::max(above - (above - ratio_of(i)) * left / work, ratio_of(1));
        }
        left -= work;
    }
    return 0;
}

// The next level: there is more room where less was done than may be, and less where more was.
inline void cut(Allowance* a) noexcept {
    double excess = std::clamp((a->recent + a->debt / REPAYING) / a->rate - 1, -1.0, 1.0);
    a->room = std::clamp(a->room * (1 - GAIN * excess), LEAST_ROOM, a->is_short() ? a->roomiest : MOST_ROOM);
    a->level = level_of(*a);
    for (double& work : a->offered) work *= FADING;
}

// An event is over.
inline void end_event(Allowance* a) noexcept {
    a->debt = std::clamp(a->debt + a->spent - a->rate, -a->most, OWED * a->most);
    a->recent += LATELY * (a->spent - a->recent);
    a->over += a->spent > a->rate;
    a->done += a->spent;
    a->spent = 0;
    if (++a->events % BETWEEN_CUTS == 0) cut(a);
}

// Events passed that nothing looked at.
inline void pass_events(Allowance* a, uint64_t count) noexcept {
    for (uint64_t i = 0; i < count; ++i) end_event(a);
}

}  // namespace spaseq::shedding
