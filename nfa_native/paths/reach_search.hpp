// The end points of walks: which vertices each state of a `ReachPlan` comes to.  No walk is kept, and nothing determinised.
//
// Part by part: what earlier parts lead to is fed into its states, then the moves within it are followed until nothing is new.
// Each vertex is looked at once in a state, and its edges are followed for up to 64 starts at once: each has a bit of a word, its
// lane (Then et al., The More the Merrier: Efficient Multi-Source Graph Traversal, 2014).
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/reach.hpp"

namespace spaseq::paths {

// Pairs that were found: run i is of one query and one start, and has the ends from run_ends[i - 1] to run_ends[i].
struct FoundEnds {
    std::vector<uint32_t> queries;
    std::vector<vertex_t> starts;
    std::vector<uint64_t> run_ends;
    std::vector<vertex_t> ends;

    size_t size() const noexcept { return ends.size(); }
    void clear() noexcept {
        queries.clear();
        starts.clear();
        run_ends.clear();
        ends.clear();
    }
    // The ends since the last run are one.  std::bad_alloc.
    void complete_run(uint32_t query, vertex_t start) {
        if (ends.size() == (run_ends.empty() ? 0 : run_ends.back())) return;
        queries.push_back(query);
        starts.push_back(start);
        run_ends.push_back(ends.size());
    }
};

struct FreeMemory {
    void operator()(void* memory) const noexcept { std::free(memory); }
};

// For each vertex some lanes.  Memory is taken where something is written.
template <class Lanes> struct LaneTable {
    std::unique_ptr<Lanes[], FreeMemory> lanes;

    // All are 0.  std::bad_alloc.
    void make_lanes(size_t vertices) {
        lanes.reset(static_cast<Lanes*>(std::calloc(vertices + 1, sizeof(Lanes))));
        if (lanes == nullptr) throw std::bad_alloc();
    }
};

// Vertices in the order in which they came.
struct VertexQueue {
    std::unique_ptr<vertex_t[], FreeMemory> vertices;
    size_t size = 0;
    size_t room = 0;

    // For so many more.  std::bad_alloc.
    void make_room_for(size_t count) {
        if (size + count <= room) return;
        size_t wanted = 2 * (size + count);
        void* grown = std::realloc(vertices.get(), wanted * sizeof(vertex_t));
        if (grown == nullptr) throw std::bad_alloc();
        static_cast<void>(vertices.release());
        vertices.reset(static_cast<vertex_t*>(grown));
        room = wanted;
    }
};

// A state of the part that is at work.
template <class Lanes> struct ReachingState {
    LaneTable<Lanes> seen;                  // who has been there
    LaneTable<Lanes> fresh;                 // of them those whose edges were not followed, if there are many lanes
    VertexQueue queue;                      // vertices that were come to; with many lanes maybe several times
    size_t next = 0;                        // the first one that was not gone on from
};

// What a state has come to, once its part is done.
template <class Lanes> struct Reached {
    VertexQueue vertices;
    std::vector<Lanes> lanes;               // of each; none if there is one lane
};

template <class Lanes> struct ReachSearch {
    static constexpr bool IS_ONE = sizeof(Lanes) == 1;
    static constexpr size_t SPARSE = 16;    // fewer than a vertex in so many are few
    enum Phase { FEED, FOLLOW, GIVE };

    const ReachPlan* plan = nullptr;
    const std::vector<vertex_t>* starts = nullptr;
    size_t at_once = 1;                     // lanes
    size_t first_start = 0;                 // that of lane 0
    size_t part = 0;                        // at work; all: the lanes are done
    Phase phase = FEED;
    size_t next_feed = 0;                   // of the part
    size_t next_fed = 0;                    // vertex of the state that feeds
    std::vector<ReachingState<Lanes>> reaching;
    size_t busy = 0;                        // the state of the part that is followed, or whose pairs are given
    std::vector<Reached<Lanes>> reached;    // by state
    std::vector<vertex_t> by_lane;          // what the state `busy` has come to, lane by lane
    std::vector<size_t> lane_ends;          // where those of each lane end
    size_t next_query = 0;                  // of the state `busy`
    size_t next_lane = 0;                   // of that query
    size_t next_end = 0;                    // of that lane, in what is given
    FoundEnds* found = nullptr;

    // std::bad_alloc
    void open_lanes(const ReachPlan* with, const std::vector<vertex_t>* from, size_t lanes, FoundEnds* into) {
        plan = with;
        starts = from;
        at_once = lanes;
        found = into;
        reaching.resize(plan->widest);
        for (ReachingState<Lanes>& state : reaching) {
            state.seen.make_lanes(plan->graph->vertices);
            if (!IS_ONE) state.fresh.make_lanes(plan->graph->vertices);
        }
        reached.resize(plan->states.size());
        if (starts->size()) begin_lanes();
    }

    bool is_done() const noexcept { return first_start >= starts->size(); }

    // Go on for a while.  std::bad_alloc.
    void work_on_part(uint64_t* left, size_t most_pairs) {
        if (phase == FEED) feed_part(left);
        else if (phase == FOLLOW) follow_moves(left);
        else give_pairs(left, most_pairs);
    }

  private:
    size_t lane_count() const noexcept { return std::min(at_once, starts->size() - first_start); }
    Lanes lane(size_t number) const noexcept { return static_cast<Lanes>(Lanes(1) << number); }
    const ReachPart& here() const noexcept { return plan->parts[part]; }
    const ReachState& state_here(size_t local) const noexcept { return plan->states[here().first + local]; }
    size_t states_here() const noexcept { return here().end - here().first; }

    void begin_lanes() {
        Reached<Lanes>& first = reached[0];
        for (size_t i = 0; i < lane_count(); ++i) {
            first.vertices.make_room_for(1);
            first.vertices.vertices[first.vertices.size++] = (*starts)[first_start + i];
            if (!IS_ONE) first.lanes.push_back(lane(i));
        }
        part = 0;
        begin_giving();
    }

    // ── what earlier parts lead to ──────────────────────────────────────────────────────────────────────────
    void begin_part() noexcept {
        phase = FEED;
        next_feed = next_fed = busy = 0;
        if (plan->not_back) for_each_start([](Lanes& seen, Lanes lane) { seen = static_cast<Lanes>(seen | lane); });
    }

    // Whether starts are kept out of it if walks must not come back.
    static bool is_closed(const ReachState& state) noexcept { return state.is_entered && !state.is_begun; }

    // At each start the lane that begins there, in each state that edges lead to.
    template <class Function> void for_each_start(Function&& function) noexcept {
        for (size_t local = 0; local < states_here(); ++local)
            for (size_t i = 0; i < lane_count() && is_closed(state_here(local)); ++i)
                function(reaching[local].seen.lanes[(*starts)[first_start + i]], lane(i));
    }

    void feed_part(uint64_t* left) {
        if (next_feed == here().feeds.size()) {
            phase = FOLLOW;
            return;
        }
        const ReachMove& move = here().feeds[next_feed];
        const Reached<Lanes>& from = reached[move.from];
        for (; next_fed < from.vertices.size && *left; ++next_fed)
            take_move(move, from.vertices.vertices[next_fed], IS_ONE ? Lanes(1) : from.lanes[next_fed], left);
        if (next_fed < from.vertices.size) return;
        *left -= *left > 0;
        ++next_feed;
        next_fed = 0;
    }

    void take_move(const ReachMove& move, vertex_t vertex, Lanes lanes, uint64_t* left) {
        *left -= *left > 0;
        if (move.guard && !plan->may_go(move, vertex)) return;
        ReachingState<Lanes>& to = reaching[move.to - here().first];
        if (move.step == NO_PLACE) return come_to(&to, Neighbours{&vertex, &vertex + 1}, lanes);
        for (const Adjacency& rows : plan->steps[move.step].rows) {
            Neighbours next = rows.of(vertex);
            come_to(&to, next, lanes);
            *left -= std::min(*left, static_cast<uint64_t>(next.end - next.begin));
        }
    }

    void come_to(ReachingState<Lanes>* state, Neighbours to, Lanes lanes) {
        state->queue.make_room_for(static_cast<size_t>(to.end - to.begin));
        Lanes* seen = state->seen.lanes.get();
        vertex_t* queue = state->queue.vertices.get() + state->queue.size;
        if (IS_ONE) {
            for (const vertex_t* at = to.begin; at != to.end; ++at) {   // it cannot be foretold, so nothing is jumped over
                *queue = *at;
                queue += !seen[*at];
                seen[*at] = 1;
            }
        } else {
            Lanes* fresh = state->fresh.lanes.get();
            for (const vertex_t* at = to.begin; at != to.end; ++at) {
                Lanes more = static_cast<Lanes>(lanes & ~seen[*at]);
                if (!more) continue;
                *queue = *at;
                queue += !fresh[*at];
                seen[*at] = static_cast<Lanes>(seen[*at] | more);
                fresh[*at] = static_cast<Lanes>(fresh[*at] | more);
            }
        }
        state->queue.size = static_cast<size_t>(queue - state->queue.vertices.get());
    }

    // ── what the part leads to itself ───────────────────────────────────────────────────────────────────────
    void follow_moves(uint64_t* left) {
        size_t idle = 0;                    // states in turn that have nothing to do
        for (; *left && idle < states_here(); ++idle, busy = busy + 1 < states_here() ? busy + 1 : 0)
            if (follow_queue(busy, left)) idle = 0;
        if (idle < states_here() || !*left) return;
        collect_part();
        begin_giving();
    }

    // Go on from the vertices that wait in a state; whether there were some.
    bool follow_queue(size_t local, uint64_t* left) {
        ReachingState<Lanes>& state = reaching[local];
        const std::vector<ReachMove>& moves = state_here(local).moves;
        size_t before = state.next;
        if (moves.empty()) state.next = state.queue.size;
        while (state.next < state.queue.size && *left) {
            vertex_t vertex = state.queue.vertices[state.next++];
            Lanes lanes = IS_ONE;
            if (!IS_ONE) std::swap(lanes, state.fresh.lanes[vertex]);
            for (const ReachMove& move : moves) take_move(move, vertex, lanes, left);
        }
        return state.next > before;
    }

    // All that was come to is known.
    void collect_part() {
        if (plan->not_back)
            for_each_start([](Lanes& seen, Lanes lane) { seen = static_cast<Lanes>(seen & ~lane); });
        for (size_t local = 0; local < states_here(); ++local) {
            ReachingState<Lanes>& state = reaching[local];
            take_queue(&state, &reached[here().first + local].lanes);
            reached[here().first + local].vertices = std::move(state.queue);
            state.queue = VertexQueue();
            state.next = 0;
        }
    }

    // Each vertex of the queue stays there once, with its lanes, and nothing was seen any more.  Many come in their order, in
    // which their rows lie.
    void take_queue(ReachingState<Lanes>* state, std::vector<Lanes>* lanes) {
        VertexQueue& queue = state->queue;
        if (queue.size * SPARSE >= plan->graph->vertices) put_in_order(state);
        if (IS_ONE) {
            for (size_t at = 0; at < queue.size; ++at) state->seen.lanes[queue.vertices[at]] = 0;
            return;
        }
        size_t kept = 0;
        for (size_t at = 0; at < queue.size; ++at) {
            vertex_t vertex = queue.vertices[at];
            if (!state->seen.lanes[vertex]) continue;   // it came several times
            lanes->push_back(state->seen.lanes[vertex]);
            state->seen.lanes[vertex] = 0;
            state->fresh.lanes[vertex] = 0;
            queue.vertices[kept++] = vertex;
        }
        queue.size = kept;
    }

    void put_in_order(ReachingState<Lanes>* state) {
        state->queue.make_room_for(1);      // what is written behind the last one
        vertex_t* next = state->queue.vertices.get();
        for (size_t vertex = 0; vertex < plan->graph->vertices; ++vertex) {    // nothing is jumped over, as in `come_to`
            *next = static_cast<vertex_t>(vertex);
            next += state->seen.lanes[vertex] != 0;
        }
        state->queue.size = static_cast<size_t>(next - state->queue.vertices.get());
    }

    // ── pairs ───────────────────────────────────────────────────────────────────────────────────────────────
    void begin_giving() {
        phase = GIVE;
        busy = 0;
        begin_state();
    }

    void begin_state() {
        next_query = next_lane = next_end = 0;
        if (!IS_ONE && busy < states_here() && state_here(busy).queries.size()) put_in_lanes();
    }

    // What the state has come to, lane by lane.
    void put_in_lanes() {
        const Reached<Lanes>& from = reached[here().first + busy];
        std::vector<size_t> next(lane_count() + 1);
        for (Lanes lanes : from.lanes)
            for (uint64_t left = lanes; left; left &= left - 1) ++next[static_cast<size_t>(__builtin_ctzll(left)) + 1];
        for (size_t i = 0; i < lane_count(); ++i) next[i + 1] += next[i];
        by_lane.resize(next.back());
        for (size_t at = 0; at < from.vertices.size; ++at)
            for (uint64_t left = from.lanes[at]; left; left &= left - 1)
                by_lane[next[static_cast<size_t>(__builtin_ctzll(left))]++] = from.vertices.vertices[at];
        lane_ends.assign(next.begin(), next.end() - 1);
    }

    void give_pairs(uint64_t* left, size_t most) {
        *left -= 1;
        if (busy == states_here()) return end_part();
        const std::vector<ReachQuery>& queries = state_here(busy).queries;
        if (next_query == queries.size()) {
            ++busy;
            return begin_state();
        }
        if (next_lane == lane_count()) {
            ++next_query;
            next_lane = next_end = 0;
            return;
        }
        give_lane(queries[next_query], left, most);
    }

    // Pairs of a query with one start, as many as there is room for.
    void give_lane(const ReachQuery& query, uint64_t* left, size_t most) {
        const VertexQueue& all = reached[here().first + busy].vertices;
        const vertex_t* ends = IS_ONE ? all.vertices.get() : by_lane.data();
        size_t stop = IS_ONE ? all.size : lane_ends[next_lane], before = next_end;
        size_t room = std::min<size_t>(most - found->size(), std::max<uint64_t>(*left, 1));
        if (query.ends == nullptr) {
            size_t count = std::min(stop - next_end, room);
            const vertex_t* first = ends + next_end;
            found->ends.insert(found->ends.end(), first, first + count);
            next_end += count;
        } else {
            for (; next_end < stop && next_end - before < room; ++next_end)
                if (query.ends[ends[next_end]]) found->ends.push_back(ends[next_end]);
        }
        *left -= std::min<uint64_t>(*left, next_end - before);
        found->complete_run(query.number, (*starts)[first_start + next_lane]);
        if (next_end == stop) ++next_lane;
    }

    void end_part() {
        for (uint32_t state : here().spent) reached[state] = Reached<Lanes>();
        if (++part < plan->parts.size()) return begin_part();
        first_start += at_once;
        if (!is_done()) begin_lanes();
    }
};

// A search for the pairs of a plan: one start by one, or many at once.
struct EndSearch {
    static constexpr size_t MOST_PAIRS = size_t(1) << 27;   // of a state that are put in order at once
    static constexpr size_t MOST_MANY = size_t(1) << 25;    // pairs of a vertex and a state of a part, if there are many lanes
    static constexpr size_t MOST_ONE = size_t(1) << 34;     // if there is one
    static constexpr size_t MOST_LANES = 64, FEWEST_LANES = 8;

    std::vector<vertex_t> starts;
    FoundEnds found;
    ReachSearch<uint8_t> one;
    ReachSearch<uint64_t> many;
    bool is_many = false;
    uint64_t edges = 0;                     // that were looked at, and pairs
    int broken = 0;

    // std::bad_alloc; std::domain_error: the automaton is too large for such a graph.
    void open_ends(const ReachPlan* plan) {
        size_t vertices = plan->graph->vertices + 1;
        if (plan->widest > MOST_ONE / vertices)
            throw std::domain_error("a repetition has too many steps for so large a graph");
        size_t lanes = std::min(MOST_LANES, MOST_PAIRS / vertices);
        is_many = starts.size() > 1 && lanes >= FEWEST_LANES && plan->widest <= MOST_MANY / vertices;
        if (is_many) many.open_lanes(plan, &starts, lanes, &found);
        else one.open_lanes(plan, &starts, 1, &found);
    }

    bool is_done() const noexcept { return is_many ? many.is_done() : one.is_done(); }

    // Search until all is found, or so many edges were looked at, or that many pairs found.  std::bad_alloc.
    void advance_ends(uint64_t most_edges, size_t most_pairs) {
        uint64_t left = most_edges;
        while (left && found.size() < most_pairs && !is_done()) {
            if (is_many) many.work_on_part(&left, most_pairs);
            else one.work_on_part(&left, most_pairs);
        }
        edges += most_edges - left;
    }
};

}  // namespace spaseq::paths
