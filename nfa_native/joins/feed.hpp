// The door of the kernel: batches in, columns out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nfa_native/joins/batch.hpp"
#include "nfa_native/joins/output.hpp"
#include "nfa_native/joins/shedding.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/tick.hpp"
#include "nfa_native/joins/window.hpp"

namespace spaseq::joins {

// What is under way.
constexpr uint32_t NOTHING = 0;
constexpr uint32_t FEEDING = 1;
constexpr uint32_t ADVANCING = 2;
constexpr uint32_t FINISHING = 3;

// Events and their rows, as far as they are taken; or a time.
struct Task {
    int kind;
    const int64_t* times;
    const uint64_t* handles;
    size_t count;
    size_t start;                         // events before it are taken
    size_t event;                         // the next one with rows
    BatchRows rows;
    int64_t until;                        // ADVANCING: the time
};

// The next event comes at `time`; False: what is decided before is not out yet.
static inline bool take_time(Kernel* k, int64_t time) {
    if (k->now.open && time == k->now.tick) return true;
    return close_tick(k) && open_tick(k, time);
}

// Some match waits for an edge before `time`, or before position `seq`.
static inline bool is_due(KernelProgram* program, KernelState* now, int64_t time, int64_t seq) noexcept {
    return !now->deadlines.empty() && (*now->deadlines.begin()).first < (program->by_events ? seq : time);
}

// The first event from `start` on at the time of event `at`.
static inline size_t first_of_tick(const int64_t* times, size_t start, size_t at) noexcept {
    while (at > start && times[at - 1] == times[at]) --at;
    return at;
}

// The events before the next one with rows matched nothing: only time and positions move on.  False: not all of them.
//
// The first tick after the present one ends what strict contiguity ends; the last one moves the window; those between
// them change nothing, unless a match waits for its window's edge.
static bool pass_over(Kernel* k, Task* task) {
    const int64_t* times = task->times;
    int64_t before = k->now.seq - int64_t(task->start);  // position of the batch's first event
    size_t end = task->event;
    bool first = true;
    while (task->start < end && k->now.open && times[task->start] == k->now.tick) ++task->start;
    while (task->start < end) {
        k->now.seq = before + int64_t(task->start);
        if (!take_time(k, times[task->start])) return false;
        if (first && !is_due(k->program, &k->now, times[end - 1], before + int64_t(end))) {
            task->start = first_of_tick(times, task->start, end - 1);
        } else {
            ++task->start;
        }
        first = false;
    }
    k->now.seq = before + int64_t(end);
    return true;
}

// Take the next event with rows.
static inline void take_rows(Kernel* k, const Task* task) {
    store_event(&k->now, task->times[task->event], task->handles[task->event]);
    store_rows_of(k->program, &k->now, &task->rows);
    take_event(k, next_position(&k->now) - 1);
    if (!k->now.picked) drop_event(&k->now);
    ++k->now.seq;
}

static inline bool end_batch(KernelState* now, const Task* task) noexcept {
    now->next_handle = task->handles[task->count - 1] + 1;
    return true;
}

// Take the events of the batch, up to the next pause; whether all are taken, and their matches are out.
static bool feed_batch(Kernel* k, Task* task) {
    while (task->start < task->count) {
        if (!pass_over(k, task) || (task->event < task->count && !take_time(k, task->times[task->event]))) return false;
        if (task->event == task->count) break;
        uint64_t scanned = k->scratch.scanned;
        if (k->shedding) begin_event(k);
        take_rows(k, task);
        if (k->shedding) end_shed_event(k);
        k->pause.left -= 1 + int64_t(k->scratch.scanned - scanned);
        task->start = task->event + 1;
        if (task->start < task->count) task->event = next_event(&task->rows, task->count);
        if (k->pause.left <= 0) return task->start == task->count && is_all_out(&k->pause) && end_batch(&k->now, task);
    }
    return end_batch(&k->now, task);
}

// No event comes before `time`; whether all that this decides is out.
static bool advance_to(Kernel* k, int64_t time) {
    if ((k->pause.closing || (k->now.open && k->now.tick < time)) && !close_tick(k)) return false;
    if (time > k->now.promised) k->now.promised = time;
    if (!k->now.open) {
        if (!output_decided(k, time)) return false;
        if (!k->program->by_events) move_window(k, time);
    }
    return true;
}

// Go on with the task, up to the next pause; whether it is done.
inline bool go_on(Kernel* k, Task* task) {
    bool done = false;
    k->pause.left = k->pause.stride;
    if (!resume(k)) return false;
    if (task->kind == FEEDING) done = feed_batch(k, task);
    else if (task->kind == ADVANCING) done = advance_to(k, task->until);
    else if (task->kind == FINISHING) done = close_tick(k) && output_rest(k);
    if (done) task->kind = NOTHING;
    return done || task->kind == NOTHING;
}

// Count the batch's ticks; False if its times do not go on from those before, in order.
static bool count_ticks(KernelState* now, const int64_t* times, size_t count) noexcept {
    bool falls = *times < (now->open ? now->tick : now->promised);
    uint64_t ticks = !now->open || *times > now->tick;
    for (size_t i = 1; i < count; ++i) {
        falls |= times[i] < times[i - 1];
        ticks += times[i] != times[i - 1];
    }
    if (!falls) now->ticks += ticks;
    return !falls;
}

// Make it the task to take the batch whose rows the task has; False if time runs backwards: nothing is taken then.
inline bool begin_batch(Kernel* k, Task* task, const int64_t* times, const uint64_t* handles, size_t count) noexcept {
    if (!count_ticks(&k->now, times, count)) return false;
    task->kind = FEEDING;
    task->times = times;
    task->handles = handles;
    task->count = count;
    task->start = 0;
    task->event = next_event(&task->rows, count);
    return true;
}

// The time that has to pass for a match that waits; positions pass with any event.
inline int64_t first_due(KernelProgram* program, KernelState* now) noexcept {
    if (!program->waits) return FOREVER;
    if (!now->staged.empty() || (program->by_events && !now->deadlines.empty())) return -FOREVER;
    return now->deadlines.empty() ? FOREVER : (*now->deadlines.begin()).first;
}

}  // namespace spaseq::joins
