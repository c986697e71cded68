// The records of the kernel.  Positions and node numbers are 32 bits and may wrap: compare them with `older` and
// `is_live`.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "nfa_native/core/flat_table.hpp"
#include "nfa_native/core/mixing.hpp"
#include "nfa_native/core/node_ring.hpp"
#include "nfa_native/core/set_counts.hpp"
#include "nfa_native/joins/buffers.hpp"
#include "nfa_native/joins/groups.hpp"
#include "nfa_native/joins/loads.hpp"
#include "nfa_native/joins/merging.hpp"
#include "nfa_native/joins/program.hpp"
#include "nfa_native/joins/queues.hpp"
#include "nfa_native/joins/sides.hpp"
#include "nfa_native/joins/tables.hpp"
#include "nfa_native/terms/encoding.hpp"

namespace spaseq::joins {

using set_counts::Content;
using set_counts::Gathering;
using set_counts::Memory;
using set_counts::Profile;
using set_counts::Tally;

constexpr uint32_t NO_CELL = 0xFFFFFFFF;
constexpr uint32_t INITIAL_CELL = 0xFFFFFFFE;  // the empty partial match, from which every match starts

constexpr uint64_t NOT_STAGED = 0xFFFFFFFFFFFFFFFF;
constexpr uint32_t NO_LIST = 0xFFFFFFFF;
constexpr uint32_t FEW_FOUND = 4;         // cells of a bucket without order, among which one is found without the table
constexpr uint32_t LARGE_TABLE = 4096;    // entries: more than what stands ready in the processor
constexpr uint32_t FEW_PROBED = 8;        // cells of a bucket without order, which are tried one by one
constexpr uint64_t AT_STEPS = 2;          // see `Judgements::deferred`
constexpr uint32_t EVERYWHERE = 0xFFFFFFFF;
constexpr uint32_t MOST_RULES = 0xFFFFFF;
// in a label: a view of a list; the rest of the label is a transition's number
constexpr uint32_t VIEW = 0x80000000;
constexpr uint32_t UNION = 0x7FFFFFFF;     // as a label: all of `next` and all of `sibling`, and nothing is picked
// in a label that is not UNION: a product; the rest of the label is a junction's number and the side of `next`
constexpr uint32_t PRODUCT = 0x40000000;
constexpr uint32_t PART_BITS = 10;        // of the side in the label of a product
constexpr uint32_t PART_MASK = (1 << PART_BITS) - 1;
// as a label: those of `next` whose last step picked event `pos` or one after it
constexpr uint32_t CUT = 0x20000000;
constexpr uint32_t FEW_CREATED = 1024;    // cells for which no sweep is worth while
constexpr uint32_t MUCH_CREATED = 0x7FFFFFFF;  // more than any sweep leaves
// stored events between two sweeps: positions of dead cells must not wrap
constexpr uint32_t LONGEST_REST = 0x40000000;

constexpr int64_t FEW_STEPS = 10000;  // between two looks at signals
constexpr size_t UNBOUNDED = 0xFFFFFFFFFFFFFFFF;
constexpr int64_t FOREVER = 0x7FFFFFFFFFFFFFFF;
constexpr uint64_t WILD = 0x9E3779B97F4A7C15;  // hash of a key with an unbound part

// A set of partial matches: those of `next`, each with event `pos` added, and those of `sibling`.  Of a view: those in
// the groups of list `next` before number `sibling` that the event `pos` takes along by the transition in `label`.  Of a
// union: those of `next` and those of `sibling`.  Of a product: all unions of a way in `next`, of one side, and of ways
// in `sibling`, of the sides after it, that go on from the same partial match (`junctions.hpp`).  Of a cut: those of
// `next`, a cell's set or a view, whose last event is `pos` or comes after it (`prefixes.hpp`).
struct Node {
    uint32_t pos;                         // the event picked
    uint32_t label;                       // which atom of which transition picked it
    uint32_t next;                        // the set that it extends; 0: nothing was picked before
    uint32_t sibling;                     // the set's other members; 0: none
    uint32_t max_start;                   // the youngest first event in the set
};

// A stored event: one that was picked, or that a guard or a conjunction may still look at.
struct EventRecord {
    int64_t time;                         // microseconds
    int64_t seq;                          // position in the merged input
    uint64_t handle;                      // the caller's number
    uint64_t block;                       // running number of its first block
    uint32_t blocks;                      // how many atoms it matched
    uint32_t head;  // head of the node ring when its tick opened: older nodes are out of its reach
};

// The rows of one atom on one event.
struct Block {
    uint64_t word;                        // running number of its first word
    uint32_t atom;
    uint32_t rows;
};

// All partial matches of one state with the same live values.
struct Cell {
    int64_t deadline;                     // upper edge of their window, where the automaton asks for it
    uint32_t node;                        // the set
    uint32_t youngest;  // the youngest first event in the set: when it has left the window, so has the set
    uint32_t rows;                        // rows of live values; 0: the cell is free
    uint32_t extra;                       // where the rows lie if there are several
    uint32_t serial;                      // tells this use of the cell from earlier ones; 0: the cell is free
    uint32_t stamp;                       // visited in this probe
    uint32_t fired;                       // a governed step was possible in this tick; where branches compete: bits
    uint32_t listed;                      // bits: indexes where it is in a list that views look at
};

// A cell's row and an event's row that may join.
struct Pair {
    uint32_t cell_row;
    uint32_t event_row;
    uint32_t cell;
};

// Rules of ranks from `low` to before `high`.
struct RuleRange {
    uint32_t low;
    uint32_t high;
};

// Some rules of a pair, or of a cell.
struct RulePart {
    uint32_t of;
    RuleRange rules;
};

// Rules whose parameter has the same word.
struct RuleRun {
    word_t word;
    uint32_t low;
    uint32_t high;
};

// A parameter of all rules.
struct RuleColumn {
    std::vector<word_t> words;            // by rank
    std::vector<RuleRun> runs;            // by word, then by rank
    std::vector<uint32_t> rises;          // ranks from which on words are comparable and do not fall
};

// The rows of a query with parameters.
struct RuleTable {
    uint32_t count = 0;
    std::vector<RuleColumn> columns;      // of each parameter
    std::vector<int64_t> windows;         // how long that of each rank is, microseconds; none: the program's
    std::vector<uint64_t> found;          // results of each rank
};

// A partial match set that enters a state when the tick closes.
struct Staged {
    int64_t deadline;
    uint64_t word;                        // its rows in `staged_words`
    uint64_t pick;                        // its picks in `staged_picks`
    uint32_t rows;
    uint32_t picks;
    uint32_t state;
    uint32_t label;                       // label of its first pick
    uint32_t next;
    uint32_t max_start;
};

// A cell of a final state that waits for its window's edge.
struct Waiting {
    uint32_t state;
    CellReference cell;
};

// One pick of a match under construction.
struct Pick {
    uint32_t label;
    uint32_t pos;
};

// The matches of a set, all with the same last picks: what is left of them is put out after a pause.
struct Output {
    int64_t decided;
    size_t pick;                          // the last picks in `postponed_picks`
    size_t picks;
    uint32_t final;                       // the state
    uint32_t node;                        // the set; 0: the empty match
    uint32_t lo;                          // first position of their windows
    word_t rules;                         // whose matches they are, where there are rules
};

// A node still to be visited, and how many picks come after it.
struct Visit {
    uint32_t node;
    uint32_t depth;
    uint32_t before;  // of a view that is half visited: the place of the group in front of which it goes on
    uint32_t begun;                       // it is half visited
};

// One or several events for a choice, with the rows of their join.
struct Candidate {
    const word_t* rows;
    uint32_t count;                       // rows
    uint32_t width;                       // words a row
    uint32_t least;                       // its first position
    uint32_t lo;                          // first position of the windows that end with it
    int64_t most;                         // its last position in the merged input
    uint64_t pick;                        // its picks in `staged_picks`, or NOT_STAGED
};

// The cells under one key, oldest first, with stale references among them.
struct Bucket {
    uint64_t key = 0;                     // the key's hash
    bool ordered = false;  // each living cell comes in the index's order behind those before it; all have one row
    bool mixed = false;                   // some cell has no place in a zone map
    bool tabled = false;                  // all of its living cells are in the table of all live values
    uint32_t groups = NO_LIST;  // number of the list of its groups, or of the zone map of its cells, if there is one
    std::vector<CellReference> cells;     // all but those in a list that views look at
};

// Cells by the hash of some columns.
struct CellIndex {
    IndexSpec* spec;
    std::vector<Bucket> buckets;
    FlatTable<KeyEntry> slots;            // buckets by their keys
    Bucket wild;                          // cells with an unbound key
};

// What waits in a state.
struct StateData {
    StateSpec* spec;
    // As the program says; it is asked for with every cell.
    Govern govern;
    Cells kind;
    uint32_t width;
    bool final;
    std::vector<CellIndex> indexes;
    std::vector<CellIndex> merged;        // the same of merged cells, where there are any (`merged.hpp`)
    FlatTable<TableEntry> exact;  // by all live values: the cells of large buckets without order, and stale ones
    std::vector<Cell> cells;
    std::vector<word_t> words;            // row of cell i at i * width
    std::vector<std::vector<word_t>> extra;  // rows of cells that have several
    std::vector<uint32_t> free_cells;
    std::vector<uint32_t> free_extra;
    std::vector<uint32_t> fired;
    std::vector<RulePart> taken;          // rules that take a governed step of a cell in this tick
    uint32_t live = 0;
    uint32_t youngest = 0;                // no partial match of the living cells began after it
    uint32_t entering = NO_CELL;          // the cell that was entered last in this tick
    uint32_t serial = 0;
    uint32_t stamp = 0;
    uint64_t entered = 0;
    uint64_t expired = 0;
    uint64_t skipped = 0;                 // dropped because another event came first (strict contiguity)
    Merging merging;
};

// What became of a transition's candidates: each one is lonely, unjoined, unfiltered or fires.
struct Candidacies {
    uint64_t offered;
    uint64_t lonely;                      // no partial match was waiting
    uint64_t unjoined;                    // they joined none
    uint64_t unfiltered;                  // a filter refused all that they joined
    uint64_t fired;
    uint64_t pairs;  // that joined and were filtered, but for those that an order of cells ruled out; a view is one
    uint64_t scanned;                     // cells, groups and zones of groups that were looked at
};

// What became of a guard.
struct Judgements {
    uint64_t killed;
    // 1: an event came that only the finished match can judge.  Of a guard that is judged when a step is made:
    // AT_STEPS, as long as it was at each step, else the finished match is
    uint64_t deferred;
};

// The past that may still matter: stored events, their rows, and where negated atoms matched.
struct History {
    std::vector<EventRecord> events;
    std::vector<Block> blocks;
    std::vector<word_t> words;
    uint32_t first = 0;                   // position of events[0]
    uint64_t first_block = 0;
    uint64_t first_word = 0;
};

struct Results {
    std::vector<int64_t> first;
    std::vector<int64_t> last;
    std::vector<int64_t> decided;
    std::vector<int64_t> offsets;         // of each result's picks, and where the last ones end
    std::vector<uint16_t> atoms;
    std::vector<uint64_t> events;
    std::vector<word_t> words;
    std::vector<int64_t> counts;          // how many matches a result stands for; 0: it is one row of a match
    uint64_t count = 0;                   // of results since the beginning
    uint64_t of_rules = 0;                // those that wait, each for every rule that has it
};

// What counts sets.
struct Counter {
    Memory memory;
    Gathering gathering;                  // members of the set that is being remembered
    Tally tally;                          // of what is being counted
    std::vector<uint32_t> asked;
    bool too_many = false;                // a number did not fit
};

// What the future depends on: all that a snapshot holds.
struct KernelState {
    History history;
    NodeRing<Node> ring;
    RuleTable rules;
    std::vector<GroupList> lists;
    std::vector<uint32_t> free_lists;     // that nothing refers to but views that are over
    std::vector<StateData> states;
    std::vector<Segment> segments;
    std::vector<Candidacies> candidacies;  // by transition
    std::vector<Judgements> judgements;   // by guard
    uint32_t doubtful = 0;                // guards that finished matches are judged by
    std::vector<Strikers> strikers;       // by the place of a guard that is judged when a step is made
    uint32_t lo = 0;                      // first position of the present window
    uint32_t kept = 0;                    // first position that a guard may still look at
    int64_t seq = 0;                      // position of the next event of the merged input
    uint64_t next_handle = 0;
    int open = false;                     // a tick is open
    int64_t tick = -FOREVER;              // its time
    int64_t promised = -FOREVER;          // no event below this time will come
    uint32_t tick_first = 0;              // position of its first stored event
    bool picked = false;                  // something has picked the newest event
    int many_rows = false;                // an event had several rows for an atom
    std::vector<std::vector<uint32_t>> tick_atoms;
    std::vector<std::vector<uint32_t>> watched;  // positions per negated atom
    std::vector<Staged> staged;
    std::vector<word_t> staged_words;
    std::vector<uint32_t> staged_picks;
    std::map<int64_t, std::vector<Waiting>> deadlines;
    std::unordered_map<std::string, uint32_t, TextHash> seen;
    uint64_t created = 0;                 // cells since the last sweep
    uint64_t survived = 0;                // cells that the last sweep left
    uint32_t swept = 0;                   // next position at the last sweep
    size_t next_look = 1024;              // stored events at which to look whether all of them are over
    uint64_t ticks = 0;
    std::vector<uint64_t> matched;        // events per atom
};

// Where to go on after a pause: what is put out can be more than memory holds.
struct Pause {
    int64_t left = FEW_STEPS;             // steps before the next pause; 0 or less: pause
    int64_t stride = FEW_STEPS;           // from one pause to the next
    size_t most = UNBOUNDED;              // results that may be held,
    size_t most_held = UNBOUNDED;         // and picks and words of results
    bool suspended = false;               // `output` is half put out: `visits` and `path` go on with it
    bool of_event = false;                // it is of an event, whose results may be too many where work is bounded
    Output output;                        // what is, or was, put out last
    std::vector<Output> postponed;        // what comes after it
    size_t resumed = 0;                   // that many of them have been put out
    std::vector<Pick> postponed_picks;
    size_t awaited = 0;                   // that many cells of the first deadline have been put out
    bool closing = false;                 // the tick is closed, but not all that this decides is out
};

// Room for what is under way; nothing of it outlives a step, but for `visits` and `path` in a pause.
struct Scratch {
    std::vector<Pair> pairs;
    bool decided = false;                 // all pairs of this probe pass the filters
    bool refused = false;                 // an order or a zone map ruled out cells in this probe
    bool aside = false;                   // cells that are in no list must be looked at in this probe
    bool singly = false;                  // groups of lists are tried one by one in this probe
    uint64_t scanned = 0;                 // cells, groups and zones that were looked at
    std::vector<word_t> blank;            // a row where nothing is bound
    word_t rules = UNBOUND;               // the set of those that step, or whose match is rebuilt
    std::vector<RulePart> parts;          // for each pair the rules that pass, in order
    std::vector<RuleRange> narrowed;      // rules of one pair
    std::vector<RuleRange> passed;
    std::vector<uint32_t> borders;
    std::vector<Pair> covered;            // pairs of the same rules
    std::vector<int8_t> verdicts;
    std::vector<CellReference> everything;  // all living cells of a state
    std::vector<word_t> registers;
    std::vector<uint32_t> combination;
    std::vector<std::vector<word_t>> merged;
    std::vector<uint32_t> outer_combination;  // those of the event whose matches are being output
    std::vector<std::vector<word_t>> outer_merged;
    std::vector<Visit> visits;
    std::vector<FramedVisit> framed;      // as `visits`, where there are junctions
    std::vector<Frame> frames;
    std::vector<Move> moves;
    std::vector<uint32_t> side_levels;
    std::vector<OpenJunction> opened;
    std::vector<uint32_t> following;      // for each level the one that comes after it, in the end
    std::vector<uint64_t> ended;          // for each level the Kleenes whose iteration ends behind it
    std::vector<int64_t> latest;          // for each level the time of its last event
    std::vector<word_t> judged;           // a row of a union, as of a step
    std::vector<Unions> unions;           // of each junction
    std::vector<word_t> arriving;         // rows of ways that are complete
    std::vector<double> loop;             // blocks of numbers
    std::vector<SingleUnion>* singles = nullptr;  // where unions that are visited are noted, instead of put out
    word_t anchor = UNBOUND;              // which partial match a step goes on from
    std::vector<Pick> path;
    std::vector<uint32_t> steps;          // index in path of each step's last pick, first step first
    std::vector<std::vector<word_t>> levels;
    std::vector<std::vector<uint32_t>> parents;
    std::vector<word_t> finished;         // rows of the finished match
    std::vector<word_t> views;            // what a guard sees of them
    std::vector<word_t> seen;             // what a guard sees of a partial match that makes a step
    std::vector<word_t> answer;           // rows of its results
    std::vector<std::pair<uint64_t, uint64_t>> picks;  // atom and event: no bytes between them, for they are compared
};

struct Kernel;

// How formulas are evaluated: by the programs of the terms, or by their own evaluators, which Python calls.
struct Evaluation {
    int (*test)(const void* code, const word_t* registers, int64_t now, void* store);
    int (*compute)(const void* code, const word_t* registers, int64_t now, void* store, word_t* out);
    void (*ask_filter)(
        Kernel* k, uint32_t formula, const word_t* registers, size_t count, uint32_t width, int64_t now, int8_t* answers
    );
    word_t (*ask_value)(Kernel* k, uint32_t formula, uint32_t width, int64_t now);
};

// Matches are counted that begin in some ticks (`sampling.hpp`).
struct Sampling {
    uint64_t salt = 0;                    // of lots: queries draw other ticks
    uint64_t highest_lot = 0;             // ticks with lots up to this one are drawn,
    int64_t since = 0;                    // but for earlier ones
    bool alone = false;                   // no match begins elsewhere,
    double until = 0;                     // and all ends when so many units of work are done;
    int64_t listed_at = -1;               // or when one event, this one,
    uint64_t listed = 0;                  // has so many matches that are listed
    bool over = false;                    // it has ended: what is found is not all
    std::map<int64_t, double> found;      // matches that begin in ticks that are drawn, by time
};

struct Kernel {
    const Evaluation* evaluation;
    KernelProgram* program;               // frozen, and maybe that of other kernels too
    void* store;                          // of the terms
    void* owner;                          // the Matcher, for formulas outside the native subset
    bool count_only = false;
    bool tallies = false;                 // one result may stand for many matches
    kinds::Evaluating evaluating = kinds::Evaluating::AUTO;
    bool failed = false;                  // a formula raised: the exception is kept by the owner
    KernelState now;
    Pause pause;
    Scratch scratch;
    Results results;
    Counter counter;
    std::unique_ptr<LoadShedding> shedding;  // none: work has no bound
    std::unique_ptr<Sampling> sampling;   // none: nothing is drawn
};

// a comes before b, although positions wrap.
static inline bool older(uint32_t a, uint32_t b) noexcept { return int32_t(a - b) < 0; }

static inline EventRecord* event_at(KernelState* now, uint32_t pos) noexcept {
    return &now->history.events[pos - now->history.first];
}

static inline uint32_t next_position(KernelState* now) noexcept {
    return now->history.first + uint32_t(now->history.events.size());
}

// The rows in one of the event's blocks.
static inline const word_t* block_rows(
    KernelState* now, const EventRecord* event, uint32_t block, uint32_t* count
) noexcept {
    const Block* one = &now->history.blocks[event->block - now->history.first_block + block];
    *count = one->rows;
    return now->history.words.data() + (one->word - now->history.first_word);
}

// The rows of an atom on the event at `pos`.
static inline const word_t* rows_of(KernelState* now, uint32_t pos, uint32_t atom, uint32_t* count) noexcept {
    EventRecord* event = event_at(now, pos);
    assert(pos - now->history.first < now->history.events.size());
    Block* block = &now->history.blocks[event->block - now->history.first_block];
    for (uint32_t i = 0, i_end = event->blocks; i < i_end; ++i) {
        if (block[i].atom == atom) return block_rows(now, event, i, count);
    }
    *count = 0;
    return nullptr;
}

static void begin_state(StateData* s, StateSpec* spec) {
    s->spec = spec;
    s->govern = spec->govern;
    s->kind = spec->kind;
    s->width = spec->width;
    s->final = spec->final;
    for (IndexSpec& index : spec->indexes) {
        s->indexes.emplace_back();
        s->indexes.back().spec = &index;
    }
}

// Finished matches need not be judged by the guard, where no event has several rows.
static inline bool is_settled(const KernelState* now, const GuardSpec* guard) noexcept {
    uint64_t deferred = now->judgements[guard->number].deferred;
    return (guard->early && !deferred) || (guard->first_chance && deferred == AT_STEPS);
}

// Count the guards by which finished matches are judged.
inline void count_doubtful(const KernelProgram* program, KernelState* now) noexcept {
    now->doubtful = 0;
    for (const StateSpec& state : program->states)
        for (const GuardSpec& guard : state.guards) now->doubtful += !is_settled(now, &guard);
}

// Nothing waits to be taken.
inline void clear_results(Results* results) {
    results->first.clear();
    results->last.clear();
    results->decided.clear();
    results->offsets.assign(1, 0);
    results->atoms.clear();
    results->events.clear();
    results->words.clear();
    results->counts.clear();
    results->of_rules = 0;
}

// What runs a program, before the first event.
inline void build_kernel(Kernel* k, KernelProgram* program) {
    k->program = program;
    clear_results(&k->results);
    k->now.ring.open(64, 1);  // little, as there may be a matcher for each key of a partition; it doubles when full
    k->now.tick_atoms.resize(program->slots.size());
    k->now.watched.resize(program->slots.size());
    k->now.matched.assign(program->slots.size(), 0);
    k->now.candidacies.resize(program->transitions.size());
    k->now.judgements.resize(program->guards);
    k->now.strikers.resize(program->chances.size());
    for (const GuardPlace& one : program->chances)
        k->now.judgements[program->states[one.state].guards[one.guard].number].deferred = AT_STEPS;
    count_doubtful(program, &k->now);
    k->now.states.resize(program->states.size());
    for (size_t i = 0; i < program->states.size(); ++i) begin_state(&k->now.states[i], &program->states[i]);
    k->now.segments.resize(program->segments.size());
    for (uint32_t state : program->merging) k->now.states[state].merging.due = std::max(program->merge_after, 1u);
    k->scratch.unions.resize(program->junctions.size());
    for (size_t i = 0; i < program->junctions.size(); ++i)
        begin_junction(&k->scratch.unions[i], program->junctions[i]);
    k->scratch.merged.resize(program->deepest + 1);
    k->scratch.outer_merged.resize(program->deepest + 1);
    k->scratch.registers.assign(program->widest + 1 + program->parameters, UNBOUND);
    k->scratch.blank.assign(program->widest + 1, UNBOUND);
}

// Partial matches of a state that its guards dropped.
inline uint64_t killed_in(KernelProgram* program, KernelState* now, size_t state) noexcept {
    uint64_t killed = 0;
    for (const GuardSpec& guard : program->states[state].guards) killed += now->judgements[guard.number].killed;
    return killed;
}

}  // namespace spaseq::joins
