// The live state as an archive: nodes, lists, views and listed events that a window may still need get new numbers,
// what is dead is left out, and what follows from other fields is not written.  `restore.hpp` reads it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/events/compact.hpp"
#include "nfa_native/events/lists.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/rules_archive.hpp"
#include "nfa_native/events/state.hpp"
#include "nfa_native/events/views.hpp"
#include "nfa_native/events/wait.hpp"

namespace spaseq::events {

constexpr uint32_t NO_VIEW = 0xFFFFFFFF;

// A list of groups as it is written, or what entered a state last: registers and nodes of its groups come one after the
// other.
struct ListForm {
    uint32_t partition;
    uint32_t state;
    uint32_t groups;
};

// A view as it is written; it is as young as its node.
struct ViewForm {
    uint32_t list;
    uint32_t transition;
    uint32_t groups;                      // it looks at so many of the list's
    int64_t bound, other_bound;           // VIEW_BOUNDS
};

// A listed event as it is written.
struct ListedForm {
    int64_t position;
    int64_t start;
    int64_t before;                       // number of the list before it; -1: there is none
};

// Lists as they are written.
struct ListForms {
    std::vector<ListForm> lists;
    std::vector<int64_t> registers;
    std::vector<uint32_t> nodes;
};

// New numbers of what is written.
struct Renumbered {
    std::vector<uint32_t> nodes;          // by distance from the tail; NO_NODE: left behind
    std::vector<uint32_t> views;          // the same
    std::vector<uint32_t> lists;          // by number; NO_LIST: left behind
    std::vector<std::vector<uint32_t>> groups;  // of each list: how many come before a place
    std::vector<int64_t> listed;          // by place; NOT_SET: left behind
};

// All results are out and taken.
inline bool can_be_written(const Recognition* r) noexcept {
    return !r->scratch.enumerating && r->scratch.found.count == 0 && (r->rules == nullptr || !r->rules->is_under_way);
}

// The list is one of a partition, and was not emptied since; one that is free has no groups.
static inline bool is_kept(Recognition* r, const GroupList* list) noexcept {
    return list->partition < r->correlating->epochs.size() && is_current(r, list);
}

static void mark_kept_groups(Recognition* r, int64_t least, std::vector<uint32_t>* nodes) {
    Correlating* c = r->correlating;
    for (size_t i = 0; i < c->lists.size(); ++i) {
        const GroupList* list = list_at(c, uint32_t(i));
        if (!is_kept(r, list)) continue;
        for (size_t place = list->first; place < groups_of(list); ++place)
            mark_from(r, list->nodes[place], least_of(r, list->partition, least), nodes);
    }
    for (size_t i = 0; i < c->recents.size(); ++i) {
        if (!is_latest(r, i / r->program.width, c->recents[i].local)) continue;
        for (uint32_t node : c->recents[i].nodes) mark_from(r, node, least_of(r, i / r->program.width, least), nodes);
    }
}

static void keep_nodes(Recognition* r, int64_t least, std::vector<uint32_t>* nodes) {
    uint32_t number = 1;
    nodes->assign(r->state.ring.count(), NO_NODE);
    for (size_t i = 0; i < r->state.heads.size(); ++i) {
        int64_t own = least_of(r, i / r->program.width, least);
        mark_from(r, r->state.heads[i].node, own, nodes);
        if (is_latest(r, i / r->program.width, r->state.last[i].local)) mark_from(r, r->state.last[i].node, own, nodes);
    }
    if (r->correlating != nullptr) mark_kept_groups(r, least, nodes);
    for (uint32_t& node : *nodes)
        if (node != NO_NODE) node = number++;
}

// Views of nodes that are written, in their order.
static void keep_views(Recognition* r, Renumbered* numbers) {
    Correlating* c = r->correlating;
    uint32_t kept = 0;
    numbers->views.assign(c->views.count(), NO_VIEW);
    for (size_t i = 0; i < numbers->nodes.size(); ++i) {
        if (numbers->nodes[i] == NO_NODE) continue;
        const uint32_t* view = view_of(match_node(&r->state, r->state.ring.tail + uint32_t(i)));
        if (view != nullptr) numbers->views[*view - c->views.tail] = 0;
    }
    for (uint32_t& view : numbers->views)
        if (view != NO_VIEW) view = kept++;
}

// The new number of a node; NO_NODE: it is left behind.
static inline uint32_t kept_number(const RecognizerState* s, const Renumbered* numbers, uint32_t node) noexcept {
    uint32_t place = node - s->ring.tail;
    return node != NO_NODE && place < numbers->nodes.size() ? numbers->nodes[place] : uint32_t(NO_NODE);
}

// Something of the group starts in a window that may come.
static inline bool is_live_group(
    Recognition* r, const GroupList* list, size_t place, int64_t least, const Renumbered* numbers
) noexcept {
    uint32_t node = list->nodes[place];
    return is_young(&r->state, node, least_of(r, list->partition, least))
        && kept_number(&r->state, numbers, node) != NO_NODE;
}

// Lists with groups that are left, in their order.
static void keep_lists(Recognition* r, int64_t least, Renumbered* numbers) {
    Correlating* c = r->correlating;
    uint32_t kept = 0;
    numbers->lists.assign(c->lists.size(), NO_LIST);
    numbers->groups.resize(c->lists.size());
    for (size_t i = 0; i < c->lists.size(); ++i) {
        const GroupList* list = list_at(c, uint32_t(i));
        uint32_t before = 0;
        numbers->groups[i].push_back(before);
        for (size_t place = 0, end = is_kept(r, list) ? groups_of(list) : 0; place < end; ++place) {
            before += place >= list->first && is_live_group(r, list, place, least, numbers);
            numbers->groups[i].push_back(before);
        }
        if (before) numbers->lists[i] = kept++;
    }
}

// As `position_of`, where `position` is that of the next event.
static inline int64_t last_position_of(const RecognizerState* s, uint32_t pos) noexcept {
    return s->position - 1 - int64_t(uint32_t(uint32_t(s->position - 1) - pos));
}

// ── fields: the same functions write and read ──

// Where the events are, in all and in each partition.
static void event_fields(Recognition* r, Archive* a, uint64_t* scanned) {
    a->store("events", 1);
    a->number("position", r->state.position);
    a->number("first number", r->state.first_number);
    a->number("scanned", *scanned);
    a->numbers("local numbers", r->state.local_numbers);
    a->numbers("partitions", r->state.locals);
    a->numbers("touched", r->state.touched);
}

// ── what is left, in its form ──
static void write_events(Recognition* r, Archive* a, const Renumbered* numbers) {
    RecognizerState* s = &r->state;
    uint64_t scanned = r->correlating != nullptr ? r->correlating->scanned : 0;
    int64_t oldest = s->position;
    for (size_t i = 0; i < numbers->nodes.size(); ++i) {
        const MatchNode* node = match_node(s, s->ring.tail + uint32_t(i));
        if (numbers->nodes[i] != NO_NODE && is_pick(node)) {
            oldest = last_position_of(s, node->pos);
            break;
        }
    }
    if (r->program.numbered)
        s->local_numbers.erase(s->local_numbers.begin(), s->local_numbers.begin() + (oldest - s->first_number));
    s->first_number = oldest;
    event_fields(r, a, &scanned);
}

// The first one has number 1.
static void node_fields(Archive* a, std::vector<MatchNode>* nodes) {
    a->store("nodes", 1);
    a->field("youngest", *nodes, &MatchNode::youngest);
    a->field("position", *nodes, &MatchNode::pos);
    a->field("next", *nodes, &MatchNode::next);
    a->field("sibling", *nodes, &MatchNode::sibling);
    a->field("state", *nodes, &MatchNode::state);
}

static void write_nodes(Recognition* r, Archive* a, const Renumbered* numbers) {
    std::vector<MatchNode> nodes;
    for (size_t i = 0, i_end = numbers->nodes.size(); i < i_end; ++i) {
        if (numbers->nodes[i] == NO_NODE) continue;
        MatchNode node = *match_node(&r->state, r->state.ring.tail + uint32_t(i));
        node.sibling = kept_number(&r->state, numbers, node.sibling);
        if (node.state == VIEW) node.pos = numbers->views[node.pos - r->correlating->views.tail];
        else if (is_of_view(&node)) node.next = numbers->views[node.next - r->correlating->views.tail];
        else node.next = kept_number(&r->state, numbers, node.next);
        nodes.push_back(node);
    }
    node_fields(a, &nodes);
}

// Nodes by partition and state: of all that waits, and of what entered with the last event.
static void head_fields(Archive* a, std::vector<uint32_t>* heads, std::vector<uint32_t>* last) {
    a->store("heads", 1);
    a->numbers("all", *heads);
    a->numbers("last", *last);
}

static void write_heads(Recognition* r, Archive* a, const Renumbered* numbers) {
    std::vector<uint32_t> heads, last;
    for (size_t i = 0; i < r->state.heads.size(); ++i) {
        bool latest = is_latest(r, i / r->program.width, r->state.last[i].local);
        heads.push_back(kept_number(&r->state, numbers, r->state.heads[i].node));
        last.push_back(latest ? kept_number(&r->state, numbers, r->state.last[i].node) : 0);
    }
    head_fields(a, &heads, &last);
}

// The register of a state has a list of events.
static inline bool has_list(const Correlating* c, size_t state, uint32_t register_) noexcept {
    return c->has_list[c->cells[state].first_register + register_];
}

static void mark_listed(Correlating* c, size_t state, const int64_t* registers, std::vector<int64_t>* live) noexcept {
    for (uint32_t i = 0; i < c->cells[state].width; ++i) {
        int64_t number = has_list(c, state, i) ? registers[i] : NOT_SET;
        while (number >= c->listed_base && (*live)[size_t(number - c->listed_base)] == NOT_SET) {
            (*live)[size_t(number - c->listed_base)] = 0;
            number = c->listed[size_t(number - c->listed_base)].before;
        }
    }
}

// How many of the sets that are written an event that waits has seen.
static uint32_t written_sets(const GroupList* list, const std::vector<uint32_t>& groups, int64_t seen) noexcept {
    int64_t place = std::min(seen - list->base, int64_t(groups.size()) - 1);
    return place > 0 ? groups[size_t(place)] : 0;
}

// What waits for sets that are written: `take` gets the segment, the list and the event's place.
template <class Take>
static void each_waiting(const Recognition* r, const Renumbered& numbers, Take take) {
    Correlating* c = r->correlating;
    for (uint32_t i = 0; i < c->waiting.segments.size(); ++i) {
        const std::vector<WaitingEvents>& by_list = c->waiting.segments[i].by_list;
        for (uint32_t list = 0; list < by_list.size(); ++list) {
            const WaitingEvents& waiting = by_list[list];
            for (size_t place = waiting.dead; place < waiting.size(); ++place) {
                if (is_reclaimed(c, waiting.listed[place])) continue;
                if (written_sets(list_at(c, list), numbers.groups[list], waiting.seen[place])) take(i, list, place);
            }
        }
    }
}

static void mark_waiting(const Recognition* r, Renumbered* numbers) {
    Correlating* c = r->correlating;
    each_waiting(r, *numbers, [&](uint32_t segment, uint32_t list, size_t place) {
        int64_t listed = c->waiting.segments[segment].by_list[list].listed[place];
        numbers->listed[size_t(listed - c->listed_base)] = 0;
    });
}

// Listed events that registers of groups lead to, in their order.
static void keep_listed(Recognition* r, int64_t least, Renumbered* numbers) {
    Correlating* c = r->correlating;
    int64_t kept = 0;
    numbers->listed.assign(c->listed.size(), NOT_SET);
    for (size_t i = 0; i < c->lists.size(); ++i) {
        const GroupList* list = list_at(c, uint32_t(i));
        for (size_t place = 0; place + 1 < numbers->groups[i].size(); ++place) {
            if (numbers->groups[i][place] != numbers->groups[i][place + 1])
                mark_listed(c, list->state, list->records.data() + place * list->width + 1, &numbers->listed);
        }
    }
    for (size_t i = 0; i < c->recents.size(); ++i) {
        const Recent& recent = c->recents[i];
        size_t state = i % r->program.width;
        if (!is_latest(r, i / r->program.width, recent.local)) continue;
        for (size_t place = 0; place < recent.nodes.size(); ++place) {
            if (kept_number(&r->state, numbers, recent.nodes[place]) != NO_NODE)
                mark_listed(c, state, recent.registers.data() + place * c->cells[state].width, &numbers->listed);
        }
    }
    mark_waiting(r, numbers);
    for (int64_t& event : numbers->listed)
        if (event != NOT_SET) event = kept++;
}

// Of registers that have lists, their new numbers, -1 for none.
static void write_group(
    Recognition* r, ListForms* forms, const int64_t* registers, uint32_t node, const Renumbered* numbers
) {
    Correlating* c = r->correlating;
    ListForm* form = &forms->lists.back();
    for (uint32_t i = 0; i < c->cells[form->state].width; ++i) {
        int64_t value = registers[i];
        if (has_list(c, form->state, i))
            value = value == NOT_SET ? -1 : numbers->listed[size_t(value - c->listed_base)];
        forms->registers.push_back(value);
    }
    forms->nodes.push_back(node);
    ++form->groups;
}

// What entered a state with the last event of a partition.
static void write_recent(Recognition* r, ListForms* forms, size_t cell, const Renumbered* numbers) {
    const Recent* recent = r->correlating->recents.data() + cell;
    uint32_t state = uint32_t(cell % r->program.width);
    uint32_t width = r->correlating->cells[state].width;
    forms->lists.push_back({uint32_t(cell / r->program.width), state, 0});
    for (size_t i = 0; i < recent->nodes.size(); ++i) {
        uint32_t node = kept_number(&r->state, numbers, recent->nodes[i]);
        if (node != NO_NODE) write_group(r, forms, recent->registers.data() + i * width, node, numbers);
    }
    if (forms->lists.back().groups == 0) forms->lists.pop_back();
}

static void list_fields(Archive* a, const char* name, ListForms* forms) {
    a->store(name, 1);
    a->field("partition", forms->lists, &ListForm::partition);
    a->field("state", forms->lists, &ListForm::state);
    a->field("groups", forms->lists, &ListForm::groups);
    a->numbers("registers", forms->registers);
    a->numbers("nodes", forms->nodes);
}

static void write_lists(Recognition* r, Archive* a, int64_t least, const Renumbered* numbers) {
    Correlating* c = r->correlating;
    ListForms lists{}, recents{};
    for (size_t i = 0; i < c->lists.size(); ++i) {
        const GroupList* list = list_at(c, uint32_t(i));
        if (numbers->lists[i] == NO_LIST) continue;
        lists.lists.push_back({list->partition, list->state, 0});
        for (size_t place = 0; place < groups_of(list); ++place) {
            if (numbers->groups[i][place] == numbers->groups[i][place + 1]) continue;
            write_group(r, &lists, list->records.data() + place * list->width + 1,
                kept_number(&r->state, numbers, list->nodes[place]), numbers);
        }
    }
    for (size_t i = 0; i < c->recents.size(); ++i)
        if (is_latest(r, i / r->program.width, c->recents[i].local)) write_recent(r, &recents, i, numbers);
    list_fields(a, "groups", &lists);
    list_fields(a, "recent", &recents);
}

static void view_fields(Archive* a, std::vector<ViewForm>* views) {
    a->store("views", 1);
    a->field("list", *views, &ViewForm::list);
    a->field("transition", *views, &ViewForm::transition);
    a->field("groups", *views, &ViewForm::groups);
    a->field("bound", *views, &ViewForm::bound);
    a->field("other bound", *views, &ViewForm::other_bound);
}

static void write_views(Recognition* r, Archive* a, const Renumbered* numbers) {
    Correlating* c = r->correlating;
    std::vector<ViewForm> views;
    for (size_t i = 0; i < numbers->views.size(); ++i) {
        if (numbers->views[i] == NO_VIEW) continue;
        const ViewRecord* view = view_at(c, c->views.tail + uint32_t(i));
        size_t count = condition_count(&c->transitions[view->transition]);
        uint32_t groups = numbers->groups[view->list][size_t(view->last - list_at(c, view->list)->base + 1)];
        views.push_back({numbers->lists[view->list], view->transition, groups,
            count > 0 ? view->bounds[0] : 0, count > 1 ? view->bounds[1] : 0});
    }
    view_fields(a, &views);
}

static void listed_fields(Archive* a, std::vector<ListedForm>* listed, std::vector<int64_t>* remembered) {
    a->store("listed", 1);
    a->field("position", *listed, &ListedForm::position);
    a->field("start", *listed, &ListedForm::start);
    a->field("before", *listed, &ListedForm::before);
    a->numbers("remembered", *remembered);
}

static void write_listed(Recognition* r, Archive* a, const Renumbered* numbers) {
    Correlating* c = r->correlating;
    std::vector<ListedForm> listed;
    std::vector<int64_t> remembered;
    for (size_t i = 0; i < c->listed.size(); ++i) {
        if (numbers->listed[i] == NOT_SET) continue;
        const Listed& one = c->listed[i];
        bool follows = one.before >= c->listed_base;
        listed.push_back({
            one.position, one.start, follows ? numbers->listed[size_t(one.before - c->listed_base)] : -1
        });
        const int64_t* values = c->remembered.data() + i * c->own.size();
        remembered.insert(remembered.end(), values, values + c->own.size());
    }
    listed_fields(a, &listed, &remembered);
}

}  // namespace spaseq::events
