// The state of a recognizer, and what is at work in it.  Node numbers and positions are 32 bits and may wrap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "nfa_native/core/flat_table.hpp"
#include "nfa_native/core/node_ring.hpp"
#include "nfa_native/events/conditions.hpp"
#include "nfa_native/events/frontier.hpp"
#include "nfa_native/events/groups.hpp"
#include "nfa_native/events/lazy_steps.hpp"
#include "nfa_native/events/program.hpp"
#include "nfa_native/events/rules.hpp"
#include "nfa_native/events/shed_state.hpp"
#include "nfa_native/events/table.hpp"

namespace spaseq::events {

using conditions::Choices;
using conditions::Condition;
using conditions::Number;

constexpr uint32_t NO_LIST = 0xFFFFFFFF;
constexpr uint32_t FEW_SLOTS = 64;        // of a table that nothing is in

// instead of a state: a node for the groups of a list that pass a transition; `pos` is its number
constexpr uint32_t VIEW = 0xFFFE;
constexpr uint32_t OF_VIEW = 0x8000;      // with a state: `next` is not a node, but the number of a view

// The groups of `list` up to number `last` that pass a transition with these bounds.
struct ViewRecord {
    int64_t youngest;
    int64_t last;
    uint32_t list;
    uint32_t transition;
    int64_t bounds[VIEW_BOUNDS];
};

// An enumeration within a view: the group under way.
struct ViewVisit {
    uint32_t view;
    uint32_t depth;
    int64_t place;
};

// A position, and the list of those before it (NOT_SET: there are none).
struct Listed {
    int64_t position;
    int64_t start;                        // what windows measure of it
    int64_t before;
};

// A merged group that the event under way adds to.
struct Touched {
    int64_t number;
    uint32_t list;
    bool begins;                          // a match of this one event is in it
};

// What entered a state with the last event that did, for strict contiguity.
struct Recent {
    int64_t local = -2;
    std::vector<int64_t> registers;
    std::vector<int64_t> youngest;
    std::vector<uint32_t> nodes;
};

struct Correlating {
    std::vector<CellSpec> cells;          // by state
    std::vector<TransitionSpec> transitions;
    std::vector<GuardSpec> guards;
    std::vector<QuestionSpec> questions;
    std::vector<int32_t> question_registers;
    std::vector<UpdateSpec> updates;
    std::vector<std::vector<TellingNumber>> telling;  // by state: what tells what its groups are worth
    std::vector<uint8_t> judged;          // by state: its groups are looked at one by one
    std::vector<uint8_t> has_list;        // by register: it has a list of events, which conditions or computations read
    bool has_recents;
    std::vector<const int64_t*> columns;  // of the batch under way
    size_t at;                            // the event under way, in its batch
    int64_t start;                        // what its window measures of it
    // lists
    std::vector<GroupList*> lists;
    std::vector<uint32_t> free_lists;
    std::vector<uint32_t> direct;         // by partition and state: its one list
    FlatTable<Slot> keyed;                // lists by partition, state and key; `number` is the key
    FlatTable<Slot> merged;               // groups by partition, state and registers
    std::vector<uint32_t> epochs;         // by partition: how often it was emptied
    std::vector<Recent> recents;          // by partition and state
    // views
    NodeRing<ViewRecord> views;
    std::vector<ViewVisit> view_visits;
    // lists of events, for questions
    std::vector<Condition> conditions;    // by number; none: the owner answers all
    std::vector<Condition> computations;  // by number; none: nothing is known of what they give
    std::vector<Number> constants;        // of all of them
    std::vector<int64_t> own;             // values of the event under way: its last columns
    std::vector<Listed> listed;
    std::vector<int64_t> remembered;      // of each listed event as many values as `own` has
    Choices choices;
    std::vector<const int64_t*> rows;     // scratch: values of one event of each variable
    int64_t listed_base = 0;
    size_t listed_first = 0;              // those before it are expired
    std::map<int64_t, int64_t> relisted;  // lists that the event under way made longer
    WaitingSteps waiting;
    // scratch
    std::vector<int64_t> bounds;
    std::vector<int64_t> registers;
    std::vector<int64_t> candidates;
    std::vector<uint8_t> answers;
    std::vector<Touched> touched;
    std::vector<size_t> touched_ends;
    uint64_t scanned = 0;                 // groups and zones that were looked at
};

constexpr uint32_t NO_NODE = 0;           // as it is, false
constexpr uint32_t UNION = 0xFFFF;        // instead of a state: a node that unites two others
constexpr uint32_t NO_PARTITION = 0xFFFFFFFF;
constexpr uint32_t NO_ORIGIN = 0xFFFFFFFF;
constexpr uint32_t FEW_NODES = 16;        // that there is room for when an event has taken all of its own
constexpr uint32_t BETWEEN_SIGNALS = 0x10000;  // stages of one event until signals are looked at

// A set of partial matches: those of `next`, each with the event `pos` added, and those of `sibling`.  Of a UNION:
// those of `next` and those of `sibling`.
struct MatchNode {
    int64_t youngest;  // the greatest start in the set; without UNION also that of the part with `pos`
    uint32_t pos;                         // the event picked, lower half of its position
    uint32_t next;                        // NO_NODE: nothing was picked before
    uint32_t sibling;                     // NO_NODE: none
    uint32_t state;                       // where it was picked, or UNION
};

// Those that entered it with one event: all that strict contiguity lets go on.
struct LastEntry {
    int64_t youngest = NEVER;
    int64_t local = -2;                   // position of the event in its substream
    uint32_t node = NO_NODE;
};

// What enters when the event is over.
struct Entering {
    Head set;
    uint32_t entry;
};

// A node to be visited (NO_NODE: the rest of a view), and how many picks come behind it.
struct Visiting {
    uint32_t node;
    uint32_t depth;
};

// Matches of one event that wait to be enumerated.
struct Ending {
    int64_t least;                        // the least start in the event's window
    uint32_t node;
};

// A node of a list, and how many matches the set has that begins with it.
struct CountedNode {
    uint32_t number;
    uint64_t matches;
};

// The best match of the set `set`, by what it picks last, and the start that it has.
struct BestMatch {
    int64_t start = NEVER;
    int64_t event = NEVER;                // for which it was worked out
    uint32_t set = NO_NODE;               // NO_NODE: none
    uint32_t pick = NO_NODE;
    uint32_t before = NO_NODE;  // what the best match with the pick of node `set` itself has picked before it, if any
};

// A marked pick, and the one after it (its number among the candidates), NO_ORIGIN: there is none.
struct Candidate {
    int64_t position;
    uint32_t node;
    uint32_t origin;
};

// Where a match begins, and its first marked pick.
struct Beginning {
    int64_t start;
    uint32_t origin;
};

// Its beginnings and candidates come after those of earlier stages.
struct Stage {
    size_t beginnings;                    // the first one
    size_t candidates;                    // the first one
    size_t group;  // those of the position that is picked are candidates[group] to candidates[group_end - 1]
    size_t group_end;
};

// A stage of MAX.  What is its own comes after that of earlier stages.
struct WideStage {
    int64_t position;                     // what is picked next
    size_t beginnings;                    // the first one, the latest in time
    size_t candidates;                    // the first of those at `position`
    size_t reached;                       // where the frontier of the stage before begins
    size_t wider;                         // where its wider frontier begins
    size_t key;                           // where it begins in `keys`
    bool is_beaten;                       // its beginnings are no results
    bool has_results;                     // they are, or those of stages that came of it
};

// Results.  Where all have one pick of each state, in order, the positions say everything.
struct Found {
    size_t count;
    std::vector<int64_t> starts;
    std::vector<int64_t> ends;
    std::vector<int64_t> offsets;         // of each result's picks
    std::vector<int64_t> positions;
    std::vector<uint16_t> states;
    std::vector<uint32_t> rules;          // of each result, if there are rules
};

// What a snapshot holds.
struct RecognizerState {
    AgingRing<MatchNode> ring;
    uint32_t attention;                   // before the ring's head gets here there is something to do (`make_room`)
    std::vector<Head> heads;              // by partition, if there are rules their own, and state
    std::vector<LastEntry> last;
    std::vector<int64_t> locals;          // events of each partition of the stream so far
    std::vector<uint8_t> is_touched;      // partitions that may have partial matches; only under CONSUME BY ANY
    std::vector<uint32_t> touched;
    std::vector<int64_t> local_numbers;   // position in its substream of every event from `first_number` on
    int64_t first_number;
    int64_t position;                     // of the next event, or of the one under way
};

// What is at work in an event and its enumeration, and the results until they are taken.
struct RecognizerScratch {
    bool is_full = false;                 // there is no room for more nodes
    bool is_stopped = false;              // by a signal
    std::vector<Entering> entering;
    std::vector<Ending> endings;          // of the last event
    std::vector<std::vector<CountedNode>> levels;  // lists of its matches, by state, while these are counted
    size_t ending;                        // the one under way
    bool enumerating = false;
    std::vector<Visiting> visits;
    std::vector<int64_t> path_positions;  // picks of the present match, at the end
    std::vector<uint16_t> path_states;
    size_t path_begin;                    // where its first pick is
    int64_t given;                        // results of the end so far
    int64_t limit;                        // results that it may have; < 0: all
    bool is_capped;                       // they are so many as an event may have where work is bounded
    std::vector<BestMatch> bests;         // by node: as large as the ring
    std::vector<uint32_t> asked;          // sets whose best match is asked for
    std::set<uint64_t> seen;              // nodes, each with how many marked positions are missing
    std::vector<uint32_t> missing;        // by how many picks there are
    std::vector<Stage> stages;            // of `distinct.hpp`
    std::vector<Candidate> candidates;
    std::vector<Beginning> beginnings;
    std::vector<uint64_t> stamps;         // by node: the stage that met it last
    uint64_t stamp = 0;                   // that of the present stage
    std::vector<WideStage> wide_stages;   // of `maximal.hpp`
    Frontiers reached;                    // of each stage: sets that the picks so far go on from
    Frontiers wider;                      // of each stage: sets that these and more go on from
    std::vector<uint32_t> same;           // nodes of wider matches that pick the same position
    std::vector<uint32_t> keys;           // by what nodes each stage is known
    std::set<std::vector<uint32_t>> dead;  // those of stages without results
    bool counts = false;                  // results are counted, and not written
    uint64_t counted = 0;                 // until they are taken
    Found found;
    Table* table;                         // has the results where there are rows
};

struct Recognition;

// What Python is asked for.
struct Owner {
    // The answers that conditions leave undecided, into `answers`; an error stops the feeding.
    void (*ask)(Recognition* r, const QuestionSpec* question, const int64_t* registers, size_t width);
    int (*is_interrupted)(Recognition* r);  // whether a signal's handler raised something
};

struct Recognition {
    RecognizerProgram program;
    Correlating* correlating = nullptr;   // NULL: nothing compares events
    Rules* rules = nullptr;               // NULL: it runs one query, and partitions are those of the stream
    RecognizerState state;
    RecognizerScratch scratch;
    std::unique_ptr<GroupShedding> shedding;  // none: any amount of work may be done
    const Owner* owner;
    void* recognizer;                     // the Recognizer
};

// A few rows as columns that begin so far apart.
static inline void transpose(const int64_t* rows, size_t count, size_t width, int64_t* columns, size_t apart) noexcept {
    for (size_t column = 0; column < width; ++column) {
        const int64_t* source = rows + column;
        for (size_t i = 0; i < count; ++i) {
            columns[i] = *source;
            source += width;
        }
        columns += apart;
    }
}

// All positions by row, and again by column; a few rows at a time, so that they are read once.
inline void copy_rows(const Found* found, size_t width, int64_t* rows, int64_t* columns) noexcept {
    size_t at = 0;
    while (at < found->count) {
        size_t some = std::min(found->count - at, size_t(8));
        std::memcpy(rows + at * width, found->positions.data() + at * width, some * width * sizeof(int64_t));
        transpose(rows + at * width, some, width, columns + at, found->count);
        at += some;
    }
}

}  // namespace spaseq::events
