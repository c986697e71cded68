// Lists of groups in snapshots: not written, but made again from the living cells, in their order.  So are their
// numbers, and views are written with the numbers that they will have. The live state as an archive: a store for each
// part, a column for each field.  What is dead stays behind, and what follows from other fields is not written.
// `restore.hpp` reads it.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/output.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

// Versions of the stores.
constexpr uint32_t CLOCK_VERSION = 1;
constexpr uint32_t COUNTERS_VERSION = 1;
constexpr uint32_t HISTORY_VERSION = 1;
constexpr uint32_t NODES_VERSION = 1;
constexpr uint32_t STAGED_VERSION = 1;
constexpr uint32_t CELLS_VERSION = 1;
constexpr uint32_t DEADLINES_VERSION = 1;
constexpr uint32_t SEEN_VERSION = 1;

// A block as it is written: its words come one after the other.
struct BlockForm {
    uint32_t atom;
    uint32_t rows;
    uint8_t shared;                       // its rows are those of the block before, and not written again
};

// A cell as it is written: its state follows from the number of cells of each state.
struct CellForm {
    int64_t deadline;
    uint32_t node;
    uint32_t rows;
    uint32_t listed;
    uint8_t fired;
};

// A match that waits for its window's edge.
struct DeadlineForm {
    int64_t time;
    uint32_t state;
    uint32_t cell;                        // number among the state's cells as they are written
};

// A result that must not come twice.
struct SeenForm {
    uint32_t picks;
    uint32_t first;                       // position of the first event
};

// One pick of it.
struct SeenPick {
    uint64_t atom;
    uint64_t event;
};

typedef std::vector<std::vector<uint32_t>> Places;

// The living cells, oldest first.
static std::vector<uint32_t> cells_in_order(StateData* s) {
    std::vector<std::pair<uint32_t, uint32_t>> living;
    std::vector<uint32_t> out;
    std::pair<uint32_t, uint32_t> one;
    for (uint32_t cell = 0, cell_end = uint32_t(s->cells.size()); cell < cell_end; ++cell) {
        if (s->cells[cell].rows) {
            one.first = s->cells[cell].serial;
            one.second = cell;
            living.push_back(one);
        }
    }
    std::sort(living.begin(), living.end());
    for (size_t i = 0, i_end = living.size(); i < i_end; ++i) out.push_back(living[i].second);
    return out;
}

// The list where a cell is in an index.
static inline uint32_t list_of(StateData* s, CellIndex* index, uint32_t cell) noexcept {
    return find_bucket(index,
        hash_key(cell_rows(s, cell), index->spec->columns.data(), index->spec->columns.size()))->groups;
}

// For each list the number that it gets when cells enter lists again in their order; NO_LIST: none of its cells lives.
static void number_lists(KernelState* now, std::vector<uint32_t>* numbers) {
    std::vector<uint32_t> cells;
    uint32_t given = 0;
    numbers->assign(now->lists.size(), NO_LIST);
    for (size_t state = 0, state_end = now->states.size(); state < state_end; ++state) {
        StateData* s = &now->states[state];
        if (s->kind != Cells::VIEWS) continue;
        cells = cells_in_order(s);
        for (size_t i = 0, i_end = cells.size(); i < i_end; ++i) {
            for (size_t j = 0, j_end = s->indexes.size(); j < j_end; ++j) {
                if ((s->cells[cells[i]].listed >> j) & 1) {
                    uint32_t number = list_of(s, &s->indexes[j], cells[i]);
                    if ((*numbers)[number] == NO_LIST) {
                        numbers->data()[number] = given;
                        ++given;
                    }
                }
            }
        }
    }
}

// A view by the numbers of lists and groups after loading; what is over says nothing any more.
static void renumber_view(
    KernelProgram* program, KernelState* now, Node* view, const std::vector<uint32_t>* numbers
) noexcept {
    const StateData* s = &now->states[program->transitions[view->label & ~VIEW].source];
    uint32_t before = 0;
    if (older(view->max_start, now->lo)) {
        view->next = view->sibling = 0;
        return;
    }
    assert((*numbers)[view->next] != NO_LIST);
    const GroupList* groups = &now->lists[view->next];
    for (size_t i = 0, i_end = size_t(view->sibling - groups->base); i < i_end; ++i)
        before += s->cells.data()[groups->groups.data()[i].cell].serial == groups->groups.data()[i].serial;
    view->next = (*numbers)[view->next];
    view->sibling = before;
}

// All results are out and taken.
inline bool can_be_written(const Kernel* k) noexcept {
    return k->results.first.empty() && is_all_out(&k->pause);
}

// Fields: the same functions write and read.

// Where the streamset, its windows and the ring are.
static void clock_fields(Kernel* k, Archive* a) {
    a->store("clock", CLOCK_VERSION);
    a->number("lo", k->now.lo);
    a->number("kept", k->now.kept);
    a->number("position", k->now.seq);
    a->number("next event", k->now.next_handle);
    a->number("open", k->now.open);
    a->number("tick", k->now.tick);
    a->number("promised", k->now.promised);
    a->number("first of tick", k->now.tick_first);
    a->number("many rows", k->now.many_rows);
    a->number("created", k->now.created);
    a->number("survived", k->now.survived);
    a->number("ticks", k->now.ticks);
    a->number("results", k->results.count);
    a->number("tail", k->now.ring.tail);
}

// Statistics, and of the guards which of them only finished matches can judge.
static void counter_fields(KernelState* now, Archive* a) {
    Candidacies tried{};
    Judgements judged{};
    const StateData* state = now->states.data();
    uint64_t number = 0;
    a->store("counters", COUNTERS_VERSION);
    a->update("matched", now->matched, number, number);
    a->update("deferred", now->judgements, judged, judged.deferred);
    a->update("killed", now->judgements, judged, judged.killed);
    if (!now->states.empty()) {
        a->update("entered", now->states, *state, state->entered);
        a->update("expired", now->states, *state, state->expired);
        a->update("skipped", now->states, *state, state->skipped);
    }
    a->update("offered", now->candidacies, tried, tried.offered);
    a->update("lonely", now->candidacies, tried, tried.lonely);
    a->update("unjoined", now->candidacies, tried, tried.unjoined);
    a->update("unfiltered", now->candidacies, tried, tried.unfiltered);
    a->update("fired", now->candidacies, tried, tried.fired);
    a->update("pairs", now->candidacies, tried, tried.pairs);
    a->update("scanned", now->candidacies, tried, tried.scanned);
}

static void write_block(
    KernelProgram* program, KernelState* now, const EventRecord* event, uint32_t number,
    std::vector<BlockForm>* blocks, std::vector<word_t>* words
) {
    const Block* block = &now->history.blocks[event->block - now->history.first_block + number];
    BlockForm form{};
    uint32_t count;
    const word_t* rows = block_rows(now, event, number, &count);
    size_t size = size_t(count) * program->slots[block->atom];
    form.atom = block->atom;
    form.rows = program->slots[block->atom] ? count : 1;  // rows without values are all alike
    // Where a block without words comes first, the next one's begin at the same place.
    form.shared = number > 0 && size > 0 && (block - 1)->word == block->word && program->slots[(block - 1)->atom] > 0;
    blocks->push_back(form);
    if (!form.shared) words->insert(words->end(), rows, rows + size);
}

static void history_fields(
    Archive* a, std::vector<EventRecord>* events, std::vector<BlockForm>* blocks, std::vector<word_t>* words
) {
    EventRecord event{};
    BlockForm block{};
    a->store("history", HISTORY_VERSION);
    a->field("time", *events, event, event.time);
    a->field("position", *events, event, event.seq);
    a->field("event", *events, event, event.handle);
    a->field("blocks", *events, event, event.blocks);
    a->field("head", *events, event, event.head);
    a->field("atom", *blocks, block, block.atom);
    a->field("rows", *blocks, block, block.rows);
    a->field("shared", *blocks, block, block.shared);
    a->words("words", *words);
}

// What lies in other forms in the kernel.

// Events that may still be looked at, with their blocks and rows.
static void write_history(KernelProgram* program, KernelState* now, Archive* a) {
    std::vector<EventRecord> events;
    std::vector<BlockForm> blocks;
    std::vector<word_t> words;
    uint32_t pos = now->kept;
    while (pos != next_position(now)) {
        events.push_back(*event_at(now, pos));
        for (uint32_t i = 0, i_end = events.back().blocks; i < i_end; ++i)
            write_block(program, now, event_at(now, pos), i, &blocks, &words);
        ++pos;
    }
    history_fields(a, &events, &blocks, &words);
}

static void node_fields(Archive* a, std::vector<Node>* nodes) {
    Node node{};
    a->store("nodes", NODES_VERSION);
    a->field("pos", *nodes, node, node.pos);
    a->field("label", *nodes, node, node.label);
    a->field("next", *nodes, node, node.next);
    a->field("sibling", *nodes, node, node.sibling);
    a->field("max start", *nodes, node, node.max_start);
}

// The ring's living part; views count the groups of the lists as `load_cells` makes them again.
static void write_nodes(KernelProgram* program, KernelState* now, Archive* a) {
    std::vector<Node> nodes;
    std::vector<uint32_t> numbers;
    uint32_t i = now->ring.tail;
    number_lists(now, &numbers);
    while (i != now->ring.head) {
        nodes.push_back(*node_at(now, i));
        if (i == 0) {
            std::memset(&nodes.back(), 0, sizeof(Node));  // a number that is never given
        } else if (nodes.back().label & VIEW) {
            renumber_view(program, now, &nodes.back(), &numbers);
        }
        ++i;
    }
    node_fields(a, &nodes);
}

// What enters cells when the tick closes; rows come one after the other.
static void staged_fields(KernelState* now, Archive* a) {
    Staged staged{};
    a->store("staged", STAGED_VERSION);
    a->field("deadline", now->staged, staged, staged.deadline);
    a->field("pick", now->staged, staged, staged.pick);
    a->field("rows", now->staged, staged, staged.rows);
    a->field("picks", now->staged, staged, staged.picks);
    a->field("state", now->staged, staged, staged.state);
    a->field("label", now->staged, staged, staged.label);
    a->field("next", now->staged, staged, staged.next);
    a->field("max start", now->staged, staged, staged.max_start);
    a->numbers("picked", now->staged_picks);
    a->words("words", now->staged_words);
}

static void write_cells_of(
    StateData* s, std::vector<CellForm>* cells, std::vector<word_t>* words, std::vector<uint32_t>* places
) {
    std::vector<uint32_t> living = cells_in_order(s);
    CellForm form{};
    places->assign(s->cells.size(), uint32_t(NO_CELL));
    for (size_t i = 0, i_end = living.size(); i < i_end; ++i) {
        const Cell* cell = s->cells.data() + living[i];
        const word_t* rows = cell_rows(s, living[i]);
        words->insert(words->end(), rows, rows + size_t(cell->rows) * s->width);
        form.node = cell->node;
        form.deadline = cell->deadline;
        form.rows = cell->rows;
        form.fired = cell->fired != 0;
        form.listed = cell->listed;
        cells->push_back(form);
        places->data()[living[i]] = uint32_t(i);
    }
}

static void write_fired(const StateData* s, std::vector<uint32_t>* fired, const std::vector<uint32_t>* places) {
    for (size_t i = 0, i_end = s->fired.size(); i < i_end; ++i) {
        if ((*places)[s->fired[i]] != NO_CELL) fired->push_back((*places)[s->fired[i]]);
    }
}

// Cells of one state after the other, and those of which each state knows that they could step in this tick.
static void cell_fields(
    Archive* a, std::vector<uint32_t>* counts, std::vector<CellForm>* cells, std::vector<uint32_t>* fired_counts,
    std::vector<uint32_t>* fired, std::vector<word_t>* words
) {
    CellForm cell{};
    a->store("cells", CELLS_VERSION);
    a->numbers("of state", *counts);
    a->field("node", *cells, cell, cell.node);
    a->field("deadline", *cells, cell, cell.deadline);
    a->field("rows", *cells, cell, cell.rows);
    a->field("fired", *cells, cell, cell.fired);
    a->field("listed", *cells, cell, cell.listed);
    a->numbers("fired of state", *fired_counts);
    a->numbers("fired cells", *fired);
    a->words("words", *words);
}

// The living cells, oldest first.
static void write_cells(KernelState* now, Archive* a, Places* places) {
    std::vector<uint32_t> counts;
    std::vector<CellForm> cells;
    std::vector<uint32_t> fired_counts;
    std::vector<uint32_t> fired;
    std::vector<word_t> words;
    places->resize(now->states.size());
    for (size_t i = 0, i_end = now->states.size(); i < i_end; ++i) {
        size_t before = cells.size();
        write_cells_of(&now->states[i], &cells, &words, &places->at(i));
        counts.push_back(uint32_t(cells.size() - before));
        before = fired.size();
        write_fired(&now->states[i], &fired, &places->at(i));
        fired_counts.push_back(uint32_t(fired.size() - before));
    }
    cell_fields(a, &counts, &cells, &fired_counts, &fired, &words);
}

static void deadline_fields(Archive* a, std::vector<DeadlineForm>* waiting) {
    DeadlineForm one{};
    a->store("deadlines", DEADLINES_VERSION);
    a->field("time", *waiting, one, one.time);
    a->field("state", *waiting, one, one.state);
    a->field("cell", *waiting, one, one.cell);
}

// In the order in which they come due.
static void write_deadlines(KernelState* now, Archive* a, const Places* places) {
    std::map<int64_t, std::vector<Waiting>>::iterator at = now->deadlines.begin();
    std::vector<DeadlineForm> out;
    DeadlineForm form{};
    while (at != now->deadlines.end()) {
        form.time = at->first;
        for (size_t i = 0, i_end = at->second.size(); i < i_end; ++i) {
            const Waiting* waiting = at->second.data() + i;
            if (is_current(&now->states[waiting->state], &waiting->cell)) {
                form.state = waiting->state;
                form.cell = places->at(waiting->state).at(waiting->cell.cell);
                out.push_back(form);
            }
        }
        ++at;
    }
    deadline_fields(a, &out);
}

// A key has the picks, atom and event, and then the row.
static void write_seen_key(
    KernelProgram* program, const std::pair<std::string, uint32_t>* key, std::vector<SeenForm>* seen,
    std::vector<SeenPick>* picks, std::vector<word_t>* words
) {
    size_t row = program->result_width * sizeof(word_t);
    size_t count = (key->first.size() - row) / sizeof(SeenPick);
    size_t before = picks->size();
    SeenForm form{};
    form.picks = uint32_t(count);
    form.first = key->second;
    seen->push_back(form);
    picks->resize(before + count);
    words->resize(words->size() + program->result_width);
    if (count) std::memcpy(picks->data() + before, key->first.data(), count * sizeof(SeenPick));
    if (row) {
        std::memcpy(words->data() + words->size() - program->result_width, key->first.data() + key->first.size() - row,
            row);
    }
}

static void seen_fields(
    Archive* a, std::vector<SeenForm>* seen, std::vector<SeenPick>* picks, std::vector<word_t>* words
) {
    SeenForm one{};
    SeenPick pick{};
    a->store("seen", SEEN_VERSION);
    a->field("picks", *seen, one, one.picks);
    a->field("first", *seen, one, one.first);
    a->field("atom", *picks, pick, pick.atom);
    a->field("event", *picks, pick, pick.event);
    a->words("words", *words);
}

// Results that an ambiguous automaton must not give twice, in an order of their own.
static void write_seen(KernelProgram* program, KernelState* now, Archive* a) {
    std::unordered_map<std::string, uint32_t, TextHash>::iterator at = now->seen.begin();
    std::vector<std::pair<std::string, uint32_t>> keys;
    std::pair<std::string, uint32_t> key;
    std::vector<SeenForm> seen;
    std::vector<SeenPick> picks;
    std::vector<word_t> words;
    while (at != now->seen.end()) {
        key.first = at->first;
        key.second = at->second;
        keys.push_back(key);
        ++at;
    }
    std::sort(keys.begin(), keys.end());
    for (size_t i = 0, i_end = keys.size(); i < i_end; ++i) write_seen_key(program, &keys[i], &seen, &picks, &words);
    seen_fields(a, &seen, &picks, &words);
}

// Everything that the future depends on.
inline void write_kernel(Kernel* k, Archive* a) {
    Places places{};
    clock_fields(k, a);
    counter_fields(&k->now, a);
    write_history(k->program, &k->now, a);
    write_nodes(k->program, &k->now, a);
    staged_fields(&k->now, a);
    write_cells(&k->now, a, &places);
    write_deadlines(&k->now, a, &places);
    write_seen(k->program, &k->now, a);
}

}  // namespace spaseq::joins
