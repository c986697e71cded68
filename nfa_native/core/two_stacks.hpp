// A sliding window of totals by two stacks: what is too old leaves it, and nothing is ever subtracted.
//
// An automaton's partial matches are known by their totals, elements of a semiring: those side by side are added, those one
// after the other multiplied.  The front, the older stack, has the starts that were there when it was made, the youngest
// first, each with the totals of it and all younger ones; what has become of their partial matches since is one matrix for
// all of them.  Later starts are the back: all of them are in the window, so they need one total.  When the last start of the
// front has left the window, the events since then are gone through from the last to the first, with a matrix of what
// becomes of a partial match until now, and their starts become the front.
//
// Partial matches are in slots.  Starts may be of several groups, each with totals of its own.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace spaseq {

// A semiring has types
//     Totals                                        totals in a row
//     Span                                          a place among them
// and functions
//     resize(Totals&, size)                         room for so many; new ones may be anything
//     size(const Totals&)
//     span(Totals&, first)                          the place of a total,
//     part(Span, first)                             and of one behind it
//     clear_totals(Span, count)                     nothing
//     set_unit(Span)                                one partial match without events
//     copy_totals(Span, Span from, count)
//     add_totals(Span, Span more, count)
//     add_product(Span, Span one, Span other)       of one total each; neither is the first one

// Starts whose matches count together.
template <class Semiring>
struct StartGroup {
    uint32_t key = 0;
    size_t begun = 0;                     // starts of the back, or more
    size_t left = 0;                      // so many starts of the front are in the window
    std::vector<int64_t> starts;          // of the front, the youngest first
    typename Semiring::Totals totals;     // [start][slot]: when the front was made, of this start and all younger ones

    void expire(int64_t least) noexcept {
        while (left && starts[left - 1] < least) --left;
    }
};

template <class Semiring, class Event>
struct Window {
    bool has_front = false;
    int64_t youngest = 0;                 // start of the front
    bool has_back = false;
    int64_t oldest = 0;                   // start of the back
    size_t height = 0;                    // of a column: a row for each slot of the front (`row_of`), and for each group
    typename Semiring::Totals columns;    // [slot][height]: what came there from each slot of the front, and of later starts
    std::vector<uint8_t> filled;          // by slot: there may be something in its column, which else is not cleared
    std::vector<StartGroup<Semiring>> groups;
    std::vector<Event> log;               // since the front was made
    std::vector<__int128> log_wides;      // and their values, of each event as many
    std::vector<double> log_reals;
};

// What windows of one automaton share.
template <class Semiring, class Event, class Place = typename Semiring::Span>
struct TwoStacks {
    typedef Place Span;
    typedef Window<Semiring, Event> Stacks;

    static constexpr size_t FEW_GROUPS = 16;

    Semiring semiring;
    size_t slots = 0;
    typename Semiring::Totals future;     // [slot][slot]: what becomes of a partial match until the front is made

    // Nothing has happened.
    void forget_all(Stacks& window) const {
        window.has_front = window.has_back = false;
        window.filled.assign(slots, 0);
        window.groups.clear();
        clear_log(window);
        lower(window);
    }

    // ── columns ──
    // Where they have what was in the slot when the front was made.  The last slot comes first.
    size_t row_of(size_t slot) const noexcept { return slots - 1 - slot; }
    // The first row that may have something.
    size_t first_row(const Stacks& window) const noexcept { return window.has_front ? 0 : slots; }
    Span column(Stacks& window, size_t slot) const noexcept { return semiring.span(window.columns, slot * window.height); }

    // A column that is added to.
    Span filled_column(Stacks& window, size_t slot) const noexcept {
        Span found = column(window, slot);
        if (!window.filled.data()[slot]) {
            window.filled.data()[slot] = 1;
            semiring.clear_totals(found, window.height);
        }
        return found;
    }

    // ── starts ──
    // Another group; its number.
    uint32_t add_group(Stacks& window, uint32_t key) const {
        window.groups.emplace_back();
        window.groups.back().key = key;
        if (slots + window.groups.size() > window.height) heighten(window, slots + 2 * window.groups.size() - 1);
        return static_cast<uint32_t>(window.groups.size() - 1);
    }

    // A group of the back has a start.
    void note_start(Stacks& window, size_t group, int64_t start) const noexcept {
        ++window.groups[group].begun;
        if (!window.has_back) window.oldest = start;
        window.has_back = true;
    }

    // Forget a front that began before `least`; whether the back is to become the front.
    bool expire(Stacks& window, int64_t least) const noexcept {
        if (window.has_front && window.youngest < least) {
            window.has_front = false;
            for (auto& group : window.groups) group.left = 0;
        }
        return !window.has_front && window.has_back && window.oldest < least;
    }

    // Add to `out` the partial matches of a group that began at `least` or later, of rows of which those before `first` have
    // nothing.
    void add_window(Stacks& window, size_t number, int64_t least, const Span& rows, size_t first, const Span& out) const {
        StartGroup<Semiring>& group = window.groups[number];
        semiring.add_totals(out, semiring.part(rows, slots + number), 1);
        if (!window.has_front) return;
        group.expire(least);
        if (!group.left) return;
        const Span front = semiring.span(group.totals, (group.left - 1) * slots);
        for (size_t row = first; row < slots; ++row)
            semiring.add_product(out, semiring.part(front, row_of(row)), semiring.part(rows, row));
    }

    // ── the back becomes the front: begin, go through the log from its end, end ──
    void begin_front(Stacks& window) {
        for (auto& group : window.groups) {
            semiring.resize(group.totals, group.begun * slots);
            group.starts.clear();
        }
        semiring.resize(future, slots * slots);
        semiring.clear_totals(semiring.span(future, 0), slots * slots);
        for (size_t slot = 0; slot < slots; ++slot) semiring.set_unit(semiring.span(future, slot * slots + slot));
    }

    // [slot]: what becomes of partial matches in a slot.
    Span future_of(size_t slot) noexcept { return semiring.span(future, slot * slots); }
    // Nothing does.
    void end_future(size_t slot) noexcept { semiring.clear_totals(future_of(slot), slots); }

    // [slot]: the totals of a start, which is not younger than the one before it.
    Span begin_start(Stacks& window, size_t number, int64_t start) const {
        StartGroup<Semiring>& group = window.groups[number];
        const size_t count = group.starts.size();
        if (count && group.starts.back() == start) return semiring.span(group.totals, (count - 1) * slots);
        assert(count < group.begun);
        if (!window.has_front) window.youngest = start;
        window.has_front = true;
        group.starts.push_back(start);
        const Span here = semiring.span(group.totals, count * slots);
        if (count) semiring.copy_totals(here, semiring.span(group.totals, (count - 1) * slots), slots);
        else semiring.clear_totals(here, slots);
        return here;
    }

    // Groups without a start are dropped; whether there are any.
    bool end_front(Stacks& window) const {
        for (auto& group : window.groups) {
            group.left = group.starts.size();
            group.begun = 0;
        }
        window.has_back = false;
        clear_log(window);
        const bool drops = drop_groups(window);
        lower(window);
        begin_columns(window);
        return drops;
    }

  private:
    static void clear_log(Stacks& window) noexcept {
        window.log.clear();
        window.log_wides.clear();
        window.log_reals.clear();
    }

    // What is in a slot stays there.
    void begin_columns(Stacks& window) const {
        window.filled.assign(slots, window.has_front);
        for (size_t slot = 0; window.has_front && slot < slots; ++slot) {
            semiring.clear_totals(column(window, slot), window.height);
            semiring.set_unit(semiring.part(column(window, slot), row_of(slot)));
        }
    }

    static bool drop_groups(Stacks& window) {
        size_t kept = 0;
        for (size_t i = 0; i < window.groups.size(); ++i) {
            if (!window.groups[i].left) continue;
            if (kept != i) std::swap(window.groups[kept], window.groups[i]);
            ++kept;
        }
        const bool drops = kept < window.groups.size();
        window.groups.resize(kept);
        return drops;
    }

    // Rows of groups that are gone cost each event: columns, of which nothing is needed, lose them where they are many.
    void lower(Stacks& window) const {
        const size_t needed = slots + window.groups.size();
        if (window.height < needed) window.height = needed;
        if (window.height <= 2 * needed + FEW_GROUPS) return;
        typename Semiring::Totals lower;
        semiring.resize(lower, slots * needed);
        std::swap(window.columns, lower);
        window.height = needed;
    }

    void heighten(Stacks& window, size_t height) const {
        typename Semiring::Totals higher;
        semiring.resize(higher, slots * height);
        for (size_t slot = 0; slot < slots; ++slot) {
            if (!window.filled[slot]) continue;
            const Span column = semiring.span(higher, slot * height);
            semiring.clear_totals(column, height);
            semiring.copy_totals(column, semiring.span(window.columns, slot * window.height), window.height);
        }
        std::swap(window.columns, higher);
        window.height = height;
    }
};

}  // namespace spaseq
