// Views out of an archive: what they say of their lists, which were made again from the cells, must be true of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/restore_unions.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

// A list, when it was made again: of which index of which state, and for each beginning, as views look at it, the
// newest node and the youngest start.
struct ListKnown {
    uint32_t state;
    uint32_t index;
    std::vector<uint32_t> nodes;
    std::vector<uint32_t> starts;
};

static void know_list(KernelState* now, const GroupList* groups, ListKnown* known) {
    uint32_t node = now->ring.tail - 1;
    uint32_t start = now->lo - 1;
    for (const Group& group : groups->groups) {
        if (is_live(now, group.node) && older(node, group.node)) node = group.node;
        if (older(start, group.max_start)) start = group.max_start;
        known->nodes.push_back(node);
        known->starts.push_back(start);
    }
}

static void know_lists(KernelState* now, std::vector<ListKnown>* lists) {
    for (uint32_t i = 0; i < now->states.size(); ++i) {
        StateData& s = now->states[i];
        for (uint32_t j = 0; s.kind == Cells::VIEWS && j < s.indexes.size(); ++j) {
            for (const Bucket& bucket : s.indexes[j].buckets) {
                if (bucket.groups == NO_LIST) continue;
                ListKnown& list = (*lists)[bucket.groups];
                list.state = i;
                list.index = j;
                know_list(now, &now->lists[bucket.groups], &list);
            }
        }
    }
}

// What is in the view is older than it, and as young as it says; or it is over.
static void check_view(
    KernelProgram* program, KernelState* now, std::vector<ListKnown>* lists, const Node* view, uint32_t number
) {
    const TransitionSpec* transition = &program->transitions[view->label & ~uint32_t(VIEW)];
    if (older(view->max_start, now->lo)) return;
    require(view->next < lists->size(), "a view is of a list that there is not");
    const ListKnown* known = lists->data() + view->next;
    require(0 < view->sibling && view->sibling <= known->nodes.size(), "a view is longer than its list");
    require(known->state == transition->source && known->index == transition->index, "a view is of another list");
    require(older(known->nodes[view->sibling - 1], number), "a view has sets that came after it");
    require(is_from(known->starts[view->sibling - 1], view->max_start), "a view is younger than what is in it");
}

static void check_views(KernelProgram* program, KernelState* now) {
    std::vector<ListKnown> lists(now->lists.size());
    know_lists(now, &lists);
    for (uint32_t number = now->ring.tail; number != now->ring.head; ++number) {
        if (number && node_at(now, number)->label & VIEW)
            check_view(program, now, &lists, node_at(now, number), number);
    }
}

}  // namespace spaseq::joins
