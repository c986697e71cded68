// The state that an archive has.  Nothing in it is believed: whatever is a place, a link, a length or an order is
// compared with what is there (`require`: ValueError), so that a forged archive is refused, or means a state that could
// have been.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "nfa_native/core/bits.hpp"
#include "nfa_native/core/limits.hpp"
#include "nfa_native/joins/archive.hpp"
#include "nfa_native/joins/archive_forks.hpp"
#include "nfa_native/joins/archive_merging.hpp"
#include "nfa_native/joins/archive_shedding.hpp"
#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/cells.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/restore_segments.hpp"
#include "nfa_native/joins/restore_unions.hpp"
#include "nfa_native/joins/restore_views.hpp"
#include "nfa_native/joins/rules.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/negated_events.hpp"
#include "nfa_native/joins/values.hpp"
#include "nfa_native/joins/views.hpp"

namespace spaseq::joins {

static void check_counters(Kernel* k) {
    check_counter(k->now.ticks | k->results.count | k->now.created | k->now.survived | k->now.next_handle);
    for (uint64_t matched : k->now.matched) check_counter(matched);
    for (const StateData& s : k->now.states) check_counter(s.entered | s.expired | s.skipped);
    for (const Candidacies& tried : k->now.candidacies) {
        check_counter(tried.offered | tried.lonely | tried.unjoined | tried.unfiltered);
        check_counter(tried.fired | tried.pairs | tried.scanned);
    }
    for (Judgements& one : k->now.judgements) {
        one.deferred = one.deferred == AT_STEPS ? AT_STEPS : one.deferred != 0;
        check_counter(one.killed);
    }
}

// The nodes, from the tail on.
static void load_ring(KernelState* now, const std::vector<Node>* nodes) {
    size_t size = 64;
    require(nodes->size() < LONGEST_REST, "there are too many nodes");
    while (size <= nodes->size() + 1) size *= 2;
    now->ring.nodes.resize(size);
    now->ring.mask = uint32_t(size) - 1;
    now->ring.head = now->ring.tail;
    for (const Node& node : *nodes) *node_at(now, now->ring.head++) = node;
}

// The words of a block from there on.
static size_t take_words(KernelProgram* program, KernelState* now, const BlockForm* form, size_t word) {
    uint32_t slots = program->slots[form->atom];
    require(slots == 0
        || form->rows <= (now->history.words.size() - word) / slots, "the words of some rows are missing");
    return size_t(form->rows) * slots;
}

// Place the blocks of an event, whose atoms ascend.
static void load_blocks(
    KernelProgram* program, KernelState* now, const EventRecord* event, const std::vector<BlockForm>* blocks,
    size_t* word
) {
    const BlockForm* form = blocks->data() + event->block;
    Block* block = now->history.blocks.data() + event->block;
    for (uint32_t i = 0; i < event->blocks; ++i, ++form, ++block) {
        require(form->atom < program->slots.size(), "an event matched an atom that there is not");
        require(i == 0 || form->atom > (form - 1)->atom, "an event's atoms do not ascend");
        require(form->rows > 0, "an event has no row of an atom");
        uint32_t slots = program->slots[form->atom];
        *block = {*word, form->atom, slots ? form->rows : 1};
        now->many_rows = now->many_rows || block->rows > 1;
        if (form->shared) {
            require(i > 0 && (form - 1)->rows == form->rows && program->slots[(form - 1)->atom] == slots,
                "rows are shared that are not there");
            block->word = (block - 1)->word;
        } else {
            *word += take_words(program, now, form, *word);
        }
    }
}

// Stored events; which atoms they matched in this tick, and where negated ones matched, follows from them.
static void load_history(KernelProgram* program, KernelState* now, Archive* a) {
    std::vector<BlockForm> blocks;
    size_t block = 0;
    size_t word = 0;
    history_fields(a, &now->history.events, &blocks, &now->history.words);
    require(now->history.events.size() < LONGEST_REST, "there are too many events");
    now->history.first = now->kept;
    now->history.first_block = now->history.first_word = 0;
    now->history.blocks.resize(blocks.size());
    for (EventRecord& event : now->history.events) {
        require(event.blocks <= blocks.size() - block, "an event has more rows than there are");
        event.block = block;
        load_blocks(program, now, &event, &blocks, &word);
        block += event.blocks;
    }
    require(block == blocks.size() && word == now->history.words.size(), "there are rows of no event");
}

static void check_event(KernelState* now, const EventRecord* event, uint32_t pos) {
    require(0 <= event->seq && event->seq < now->seq, "an event's position is yet to come");
    require(event->handle < now->next_handle, "an event's number is yet to come");
    require(is_from(now->ring.head, event->head), "an event knows nodes that are yet to come");
    require(older(pos, now->lo) || is_from(event->head, now->ring.tail), "an event in the window knows no nodes of it");
    if (now->open && !older(pos, now->tick_first)) {
        require(event->time == now->tick, "an event of the tick has another time");
    } else {
        require(event->time < now->tick || (!now->open && event->time == now->tick), "an event comes after the tick");
    }
}

// Where negated atoms matched, and in this tick those that are combined with others.
static void note_atoms(KernelProgram* program, KernelState* now, const EventRecord* event, uint32_t pos) {
    for (uint32_t i = 0, i_end = event->blocks; i < i_end; ++i) {
        uint32_t atom = now->history.blocks[event->block + i].atom;
        if (program->negated[atom]) now->watched[atom].push_back(pos);
        if (program->gathered[atom] && now->open && !older(pos, now->tick_first)) now->tick_atoms[atom].push_back(pos);
    }
}

// Positions lie among the stored events, and these are in order.
static void check_clock(KernelProgram* program, KernelState* now) {
    uint32_t count = uint32_t(now->history.events.size());
    const EventRecord* event = now->history.events.data();
    now->open = now->open != 0;
    now->many_rows = now->many_rows != 0;
    require(0 <= now->seq && now->seq <= FARTHEST, "the position is none");
    require(now->lo - now->kept <= count, "the window begins where there is no event");
    require(!now->open || now->promised <= now->tick, "a time is over whose events are yet to come");
    if (!now->open) {
        now->tick_first = next_position(now);
        now->promised = std::max(now->promised, now->tick + (now->tick < FOREVER && now->tick > -FOREVER));
    }
    require(now->tick_first - now->kept <= count, "the tick begins where there is no event");
    for (uint32_t i = 0; i < count; ++i) {
        check_event(now, event + i, now->kept + i);
        if (i) {
            require((event + i - 1)->time <= event[i].time, "events are not in order of time");
            require((event + i - 1)->seq < event[i].seq, "positions of events do not ascend");
            require((event + i - 1)->handle <= event[i].handle, "numbers of events do not ascend");
            require(is_from(event[i].head, (event + i - 1)->head), "events do not know the nodes before them");
        }
        note_atoms(program, now, event + i, now->kept + i);
    }
}

// Partial matches can wait in the state.
static bool holds_cells(const StateData* s) noexcept {
    return s->govern != Govern::FREE && (!s->final || !s->spec->guards.empty());
}

// The bits of those targets in which sets may wait.
static void set_targets(const KernelState* now, const std::vector<TargetSpec>& targets, uint64_t* bits) {
    for (const TargetSpec& target : targets)
        if (holds_cells(&now->states[target.state])) set_bit(bits, target.state);
}

static void begin_states(KernelProgram* program, KernelState* now, NodeStates* known) {
    known->width = (now->states.size() >> 6) + 1;
    known->bits.assign(size_t(now->ring.head - now->ring.tail) * known->width, 0);
    known->targets.assign(program->transitions.size() * known->width, 0);
    known->meets.assign(program->junctions.size() * known->width, 0);
    for (size_t t = 0; t < program->transitions.size(); ++t)
        set_targets(now, program->transitions[t].targets, known->targets.data() + t * known->width);
    for (size_t j = 0; j < program->junctions.size(); ++j)
        set_targets(now, program->junctions[j].targets, known->meets.data() + j * known->width);
}

// What is in the window is not older than the node's first event knows.
static void check_span(KernelState* now, const Node* node, uint32_t number) {
    require(older(node->pos, next_position(now)), "a node picks an event that is yet to come");
    require(older(node->max_start, next_position(now)), "a match begins with an event that is yet to come");
    if (!older(node->max_start, now->lo))
        require(is_from(number, event_at(now, node->max_start)->head), "a node is older than its first event");
}

// Whether the event at a stored position has rows of the atom.
static bool has_atom(KernelState* now, uint32_t pos, uint32_t atom) noexcept {
    const EventRecord* event = event_at(now, pos);
    for (uint32_t i = 0, i_end = event->blocks; i < i_end; ++i) {
        if (now->history.blocks[event->block + i].atom == atom) return true;
    }
    return false;
}

// The event has the atom's rows, if the node can be looked at.
static void check_pick(KernelState* now, const Node* node, uint32_t atom) {
    if (!older(node->max_start, now->lo) && node->pos - now->history.first < now->history.events.size())
        require(has_atom(now, node->pos, atom), "a node picks an event for an atom that it did not match");
}

// What the node extends: the step's picks before it, or a set that waited where the step begins.
static void check_next(KernelProgram* program, KernelState* now, NodeStates* known, const Node* node, uint32_t number) {
    const Label* label = &program->labels[node->label];
    uint32_t source = program->transitions[label->transition].source;
    bool there = is_link(now, node->next, number);
    const Node* next = node_at(now, node->next);
    if (label->part) {
        require(there, "a step has lost its first events");
        require(next->label == node->label - 1 && next->sibling == 0, "a step's events do not fit each other");
    } else if (program->states[source].govern == Govern::FREE) {
        require(node->next == 0, "a first step comes after another one");
    } else {
        require(node->next != 0, "a step comes after none");
        require(!there || has_bit(states_of(now, known, node->next), source), "a step begins where nobody waits");
    }
    if (there) {
        require(is_from(node->pos, next->max_start), "a node is older than what it extends");
    } else if (node->next == 0 && node->sibling == 0) {
        require(is_from(node->pos, node->max_start), "a first event is older than itself");
    }
}

// A union is of sets in one state.
static void check_sibling(
    KernelProgram* program, KernelState* now, NodeStates* known, const Node* node, uint32_t number, uint64_t* bits
) {
    const Label* label = &program->labels[node->label];
    const uint64_t* targets = known->targets.data() + label->transition * known->width;
    const uint64_t* others = targets;
    bool some = false;
    if (label->part + 1 < label->parts) {
        require(node->sibling == 0, "half a step is in union with others");
        return;
    }
    if (is_link(now, node->sibling, number)) {
        require(!is_part(node_at(now, node->sibling)), "a view is in union with others");
        others = states_of(now, known, node->sibling);
    }
    for (size_t i = 0; i < known->width; ++i) {
        bits[i] = targets[i] & others[i];
        some = some || bits[i] != 0;
    }
    require(some, "sets of several states are in union");
}

static void check_node(KernelProgram* program, KernelState* now, NodeStates* known, uint32_t number) {
    const Node* node = node_at(now, number);
    uint64_t* bits = states_of(now, known, number);
    check_span(now, node, number);
    if (node->label == UNION) {
        check_union(program, now, known, number, bits);
        return;
    }
    if ((node->label & PRODUCT) && !(node->label & VIEW)) {
        check_product(program, now, known, number, bits);
        return;
    }
    if (node->label == CUT) {
        check_cut(program, now, known, number, bits);
        return;
    }
    if (node->label & VIEW) {
        uint32_t which = node->label & ~uint32_t(VIEW);
        require(which < program->transitions.size(), "a view is of a transition that there is not");
        const TransitionSpec* transition = &program->transitions[which];
        require(now->states[transition->source].kind == Cells::VIEWS, "a view is of a state that has none");
        require(transition->choice.atoms.size() == 1, "a view is of several events");
        require(is_from(node->pos, node->max_start), "a view is older than what is in it");
        check_pick(now, node, transition->choice.atoms[0]);
        set_bit(bits, transition->source);
        return;
    }
    require(node->label < program->labels.size(), "a node is of a transition that there is not");
    check_pick(now, node, program->labels[node->label].atom);
    check_next(program, now, known, node, number);
    check_sibling(program, now, known, node, number, bits);
}

static void check_nodes(KernelProgram* program, KernelState* now, NodeStates* known) {
    for (uint32_t number = now->ring.tail; number != now->ring.head; ++number)
        if (number) check_node(program, now, known, number);
}

// Renumbered words have another order.
static void order_rows(word_t* rows, uint32_t count, uint32_t width) {
    if (count <= 1) return;
    require(width > 0, "there are several rows without values");
    std::vector<word_t> sorted_rows(rows, rows + size_t(count) * width);
    require(normalise(&sorted_rows, 0, width, count) == count, "a set has a row twice");
    std::copy(sorted_rows.begin(), sorted_rows.end(), rows);
}

// All rows have the same set of rules.
static void check_rules(const KernelState* now, const StateSpec* state, const word_t* rows, uint32_t count) {
    if (state->rules == NO_RULES) return;
    RuleRange rules = rules_in(rows[state->rules]);
    require(rules.low < rules.high && rules.high <= now->rules.count, "a set has rules that there are not");
    for (uint32_t i = 0; i < count; ++i)
        require(rows[size_t(i) * state->width + state->rules] == rules_word(rules), "a set's rows are of several rules");
}

// An upper edge, where the automaton asks for it.
static void check_deadline(KernelProgram* program, int64_t deadline) {
    if (!program->waits) require(deadline == 0, "a set waits that need not");
    else if (program->window == 0) require(deadline == FOREVER, "a set waits for an edge that there is not");
}

// The youngest first event of what a step extends.
static void check_start(
    KernelProgram* program, KernelState* now, NodeStates* known, const Staged* staged,
    const TransitionSpec* transition, uint32_t least
) {
    require(!older(staged->max_start, now->lo), "a step comes too late");
    if (program->states[transition->source].govern == Govern::FREE) {
        require(staged->next == 0 && staged->max_start == least, "a first step comes after another one");
        return;
    }
    require(staged->next != 0 && is_live(now, staged->next), "a step comes after none");
    require(has_bit(states_of(now, known, staged->next), transition->source), "a step begins where nobody waits");
    require(node_at(now, staged->next)->max_start == staged->max_start, "a step begins at another time");
    require(older(staged->max_start, now->tick_first), "a step follows events of its time");
}

// Sides that met in this tick.
static void check_staged_union(KernelProgram* program, KernelState* now, NodeStates* known, const Staged* staged) {
    require(!program->junctions.empty() && staged->picks == 0, "sides meet that there are not");
    require(staged->next != 0 && is_live(now, staged->next), "sides meet that are over");
    require(has_bit(states_of(now, known, staged->next), staged->state), "sides meet in another state");
    require(node_at(now, staged->next)->max_start == staged->max_start, "sides that meet begin at another time");
    require(!older(staged->max_start, now->lo), "sides meet too late");
}

// The picks of a step in this tick, and the set that it extends.
static void check_step(KernelProgram* program, KernelState* now, NodeStates* known, const Staged* staged) {
    if (staged->label == UNION) {
        check_staged_union(program, now, known, staged);
        return;
    }
    require(staged->label < program->labels.size(), "a set comes by a transition that there is not");
    const Label* label = &program->labels[staged->label];
    const TransitionSpec* transition = &program->transitions[label->transition];
    require(label->part == 0 && staged->picks == label->parts, "a step has another number of events");
    require(staged->picks <= now->staged_picks.size()
        && staged->pick <= now->staged_picks.size() - staged->picks, "a step has lost its events");
    require(has_bit(known->targets.data() + label->transition * known->width, staged->state),
        "a step leads to another state");
    uint32_t least = now->staged_picks[staged->pick];
    for (uint32_t i = 0; i < staged->picks; ++i) {
        uint32_t pos = now->staged_picks[staged->pick + i];
        require(pos - now->tick_first < next_position(now) - now->tick_first, "a step is not of this tick");
        require(has_atom(now, pos, transition->choice.atoms[i]), "a step picks an event that its atom did not match");
        least = older(pos, least) ? pos : least;
    }
    check_start(program, now, known, staged, transition, least);
}

// What enters cells when the tick closes, with the rows one after the other.
static void check_staged(KernelProgram* program, KernelState* now, NodeStates* known) {
    size_t word = 0;
    require(now->open || now->staged.empty(), "no tick is open, but something waits for its end");
    for (Staged& one : now->staged) {
        require(one.state < now->states.size(), "a set enters a state that there is not");
        uint32_t width = now->states[one.state].width;
        require(one.rows > 0, "a set has no row");
        require(width == 0 || one.rows <= (now->staged_words.size() - word) / width, "the words of a set are missing");
        one.word = word;
        order_rows(now->staged_words.data() + word, one.rows, width);
        check_rules(now, &program->states[one.state], now->staged_words.data() + word, one.rows);
        word += size_t(one.rows) * width;
        check_deadline(program, one.deadline);
        check_step(program, now, known, &one);
    }
    require(word == now->staged_words.size(), "there are words of no set");
}

// A cell that is to get this number.
static void load_cell(
    Kernel* k, NodeStates* known, uint32_t state, const CellForm* form, word_t* rows, uint32_t number,
    const ForkForm* fork
) {
    StateData* s = &k->now.states[state];
    order_rows(rows, form->rows, s->width);
    check_rules(&k->now, s->spec, rows, form->rows);
    if (fork != nullptr) {
        check_begun(s, rows, form->rows);
        take_serial(s, *fork);
    }
    bool merged = is_merged_form(s, form);
    // Rules that came while others stepped may have left two cells with the same rows (`ranks.hpp`); so may branches.
    uint32_t loaded = merged ? merged_cell(&k->now, s, rows, form->rows, form->deadline)
        : s->spec->rules == NO_RULES && s->spec->branches.empty()
        ? cell_for(k, s, rows, form->rows, form->deadline, uint32_t(NO_CELL))
        : new_cell(k, s, rows, form->rows, form->deadline);
    require(loaded == number, "a state has the same cell twice");
    Cell* cell = &s->cells[number];
    cell->node = form->node;
    cell->youngest = k->now.lo - 1;
    if (is_live(&k->now, form->node)) {
        require(has_bit(states_of(&k->now, known, form->node), state), "a cell has the set of another state");
        require(!is_part(node_at(&k->now, form->node)), "a cell has a view");
        cell->youngest = node_at(&k->now, form->node)->max_start;
    } else {
        require(form->node != 0 && older(form->node, k->now.ring.tail), "a cell has no set");
    }
    cell->fired = s->spec->branches.empty() ? form->fired != 0 : fork->fired;
    if (s->kind == Cells::VIEWS && !merged) list_cell(&k->now, s, number, form->listed);
    note_start(s, s->cells[number].youngest);
}

static void load_cells_of(
    Kernel* k, NodeStates* known, uint32_t state, const CellForm* forms, uint32_t count, std::vector<word_t>* words,
    size_t* word, const ForkForm* forks
) {
    StateData* s = &k->now.states[state];
    uint64_t entered = s->entered;
    uint64_t created = k->now.created;
    require(count == 0 || holds_cells(s), "cells are in a state that has none");
    for (uint32_t i = 0; i < count; ++i) {
        require(forms[i].rows > 0, "a cell has no row");
        require(s->width == 0
            || forms[i].rows <= (words->size() - 1 - *word) / s->width, "the words of a cell are missing");
        check_deadline(k->program, forms[i].deadline);
        load_cell(k, known, state, forms + i, words->data() + *word, i, forks ? forks + i : nullptr);
        *word += size_t(forms[i].rows) * s->width;
    }
    s->entered = entered;
    k->now.created = created;
}

static void load_cells(Kernel* k, Archive* a, NodeStates* known) {
    CellForms forms;
    ForkForms forks;
    size_t fork = 0;
    size_t cell = 0;
    size_t word = 0;
    size_t step = 0;
    if (!k->program->junctions.empty()) fork_fields(a, &forks);
    cell_fields(a, &forms);
    require(forms.counts.size() == k->now.states.size() && forms.fired_counts.size() == k->now.states.size(),
        "there is another number of states");
    require(forms.cells.size() < LONGEST_REST, "there are too many cells");
    forms.words.push_back(UNBOUND);  // what has no words lies somewhere, too
    for (uint32_t i = 0; i < forms.counts.size(); ++i) {
        require(forms.counts[i] <= forms.cells.size() - cell, "a state has more cells than there are");
        bool is_fork = k->program->states[i].forks;
        require(!is_fork || forms.counts[i] <= forks.cells.size() - fork, "cells that sides go on from have no serial");
        load_cells_of(k, known, i, forms.cells.data() + cell, forms.counts[i], &forms.words, &word,
            is_fork ? forks.cells.data() + fork : nullptr);
        fork += is_fork ? forms.counts[i] : 0;
        cell += forms.counts[i];
        require(forms.fired_counts[i] <= forms.fired.size() - step, "a state has more steps than there are");
        for (size_t end = step + forms.fired_counts[i]; step < end; ++step) {
            require(forms.fired[step] < forms.counts[i], "a cell could step that there is not");
            k->now.states[i].fired.push_back(forms.fired[step]);
        }
    }
    require(cell == forms.cells.size() && word + 1 == forms.words.size() && step == forms.fired.size(),
        "there are cells of no state");
    require(fork == forks.cells.size(), "there are serials of no cell");
    end_serials(&k->now, &forks);
}

static void load_deadlines(KernelState* now, Archive* a) {
    std::vector<DeadlineForm> forms;
    deadline_fields(a, &forms);
    for (const DeadlineForm& form : forms) {
        require(form.state < now->states.size(), "a match waits in a state that there is not");
        StateData* s = &now->states[form.state];
        require(s->final && form.cell < s->cells.size(), "a match waits that there is not");
        require(s->cells[form.cell].deadline == form.time, "a match waits for another edge");
        now->deadlines[form.time].push_back({form.state, reference_to(s, form.cell)});
    }
}

static void load_seen(KernelProgram* program, KernelState* now, Archive* a) {
    SeenForms forms;
    size_t width = program->result_width;
    size_t pick = 0;
    seen_fields(a, &forms);
    size_t count = forms.seen.size();
    require(count <= (width ? forms.words.size() / width : count), "results have lost words");
    require(forms.words.size() == count * width, "there are words of no result");
    for (size_t i = 0; i < count; ++i) {
        const SeenForm& one = forms.seen[i];
        require(one.picks <= forms.picks.size() - pick, "a result has more events than there are");
        std::string key(reinterpret_cast<const char*>(forms.picks.data() + pick), one.picks * sizeof(SeenPick));
        key.append(reinterpret_cast<const char*>(forms.words.data() + i * width), width * sizeof(word_t));
        now->seen[key] = one.first;
        pick += one.picks;
    }
    require(pick == forms.picks.size(), "there are events of no result");
}

// The rules, and what of them has stepped.
static void load_rules(KernelProgram* program, KernelState* now, Archive* a, std::vector<TakenForm>* taken) {
    std::vector<word_t> words;
    rule_fields(&now->rules, a, &words, taken);
    std::vector<uint64_t> found = now->rules.found;
    size_t count = found.size();
    require(count <= MOST_RULES && words.size() == count * program->parameters, "rules have lost words");
    require(now->rules.windows.empty() || now->rules.windows.size() == count, "rules have lost windows");
    build_rules(now, words.data(), uint32_t(count), program->parameters);
    now->rules.found.swap(found);
    for (uint64_t one : now->rules.found) check_counter(one);
}

static void load_taken(KernelState* now, const std::vector<TakenForm>* taken) {
    for (const TakenForm& form : *taken) {
        require(form.state < now->states.size(), "rules step in a state that there is not");
        StateData* s = &now->states[form.state];
        require(s->govern == Govern::NEXT && form.cell < s->cells.size() && s->cells[form.cell].fired,
            "rules step out of a cell that does not");
        RuleRange held = rules_in(cell_rows(s, form.cell)[s->spec->rules]);
        require(held.low <= form.low && form.low < form.high && form.high <= held.high,
            "rules step that are not in the cell");
        s->taken.push_back({form.cell, {form.low, form.high}});
    }
}

// Take over the state that `write_kernel` gave, words already renumbered, into a kernel that has seen nothing.
inline void load_kernel(Kernel* k, Archive* a) {
    std::vector<Node> nodes;
    NodeStates known{};
    std::vector<TakenForm> taken;
    clock_fields(k, a);
    counter_fields(&k->now, a);
    check_counters(k);
    count_doubtful(k->program, &k->now);
    if (k->program->rules != NO_RULES) load_rules(k->program, &k->now, a, &taken);
    node_fields(a, &nodes);
    load_ring(&k->now, &nodes);
    load_history(k->program, &k->now, a);
    check_clock(k->program, &k->now);
    begin_states(k->program, &k->now, &known);
    check_nodes(k->program, &k->now, &known);
    staged_fields(&k->now, a);
    check_staged(k->program, &k->now, &known);
    load_cells(k, a, &known);
    if (!k->program->segments.empty() && a->has_store("segments")) load_segments(k, a, &known);
    load_merging(k->program, &k->now, a);
    load_taken(&k->now, &taken);
    check_views(k->program, &k->now);
    load_deadlines(&k->now, a);
    load_seen(k->program, &k->now, a);
    if (a->has_store("shedding")) load_shedding(k, a);
    note_watched(k);
    k->now.swept = next_position(&k->now);
}

}  // namespace spaseq::joins
