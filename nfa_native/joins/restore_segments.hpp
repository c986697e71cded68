// What waits in lazy segments, out of an archive that is believed in nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/core/bits.hpp"
#include "nfa_native/joins/archive_segments.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/restore_unions.hpp"
#include "nfa_native/joins/segments.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

// The row of a stored event for an atom, which has one.
static const word_t* only_row(KernelState* now, uint32_t position, uint32_t atom) {
    uint32_t count = 0;
    require(position - now->history.first < now->history.events.size(), "an event waits that there is not");
    const word_t* row = rows_of(now, position, atom, &count);
    require(row != nullptr && count == 1, "an event waits without its row");
    return row;
}

// A set that waits: the node is of the segment's first state.
static void load_set(
    Kernel* k, NodeStates* known, Segment* segment, Buffer* buffer, uint32_t source, uint32_t node, const word_t* words
) {
    require(is_live(&k->now, node) && !(node_at(&k->now, node)->label & VIEW), "what waits is no set");
    require(has_bit(states_of(&k->now, known, node), source), "a set waits that is of another state");
    push_set(segment, buffer, words, node, node_at(&k->now, node)->max_start);
}

// An event that waits: it came after the sets that it sees.
static void load_event(Kernel* k, const SegmentSpec& spec, Buffer* buffer, const EventForm& form) {
    const TransitionSpec& first = k->program->transitions[spec.transition];
    EventBuffer& events = buffer->events;
    const word_t* row = only_row(&k->now, form.position, first.choice.atoms[0]);
    require(has_words(*buffer, row, spec.row), "an event waits under another key");
    require(0 < form.seen && form.seen <= buffer->sets.size(), "an event sees sets that there are not");
    require(events.positions.empty() || (older(events.positions.back(), form.position) && events.seen.back() <= form.seen),
        "events that wait do not ascend");
    for (size_t i = events.seen.empty() ? 0 : events.seen.back(); i < form.seen; ++i)
        require(older(buffer->sets.nodes[i], event_at(&k->now, form.position)->head), "an event sees what came after it");
    events.positions.push_back(form.position);
    events.seen.push_back(form.seen);
    events.words.insert(events.words.end(), row, row + first.choice.width);
}

static void check_costs(const SegmentCosts& one) {
    check_counter(one.arrivals | one.seen | one.closings | one.looped | one.passed);
    check_counter(one.sets | one.kept | one.joined | one.entered);
    check_counter(one.scanned | one.asked | one.found | one.merged);
}

// What the choice knew; archives of before say nothing of some.
static void load_known(Segment* segment, const double* known, size_t count) {
    require(std::all_of(known, known + count, [](double one) { return one >= 0; }), "a segment knows what cannot be");
    segment->kept_of_seen = known[0];
    segment->keys = known[2];
    if (count == FEWER_KNOWN) return;
    segment->asked_each = known[1];
    segment->sets_each = known[3];
}

static void load_choices(KernelState* now, const SegmentForms& forms, const std::vector<SegmentCosts>& costs) {
    size_t count = now->segments.size();
    size_t each = forms.known.size() == FEWER_KNOWN * count ? FEWER_KNOWN : KNOWN;
    require(forms.lazy.size() == count && costs.size() == count && forms.known.size() == each * count,
        "there is another number of segments");
    for (size_t i = 0; i < count; ++i) {
        Segment& segment = now->segments[i];
        check_costs(costs[i]);
        check_counter(segment.switches);
        segment.costs = costs[i];
        segment.lazy = forms.lazy[i] != 0;
        load_known(&segment, forms.known.data() + each * i, each);
    }
}

static void load_segments(Kernel* k, Archive* a, NodeStates* known) {
    SegmentForms forms;
    std::vector<SegmentCosts> costs;
    size_t set = 0, word = 0, event = 0;
    segment_fields(a, &k->now.segments, &forms);
    cost_fields(a, &costs);
    load_choices(&k->now, forms, costs);
    for (const BufferForm& form : forms.buffers) {
        require(form.segment < k->now.segments.size(), "sets wait in a segment that there is not");
        const SegmentSpec& spec = k->program->segments[form.segment];
        Segment* segment = &k->now.segments[form.segment];
        uint32_t width = k->program->states[spec.source].width;
        require(form.sets > 0 && form.sets <= forms.nodes.size() - set, "a buffer has more sets than there are");
        require(size_t(form.sets) * width <= forms.words.size() - word, "the words of sets are missing");
        require(form.events <= forms.events.size() - event, "a buffer has more events than there are");
        const word_t* words = forms.words.data() + word;
        uint64_t hash = hash_key(words, spec.held.data(), spec.held.size());
        bool is_new = hash != WILD && find_buffer(segment, hash, words, spec.held) == nullptr;
        require(is_new, "a key has two buffers, or is none");
        Buffer* buffer = make_buffer(segment, hash, words, spec.held, width);
        for (uint32_t i = 0; i < form.sets; ++i, words += width) {
            require(has_words(*buffer, words, spec.held), "a set waits under another key");
            load_set(k, known, segment, buffer, spec.source, forms.nodes[set++], words);
        }
        word += size_t(form.sets) * width;
        for (uint32_t i = 0; i < form.events; ++i) load_event(k, spec, buffer, forms.events[event++]);
    }
    require(set == forms.nodes.size() && word == forms.words.size() && event == forms.events.size(),
        "there is what waits nowhere");
}

}  // namespace spaseq::joins
