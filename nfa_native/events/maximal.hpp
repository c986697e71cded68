// MAX: results that no other contains.  Stages as those of `distinct.hpp`, in which matches of more positions are
// followed, too (CEL's construction by pairs of sets of states; here of nodes).  Beside what the picks so far go on
// from, a stage has what these and more go on from, its *wider* frontier.  Its beginnings are results if there is
// nothing wider, and nothing more to pick; a node that wider matches pick, too, leads to beaten ones only.  What it
// earns: MAX of `benchmarks.outside`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/events/distinct.hpp"
#include "nfa_native/events/frontier_search.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/state.hpp"

namespace spaseq::events {

static WideStage* open_wide_stage(Recognition* r) {
    RecognizerScratch* w = &r->scratch;
    size_t reached = w->reached.open(), wider = w->wider.open();
    w->wide_stages.push_back({
        NEVER, w->beginnings.size(), w->candidates.size(), reached, wider, w->keys.size(), false, false
    });
    return &w->wide_stages.back();
}

// The stage before all picks.
static void begin_maximal(Recognition* r) {
    r->scratch.wide_stages.clear();
    r->scratch.candidates.clear();
    r->scratch.beginnings.clear();
    r->scratch.reached.clear();
    r->scratch.wider.clear();
    r->scratch.keys.clear();
    r->scratch.dead.clear();
    open_wide_stage(r);
    for (const Ending& one : r->scratch.endings) reach(r, &r->scratch.reached, one.node, NO_ORIGIN, one.least);
}

// Whether wider matches go on with all that is left to the last stage.
static bool is_covered(Recognition* r) {
    if (!r->scratch.wider.empty() && !r->scratch.reached.empty()) {
        open_unions(r, &r->scratch.reached, r->scratch.endings[0].least);
        open_unions(r, &r->scratch.wider, r->scratch.endings[0].least);
    }
    return r->scratch.wider.covers(r->scratch.reached);
}

// Note where matches of a stage begin: no later than those that are noted, and each start once.
static inline void begin_once(Recognition* r, const WideStage* stage, int64_t start, uint32_t origin) {
    if (r->scratch.beginnings.size() == stage->beginnings || r->scratch.beginnings.back().start != start)
        add_beginning(r, start, origin);
}

// Find the candidates of the next position; False: there are none.  Beginnings on the way there are added.
static bool pick_next(Recognition* r, WideStage* stage) {
    int64_t least = r->scratch.endings[0].least;
    uint32_t origin;
    r->scratch.candidates.resize(stage->candidates);
    stage->position = NEVER;
    while (uint32_t number = next_pick(r, &r->scratch.reached, stage->position, least, &origin)) {
        const MatchNode* node = match_node(&r->state, number);
        if (r->program.marked[state_of(node)]) {
            stage->position = position_of(&r->state, node->pos);
            add_candidate(r, number, origin);
        } else if (begins(node)) {
            begin_once(r, stage, position_of(&r->state, node->pos), origin);
        } else {
            reach_before(r, &r->scratch.reached, node, origin, least);
        }
    }
    return r->scratch.candidates.size() > stage->candidates;
}

// The wider matches' picks at the position into `same`; what has the candidates is wider from now on.
static void pick_wider(Recognition* r, const WideStage* stage, int64_t least) {
    Frontiers* wider = &r->scratch.wider;
    uint32_t origin;
    r->scratch.same.clear();
    while (uint32_t number = next_pick(r, wider, stage->position, least, &origin)) {
        const MatchNode* node = match_node(&r->state, number);
        if (!begins(node)) reach_before(r, wider, node, NO_ORIGIN, least);
        if (r->program.marked[state_of(node)] && position_of(&r->state, node->pos) == stage->position)
            r->scratch.same.push_back(number);
    }
    for (size_t i = stage->candidates; i < r->scratch.candidates.size(); ++i) {
        const MatchNode* node = match_node(&r->state, r->scratch.candidates[i].node);
        if (!begins(node)) reach_before(r, wider, node, NO_ORIGIN, least);
    }
    std::sort(r->scratch.same.begin(), r->scratch.same.end());
}

// Leave the candidates that are not in `same`; whether there are any.
static bool drop_beaten(Recognition* r, const WideStage* stage) {
    std::vector<Candidate>* candidates = &r->scratch.candidates;
    const std::vector<uint32_t>& same = r->scratch.same;
    auto is_beaten = [&same](const Candidate& one) { return std::binary_search(same.begin(), same.end(), one.node); };
    candidates->erase(
        std::remove_if(candidates->begin() + stage->candidates, candidates->end(), is_beaten), candidates->end()
    );
    return candidates->size() > stage->candidates;
}

// Append what the results before the candidates depend on.
static void write_key(const Recognition* r, const WideStage* stage, std::vector<uint32_t>* out) {
    for (size_t i = stage->candidates; i < r->scratch.candidates.size(); ++i)
        out->push_back(r->scratch.candidates[i].node);
    out->push_back(NO_NODE);
    out->insert(out->end(), r->scratch.same.begin(), r->scratch.same.end());
}

// Whether a stage before the same nodes had no results.
static bool is_known_dead(Recognition* r, const WideStage* stage) {
    std::vector<uint32_t> key;
    if (r->scratch.dead.empty()) return false;
    write_key(r, stage, &key);
    return r->scratch.dead.count(key) > 0;
}

// The stage before the candidates of the last one.
static WideStage* add_wide_stage(Recognition* r) {
    int64_t least = r->scratch.endings[0].least;
    size_t first = r->scratch.wide_stages.back().candidates;
    WideStage* stage = open_wide_stage(r);
    for (size_t i = first, i_end = stage->candidates; i < i_end; ++i) {
        const MatchNode* node = match_node(&r->state, r->scratch.candidates[i].node);
        if (begins(node)) begin_once(r, stage, r->scratch.candidates[i].position, uint32_t(i));
        else reach_before(r, &r->scratch.reached, node, uint32_t(i), least);
    }
    return stage;
}

// The frontier before the picks in `same`.  Each of them has a beginning in the window, so the stage's own are beaten.
static void begin_wider(Recognition* r, WideStage* stage, int64_t least) {
    stage->is_beaten = !r->scratch.same.empty();
    write_key(r, &r->scratch.wide_stages[r->scratch.wide_stages.size() - 2], &r->scratch.keys);
    for (uint32_t number : r->scratch.same) {
        const MatchNode* node = match_node(&r->state, number);
        if (!begins(node)) reach_before(r, &r->scratch.wider, node, NO_ORIGIN, least);
    }
}

// To the stage before the candidates that are not in wider matches.
static void go_on(Recognition* r, WideStage* stage) {
    int64_t least = r->scratch.endings[0].least;
    stage->is_beaten = true;  // by what has one of the candidates, too
    pick_wider(r, stage, least);
    if (drop_beaten(r, stage) && !is_known_dead(r, stage)) {
        stage = add_wide_stage(r);
        begin_wider(r, stage, least);
    }
}

// Let the stage before know that there were results, or remember that there were none.
static void note_results(Recognition* r, const WideStage* stage) {
    std::vector<uint32_t>& keys = r->scratch.keys;
    if (r->scratch.wide_stages.size() < 2) return;
    if (stage->has_results) r->scratch.wide_stages[r->scratch.wide_stages.size() - 2].has_results = true;
    else r->scratch.dead.insert(std::vector<uint32_t>(keys.begin() + stage->key, keys.end()));
}

// Go back to the one before; the last one has no more results.
static void leave_wide_stage(Recognition* r, const WideStage* stage) {
    note_results(r, stage);
    r->scratch.beginnings.resize(stage->beginnings);
    r->scratch.candidates.resize(stage->candidates);
    r->scratch.reached.close(stage->reached);
    r->scratch.wider.close(stage->wider);
    r->scratch.keys.resize(stage->key);
    r->scratch.wide_stages.pop_back();
}

// Walk to the next result, which is that of the last beginning then; False: there is none.
static bool next_maximal(Recognition* r) {
    uint64_t seen = 0;
    while (!r->scratch.wide_stages.empty()) {
        ++seen;
        if (seen % BETWEEN_SIGNALS == 0 && r->owner->is_interrupted(r)) return false;
        WideStage* stage = &r->scratch.wide_stages.back();
        if (!is_covered(r) && pick_next(r, stage)) {
            go_on(r, stage);
        } else if (r->scratch.beginnings.size() > stage->beginnings && !stage->is_beaten) {
            stage->has_results = true;
            return true;
        } else {
            leave_wide_stage(r, stage);
        }
    }
    return false;
}

// Write results of the last event until there are `most` in all; whether that was the last of them.
static bool enumerate_distinct(Recognition* r, size_t most) {
    bool is_maximal = r->program.enumeration == EnumerationKind::MAXIMAL;
    if (r->scratch.ending != 0) {
        r->scratch.ending = 0;
        if (is_maximal) begin_maximal(r);
        else begin_stages(r);
    }
    while (r->scratch.found.count < most && r->scratch.given != r->scratch.limit
        && (is_maximal ? next_maximal(r) : next_distinct(r))) {
        write_distinct(r, &r->scratch.beginnings.back());
        r->scratch.beginnings.pop_back();
        ++r->scratch.given;
    }
    if (r->scratch.is_capped && r->scratch.given == r->scratch.limit) curtail(r, is_maximal || next_distinct(r));
    r->scratch.enumerating = r->scratch.found.count >= most && r->scratch.given != r->scratch.limit;
    return !r->scratch.enumerating;
}

}  // namespace spaseq::events
