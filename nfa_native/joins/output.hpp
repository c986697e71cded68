// From compact sets to matches: walk the nodes, rebuild the rows by joining the picked events again, judge, deliver.
// Matches come out until so many steps are done or results held: what is left of an event's matches waits for the end
// of the pause, with the path to where it goes on; nothing else happens before it is out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/combine.hpp"
#include "nfa_native/joins/counting.hpp"
#include "nfa_native/joins/prefixes.hpp"
#include "nfa_native/joins/frames.hpp"
#include "nfa_native/joins/looks.hpp"
#include "nfa_native/joins/guards.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/rebuild.hpp"
#include "nfa_native/joins/rules.hpp"
#include "nfa_native/joins/sampling.hpp"
#include "nfa_native/joins/singly.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/values.hpp"
#include "nfa_native/joins/views.hpp"

namespace spaseq::joins {

// As many results are held as may be.
inline bool is_full(const Kernel* k) noexcept {
    return std::max<uint64_t>(k->results.first.size(), k->results.of_rules) >= k->pause.most
        || k->results.atoms.size() + k->results.words.size() >= k->pause.most_held;
}

// No matches wait for the end of a pause.
static inline bool is_all_out(const Pause* pause) noexcept { return !pause->suspended && pause->postponed.empty(); }

// Put a set out after the pause; its last picks are the postponed ones from number `pick` on.
static void postpone(Kernel* k, uint32_t final, uint32_t node, uint32_t lo, size_t pick) {
    size_t picks = k->pause.postponed_picks.size() - pick;
    k->pause.postponed.push_back({k->now.tick, pick, picks, final, node, lo, k->scratch.rules});
}

// `picks`: the events of each GPM, as a set.
static void collect_picks(Kernel* k) {
    std::vector<std::pair<uint64_t, uint64_t>>& picks = k->scratch.picks;
    picks.clear();
    for (const Pick& pick : k->scratch.path) {
        if (pick.label & PRODUCT) continue;
        picks.push_back({k->program->labels[pick.label].atom, event_at(&k->now, pick.pos)->handle});
    }
    std::sort(picks.begin(), picks.end());
    picks.erase(std::unique(picks.begin(), picks.end()), picks.end());
}

// The same picks with the same row came out before, along another path.
static bool is_repeated(Kernel* k, uint32_t row) {
    const std::vector<std::pair<uint64_t, uint64_t>>& picks = k->scratch.picks;
    const word_t* words = k->scratch.answer.data() + size_t(row) * k->program->result_width;
    std::string key(reinterpret_cast<const char*>(picks.data()), picks.size() * sizeof(picks[0]));
    key.append(reinterpret_cast<const char*>(words), k->program->result_width * sizeof(word_t));
    return !k->now.seen.emplace(std::move(key), first_position(k)).second;
}

// Between the first event and the last one.
static inline int64_t span_of(Kernel* k) noexcept { return last_time(k) - first_time(k); }

// Count a result with its rules, which stand last in its row; how many it is.
static inline uint32_t count_result(Kernel* k, uint32_t row) noexcept {
    if (k->program->rules == NO_RULES) return 1;
    word_t rules = k->scratch.answer[size_t(row + 1) * k->program->result_width - 1];
    return count_found(&k->now.rules, rules_in(rules), span_of(k));
}

// Append one result to the output columns.
static void write_result(Kernel* k, uint32_t row, int64_t decided) {
    if (k->program->ambiguous && is_repeated(k, row)) return;
    uint32_t count = count_result(k, row);
    k->results.count += count;
    note_listed_results(k, count);
    if (k->sampling) note_begun(k, first_time(k), count);
    if (k->count_only || count == 0) return;
    k->results.first.push_back(first_time(k));
    k->results.last.push_back(last_time(k));
    k->results.decided.push_back(decided);
    k->results.of_rules += count;
    for (const auto& [atom, event] : k->scratch.picks) {
        k->results.atoms.push_back(uint16_t(atom));
        k->results.events.push_back(event);
    }
    k->results.offsets.push_back(int64_t(k->results.atoms.size()));
    if (k->tallies) k->results.counts.push_back(0);
    const word_t* words = k->scratch.answer.data() + size_t(row) * k->program->result_width;
    k->results.words.insert(k->results.words.end(), words, words + k->program->result_width);
    if (is_full(k)) k->pause.left = 0;
}

// Results that only differ in their rules are one for each rule.
static uint32_t merge_rules(std::vector<word_t>* rows, uint32_t width, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        word_t* row = rows->data() + size_t(i) * width;
        word_t* last = rows->data() + size_t(kept) * width - width;
        RuleRange rules = rules_in(row[width - 1]);
        if (kept && std::equal(row, row + width - 1, last) && rules.low <= rules_in(last[width - 1]).high) {
            RuleRange before = rules_in(last[width - 1]);
            last[width - 1] = rules_word({before.low, std::max(before.high, rules.high)});
        } else {
            std::copy(row, row + width, last + width);
            ++kept;
        }
    }
    rows->resize(size_t(kept) * width);
    return kept;
}

// The results of the finished rows.
static void write_results(Kernel* k, uint32_t final, int64_t decided) {
    uint32_t whole = k->program->whole;
    uint32_t width = k->program->result_width;
    uint32_t count = row_count(k, k->scratch.finished.size(), whole);
    k->scratch.answer.clear();
    for (uint32_t i = 0; i < count; ++i) {
        const word_t* row = k->scratch.finished.data() + size_t(i) * whole;
        values_of(k, &k->now.states[final].spec->output, row, whole, nullptr, 0, decided, &k->scratch.answer);
    }
    count = normalise(&k->scratch.answer, 0, width, count);
    if (k->program->rules != NO_RULES && count > 1) count = merge_rules(&k->scratch.answer, width, count);
    collect_picks(k);
    for (uint32_t i = 0; i < count; ++i) write_result(k, i, decided);
}

// The rows of the match are there, of these rules, and no guard drops it.
static bool is_left(Kernel* k, uint32_t final, word_t rules) {
    rebuild(k, rules);
    // What was matched joins again, but where somebody forged a snapshot.
    if (k->scratch.levels[last_level(k)].empty() && k->program->whole) return false;
    close_rows(k, &k->now.states[final]);
    return !is_judged(k->program, &k->now) || !is_dropped(k, final);
}

// Guards look at all rows of a match at once: for each rule at those that it has.
static void deliver_apart(Kernel* k, uint32_t final, int64_t decided) {
    std::vector<RulePart> parts;
    std::vector<uint32_t> borders;
    rebuild(k, k->pause.output.rules);
    const std::vector<word_t>& rows = k->scratch.levels[last_level(k)];
    for (size_t at = k->program->rules; at < rows.size(); at += k->program->whole)
        parts.push_back({0, rules_in(rows[at])});
    find_borders(parts.data(), parts.size(), &borders);
    for (size_t i = 0; i + 1 < borders.size(); ++i)
        if (is_left(k, final, rules_word({borders[i], borders[i + 1]}))) write_results(k, final, decided);
}

// Only count a match that has one row.
static void count_match(Kernel* k) {
    if (k->program->rules == NO_RULES && !k->sampling) {
        ++k->results.count;
        note_listed_results(k, 1);
        return;
    }
    find_steps(k);
    bool plain = k->program->rules == NO_RULES;
    uint32_t count = plain ? 1 : count_found(&k->now.rules, rules_in(k->pause.output.rules), span_of(k));
    k->results.count += count;
    note_listed_results(k, count);
    if (k->sampling) note_begun(k, first_time(k), count);
}

// One finished match: its rows, unless a guard drops it.
static void deliver(Kernel* k, uint32_t final, int64_t decided) {
    if (k->scratch.singles != nullptr) {
        note_single(k);
        return;
    }
    if (has_no_room_for(k, 1)) {
        curtail(k);
        return;
    }
    if (k->sampling) note_listed(k);
    if (has_ended(k)) {
        k->scratch.visits.clear();
        return;
    }
    bool alike = !k->now.many_rows && !k->program->ambiguous && !k->now.doubtful && !k->program->sifted;
    if (k->count_only && alike) {
        count_match(k);
        return;
    }
    k->pause.left -= int64_t(k->scratch.path.size());
    if (!find_steps(k)) return;
    if (k->program->rules != NO_RULES && k->program->guarded && k->now.many_rows) deliver_apart(k, final, decided);
    else if (is_left(k, final, k->pause.output.rules)) write_results(k, final, decided);
}

// Visit what a node is made of that picks nothing itself; whether `path` is complete by that.
static bool visit_sets_in(Kernel* k, const Node* at, Visit visit, uint32_t lo) {
    if (at->label == CUT) return visit_cut(k, at, visit, lo);
    if (at->label & VIEW) {
        visit_view(k, at, visit, lo);
        return false;
    }
    k->scratch.visits.push_back({at->sibling, visit.depth, 0, 0});
    k->scratch.visits.push_back({at->next, visit.depth, 0, 0});
    return false;
}

// Deliver what is left to be visited, up to the next pause.
static void visit_sets(Kernel* k, uint32_t final, uint32_t lo, int64_t decided) {
    std::vector<Visit>& visits = k->scratch.visits;
    if (!k->program->junctions.empty()) {
        visit_framed(k);
        return;
    }
    while (!visits.empty()) {
        if (k->pause.left <= 0) {
            k->pause.suspended = true;
            return;
        }
        --k->pause.left;
        Visit visit = visits.back();
        visits.pop_back();
        if (!has_live(&k->now, visit.node, lo)) continue;
        Node* at = node_at(&k->now, visit.node);
        if (at->label >= CUT) {
            if (visit_sets_in(k, at, visit, lo)) deliver(k, final, decided);
            continue;
        }
        k->scratch.path.resize(visit.depth);
        k->scratch.path.push_back({at->label, at->pos});
        uint32_t next = at->next;
        uint32_t start = at->sibling ? at->pos : at->max_start;
        if (at->sibling) visits.push_back({at->sibling, visit.depth, 0, 0});
        if (next) visits.push_back({next, visit.depth + 1, 0, 0});
        else if (!older(start, lo)) deliver(k, final, decided);
    }
}

// Deliver `path` extended by each member of the set that began at or after `lo`.
static void output_set(Kernel* k, uint32_t final, uint32_t node, uint32_t lo, int64_t decided, word_t rules) {
    k->pause.output.rules = rules;
    bool counts = is_counted(k) && (!k->scratch.path.empty() || (node && is_product(node_at(&k->now, node))));
    if (counts && count_set(k, node, lo, decided)) return;
    if (node == 0) {
        deliver(k, final, decided);
        return;
    }
    k->pause.output.final = final;
    k->pause.output.lo = lo;
    k->pause.output.decided = decided;
    if (k->program->junctions.empty()) k->scratch.visits.assign(1, {node, uint32_t(k->scratch.path.size()), 0, 0});
    else begin_frames(&k->scratch, node);
    visit_sets(k, final, lo, decided);
}

// Begin with the next set that waits.
static void put_out(Kernel* k, Output output) {
    const Pick* picks = k->pause.postponed_picks.data() + output.pick;
    ++k->pause.resumed;
    k->pause.of_event = true;
    k->scratch.path.assign(picks, picks + output.picks);
    output_set(k, output.final, output.node, output.lo, output.decided, output.rules);
}

// Go on with the sets that wait, in their order; whether all of them are out.
static bool resume(Kernel* k) {
    if (k->pause.suspended) {
        k->pause.suspended = false;
        visit_sets(k, k->pause.output.final, k->pause.output.lo, k->pause.output.decided);
    }
    while (!k->pause.suspended && k->pause.resumed < k->pause.postponed.size()) {
        if (k->pause.left <= 0) return false;
        put_out(k, k->pause.postponed[k->pause.resumed]);
    }
    if (k->pause.suspended) return false;
    k->pause.postponed.clear();
    k->pause.postponed_picks.clear();
    k->pause.resumed = 0;
    return true;
}

// Deliver `path` extended by each member of the set, while events are being combined.
static void output_now(Kernel* k, uint32_t final, uint32_t node, uint32_t lo) {
    k->scratch.outer_combination.swap(k->scratch.combination);  // rebuilding and judging combine events of their own
    k->scratch.outer_merged.swap(k->scratch.merged);
    word_t rules = k->scratch.rules;
    k->pause.of_event = true;
    output_set(k, final, node, lo, k->now.tick, rules);
    k->scratch.rules = rules;
    k->scratch.outer_combination.swap(k->scratch.combination);
    k->scratch.outer_merged.swap(k->scratch.merged);
}

// All matches that end with the candidate and extend the set `node` (0: the empty match), now or after the pause.
static void output_matches(Kernel* k, uint32_t which, uint32_t final, const Candidate* candidate, uint32_t node) {
    bool waits = k->pause.left <= 0;
    std::vector<Pick>* picks = waits ? &k->pause.postponed_picks : &k->scratch.path;
    size_t before = picks->size();
    if (!waits) picks->clear();
    for (size_t i = k->scratch.combination.size(); i > 0; --i)
        picks->push_back({k->program->transitions[which].label + uint32_t(i) - 1, k->scratch.combination[i - 1]});
    if (waits) postpone(k, final, node, candidate->lo, before);
    else output_now(k, final, node, candidate->lo);
}

// All matches of a product, now or after the pause.
static void output_union(Kernel* k, uint32_t final, uint32_t node, uint32_t lo) {
    if (k->pause.left <= 0) {
        postpone(k, final, node, lo, k->pause.postponed_picks.size());
        return;
    }
    k->scratch.path.clear();
    output_now(k, final, node, lo);
}

// Matches that end in a negation or an absence wait in cells of final states until their window's edge has passed.
static void await_deadline(KernelState* now, uint32_t state, uint32_t cell) {
    StateData* s = &now->states[state];
    now->deadlines[s->cells[cell].deadline].push_back({state, reference_to(s, cell)});
}

// Deliver what waits for the first deadline; whether all of it is out.
static bool output_deadline(Kernel* k, int64_t decided) {
    const std::vector<Waiting>& waiting = k->now.deadlines.begin()->second;
    while (k->pause.awaited < waiting.size()) {
        if (k->pause.left <= 0) return false;
        const Waiting& one = waiting[k->pause.awaited++];
        StateData* s = &k->now.states[one.state];
        if (!is_current(s, &one.cell)) continue;
        k->scratch.path.clear();
        k->pause.of_event = false;
        word_t rules = k->program->rules == NO_RULES ? UNBOUND : cell_rows(s, one.cell.cell)[s->spec->rules];
        output_set(k, one.state, s->cells[one.cell.cell].node, k->now.lo, decided, rules);
        free_cell(s, one.cell.cell);
    }
    k->now.deadlines.erase(k->now.deadlines.begin());
    k->pause.awaited = 0;
    return true;
}

// Deliver what waits for edges below `edge`; `decided` FOREVER means: at that edge.  Whether all of it is out.
static bool output_until(Kernel* k, int64_t edge, int64_t decided) {
    while (!k->now.deadlines.empty() && k->now.deadlines.begin()->first < edge)
        if (!output_deadline(k, decided == FOREVER ? k->now.deadlines.begin()->first : decided)) return false;
    return !k->pause.suspended;
}

// Time has come to `time`: upper edges before it have passed.  Whether all that this decides is out.
static bool output_decided(Kernel* k, int64_t time) {
    return !k->program->waits || k->program->by_events || output_until(k, time, FOREVER);
}

// The tick is over: upper edges at positions that it filled have passed.  Whether all that this decides is out.
static bool output_passed(Kernel* k) {
    return !k->program->waits || !k->program->by_events || output_until(k, k->now.seq, k->now.tick);
}

// End of input: every window closes.  Whether all that waited is out.
static bool output_rest(Kernel* k) {
    while (!k->now.deadlines.empty())
        if (!output_deadline(k, k->program->by_events ? FOREVER : k->now.deadlines.begin()->first)) return false;
    return !k->pause.suspended;
}

}  // namespace spaseq::joins
