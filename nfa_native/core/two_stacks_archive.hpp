// Windows as stores of an archive, and back.  Lists lie one after the other, their lengths in columns of their own.
#pragma once

#include "archive.hpp"
#include "two_stacks.hpp"

namespace spaseq {

// Rows of a width that lie in a list of this size are so many.
inline void require_rows(size_t rows, size_t width, size_t size) {
    require(width == 0 ? size == 0 : size % width == 0 && size / width == rows, "a list has another length");
}

// A semiring has besides a type `Form`: totals as they are written, with
//     append(Semiring, Totals, first, count)        write so many from there on
//     fields(Archive&)                              write or read the columns
//     check(Semiring)                               ArchiveError: they are no totals
//     take_totals(Semiring, Totals& out, first, count)     the next ones, from there on
//     left(Semiring)                                so many were not taken
template <class Semiring, class Event, class Place = typename Semiring::Span>
struct WindowsForm {
    typedef TwoStacks<Semiring, Event, Place> Stacks;

    struct WindowRecord {
        int64_t youngest, oldest;
        uint32_t groups, logged;      // of each so many
        uint8_t has_front, has_back;
    };
    struct GroupRecord {
        uint32_t key, left;           // of its starts those in the window
    };

    std::vector<WindowRecord> windows;
    std::vector<uint8_t> filled;          // [window][slot]
    typename Semiring::Form columns;      // of the filled ones the rows that are looked at
    std::vector<GroupRecord> groups;
    std::vector<int64_t> starts;
    typename Semiring::Form totals;       // [start][slot]
    std::vector<Event> log;               // its fields are the caller's to write
    std::vector<__int128> log_wides;
    std::vector<double> log_reals;
    size_t slot_at = 0, group_at = 0, start_at = 0, log_at = 0;      // so far they are taken

    size_t size() const noexcept { return windows.size(); }

    void append(const Stacks& stacks, Window<Semiring, Event>& window) {
        const size_t first = stacks.first_row(window), height = stacks.slots + window.groups.size();
        windows.push_back({
            window.has_front ? window.youngest : 0, window.has_back ? window.oldest : 0,
            static_cast<uint32_t>(window.groups.size()), static_cast<uint32_t>(window.log.size()),
            window.has_front, window.has_back,
        });
        filled.insert(filled.end(), window.filled.begin(), window.filled.end());
        for (size_t slot = 0; slot < stacks.slots; ++slot)
            if (window.filled[slot])
                columns.append(stacks.semiring, window.columns, slot * window.height + first, height - first);
        for (auto& group : window.groups) {
            groups.push_back(GroupRecord{group.key, static_cast<uint32_t>(group.left)});
            starts.insert(starts.end(), group.starts.begin(), group.starts.begin() + group.left);
            totals.append(stacks.semiring, group.totals, 0, group.left * stacks.slots);
        }
        log.insert(log.end(), window.log.begin(), window.log.end());
        log_wides.insert(log_wides.end(), window.log_wides.begin(), window.log_wides.end());
        log_reals.insert(log_reals.end(), window.log_reals.begin(), window.log_reals.end());
    }

    void fields(Archive& archive) {
        archive.store("windows", 1);
        archive.field("youngest", windows, &WindowRecord::youngest);
        archive.field("oldest", windows, &WindowRecord::oldest);
        archive.field("groups", windows, &WindowRecord::groups);
        archive.field("logged", windows, &WindowRecord::logged);
        archive.field("has front", windows, &WindowRecord::has_front);
        archive.field("has back", windows, &WindowRecord::has_back);
        archive.numbers("filled", filled);
        columns.fields(archive);
        archive.store("fronts", 1);
        archive.field("key", groups, &GroupRecord::key);
        archive.field("left", groups, &GroupRecord::left);
        archive.numbers("starts", starts);
        totals.fields(archive);
        archive.store("log values", 1);
        archive.wides("exact", log_wides);
        archive.doubles("doubles", log_reals);
    }

    // Lists that belong together are of one length; of each event there are so many values.
    void check(const Stacks& stacks, size_t wides, size_t reals) const {
        require_rows(windows.size(), stacks.slots, filled.size());
        columns.check(stacks.semiring);
        totals.check(stacks.semiring);
        require_rows(log.size(), wides, log_wides.size());
        require_rows(log.size(), reals, log_reals.size());
    }

    // The next one is `number`; `keeps`: windows may have a log.
    void take_window(const Stacks& stacks, size_t number, bool keeps, Window<Semiring, Event>& window) {
        const WindowRecord& one = windows[number];
        window.has_front = one.has_front != 0;
        window.youngest = one.youngest;
        window.has_back = one.has_back != 0;
        window.oldest = one.oldest;
        require(one.groups <= groups.size() - group_at, "a window has more groups than there are");
        require(one.groups > 0 || !(window.has_front || window.has_back), "starts are of no group");
        window.groups.resize(one.groups);
        for (auto& group : window.groups) take_group(stacks, group);
        take_filled(stacks, window);
        require(one.logged == 0 || (window.has_back && keeps), "events are kept that nobody needs");
        require(one.logged <= log.size() - log_at, "a list is longer than its column");
        take_values(log_wides, one.logged, window.log_wides);
        take_values(log_reals, one.logged, window.log_reals);
        take_part(log, log_at, one.logged, window.log);
    }

    void check_all_taken(const Stacks& stacks) const {
        require(columns.left(stacks.semiring) == 0, "there are totals of no window");
        require(group_at == groups.size() && start_at == starts.size(), "there are groups of no window");
        require(totals.left(stacks.semiring) == 0 && log_at == log.size(), "there are events of no window");
    }

  private:
    void take_group(const Stacks& stacks, StartGroup<Semiring>& group) {
        const GroupRecord& one = groups[group_at++];
        group.key = one.key;
        group.left = one.left;
        take_part(starts, start_at, one.left, group.starts);
        for (size_t i = 1; i < group.left; ++i)
            require(group.starts[i] <= group.starts[i - 1], "starts are not in order");
        require(stacks.slots == 0 || group.left <= totals.left(stacks.semiring) / stacks.slots, "totals are missing");
        stacks.semiring.resize(group.totals, group.left * stacks.slots);
        totals.take_totals(stacks.semiring, group.totals, 0, group.left * stacks.slots);
    }

    void take_filled(const Stacks& stacks, Window<Semiring, Event>& window) {
        const size_t first = stacks.first_row(window);
        window.height = stacks.slots + window.groups.size();
        window.filled.assign(stacks.slots, 0);
        stacks.semiring.resize(window.columns, window.groups.empty() ? 0 : stacks.slots * window.height);
        for (size_t slot = 0; slot < stacks.slots; ++slot) {
            if (!filled[slot_at++]) continue;
            require(!window.groups.empty(), "a column is of no group");
            stacks.filled_column(window, slot);
            columns.take_totals(stacks.semiring, window.columns, slot * window.height + first, window.height - first);
        }
    }

    // The values of the next events.
    template <class Value> void take_values(const std::vector<Value>& values, size_t count, std::vector<Value>& out) const {
        const size_t width = log.empty() ? 0 : values.size() / log.size();
        size_t at = log_at * width;
        take_part(values, at, count * width, out);
    }
};

}  // namespace spaseq
