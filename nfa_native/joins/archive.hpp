// The live state as an archive: a store for each part, a column for each field.  What is dead stays behind, and what
// follows from other fields is not written.  So lists of groups are made again from the living cells, in their order,
// and views are written with the numbers that lists and groups will then have.  `restore.hpp` reads it.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/output.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

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

// The living cells as they are written, those of one state after the other, and which of them could step in this tick.
struct CellForms {
    std::vector<uint32_t> counts;         // of each state
    std::vector<CellForm> cells;
    std::vector<uint32_t> fired_counts;   // of each state
    std::vector<uint32_t> fired;
    std::vector<word_t> words;
};

// Results that must not come twice, as they are written.
struct SeenForms {
    std::vector<SeenForm> seen;
    std::vector<SeenPick> picks;
    std::vector<word_t> words;
};

// Rules that take a step of a cell in this tick.
struct TakenForm {
    uint32_t state;
    uint32_t cell;                        // number among the state's cells as they are written
    uint32_t low;
    uint32_t high;
};

typedef std::vector<std::vector<uint32_t>> Places;

// The living cells, oldest first.
static std::vector<uint32_t> cells_in_order(StateData* s) {
    std::vector<uint32_t> living;
    for (uint32_t cell = 0; cell < s->cells.size(); ++cell)
        if (s->cells[cell].rows) living.push_back(cell);
    std::sort(living.begin(), living.end(), [s](uint32_t a, uint32_t b) {
        return s->cells[a].serial < s->cells[b].serial;
    });
    return living;
}

// The list where a cell is in an index.
static inline uint32_t list_of(StateData* s, CellIndex* index, uint32_t cell) noexcept {
    return find_bucket(index,
        hash_key(cell_rows(s, cell), index->spec->columns.data(), index->spec->columns.size()))->groups;
}

// For each list the number that it gets when cells enter lists again in their order; NO_LIST: none of its cells lives.
static void number_lists(KernelState* now, std::vector<uint32_t>* numbers) {
    uint32_t given = 0;
    numbers->assign(now->lists.size(), NO_LIST);
    for (StateData& s : now->states) {
        if (s.kind != Cells::VIEWS) continue;
        for (uint32_t cell : cells_in_order(&s)) {
            for (size_t j = 0; j < s.indexes.size(); ++j) {
                if (!((s.cells[cell].listed >> j) & 1)) continue;
                uint32_t& number = (*numbers)[list_of(&s, &s.indexes[j], cell)];
                if (number == NO_LIST) number = given++;
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
    const GroupList* list = &now->lists[view->next];
    for (uint32_t i = 0; i < view->sibling - list->base; ++i)
        before += s->cells[list->groups[i].cell].serial == list->groups[i].serial;
    view->next = (*numbers)[view->next];
    view->sibling = before;
}

// All results are out and taken.
inline bool can_be_written(const Kernel* k) noexcept {
    return k->results.first.empty() && is_all_out(&k->pause);
}

// Fields: the same functions write and read.

// Where the merged input, its windows and the ring are.
static void clock_fields(Kernel* k, Archive* a) {
    a->store("clock", 1);
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
    uint64_t number = 0;
    a->store("counters", 1);
    a->update("matched", now->matched, number, number);
    a->update("deferred", now->judgements, &Judgements::deferred);
    a->update("killed", now->judgements, &Judgements::killed);
    if (!now->states.empty()) {
        a->update("entered", now->states, &StateData::entered);
        a->update("expired", now->states, &StateData::expired);
        a->update("skipped", now->states, &StateData::skipped);
    }
    a->update("offered", now->candidacies, &Candidacies::offered);
    a->update("lonely", now->candidacies, &Candidacies::lonely);
    a->update("unjoined", now->candidacies, &Candidacies::unjoined);
    a->update("unfiltered", now->candidacies, &Candidacies::unfiltered);
    a->update("fired", now->candidacies, &Candidacies::fired);
    a->update("pairs", now->candidacies, &Candidacies::pairs);
    a->update("scanned", now->candidacies, &Candidacies::scanned);
}

static void write_block(
    KernelProgram* program, KernelState* now, const EventRecord* event, uint32_t number,
    std::vector<BlockForm>* blocks, std::vector<word_t>* words
) {
    const Block* block = &now->history.blocks[event->block - now->history.first_block + number];
    uint32_t slots = program->slots[block->atom];
    uint32_t count;
    const word_t* rows = block_rows(now, event, number, &count);
    size_t size = size_t(count) * slots;
    // Where a block without words comes first, the next one's begin at the same place.
    bool shared = number > 0 && size > 0 && (block - 1)->word == block->word && program->slots[(block - 1)->atom] > 0;
    blocks->push_back({block->atom, slots ? count : 1, shared});  // rows without values are all alike
    if (!shared) words->insert(words->end(), rows, rows + size);
}

static void history_fields(
    Archive* a, std::vector<EventRecord>* events, std::vector<BlockForm>* blocks, std::vector<word_t>* words
) {
    a->store("history", 1);
    a->field("time", *events, &EventRecord::time);
    a->field("position", *events, &EventRecord::seq);
    a->field("event", *events, &EventRecord::handle);
    a->field("blocks", *events, &EventRecord::blocks);
    a->field("head", *events, &EventRecord::head);
    a->field("atom", *blocks, &BlockForm::atom);
    a->field("rows", *blocks, &BlockForm::rows);
    a->field("shared", *blocks, &BlockForm::shared);
    a->words("words", *words);
}

// What lies in other forms in the kernel.

// Events that may still be looked at, with their blocks and rows.
static void write_history(KernelProgram* program, KernelState* now, Archive* a) {
    std::vector<EventRecord> events;
    std::vector<BlockForm> blocks;
    std::vector<word_t> words;
    for (uint32_t pos = now->kept; pos != next_position(now); ++pos) {
        events.push_back(*event_at(now, pos));
        for (uint32_t i = 0; i < events.back().blocks; ++i)
            write_block(program, now, event_at(now, pos), i, &blocks, &words);
    }
    history_fields(a, &events, &blocks, &words);
}

static void node_fields(Archive* a, std::vector<Node>* nodes) {
    a->store("nodes", 1);
    a->field("pos", *nodes, &Node::pos);
    a->field("label", *nodes, &Node::label);
    a->field("next", *nodes, &Node::next);
    a->field("sibling", *nodes, &Node::sibling);
    a->field("max start", *nodes, &Node::max_start);
}

// The ring's living part; views count the groups of the lists as `load_cells` makes them again.
static void write_nodes(KernelProgram* program, KernelState* now, Archive* a) {
    std::vector<Node> nodes;
    std::vector<uint32_t> numbers;
    number_lists(now, &numbers);
    for (uint32_t i = now->ring.tail; i != now->ring.head; ++i) {
        nodes.push_back(i ? *node_at(now, i) : Node{});  // number 0 is never given
        if (nodes.back().label & VIEW) renumber_view(program, now, &nodes.back(), &numbers);
    }
    node_fields(a, &nodes);
}

// What enters cells when the tick closes; rows come one after the other.
static void staged_fields(KernelState* now, Archive* a) {
    a->store("staged", 1);
    a->field("deadline", now->staged, &Staged::deadline);
    a->field("pick", now->staged, &Staged::pick);
    a->field("rows", now->staged, &Staged::rows);
    a->field("picks", now->staged, &Staged::picks);
    a->field("state", now->staged, &Staged::state);
    a->field("label", now->staged, &Staged::label);
    a->field("next", now->staged, &Staged::next);
    a->field("max start", now->staged, &Staged::max_start);
    a->numbers("picked", now->staged_picks);
    a->words("words", now->staged_words);
}

static void write_cells_of(StateData* s, CellForms* forms, std::vector<uint32_t>* places) {
    size_t before = forms->fired.size();
    uint32_t written = 0;
    places->assign(s->cells.size(), NO_CELL);
    for (uint32_t number : cells_in_order(s)) {
        const Cell& cell = s->cells[number];
        const word_t* rows = cell_rows(s, number);
        forms->words.insert(forms->words.end(), rows, rows + size_t(cell.rows) * s->width);
        forms->cells.push_back({cell.deadline, cell.node, cell.rows, cell.listed, cell.fired != 0});
        (*places)[number] = written++;
    }
    for (uint32_t cell : s->fired)
        if ((*places)[cell] != NO_CELL) forms->fired.push_back((*places)[cell]);
    forms->counts.push_back(written);
    forms->fired_counts.push_back(uint32_t(forms->fired.size() - before));
}

static void cell_fields(Archive* a, CellForms* forms) {
    a->store("cells", 1);
    a->numbers("of state", forms->counts);
    a->field("node", forms->cells, &CellForm::node);
    a->field("deadline", forms->cells, &CellForm::deadline);
    a->field("rows", forms->cells, &CellForm::rows);
    a->field("fired", forms->cells, &CellForm::fired);
    a->field("listed", forms->cells, &CellForm::listed);
    a->numbers("fired of state", forms->fired_counts);
    a->numbers("fired cells", forms->fired);
    a->words("words", forms->words);
}

// The living cells, oldest first.
static void write_cells(KernelState* now, Archive* a, Places* places) {
    CellForms forms;
    places->resize(now->states.size());
    for (size_t i = 0; i < now->states.size(); ++i) write_cells_of(&now->states[i], &forms, &places->at(i));
    cell_fields(a, &forms);
}

static void deadline_fields(Archive* a, std::vector<DeadlineForm>* waiting) {
    a->store("deadlines", 1);
    a->field("time", *waiting, &DeadlineForm::time);
    a->field("state", *waiting, &DeadlineForm::state);
    a->field("cell", *waiting, &DeadlineForm::cell);
}

// In the order in which they come due.
static void write_deadlines(KernelState* now, Archive* a, const Places* places) {
    std::vector<DeadlineForm> out;
    for (const auto& [time, all] : now->deadlines) {
        for (const Waiting& one : all) {
            if (is_current(&now->states[one.state], &one.cell))
                out.push_back({time, one.state, places->at(one.state).at(one.cell.cell)});
        }
    }
    deadline_fields(a, &out);
}

// A key has the picks, atom and event, and then the row.
static void write_seen_key(const std::string& key, uint32_t first, uint32_t width, SeenForms* forms) {
    size_t size = key.size() - width * sizeof(word_t);
    const SeenPick* picks = reinterpret_cast<const SeenPick*>(key.data());
    const word_t* row = reinterpret_cast<const word_t*>(key.data() + size);
    forms->seen.push_back({uint32_t(size / sizeof(SeenPick)), first});
    forms->picks.insert(forms->picks.end(), picks, picks + size / sizeof(SeenPick));
    forms->words.insert(forms->words.end(), row, row + width);
}

static void seen_fields(Archive* a, SeenForms* forms) {
    a->store("seen", 1);
    a->field("picks", forms->seen, &SeenForm::picks);
    a->field("first", forms->seen, &SeenForm::first);
    a->field("atom", forms->picks, &SeenPick::atom);
    a->field("event", forms->picks, &SeenPick::event);
    a->words("words", forms->words);
}

// Results that an ambiguous automaton must not give twice, in an order of their own.
static void write_seen(KernelProgram* program, KernelState* now, Archive* a) {
    std::vector<std::pair<std::string, uint32_t>> keys(now->seen.begin(), now->seen.end());
    SeenForms forms;
    std::sort(keys.begin(), keys.end());
    for (const auto& [key, first] : keys) write_seen_key(key, first, program->result_width, &forms);
    seen_fields(a, &forms);
}

static void rule_fields(RuleTable* rules, Archive* a, std::vector<word_t>* words, std::vector<TakenForm>* taken) {
    a->store("rules", 1);
    a->numbers("windows", rules->windows);
    a->numbers("found", rules->found);
    a->words("words", *words);
    a->field("state", *taken, &TakenForm::state);
    a->field("cell", *taken, &TakenForm::cell);
    a->field("low", *taken, &TakenForm::low);
    a->field("high", *taken, &TakenForm::high);
}

// The words of one parameter after the other, by rank.
static void write_rules(KernelState* now, Archive* a, const Places* places) {
    std::vector<word_t> words;
    std::vector<TakenForm> taken;
    for (const RuleColumn& column : now->rules.columns)
        words.insert(words.end(), column.words.begin(), column.words.end());
    for (uint32_t state = 0; state < now->states.size(); ++state) {
        for (const RulePart& one : now->states[state].taken) {
            uint32_t place = places->at(state).at(one.of);
            if (place != NO_CELL) taken.push_back({state, place, one.rules.low, one.rules.high});
        }
    }
    rule_fields(&now->rules, a, &words, &taken);
}

}  // namespace spaseq::joins
