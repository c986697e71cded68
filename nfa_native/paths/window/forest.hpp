// The shortest walks of a query in a window, kept up to date: for each start a tree over pairs of a vertex and a subset of states.
//
// An edge that comes makes walks shorter only where it is used, and one that goes makes those longer that lie behind it in
// a tree and have no other way of the same length: G. Ramalingam and T. Reps, An incremental algorithm for a
// generalization of the shortest-path problem (1996).  An edge that comes again in time changes nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "nfa_native/paths/automaton.hpp"
#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/path_so_far.hpp"
#include "nfa_native/paths/window/edges.hpp"
#include "nfa_native/paths/window/number_table.hpp"
#include "nfa_native/paths/window/place_table.hpp"
#include "nfa_native/paths/window/small_row.hpp"

namespace spaseq::paths {

constexpr uint32_t NO_LENGTH = UINT32_MAX;

// A vertex and a subset that a walk from a start leads to.
struct alignas(64) ForestNode {     // one line of the cache
    vertex_t vertex;
    uint32_t subset;
    uint32_t start;
    uint32_t length;                // of the shortest walks
    uint32_t before;                // the same before event `changed`; NO_LENGTH: it was not there
    uint32_t parent;                // on one of them; NO_PLACE: the walk begins here, or the node is lost
    step_t step;                    // from the parent
    uint32_t child;                 // any one whose parent it is
    uint32_t next_child, last_child;    // of its parent
    uint32_t place_here;            // in the row of its vertex
    uint32_t next_subset;           // of its start and its vertex; or the next free place
    bool is_lost;                   // its way has gone
    bool has_ties;                  // some other step may end a walk of the same length; false: none does
    uint64_t changed;               // the event in which its length changed last
};

// A node as its vertex knows it.
struct NodeHere {
    uint32_t node;
    uint32_t subset;
};

struct WalkStart {
    vertex_t vertex = NO_PLACE;     // NO_PLACE: the window does not have it
    uint32_t root = NO_PLACE;
};

struct Forest {
    static constexpr size_t FEW_STARTS = 4;
    static constexpr uint8_t LEAF = 1, BRANCH = 2;

    struct Waiting {
        uint32_t length;
        uint32_t node;
        bool operator<(const Waiting& other) const noexcept { return length > other.length; }   // the shortest first
    };

    // A node whose way has gone, and the best way to it from those that are left.
    struct LostNode {
        uint32_t node;
        uint32_t from;              // NO_PLACE: none leads to it
        step_t step;
    };

    const WindowGraph* graph = nullptr;
    const PathAutomaton* automaton = nullptr;
    Subsets subsets;
    PathRules rules;                        // WALK
    bool is_leveled = true;                 // all walks to a subset that were met have one length
    std::vector<uint32_t> levels;           // by subset: that length, NO_LENGTH: none was met
    bool follows_ties = false;              // ties are told of also where walks have many lengths
    bool has_leaves = true;                 // nodes behind which no walk goes on are kept, too
    std::vector<uint8_t> leaves;            // by subset, as far as it was asked: whether no walk goes on, LEAF or BRANCH
    std::vector<uint8_t> is_used;           // by symbol: whether some state has it
    std::vector<WalkStart> starts;
    std::vector<ForestNode> nodes;
    uint32_t free_node = NO_PLACE;
    std::vector<SmallRow<NodeHere>> here;   // by vertex: its nodes
    PlaceTable chains;                      // by start and vertex: the first of its nodes
    std::vector<uint32_t> tree_uses;        // by edge: how many nodes it leads to, from their parents
    std::vector<Waiting> waiting;           // a heap
    std::vector<uint32_t> changed;          // the nodes whose length this event has changed
    std::vector<LostNode> lost;
    uint64_t event = 1;                     // counts what edges do, by coming and by going

    Forest() = default;
    Forest(const Forest&) = delete;
    Forest& operator=(const Forest&) = delete;
    ~Forest() {
        for (SmallRow<NodeHere>& row : here) row.release();
    }

    void open_forest(const WindowGraph* of, const PathAutomaton* led_by) {
        graph = of;
        automaton = led_by;
        subsets.begin_with(led_by);
        is_used.assign(of->rows.symbols, 0);
        for (const PathState& state : led_by->states)
            for (symbol_t symbol : state.symbols) is_used[symbol] = 1;
    }

    void cover_vertices(size_t vertices) {
        if (here.size() < vertices) here.resize(vertices);
    }

    // What changes from now on is of another event.
    void begin_changes() noexcept {
        ++event;
        changed.clear();
    }

    uint32_t length_before(uint32_t node) const noexcept {
        return nodes[node].changed == event ? nodes[node].before : nodes[node].length;
    }

    bool is_end(const ForestNode& node) {
        return rules.may_end(node.vertex) && subsets.moves_at(node.subset, node.vertex).accepting;
    }

    // `visit(node)` for the nodes of a start and a vertex, until it says true: then that node, else NO_PLACE.
    template <class Visit>
    uint32_t find_node(uint32_t start, vertex_t vertex, Visit visit) {
        if (has_chains()) {
            for (uint32_t at = first_node(start, vertex); at != NO_PLACE; at = nodes[at].next_subset)
                if (visit(at)) return at;
        } else {
            for (const NodeHere& one : here[vertex])
                if (nodes[one.node].start == start && visit(one.node)) return one.node;
        }
        return NO_PLACE;
    }

    // Whether nodes are found by their start, since there are many at a vertex.
    bool has_chains() const noexcept { return starts.size() > FEW_STARTS; }

    // ── what comes ───────────────────────────────────────────────────────────────────────────────────────────
    // A start is in the window from now on.  std::bad_alloc, std::domain_error.
    void plant(uint32_t start, vertex_t vertex) {
        starts[start].vertex = vertex;
        uint32_t root = make_node(start, vertex, 0);
        starts[start].root = root;
        note_change(root);
        nodes[root].length = 0;
        wait_for(root);
    }

    // A start is in the window no more; nothing but its root is left of its tree.
    void uproot(uint32_t start) noexcept {
        remove_node(starts[start].root);
        starts[start] = WalkStart();
    }

    // Ask for the memory of what is at a vertex: where that stands, and then itself.
    void prefetch_here(vertex_t vertex) const noexcept {
        if (vertex < here.size()) __builtin_prefetch(&here[vertex]);
    }
    void prefetch_node(vertex_t vertex) const noexcept {
        if (vertex < here.size() && here[vertex].count) prefetch_nodes(here[vertex]);
    }

    // Likewise of what an edge leads to that goes soon.
    void prefetch_cut(uint32_t edge, bool nodes_too) const noexcept {
        if (edge >= tree_uses.size() || tree_uses[edge] == 0) return;
        const WindowEdge& one = graph->edges[edge];
        for (vertex_t vertex : {one.subject, one.object}) nodes_too ? prefetch_node(vertex) : prefetch_here(vertex);
    }

    // Edges have come, and starts; `shorten_walks` follows.  std::bad_alloc, std::domain_error.
    void approach_along(const std::vector<uint32_t>& edges) {
        if (tree_uses.size() < graph->edges.size()) tree_uses.resize(graph->edges.capacity(), 0);
        for (uint32_t edge : edges)
            for (uint32_t inverse = 0; inverse < 2; ++inverse) visit_uses(edge, inverse, [&](uint32_t node, uint32_t subset) {
                const WindowEdge& one = graph->edges[edge];
                approach(node, 2 * edge + inverse, inverse ? one.subject : one.object, subset);
            });
    }

    // Shorten what can be shortened.  std::bad_alloc, std::domain_error.
    void shorten_walks() {
        while (!waiting.empty()) {
            Waiting next = take_waiting();
            if (nodes[next.node].length != next.length) continue;       // it was shortened once more
            const ForestNode& node = nodes[next.node];
            visit_behind(node.start, node.vertex, node.subset, [&](const HalfEdge& half, step_t step, uint32_t subset) {
                approach(next.node, step, half.to, subset);
            });
        }
    }

    // ── what goes ────────────────────────────────────────────────────────────────────────────────────────────
    // Edges have left their rows.  std::bad_alloc, std::domain_error.
    void cut(const std::vector<uint32_t>& edges) {
        for (uint32_t edge : edges) {
            const WindowEdge& one = graph->edges[edge];
            if (edge >= tree_uses.size() || tree_uses[edge] == 0) continue;
            cut_at(one.object, 2 * edge);
            cut_at(one.subject, 2 * edge + 1);
        }
        if (waiting.empty()) return;
        while (!waiting.empty()) hold_on(take_waiting().node);
        for (const LostNode& one : lost) lose_way(one.node);
        for (LostNode& one : lost) {
            if (one.from != NO_PLACE && nodes[one.from].is_lost) find_way(&one);
            if (one.from != NO_PLACE) reach_anew(one);
        }
        if (lost.size() > 1 || follows_ties) shorten_walks();        // else nothing that was lost lies behind it
        for (const LostNode& one : lost) end_loss(one.node);
        waiting.clear();
        lost.clear();
    }

    // ── looking around ───────────────────────────────────────────────────────────────────────────────────────
    static const SubsetMove* move_by(const SubsetMoves& moves, symbol_t symbol) noexcept {
        auto found = std::lower_bound(moves.moves.begin(), moves.moves.end(), symbol,
                                      [](const SubsetMove& move, symbol_t wanted) { return move.symbol < wanted; });
        return found == moves.moves.end() || found->symbol != symbol ? nullptr : &*found;
    }

    // `visit(node, subset)` for all nodes that may take an edge, and what they come to.  std::bad_alloc, std::domain_error.
    template <class Visit>
    void visit_uses(uint32_t edge, uint32_t inverse, Visit visit) {
        const WindowEdge& one = graph->edges[edge];
        symbol_t symbol = 2 * one.label + inverse;
        if (!is_used[symbol]) return;
        vertex_t from = inverse ? one.object : one.subject, to = inverse ? one.subject : one.object;
        for (uint32_t i = 0, count = here[from].count; i < count; ++i) {      // those that come meanwhile have been told already
            NodeHere one = here[from].begin()[i];
            const SubsetMove* move = move_by(subsets.moves_at(one.subset, from), symbol);
            if (move == nullptr || (rules.not_back && to == starts[nodes[one.node].start].vertex)) continue;
            visit(one.node, move->subset);
        }
    }

    // `visit(node, step)` for all that lead to a vertex and a subset by one step, until it says true.  std::bad_alloc, std::domain_error.
    template <class Visit>
    bool visit_before(uint32_t start, vertex_t vertex, uint32_t subset, Visit visit) {
        if (subset == 0 || (rules.not_back && vertex == starts[start].vertex)) return false;
        for (symbol_t symbol : automaton->states[subsets.subsets[subset].states[0]].symbols) {
            const EdgeRow* row = graph->row(vertex, symbol ^ 1);
            if (row == nullptr) continue;
            for (const HalfEdge& half : *row) {
                uint32_t found = find_node(start, half.to, [&](uint32_t at) {
                    if (nodes[at].is_lost) return false;
                    const SubsetMove* move = move_by(subsets.moves_at(nodes[at].subset, half.to), symbol);
                    return move != nullptr && move->subset == subset && visit(at, 2 * half.edge + (symbol & 1));
                });
                if (found != NO_PLACE) return true;
            }
        }
        return false;
    }

    // The starts from which something that has just come is reached, rising.  std::bad_alloc, std::domain_error.
    void find_affected(std::vector<uint32_t>* found) {
        found->clear();
        for (uint32_t at : changed)
            if (nodes[at].length == 0) found->push_back(nodes[at].start);
        for (uint32_t edge : graph->arrived)
            for (uint32_t inverse = 0; inverse < 2; ++inverse)
                visit_uses(edge, inverse, [&](uint32_t node, uint32_t) { found->push_back(nodes[node].start); });
        std::sort(found->begin(), found->end());
        found->erase(std::unique(found->begin(), found->end()), found->end());
    }

    // Whether just one step leads to a node, that from its parent.
    bool has_one_way(uint32_t at) const noexcept { return is_leveled && !nodes[at].has_ties; }

    // Whether a start has just come.
    bool is_fresh_start(uint32_t start) const noexcept { return length_before(starts[start].root) == NO_LENGTH; }

    // The node of a start, a vertex and a subset; NO_PLACE: no walk leads there.
    uint32_t forest_node(uint32_t start, vertex_t vertex, uint32_t subset) {
        if (has_chains()) return find_node(start, vertex, [&](uint32_t at) { return nodes[at].subset == subset; });
        for (const NodeHere& one : here[vertex])
            if (one.subset == subset && nodes[one.node].start == start) return one.node;
        return NO_PLACE;
    }

    // `visit(half edge, step, subset)`: what may be taken at a vertex, and what it comes to.  std::bad_alloc, std::domain_error.
    template <class Visit>
    void visit_behind(uint32_t start, vertex_t vertex, uint32_t subset, Visit visit) {
        vertex_t closed = rules.not_back ? starts[start].vertex : NO_PLACE;
        const SubsetMoves& moves = subsets.moves_at(subset, vertex);
        for (const SubsetMove& move : moves.moves) {
            const EdgeRow* row = graph->row(vertex, move.symbol);
            if (row == nullptr) continue;
            for (const HalfEdge& half : *row)
                if (half.to != closed) visit(half, 2 * half.edge + (move.symbol & 1), move.subset);
        }
    }

  private:
    void prefetch_nodes(const SmallRow<NodeHere>& row) const noexcept {
        for (uint32_t i = 0; i < std::min<uint32_t>(row.count, 8); ++i) __builtin_prefetch(&nodes[row.begin()[i].node]);
    }

    void wait_for(uint32_t node) {
        waiting.push_back(Waiting{nodes[node].length, node});
        std::push_heap(waiting.begin(), waiting.end());
    }

    Waiting take_waiting() noexcept {
        std::pop_heap(waiting.begin(), waiting.end());
        Waiting next = waiting.back();
        waiting.pop_back();
        return next;
    }

    void note_change(uint32_t node) {
        if (nodes[node].changed == event) return;
        changed.push_back(node);
        nodes[node].before = nodes[node].length;
        nodes[node].changed = event;
    }

    // A walk to a node goes on by a step; it may be shorter than those before.
    void approach(uint32_t from, step_t step, vertex_t to, uint32_t subset) {
        if (!has_leaves && is_leaf(subset)) return;
        uint32_t start = nodes[from].start, length = nodes[from].length + 1, at = forest_node(start, to, subset);
        note_level(subset, length);
        if (at == NO_PLACE) at = make_node(start, to, subset);
        else if (nodes[at].length <= length) return note_tie(at, from, step);
        shorten_node(at, from, step);
    }

    void note_level(uint32_t subset, uint32_t length) {
        if (subset >= levels.size()) levels.resize(subset + 1, NO_LENGTH);
        if (levels[subset] == NO_LENGTH) levels[subset] = length;
        is_leveled &= levels[subset] == length;
    }

    // A walk to a node goes on by a step from another, and is not shorter than those before.
    void note_tie(uint32_t at, uint32_t from, step_t step) noexcept {
        ForestNode& node = nodes[at];
        node.has_ties |= node.length == nodes[from].length + 1 && (node.parent != from || node.step != step);
    }

    // A node that was lost is reached on a longer way; there may be others.
    void reach_anew(const LostNode& one) {
        is_leveled = false;
        shorten_node(one.node, one.from, one.step);
        nodes[one.node].has_ties = true;
    }

    // The shortest walk to a node is now the one that goes on by a step from another.
    void shorten_node(uint32_t at, uint32_t from, step_t step) {
        note_change(at);
        leave_parent(at);
        nodes[at].length = nodes[from].length + 1;
        nodes[at].has_ties = false;
        join_parent(at, from, step);
        wait_for(at);
    }

    bool is_leaf(uint32_t subset) {
        if (subset >= leaves.size()) leaves.resize(subset + 1, 0);
        if (leaves[subset] == 0) {
            bool goes_on = false;
            for (uint32_t state : subsets.subsets[subset].states) goes_on |= !automaton->states[state].transitions.empty();
            leaves[subset] = goes_on ? BRANCH : LEAF;
        }
        return leaves[subset] == LEAF;
    }

    // Nodes of a vertex that a step led to wait for another way.
    void cut_at(vertex_t vertex, step_t step) {
        for (const NodeHere& one : here[vertex])
            if (nodes[one.node].parent != NO_PLACE && nodes[one.node].step == step) wait_for(one.node);
    }

    // Find another way of the same length to a node whose way has gone, or it is lost, and those behind it wait.
    // All shorter ones have found theirs.
    void hold_on(uint32_t at) {
        if (nodes[at].is_lost) return;
        uint32_t length = nodes[at].length;
        LostNode one{at, NO_PLACE, 0};
        if (!has_one_way(at) && find_way(&one, length - 1)) {
            leave_parent(at);
            join_parent(at, one.from, one.step);
            return;         // with ties, as before
        }
        lost.push_back(one);
        nodes[at].is_lost = true;
        for (uint32_t child = nodes[at].child; child != NO_PLACE; child = nodes[child].next_child) wait_for(child);
    }

    // The best way to a node from those that are not lost; whether it begins at this length, of which none is shorter.
    bool find_way(LostNode* one, uint32_t least = 0) {
        uint32_t length = NO_LENGTH;
        one->from = NO_PLACE;
        const ForestNode& node = nodes[one->node];
        return visit_before(node.start, node.vertex, node.subset, [&](uint32_t from, step_t step) {
            if (nodes[from].length >= length) return false;
            length = nodes[from].length;
            one->from = from;
            one->step = step;
            return length == least;
        });
    }

    void lose_way(uint32_t at) noexcept {
        leave_parent(at);
        nodes[at].length = NO_LENGTH;
    }

    void end_loss(uint32_t at) noexcept {
        nodes[at].is_lost = false;
        if (nodes[at].length == NO_LENGTH) remove_node(at);
    }

    uint32_t make_node(uint32_t start, vertex_t vertex, uint32_t subset) {
        if (free_node == NO_PLACE) {
            if (nodes.size() >= NO_PLACE) throw std::domain_error("a window has too many walks");
            nodes.emplace_back();
            nodes.back().next_subset = NO_PLACE;
            free_node = static_cast<uint32_t>(nodes.size() - 1);
        }
        uint32_t at = free_node;
        here[vertex].add_last(NodeHere{at, subset});
        uint32_t next = has_chains() ? enter_chain(start, vertex, at) : NO_PLACE;
        free_node = nodes[at].next_subset;
        nodes[at] = ForestNode{vertex,   subset,   start,    NO_LENGTH, NO_LENGTH,              NO_PLACE, 0,
                               NO_PLACE, NO_PLACE, NO_PLACE, here[vertex].count - 1, next,     false,    false, 0};
        return at;
    }

    void remove_node(uint32_t at) noexcept {
        ForestNode& node = nodes[at];
        SmallRow<NodeHere>& row = here[node.vertex];
        nodes[row.at(row.count - 1)->node].place_here = node.place_here;
        row.remove(node.place_here);
        if (has_chains()) leave_chain(at);
        node.next_subset = free_node;
        node.length = NO_LENGTH;
        free_node = at;
    }

    // ── nodes of a start and a vertex ────────────────────────────────────────────────────────────────────────
    uint32_t hash_of(uint32_t start, vertex_t vertex) const noexcept {
        return static_cast<uint32_t>(graph->scrambler.scrambled(key_of(start, vertex)));
    }

    uint32_t first_node(uint32_t start, vertex_t vertex) const noexcept {
        return chains.find_place(hash_of(start, vertex), [&](uint32_t at) {
            return nodes[at].vertex == vertex && nodes[at].start == start;
        });
    }

    // The node that stands behind it from now on.  std::bad_alloc: nothing has changed.
    uint32_t enter_chain(uint32_t start, vertex_t vertex, uint32_t at) {
        uint32_t first = first_node(start, vertex);
        if (first == NO_PLACE) {
            chains.enter_place(hash_of(start, vertex), at);
            return NO_PLACE;
        }
        return std::exchange(nodes[first].next_subset, at);
    }

    void leave_chain(uint32_t at) noexcept {
        const ForestNode& node = nodes[at];
        uint32_t hash = hash_of(node.start, node.vertex), first = first_node(node.start, node.vertex);
        if (first != at) {
            while (nodes[first].next_subset != at) first = nodes[first].next_subset;
            nodes[first].next_subset = node.next_subset;
        } else if (node.next_subset == NO_PLACE) {
            chains.leave_place(hash, at);
        } else {
            chains.replace_place(hash, at, node.next_subset);
        }
    }

    void join_parent(uint32_t at, uint32_t parent, step_t step) noexcept {
        ForestNode& node = nodes[at];
        node.parent = parent;
        node.step = step;
        node.last_child = NO_PLACE;
        node.next_child = nodes[parent].child;
        if (node.next_child != NO_PLACE) nodes[node.next_child].last_child = at;
        nodes[parent].child = at;
        ++tree_uses[step >> 1];
    }

    void leave_parent(uint32_t at) noexcept {
        ForestNode& node = nodes[at];
        if (node.parent == NO_PLACE) return;
        --tree_uses[node.step >> 1];
        (node.last_child == NO_PLACE ? nodes[node.parent].child : nodes[node.last_child].next_child) = node.next_child;
        if (node.next_child != NO_PLACE) nodes[node.next_child].last_child = node.last_child;
        node.parent = NO_PLACE;
    }
};

}  // namespace spaseq::paths
