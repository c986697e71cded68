// The step: a candidate takes a transition out of every cell that it joins.  Cells change only when the tick closes.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "nfa_native/joins/branches.hpp"
#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/cells.hpp"
#include "nfa_native/joins/combine.hpp"
#include "nfa_native/joins/guards.hpp"
#include "nfa_native/joins/junctions.hpp"
#include "nfa_native/joins/lists.hpp"
#include "nfa_native/joins/merged.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/output.hpp"
#include "nfa_native/joins/probe.hpp"
#include "nfa_native/joins/rules.hpp"
#include "nfa_native/joins/sampling.hpp"
#include "nfa_native/joins/segments.hpp"
#include "nfa_native/joins/shedding.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/negated_steps.hpp"
#include "nfa_native/joins/values.hpp"
#include "nfa_native/joins/views.hpp"
#include "nfa_native/joins/window.hpp"

namespace spaseq::joins {

static bool fire_segment(Kernel* k, uint32_t which, Candidate* candidate);  // `loops.hpp`

static void pair_initial(Scratch* scratch, const Candidate* candidate) {
    for (uint32_t i = 0; i < candidate->count; ++i) scratch->pairs.push_back({0, i, INITIAL_CELL});
}

// What one cell's successors keep, after what `out` has.
static inline void successors(
    Kernel* k, const TransitionSpec* transition, const TargetSpec* target, const Candidate* candidate,
    const Pair* pairs, uint32_t count, std::vector<word_t>* out
) {
    StateData* s = &k->now.states[transition->source];
    for (uint32_t i = 0; i < count; ++i) {
        const word_t* row = candidate->rows + size_t(pairs[i].event_row) * candidate->width;
        if (!transition->opens.empty()) k->scratch.anchor = anchor_of(s, pairs + i);
        values_of(k, &target->values, pair_cell_row(s, &pairs[i]), s->width, row, candidate->width, k->now.tick, out);
    }
}

// The step completes a side of a junction.
static void complete(
    Kernel* k, uint32_t which, const TargetSpec* target, Candidate* candidate, const Pair* pairs, uint32_t count,
    uint32_t node, uint32_t start, int64_t deadline
) {
    TransitionSpec* transition = &k->program->transitions[which];
    const std::vector<uint32_t>& picks = k->scratch.combination;
    Rows& rows = k->scratch.arriving;
    rows.clear();
    successors(k, transition, target, candidate, pairs, count, &rows);
    count = normalise(&rows, 0, uint32_t(target->values.size()), count);
    Arrival arrival{};
    arrival.node = extend(k, picks.data(), uint32_t(picks.size()), transition->label, node, start, 0);
    arrival.deadline = deadline;
    arrival.lo = candidate->lo;
    arrive(k, target, &arrival, &rows, count);
}

// Put the successors of one cell aside until the tick closes.
static void stage(
    Kernel* k, uint32_t which, const TargetSpec* target, Candidate* candidate, const Pair* pairs, uint32_t count,
    uint32_t node, uint32_t start, int64_t deadline
) {
    TransitionSpec* transition = &k->program->transitions[which];
    const std::vector<uint32_t>& combination = k->scratch.combination;
    uint64_t word = k->now.staged_words.size();
    if (candidate->pick == NOT_STAGED) {
        candidate->pick = k->now.staged_picks.size();
        for (uint32_t pos : combination) k->now.staged_picks.push_back(pos);
    }
    successors(k, transition, target, candidate, pairs, count, &k->now.staged_words);
    if (count == 1) expect_cell(&k->now.states[target->state], k->now.staged_words.data() + word);
    else count = normalise(&k->now.staged_words, word, uint32_t(target->values.size()), count);
    k->now.staged.emplace_back();
    Staged* staged = &k->now.staged.back();
    staged->deadline = deadline;
    staged->word = word;
    staged->pick = candidate->pick;
    staged->rows = count;
    staged->picks = uint32_t(combination.size());
    staged->state = target->state;
    staged->label = transition->label;
    staged->next = node;
    staged->max_start = start;
}

// Sets that are kept until the tick closes, or until the pause is over.
static inline size_t waiting_sets(const Kernel* k) noexcept {
    return k->now.staged.size() + k->pause.postponed.size();
}

// Stage the successors of the partial matches in `node`, which are alike, and output those that are finished.
static void advance_set(
    Kernel* k, uint32_t which, Candidate* candidate, const Pair* pairs, uint32_t count, uint32_t node, uint32_t start,
    int64_t deadline
) {
    size_t before = k->now.staged.size();
    bool finished = false, joined = false;
    for (const TargetSpec& target : k->program->transitions[which].targets) {
        if (target.finishes) output_matches(k, which, target.state, candidate, node);
        else if (target.junction != NO_JUNCTION)
            complete(k, which, &target, candidate, pairs, count, node, start, deadline);
        else stage(k, which, &target, candidate, pairs, count, node, start, deadline);
        finished = finished || target.finishes;
        joined = joined || target.junction != NO_JUNCTION;
    }
    if (k->shedding && k->sampling) note_work(k);
    if (k->shedding) weigh(k, {k->program->transitions[which].source, pairs->cell, start, before, finished, joined});
}

// The same of what negated events leave of the set, which waits in one cell with one row, or in a view.
static void advance_left(
    Kernel* k, uint32_t which, Candidate* candidate, const Pair* pairs, uint32_t count, uint32_t node, int64_t deadline
) {
    const TransitionSpec* transition = &k->program->transitions[which];
    uint32_t head = k->now.ring.head;
    const word_t* row = pair_cell_row(&k->now.states[transition->source], pairs);
    uint32_t left = left_of_set(k, transition, candidate, row, node);
    if (left == 0) return;
    size_t before = waiting_sets(k);
    uint32_t start = node_at(&k->now, left)->max_start;
    advance_set(k, which, candidate, pairs, count, left, start, deadline);
    if (waiting_sets(k) == before && !k->pause.suspended) k->now.ring.head = head;  // nobody keeps the cut
}

// Move what the candidate sees of list `number`; the group has the youngest start in it.
static void take_view(
    Kernel* k, uint32_t which, Candidate* candidate, uint32_t number, const GroupList* groups, const Group* group
) {
    size_t before = waiting_sets(k);
    uint32_t head = k->now.ring.head;
    uint32_t start = group->max_start;
    Pair pair{0, 0, group->cell};
    assert(k->now.states[k->program->transitions[which].source].cells[group->cell].serial == group->serial);
    uint32_t node = write_node(&k->now, k->scratch.combination[0], VIEW | which, number, group_end(groups), start);
    if (k->program->transitions[which].chances.empty()) advance_set(k, which, candidate, &pair, 1, node, start, 0);
    else advance_left(k, which, candidate, &pair, 1, node, 0);
    if (waiting_sets(k) == before && !k->pause.suspended) k->now.ring.head = head;  // nobody keeps the view
}

// Take the transition from all groups of the candidate's key that pass, as one set; whether there are any.  `aside`:
// there are also cells that may have the key and are in no list.  `singly`: the list cannot tell, its groups must be
// tried one by one.
static bool fire_view(Kernel* k, uint32_t which, Candidate* candidate) {
    TransitionSpec* transition = &k->program->transitions[which];
    StateData* s = &k->now.states[transition->source];
    CellIndex* index = &s->indexes[transition->index];
    Bounds bounds;
    uint64_t key = hash_key(candidate->rows, transition->probe.data(), transition->probe.size());
    k->scratch.singly = k->scratch.aside = candidate->count > 1 || key == WILD;
    if (k->scratch.singly) return false;
    Bucket* bucket = find_bucket(index, key);
    k->scratch.aside = !index->wild.cells.empty() || (bucket != nullptr && !bucket->cells.empty());
    if (bucket == nullptr || bucket->groups == NO_LIST) return false;
    GroupList* groups = &k->now.lists[bucket->groups];
    if (!has_key(groups, transition, candidate->rows)) return false;
    k->scratch.refused = groups->groups.empty()
        || !load_bounds(k, &transition->step, s->width, candidate->rows, candidate->width, k->now.tick, &bounds);
    if (k->scratch.refused) return false;
    k->scratch.singly = !are_comparable(groups, &bounds);
    if (k->scratch.singly) return false;
    int64_t found = find_youngest(&k->scratch, groups, &bounds, candidate->lo);
    k->scratch.refused = found == NO_GROUP;
    if (found != NO_GROUP && goes_on(transition)) look_into_view(k, s, groups, &bounds, candidate->lo);
    if (found != NO_GROUP) take_view(k, which, candidate, bucket->groups, groups, &groups->groups[found]);
    return found != NO_GROUP;
}

// Keep the pairs that some rules pass, and for each of them these.
static void narrow_pairs(Kernel* k, const TransitionSpec* transition, const Candidate* candidate) {
    StateData* s = &k->now.states[transition->source];
    std::vector<Pair>& pairs = k->scratch.pairs;
    std::vector<RuleRange>& rules = k->scratch.narrowed;
    uint32_t kept = 0;
    k->scratch.parts.clear();
    for (const Pair& pair : pairs) {
        const word_t* row = candidate->rows + size_t(pair.event_row) * candidate->width;
        Sides sides{pair_cell_row(s, &pair), s->width, row, candidate->width, k->now.tick};
        word_t held = pair.cell == INITIAL_CELL ? all_rules(&k->now) : sides.cell[s->spec->rules];
        narrow(k, &transition->step, &sides, rules_in(held), &rules);
        for (RuleRange one : rules) k->scratch.parts.push_back({kept, one});
        if (!rules.empty()) pairs[kept++] = pair;
    }
    pairs.resize(kept);
}

// Where the set of one cell's partial matches goes on from, and what is staged of it.
struct Advance {
    uint32_t which;
    Candidate* candidate;
    const Pair* pairs;
    uint32_t count;
    uint32_t node;
    uint32_t start;
    int64_t deadline;
};

// The pairs of those parts that have all rules from `low` to before `high`.
static void cover(Kernel* k, const Advance* step, const RulePart* parts, size_t count, uint32_t low, uint32_t high) {
    k->scratch.covered.clear();
    for (size_t i = 0; i < count; ++i) {
        if (parts[i].rules.low <= low && high <= parts[i].rules.high)
            k->scratch.covered.push_back(step->pairs[parts[i].of - parts[0].of]);
    }
}

// Advance the pairs of one cell, `count` parts of which are `parts`: what of them has the same rules is one set.
static void advance_rules(Kernel* k, const Advance* step, const RulePart* parts, size_t count) {
    StateData* s = &k->now.states[k->program->transitions[step->which].source];
    if (s->govern == Govern::NEXT)
        for (size_t i = 0; i < count; ++i) s->taken.push_back({step->pairs->cell, parts[i].rules});
    if (step->count == 1) {
        for (size_t i = 0; i < count; ++i) {
            k->scratch.rules = rules_word(parts[i].rules);
            advance_set(k, step->which, step->candidate, step->pairs, 1, step->node, step->start, step->deadline);
        }
        return;
    }
    find_borders(parts, count, &k->scratch.borders);
    for (size_t i = 0; i + 1 < k->scratch.borders.size(); ++i) {
        cover(k, step, parts, count, k->scratch.borders[i], k->scratch.borders[i + 1]);
        if (k->scratch.covered.empty()) continue;
        k->scratch.rules = rules_word({k->scratch.borders[i], k->scratch.borders[i + 1]});
        advance_set(k, step->which, step->candidate, k->scratch.covered.data(), uint32_t(k->scratch.covered.size()),
            step->node, step->start, step->deadline);
    }
}

// Stage the successors of one cell, output those that are finished, and remember that it could step.
static void advance_cell(
    Kernel* k, uint32_t which, Candidate* candidate, const Pair* pairs, uint32_t count, const RulePart* parts,
    size_t part_count
) {
    StateData* s = &k->now.states[k->program->transitions[which].source];
    uint32_t node = 0;
    uint32_t start = candidate->least;
    int64_t deadline = 0;
    if (pairs->cell != INITIAL_CELL) {
        Cell* cell = s->cells.data() + pairs->cell;
        node = cell->node;
        start = cell->youngest;
        deadline = cell->deadline;
        if (s->govern == Govern::NEXT && !s->spec->branches.empty()) {
            begin_branch(s, pairs->cell, k->program->transitions[which].branch);
        } else if (s->govern == Govern::NEXT && !cell->fired) {
            cell->fired = 1;
            s->fired.push_back(pairs->cell);
        }
    } else if (k->program->waits) {
        deadline = upper_edge(k->program, measure(k, candidate->least));
    }
    if (!k->program->transitions[which].chances.empty()) {
        advance_left(k, which, candidate, pairs, count, node, deadline);
    } else if (k->program->rules == NO_RULES) {
        advance_set(k, which, candidate, pairs, count, node, start, deadline);
    } else {
        Advance step{which, candidate, pairs, count, node, start, deadline};
        advance_rules(k, &step, parts, part_count);
    }
}

// Move each run of pairs that share a cell.
static void advance_cells(Kernel* k, uint32_t which, Candidate* candidate) {
    const std::vector<Pair>& pairs = k->scratch.pairs;
    const std::vector<RulePart>& parts = k->scratch.parts;
    size_t count = pairs.size();
    for (size_t start = 0, end, part = 0, next = 0; start < count; start = end, part = next) {
        for (end = start + 1; end < count && pairs[end].cell == pairs[start].cell;) ++end;
        if (k->program->rules != NO_RULES)
            while (next < parts.size() && parts[next].of < end) ++next;
        advance_cell(k, which, candidate, pairs.data() + start, uint32_t(end - start), parts.data() + part, next - part);
        assert(pairs.size() == count);  // output joins rows, it needs no pairs
    }
}

// Move the cells of the pairs that the filters accept, and count; `fired`: a view was taken before.
static void fire_pairs(Kernel* k, uint32_t which, Candidate* candidate, bool fired) {
    TransitionSpec* transition = &k->program->transitions[which];
    Candidacies* tried = &k->now.candidacies[which];
    bool joined = fired || !k->scratch.pairs.empty();
    if (joined) {
        tried->pairs += k->scratch.pairs.size() + fired;
        if (k->shedding && !joins_by_value(k, transition)) look_at_pairs(k, transition, fired);
        if (!k->scratch.decided && !k->scratch.pairs.empty())
            filter_pairs(k, &k->now.states[transition->source], &transition->step.filters, candidate, k->now.tick);
        if (k->program->rules != NO_RULES) narrow_pairs(k, transition, candidate);
        if (k->shedding && joins_by_value(k, transition)) look_at_pairs(k, transition, fired);
    }
    if (fired || !k->scratch.pairs.empty()) {
        ++tried->fired;
        k->now.picked = true;
        advance_cells(k, which, candidate);
    } else if (joined || k->scratch.refused) {
        ++tried->unfiltered;
    } else {
        ++tried->unjoined;
    }
    if (k->shedding && joined) end_looks(k, transition, candidate);
}

// Take transition `which` with the candidate, from every partial match that it joins.
static void fire(Kernel* k, uint32_t which, Candidate* candidate) {
    TransitionSpec* transition = &k->program->transitions[which];
    StateData* s = &k->now.states[transition->source];
    Candidacies* tried = &k->now.candidacies[which];
    uint64_t scanned = k->scratch.scanned;
    bool fired = false;
    if (has_ended(k)) return;
    ++tried->offered;
    candidate->pick = NOT_STAGED;
    measure_candidate(k, candidate);
    if (k->shedding) begin_looks(k, transition, candidate);
    if (transition->keeps != NO_SEGMENT || transition->closes != NO_SEGMENT) fired = fire_segment(k, which, candidate);
    k->scratch.pairs.clear();
    k->scratch.refused = k->scratch.singly = k->scratch.decided = false;
    k->scratch.aside = true;
    if (s->govern == Govern::FREE) {
        if (older(candidate->least, candidate->lo) || !may_begin(k, candidate->least)) return;
        pair_initial(&k->scratch, candidate);
        k->scratch.decided = transition->step.filters.empty();
    } else if (s->live == 0 && !fired) {
        ++tried->lonely;
        return;
    } else if (s->live > 0) {
        if (s->kind == Cells::VIEWS && fire_view(k, which, candidate)) fired = true;
        if (!s->spec->branches.empty()) trim_buckets(s, transition, candidate);
        bool probes = k->scratch.aside || k->scratch.singly;
        if (probes) probe(k, s, transition->index, &transition->probe, &transition->step, candidate, transition);
        if (!s->merged.empty()) probe_merged(k, s, transition, candidate, probes);
        if (!s->spec->branches.empty()) drop_beaten(&k->scratch, s, transition->branch);
    }
    tried->scanned += k->scratch.scanned - scanned;
    fire_pairs(k, which, candidate, fired);
}

static void combined(Kernel* k, Candidate* candidate, Purpose* purpose) {
    if (purpose->mode == FIRING) fire(k, purpose->which, candidate);
    else if (purpose->mode == KILLING) kill(k, purpose->state, purpose->which, candidate);
    else if (judge(k, purpose->state, purpose->which, candidate, purpose->time)) purpose->found = true;
}

// Add a staged set to its cell, which often is the one before.
static void enter(Kernel* k, const Staged* staged) {
    StateData* s = &k->now.states[staged->state];
    if (s->spec->segment != NO_SEGMENT && keep_set(k, s, staged)) return;
    uint32_t cell = cell_for(k, s, k->now.staged_words.data() + staged->word, staged->rows, staged->deadline,
        s->entering);
    Cell* one = s->cells.data() + cell;
    bool fresh = one->node == 0, was_over = !fresh && older(one->youngest, k->now.lo);
    assert(staged->rows > 0 && (staged->picks > 0 || staged->label == UNION));
    if (cell != s->entering) complete_cell(&k->now, s);
    s->entering = cell;
    if (staged->picks == 0) one->node = one->node ? unite(&k->now, staged->next, one->node) : staged->next;
    else one->node = extend(k, k->now.staged_picks.data() + staged->pick, staged->picks, staged->label, staged->next,
        staged->max_start, one->node);
    one->youngest = node_at(&k->now, one->node)->max_start;
    note_start(s, one->youngest);
    if (k->shedding) note_load(k, size_t(staged - k->now.staged.data()), *staged, cell, fresh || was_over);
    if (s->final && fresh) await_deadline(&k->now, staged->state, cell);
}

// All sets that the tick staged enter their cells; sets of one event and state often share theirs.
static void enter_staged(Kernel* k) {
    for (const Staged& staged : k->now.staged) enter(k, &staged);
    for (const Staged& staged : k->now.staged) complete_cell(&k->now, &k->now.states[staged.state]);
    k->now.staged.clear();
    k->now.staged_words.clear();
    k->now.staged_picks.clear();
    if (k->shedding) k->shedding->staged.clear();
}

}  // namespace spaseq::joins
