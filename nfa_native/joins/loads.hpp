// What load shedding keeps beside the kernel's state: how many partial matches each cell has, and what they are worth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/allowance.hpp"
#include "nfa_native/core/utility.hpp"
#include "nfa_native/joins/program.hpp"

namespace spaseq::joins {

using shedding::AGES;
using shedding::Allowance;
using shedding::ClassUtility;
using shedding::Outcome;
using shedding::Probing;
using shedding::StateUtility;

// About how many partial matches a cell has, by when they began: window / AGES is an age.  A view counts as one.
struct CellLoad {
    std::array<double, AGES> counts{};     // of age number n at n % AGES
    int64_t newest = 0;                    // number of the age of the last ones
    uint32_t serial = 0;                   // the cell's: it tells this use of it from earlier ones
};

// Of a state.
struct StateLoads {
    StateUtility utility;
    std::vector<std::vector<MarginTerm>> margins;  // what makes classes, two at most
    std::vector<CellLoad> loads;           // by cell
    std::vector<word_t> sample;            // the row of a set that entered: events are asked whether they have its key
    uint64_t unworthy = 0;                 // sets that were dropped, for they would bring too little for their work
    uint64_t cut = 0;                      // and for their event had taken too much
    uint64_t hopeless = 0;                 // cells that were dropped
};

// A cell that is looked at by an event that learns.
struct CellLook {
    uint32_t cell;
    uint32_t bucket;
    uint32_t age;
    Outcome outcome;
};

// A cell that leaves when the tick closes.
struct HopelessCell {
    uint32_t state;
    uint32_t cell;
    uint32_t serial;
};

// What cells came to that values let pass.
struct Passing {
    double cells = 0;
    Outcome sum;
};

// What matches came from lately, each event counts less than the next.
struct Yields {
    double starts = 0;                     // first steps
    double found = 0;                      // matches
    double worked = 0;                     // units of work
    uint64_t results = 0;                  // that are accounted for
};

// By what partial matches are told apart: values and age, age alone, nothing; or the age is all that counts.
enum class Telling : uint32_t { VALUES, AGES, STATES, OLDEST };

struct LoadShedding {
    Allowance allowance;
    int64_t position = 0;                  // of the next event that is not accounted for
    double reckless = 0;                   // steps and cells are dropped with this chance, to compare; 0: by worth
    Telling telling = Telling::VALUES;     // what tells worth, to compare

    // What is known, once there is nearly as much work as may be.
    std::vector<StateLoads> states;        // by state; none before
    std::vector<Probing> probing;          // by transition
    Yields yields;
    std::vector<CellLoad> staged;          // of the sets that are staged; fewer than these: the others count as one
    std::vector<HopelessCell> hopeless;
    uint64_t curtailed = 0;                // events of which not all results were put out

    // Of the present event.
    double listed = 0;                     // results
    bool is_curtailed = false;             // further ones were not put out
    bool learns = false;
    double dither = 1;                     // of the level: so that what is alike is dropped in part
    uint64_t judged = 0;                   // steps that were judged
    std::vector<CellLook> looks;           // of the present transition
    size_t look = 0;                       // the one whose cell steps
    Passing passing;                       // where values tell which cells join
    std::vector<uint8_t> dropped;          // of the successors of a cell
};

}  // namespace spaseq::joins
