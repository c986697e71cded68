// What is under way where matches have sides (`X && Y`): sets that are about to meet (`junctions.hpp`), and matches that
// are put out side by side (`frames.hpp`, `trace.hpp`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/program.hpp"
#include "nfa_native/terms/encoding.hpp"

namespace spaseq::joins {

constexpr int64_t NO_DEADLINE = 0x7FFFFFFFFFFFFFFF;
constexpr uint32_t NO_STEP = 0xFFFFFFFF;
constexpr uint32_t FRESH = 0xFFFFFFFF;    // no way has been gone through yet

// Where ways of other sides are still to be visited before what lies in front of an `&&`.
struct Frame {
    uint32_t rest;                        // the set of ways of the sides that are left, or 0
    uint32_t before;                      // the oldest set of partial matches that a way went on from, or FRESH
    uint32_t outer;                       // number of the frame of the && around it; 0: there is none
};

// As Visit, of sets with products.
struct FramedVisit {
    uint32_t node;
    uint32_t depth;
    uint32_t frame;                       // number of its frame; 0: it lies in no &&
    uint32_t frames;                      // frames that were there when it was noted
};

// A step of a match with `&&`, or where its sides met: after move i the match is at level i + 1.
struct Move {
    uint32_t step;                        // number of the step, or NO_STEP
    uint32_t junction;
    uint32_t base;                        // the level that a step goes on from, or from which the sides do
    uint32_t ends;                        // of a junction: its sides' last levels are there in `side_levels`
    uint32_t begun;                       // of a junction: number of the first move in it
};

// An `&&` whose sides are being gone through.
struct OpenJunction {
    uint32_t junction;
    uint32_t side;
    uint32_t base;
    uint32_t ends;
    uint32_t begun;
};

// One union of ways, where it is looked at by itself.
struct SingleUnion {
    uint32_t node;
    std::vector<word_t> rows;             // of the whole match so far
    uint32_t count;
};

// For each side of a junction one set that is complete, as far as they are chosen to meet.
struct Unions {
    std::vector<std::vector<uint32_t>> cells;  // of each side, that those which arrive may meet
    std::vector<uint32_t> nodes;          // the sets that are chosen
    std::vector<std::vector<word_t>> rows;  // before each side, and after all, those of the union so far
    std::vector<int64_t> deadlines;       // likewise the first one
    std::vector<word_t> entered;          // rows of the state where they go on
};

// Room for the sides of a junction.
static void begin_junction(Unions* unions, const JunctionSpec& junction) {
    size_t sides = junction.sides.size();
    unions->cells.resize(sides);
    unions->nodes.resize(sides);
    unions->rows.resize(sides + 1);
    unions->rows[0].assign(junction.width, UNBOUND);
    unions->deadlines.assign(sides + 1, NO_DEADLINE);
}

}  // namespace spaseq::joins
