// The state that an archive has.  Nothing in it is believed: whatever is a place, a link, a length or an order is
// compared with what is there (`require`: ValueError), so that a forged archive is refused, or means a state that could
// have been.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/bits.hpp"
#include "nfa_native/core/limits.hpp"
#include "nfa_native/events/archive.hpp"
#include "nfa_native/events/feed.hpp"
#include "nfa_native/events/gather.hpp"
#include "nfa_native/events/lazy_archive.hpp"
#include "nfa_native/events/lists.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/rules_archive.hpp"
#include "nfa_native/events/shed_archive.hpp"
#include "nfa_native/events/state.hpp"
#include "nfa_native/events/views.hpp"

namespace spaseq::events {

constexpr uint32_t MOST_NODES = 0x40000000;

// What is known of nodes, by number, and of groups by list and place.
struct Checked {
    size_t words;                         // of a set of states
    std::vector<uint64_t> sources;        // by state: the states from which it is entered
    std::vector<uint64_t> states;         // by node: those in which the partial matches of its set picked last
    std::vector<uint64_t> sizes;          // by node: how many picks its set has in union
    std::vector<uint8_t> viewed;          // by view: some node is of it
    std::vector<std::vector<uint32_t>> newest;  // of each list: the node with the greatest number up to a place
    std::vector<std::vector<uint64_t>> picks;  // of each list: how many picks its groups up to a place have in union
    std::vector<int64_t> oldest;          // by listed event: the least start in its list
};

// ── events ──
static void load_events(Recognition* r, Archive* a) {
    RecognizerState* s = &r->state;
    uint64_t scanned = 0;
    event_fields(r, a, &scanned);
    require(0 <= s->position && s->position < FARTHEST && 0 <= s->first_number && s->first_number <= s->position,
        "the position is none");
    if (r->correlating != nullptr) r->correlating->scanned = scanned;
    require(int64_t(s->local_numbers.size()) == (r->program.numbered ? s->position - s->first_number : 0),
        "positions in partitions are missing");
    for (int64_t local : s->local_numbers)
        require(-1 <= local && local < s->position, "a position in a partition is none");
    require(r->program.partitioned || s->locals.size() == 1, "there are partitions");
    require(s->locals.size() < MOST_NODES, "there are too many partitions");
    for (int64_t events : s->locals) {
        require(0 <= events && events <= (r->program.partitioned ? s->position : 0),
            "a partition has no such number of events");
    }
}

static void load_partitions(Recognition* r) {
    std::vector<int64_t> counts = r->state.locals;
    size_t waiting = partitions_of(r);
    let_go(r);
    if (waiting) know_waiting(r, uint32_t(waiting - 1));
    r->state.locals = counts;
    r->state.is_touched.assign(waiting, 0);
    require(r->program.consume == Consumed::ANY || r->state.touched.empty(), "nothing will be consumed");
    for (uint32_t partition : r->state.touched) {
        require(partition < waiting, "there is no such partition");
        require(!r->state.is_touched[partition], "a partition is touched twice");
        r->state.is_touched[partition] = 1;
    }
}

// ── nodes ──

// Into the ring, with the marks that say how old they can be.
static void load_nodes(Recognition* r, const std::vector<MatchNode>* nodes) {
    size_t size = r->state.ring.nodes.size();
    int64_t youngest = NEVER;
    require(nodes->size() < MOST_NODES, "there are too many nodes");
    while (size <= nodes->size() + 1) size *= 2;
    r->state.ring.open(size, 1);
    for (size_t i = 0, i_end = nodes->size(); i < i_end; ++i) {
        *match_node(&r->state, r->state.ring.take()) = (*nodes)[i];
        youngest = std::max(youngest, (*nodes)[i].youngest);
        if (r->state.ring.until_mark() == 0 || i + 1 == nodes->size()) r->state.ring.mark(youngest);
    }
}

static void begin_check(Recognition* r, Checked* known) {
    known->words = (r->program.width >> 6) + 1;
    known->sources.assign(r->program.width * known->words, 0);
    known->states.assign(r->state.ring.count() * known->words + known->words, 0);
    known->sizes.assign(r->state.ring.count() + 1, 0);
    for (size_t state = 0; state < r->program.width; ++state) {
        const EntrySpec* entry = &r->program.entries[state];
        for (size_t i = 0; i < size_t(entry->after + entry->directly); ++i)
            set_bit(known->sources.data() + state * known->words, r->program.sources[entry->first + i]);
    }
}

// ── listed events ──

// Lists lead to earlier events; those that begin a list are forgotten first.
static void load_listed(Recognition* r, Archive* a, int64_t oldest, Checked* known) {
    Correlating* c = r->correlating;
    std::vector<ListedForm> forms;
    listed_fields(a, &forms, &c->remembered);
    require(c->remembered.size() / std::max(c->own.size(), size_t(1)) == (c->own.size() ? forms.size() : 0)
        && c->remembered.size() % std::max(c->own.size(), size_t(1)) == 0, "values of listed events are missing");
    for (size_t i = 0; i < forms.size(); ++i) {
        const ListedForm& form = forms[i];
        bool follows = form.before >= 0;
        require(oldest <= form.position && form.position < r->state.position, "a listed event is none");
        require(-1 <= form.before && form.before < int64_t(i), "a list leads nowhere");
        require(!follows || forms[form.before].position < form.position, "a list is not in order");
        require(i == 0 || !r->program.forgets || forms[i - 1].start <= form.start, "starts of listed events fall");
        c->listed.push_back({form.position, form.start, follows ? form.before : NOT_SET});
        known->oldest.push_back(follows ? known->oldest[form.before] : form.start);
    }
}

static inline bool has_node(const Recognition* r, uint32_t number) noexcept {
    return number != NO_NODE && r->state.ring.has(number);
}

// The list has its place, and the groups are there.
static void check_form(Recognition* r, const ListForms* forms, size_t i, size_t at, size_t value) {
    const ListForm* form = forms->lists.data() + i;
    require(form->partition < partitions_of(r) && form->state < r->program.width, "a list is of no state");
    require(r->correlating->cells[form->state].kind != RegisterCells::HEAD, "a list is of a state that has none");
    size_t width = r->correlating->cells[form->state].width;
    require(0 < form->groups && form->groups <= forms->nodes.size() - at, "groups of a list are missing");
    require(width == 0 || form->groups <= (forms->registers.size() - value) / width, "registers of a list are missing");
    for (size_t place = at, place_end = at + form->groups; place < place_end; ++place)
        require(has_node(r, forms->nodes[place]), "a group has no node");
}

// Registers of a group; the lists of events that they have are there as long as the group's node.
static void read_registers(
    Recognition* r, const int64_t* stored, uint32_t state, int64_t* out, const MatchNode* node, const Checked* known
) {
    Correlating* c = r->correlating;
    for (uint32_t i = 0; i < c->cells[state].width; ++i) {
        out[i] = stored[i];
        if (!has_list(c, state, i)) continue;
        require(-1 <= stored[i] && stored[i] < int64_t(c->listed.size()), "a register has a list that there is not");
        if (stored[i] < 0) out[i] = NOT_SET;
        else require(node == nullptr || !r->program.forgets || node->youngest <= known->oldest[size_t(stored[i])],
            "a list is forgotten too early");
    }
}

// A new list for groups with these registers.
static uint32_t placed_list(Recognition* r, const ListForm* form, const int64_t* registers) {
    Correlating* c = r->correlating;
    int32_t by = c->cells[form->state].key;
    require(find_list(r, form->partition, form->state, by >= 0 ? registers[by] : 0) == NO_LIST,
        "a state has a list twice");
    uint32_t number = new_list(r, form->partition, form->state);
    if (by < 0) {
        c->direct[form->partition * r->program.width + form->state] = number;
        return number;
    }
    if (c->keyed.is_full()) c->keyed.spread(FEW_SLOTS);
    put_slot(&c->keyed, hash_of_key(form->partition, form->state, registers[by]), number, registers[by]);
    return number;
}

// The last group of a list is one of merged ones.
static void know_merged(Recognition* r, uint32_t number, GroupList* list, size_t place) {
    Correlating* c = r->correlating;
    list->arriving.emplace_back();
    if (c->merged.is_full()) c->merged.spread(FEW_SLOTS);
    put_slot(&c->merged, hash_of_registers(list->partition, list->state, record_of(list, place) + 1, list->width - 1),
        number, int64_t(place));
}

static void load_list(Recognition* r, const ListForms* forms, size_t i, size_t at, size_t value, Checked* known) {
    const ListForm* form = &forms->lists[i];
    const CellSpec* cell = &r->correlating->cells[form->state];
    const int64_t* stored = forms->registers.data() + value;
    std::vector<int64_t> registers(cell->width + 1);
    uint32_t newest = 0;
    read_registers(r, stored, form->state, registers.data(), nullptr, known);
    GroupList* list = list_at(r->correlating, placed_list(r, form, registers.data()));
    for (uint32_t place = 0; place < form->groups; ++place) {
        uint32_t number = forms->nodes[at + place];
        const MatchNode* node = match_node(&r->state, number);
        require(cell->kind != RegisterCells::GROUPS || number > newest, "groups are not in the order of their events");
        newest = std::max(newest, number);
        read_registers(r, stored + place * cell->width, form->state, registers.data(), node, known);
        require(cell->key < 0 || registers[cell->key] == stored[cell->key], "a group is of another key");
        add_group(list, registers.data(), number, node->youngest);
        if (cell->skyline >= 0) add_step(&list->skyline, registers[cell->skyline], node->youngest);
        if (cell->kind == RegisterCells::MERGED) know_merged(r, uint32_t(i), list, place);
        known->newest[i].push_back(newest);
    }
    list->living = groups_of(list);
}

// ── groups ──
static void load_lists(Recognition* r, const ListForms* forms, Checked* known) {
    size_t at = 0;
    size_t value = 0;
    require(forms->lists.size() < MOST_NODES, "there are too many lists");
    known->newest.resize(forms->lists.size());
    known->picks.resize(forms->lists.size());
    for (size_t i = 0, i_end = forms->lists.size(); i < i_end; ++i) {
        check_form(r, forms, i, at, value);
        load_list(r, forms, i, at, value, known);
        at += forms->lists[i].groups;
        value += size_t(forms->lists[i].groups) * r->correlating->cells[forms->lists[i].state].width;
    }
    require(at == forms->nodes.size() && value == forms->registers.size(), "there are groups of no list");
}

static void check_view_form(Recognition* r, const ViewForm* form) {
    Correlating* c = r->correlating;
    require(form->list < c->lists.size() && form->transition < c->transitions.size(), "a view is of no list");
    const TransitionSpec* transition = &c->transitions[form->transition];
    require(list_at(c, form->list)->state == transition->source, "a view is of another state");
    require(c->cells[transition->source].kind == RegisterCells::GROUPS, "a view is of a state that has none");
    require(condition_count(transition) <= VIEW_BOUNDS && !transition->contiguous, "a view has too many conditions");
    require(0 < form->groups && form->groups <= groups_of(list_at(c, form->list)), "a view is longer than its list");
}

// ── views ──
static void load_views(Recognition* r, const std::vector<ViewForm>* forms, Checked* known) {
    Correlating* c = r->correlating;
    size_t size = c->views.nodes.size();
    require(forms->size() < MOST_NODES, "there are too many views");
    while (size <= forms->size() + 1) size *= 2;
    c->views.open(size, 0);
    known->viewed.assign(forms->size(), 0);
    for (const ViewForm& form : *forms) {
        check_view_form(r, &form);
        *c->views.at(c->views.head++) = {
            0, int64_t(form.groups) - 1, form.list, form.transition, {form.bound, form.other_bound}
        };
    }
}

// How many picks the first groups of a list have in union, whose nodes have been looked at.
static uint64_t picks_up_to(Recognition* r, uint32_t list, size_t place, Checked* known) {
    std::vector<uint64_t>* picks = known->picks.data() + list;
    while (picks->size() <= place) {
        uint64_t before = picks->size() ? picks->back() : 0;
        picks->push_back(before + known->sizes[list_at(r->correlating, list)->nodes[picks->size()]]);
    }
    return (*picks)[place];
}

// The node's view, which is of no other node, looks at groups that were there before it.
static void check_view(Recognition* r, uint32_t view, const MatchNode* node, uint32_t number, Checked* known) {
    require(r->correlating != nullptr && view < known->viewed.size(), "there is no such view");
    require(!known->viewed[view], "two nodes are of one view");
    known->viewed[view] = 1;
    ViewRecord* record = r->correlating->views.at(view);
    record->youngest = node->youngest;
    require(known->newest[record->list][size_t(record->last)] < number, "a view has groups that came after it");
    if (node->state == VIEW) {
        known->sizes[number] = picks_up_to(r, record->list, size_t(record->last), known);
        set_bit(known->states.data() + number * known->words, r->correlating->transitions[record->transition].source);
    }
}

static void unite_checked(Recognition* r, const MatchNode* node, uint32_t other, uint32_t number, Checked* known) {
    require(other < number, "a node leads to a younger one");
    require(match_node(&r->state, other)->youngest <= node->youngest, "a part of a union is too young");
    known->sizes[number] += known->sizes[other];
    for (size_t i = 0, i_end = known->words; i < i_end; ++i)
        known->states[number * known->words + i] |= known->states[other * known->words + i];
}

// The sets in union are there, and none is younger than the first one.
static void check_siblings(Recognition* r, const MatchNode* node, uint32_t number, Checked* known) {
    known->sizes[number] = 0;
    if (node->sibling != NO_NODE) unite_checked(r, node, node->sibling, number, known);
    if (node->state == UNION) {
        require(node->next != NO_NODE, "a union is of nothing");
        unite_checked(r, node, node->next, number, known);
        require(match_node(&r->state, node->next)->youngest == node->youngest, "a union is of another age");
    }
}

// The view is of a transition that enters the state.
static bool has_transition(const Recognition* r, uint32_t view, uint32_t state) noexcept {
    const CellSpec* cell = r->correlating->cells.data() + state;
    return r->correlating->views.at(view)->transition - cell->first_transition < cell->transitions;
}

static bool are_among(const uint64_t* some, const uint64_t* states, size_t words) noexcept {
    for (size_t i = 0; i < words; ++i) if (some[i] & ~states[i]) return false;
    return true;
}

static void check_pick(Recognition* r, const MatchNode* node, uint32_t number, Checked* known) {
    uint32_t state = node->state & ~uint32_t(OF_VIEW);
    require(state < r->program.width, "a node is of a state that there is not");
    ++known->sizes[number];
    set_bit(known->states.data() + number * known->words, state);
    if (node->state & OF_VIEW) {
        check_view(r, node->next, node, number, known);
        require(has_transition(r, node->next, state), "a view is of another transition");
    } else if (node->next == NO_NODE) {
        require(r->program.entries[state].initial, "a match begins in another state");
    } else {
        require(node->next < number, "a node leads to a younger one");
        require(match_node(&r->state, node->next)->youngest == node->youngest,
            "a node is of another age than what it goes on with");
        require(are_among(known->states.data() + node->next * known->words,
            known->sources.data() + state * known->words, known->words), "a pick comes after other states");
    }
}

// Where each state is entered from the one before it, the sets of a state that nodes lead to are ends of one list,
// later nodes leading to longer ones.
static void check_chains(Recognition* r) {
    std::vector<uint32_t> chains(r->state.ring.count() + 1, 0);
    std::vector<uint8_t> is_followed(r->state.ring.count() + 1, 0);
    for (uint32_t number = 1; number < r->state.ring.head; ++number) {
        const MatchNode* node = match_node(&r->state, number);
        require(node->state < r->program.width, "there are unions in a chain");
        chains[number] = number;
        if (node->sibling == NO_NODE) continue;
        const MatchNode* other = match_node(&r->state, node->sibling);
        chains[number] = chains[node->sibling];
        require(!is_followed[node->sibling] && other->state == node->state, "a list branches");
        is_followed[node->sibling] = 1;
        require(last_position_of(&r->state, node->pos) > last_position_of(&r->state, other->pos),
            "a list is not in order");
        if (node->next != NO_NODE)
            require(chains[other->next] == chains[node->next] && other->next <= node->next, "a list is not in order");
    }
}

// Links lead to older nodes, as young as they say, in states that follow each other; so walks end, with whole matches.
static void check_nodes(Recognition* r, int64_t latest, int64_t oldest, Checked* known) {
    int64_t before = std::max(oldest, r->program.numbered ? r->state.first_number : 0);
    uint64_t picks = 0;
    for (uint32_t number = 1; number < r->state.ring.head; ++number) {
        const MatchNode* node = match_node(&r->state, number);
        require(node->state <= UNION, "a node is of a state that there is not");
        require(node->youngest > NEVER && (node->youngest <= latest || !r->program.rises), "a node has no such start");
        if (node->state == VIEW) {
            check_view(r, node->pos, node, number, known);
            require(node->next == node->sibling && node->sibling == NO_NODE, "a view is in union with others");
        } else {
            check_siblings(r, node, number, known);
        }
        if (is_pick(node)) {
            check_pick(r, node, number, known);
            require(last_position_of(&r->state, node->pos) >= before, "positions of picks fall");
            before = last_position_of(&r->state, node->pos);
            ++picks;
        }
        require(known->sizes[number] <= picks, "a set has a pick twice");
    }
    for (uint8_t viewed : known->viewed) require(viewed, "a view is of no node");
    if (r->program.enumeration == EnumerationKind::ROWS) check_chains(r);
}

// The set of a node has partial matches of this state alone.
static bool are_of(const Checked* known, uint32_t node, size_t state) noexcept {
    const uint64_t* bits = known->states.data() + node * known->words;
    for (size_t i = 0, i_end = known->words; i < i_end; ++i) {
        if (bits[i] != (i == state >> 6 ? uint64_t(1) << (state & 63) : 0)) return false;
    }
    return true;
}

// Where windows are of positions in partitions, no match begins after the last one.
static inline void check_age(Recognition* r, uint32_t node, size_t partition) {
    require(r->program.events < 0
        || match_node(&r->state, node)->youngest < events_in(r, partition), "a match begins too late");
}

static void check_head(Recognition* r, uint32_t node, size_t cell, const Checked* known) {
    require(has_node(r, node), "there is no such node");
    require(are_of(known, node, cell % r->program.width), "partial matches wait in another state");
    require(r->correlating == nullptr
        || r->correlating->cells[cell % r->program.width].kind == RegisterCells::HEAD, "a state has groups");
    check_age(r, node, cell / r->program.width);
}

// As long as starts rise, what waits in a state is not younger than what may enter it.
static void check_ages(Recognition* r, const Head* heads) {
    for (size_t state = 0; state < r->program.width; ++state) {
        const EntrySpec* entry = &r->program.entries[state];
        if (entry->initial || entry->directly || heads[state].node == NO_NODE) continue;
        int64_t youngest = NEVER;
        for (size_t i = 0; i < entry->after; ++i)
            youngest = std::max(youngest, heads[r->program.sources[entry->first + i]].youngest);
        require(heads[state].youngest <= youngest, "what waits in a state is too young");
    }
}

static void load_heads(
    Recognition* r, const std::vector<uint32_t>* heads, const std::vector<uint32_t>* last, const Checked* known
) {
    size_t width = r->program.width;
    for (size_t i = 0; i < heads->size(); ++i) {
        int64_t local = (r->program.partitioned ? events_in(r, i / width) : r->state.position) - 1;
        if ((*heads)[i] != NO_NODE) {
            check_head(r, (*heads)[i], i, known);
            r->state.heads[i] = {match_node(&r->state, (*heads)[i])->youngest, (*heads)[i]};
        }
        if ((*last)[i] != NO_NODE) {
            check_head(r, (*last)[i], i, known);
            r->state.last[i] = {match_node(&r->state, (*last)[i])->youngest, local, (*last)[i]};
        }
    }
    if (!r->program.rises || r->correlating != nullptr) return;
    for (size_t i = 0; i < heads->size(); i += width) check_ages(r, r->state.heads.data() + i);
}

// The nodes of groups have partial matches of their state.
static void check_lists(Recognition* r, Checked* known) {
    for (const GroupList* list : r->correlating->lists) {
        for (size_t place = 0; place < groups_of(list); ++place) {
            require(are_of(known, list->nodes[place], list->state), "a group is of another state");
            check_age(r, list->nodes[place], list->partition);
        }
    }
}

static void start_recent_again(Recognition* r, const ListForm* form) {
    require(r->program.entries[form->state].waits_next, "nothing comes directly after a state");
    start_recent(r, form->state, form->partition,
        (r->program.partitioned ? events_in(r, form->partition) : r->state.position) - 1, true);
}

// What entered states with the last event.
static void load_recents(Recognition* r, const ListForms* forms, const Checked* known) {
    Correlating* c = r->correlating;
    std::vector<int64_t> registers;
    size_t at = 0;
    size_t value = 0;
    require(c->has_recents || forms->lists.empty(), "nothing is contiguous");
    for (size_t i = 0; i < forms->lists.size(); ++i) {
        check_form(r, forms, i, at, value);
        const ListForm* form = &forms->lists[i];
        uint32_t width = c->cells[form->state].width;
        registers.resize(width + 1);
        require(c->recents[form->partition * r->program.width + form->state].nodes.empty(),
            "a state was entered twice");
        start_recent_again(r, form);
        for (size_t end = at + form->groups; at < end; ++at, value += width) {
            const MatchNode* node = match_node(&r->state, forms->nodes[at]);
            require(are_of(known, forms->nodes[at], form->state), "a group is of another state");
            check_age(r, forms->nodes[at], form->partition);
            read_registers(r, forms->registers.data() + value, form->state, registers.data(), node, known);
            note_recent(r, form->state, form->partition, registers.data(), forms->nodes[at], node->youngest);
        }
    }
    require(at == forms->nodes.size() && value == forms->registers.size(), "there are groups of no state");
}

// Take over what `write_recognition` gave, into a recognizer that has taken nothing.
//
// No event started later than `latest`, and what is picked is not before position `oldest`.
inline void load_recognition(Recognition* r, Archive* a, int64_t latest, int64_t oldest) {
    std::vector<MatchNode> nodes;
    std::vector<uint32_t> heads, last;
    std::vector<ViewForm> views;
    ListForms lists{}, recents{};
    Checked known{};
    load_events(r, a);
    if (r->rules != nullptr) load_rules(r, a);
    size_t cells = partitions_of(r) * r->program.width;
    head_fields(a, &heads, &last);
    require(heads.size() == cells && last.size() == cells, "states of partitions are missing");
    load_partitions(r);
    node_fields(a, &nodes);
    load_nodes(r, &nodes);
    begin_check(r, &known);
    if (r->correlating != nullptr) {
        load_listed(r, a, oldest, &known);
        list_fields(a, "groups", &lists);
        list_fields(a, "recent", &recents);
        load_lists(r, &lists, &known);
        view_fields(a, &views);
        load_views(r, &views, &known);
    }
    check_nodes(r, latest, oldest, &known);
    load_heads(r, &heads, &last, &known);
    if (r->correlating != nullptr) {
        check_lists(r, &known);
        load_recents(r, &recents, &known);
        load_waiting(r, a);
    }
    if (a->has_store("worth")) load_worth(r, a);
    r->state.attention = r->state.ring.head;
}

}  // namespace spaseq::events
