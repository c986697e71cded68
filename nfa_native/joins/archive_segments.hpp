// What an archive has where steps may wait: sets and events of lazy segments, and what the choice knows.  Archives of
// before have none of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/joins/archive.hpp"
#include "nfa_native/joins/segments.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

constexpr size_t KNOWN = 4;               // numbers of a segment; FEWER_KNOWN in the first archives that had some
constexpr size_t FEWER_KNOWN = 3;

// A buffer as it is written: its key is that of its first set.
struct BufferForm {
    uint32_t segment;
    uint32_t sets;
    uint32_t events;
};

// An event that waits: its row is that of the stored event.
struct EventForm {
    uint32_t position;
    uint32_t seen;                        // so many of the sets that are written
};

struct SegmentForms {
    std::vector<BufferForm> buffers;
    std::vector<uint32_t> nodes;          // the sets of all buffers
    std::vector<word_t> words;            // and their values, set by set
    std::vector<EventForm> events;
    std::vector<uint8_t> lazy;            // by segment
    std::vector<double> known;            // KNOWN numbers of each segment
};

static void segment_fields(Archive* a, std::vector<Segment>* segments, SegmentForms* forms) {
    uint32_t version = a->store("segments", 2);
    a->field("segment", forms->buffers, &BufferForm::segment);
    a->field("sets", forms->buffers, &BufferForm::sets);
    a->field("events", forms->buffers, &BufferForm::events);
    a->field("position", forms->events, &EventForm::position);
    a->field("seen", forms->events, &EventForm::seen);
    a->numbers("nodes", forms->nodes);
    a->words("words", forms->words);
    a->numbers("lazy", forms->lazy);
    a->doubles("known", forms->known);
    a->update("switches", *segments, &Segment::switches);
    if (version == 1) return;
    a->update("looks", *segments, &Segment::looks);
    a->update("doubts", *segments, &Segment::doubts);
    a->update("rest", *segments, &Segment::rest);
}

static void cost_fields(Archive* a, std::vector<SegmentCosts>* costs) {
    uint32_t version = a->store("segment costs", 3);
    a->field("since", *costs, &SegmentCosts::since);
    if (version > 1) a->field("began", *costs, &SegmentCosts::began);
    a->field("arrivals", *costs, &SegmentCosts::arrivals);
    a->field("seen", *costs, &SegmentCosts::seen);
    a->field("closings", *costs, &SegmentCosts::closings);
    a->field("looped", *costs, &SegmentCosts::looped);
    a->field("passed", *costs, &SegmentCosts::passed);
    a->field("sets", *costs, &SegmentCosts::sets);
    if (version > 1) a->field("kept", *costs, &SegmentCosts::kept);
    a->field("joined", *costs, &SegmentCosts::joined);
    a->field("entered", *costs, &SegmentCosts::entered);
    a->field("scanned", *costs, &SegmentCosts::scanned);
    a->field("asked", *costs, &SegmentCosts::asked);
    a->field("found", *costs, &SegmentCosts::found);
    if (version > 2) a->field("merged", *costs, &SegmentCosts::merged);
}

static void write_buffer(const Buffer& buffer, uint32_t segment, SegmentForms* forms) {
    const SetBuffer& sets = buffer.sets;
    const EventBuffer& events = buffer.events;
    uint32_t count = uint32_t(events.positions.size() - events.dead);
    forms->buffers.push_back({segment, uint32_t(sets.size() - sets.dead), count});
    for (size_t i = sets.dead; i < sets.size(); ++i) {
        forms->nodes.push_back(sets.nodes[i]);
        for (const SetColumn& column : sets.columns) forms->words.push_back(column.words[i]);
    }
    for (size_t i = events.dead; i < events.positions.size(); ++i)
        forms->events.push_back({events.positions[i], events.seen[i] - sets.base - uint32_t(sets.dead)});
}

static void write_segments(KernelState* now, Archive* a) {
    SegmentForms forms;
    std::vector<SegmentCosts> costs;
    for (uint32_t i = 0; i < now->segments.size(); ++i) {
        Segment& segment = now->segments[i];
        costs.push_back(segment.costs);
        forms.lazy.push_back(segment.lazy);
        forms.known.insert(forms.known.end(),
            {segment.kept_of_seen, segment.asked_each, segment.keys, segment.sets_each});
        for (Buffer& buffer : segment.buffers) {
            pass_buffer(&segment, &buffer, now->lo);
            if (!is_empty(buffer)) write_buffer(buffer, i, &forms);
        }
    }
    segment_fields(a, &now->segments, &forms);
    cost_fields(a, &costs);
}

}  // namespace spaseq::joins
