// The matches of sets with products.  A way of one side is gone through from its end to where its side began; then those
// of the other sides, and only then what lies before the `&&`: the partial matches that all of these ways went on from.
// Of two sets of one list, that is the older one.  What is still to come is in frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

static void deliver(Kernel* k, uint32_t final, int64_t decided);  // `output.hpp`

// Visit a set next, in a frame.
static inline void visit_next(Scratch* scratch, uint32_t node, size_t depth, uint32_t frame) {
    scratch->framed.push_back({node, uint32_t(depth), frame, uint32_t(scratch->frames.size())});
}

// Begin with a set that lies in no `&&`.
static void begin_frames(Scratch* scratch, uint32_t node) {
    scratch->frames.assign(1, {0, FRESH, 0});
    scratch->framed.clear();
    visit_next(scratch, node, scratch->path.size(), 0);
}

// A step goes on from the partial matches in `before`, and with it `opens` sides begin: close their frames, and visit
// what is left, the other sides of one of them, or what lies in front of all.
static void close_frames(Kernel* k, size_t opens, uint32_t before, uint32_t frame) {
    Scratch* scratch = &k->scratch;
    for (; opens > 0; --opens) {
        Frame closed = scratch->frames[frame];
        if (closed.before != FRESH && older(closed.before, before)) before = closed.before;
        if (closed.rest) {
            scratch->frames.push_back({0, before, closed.outer});
            visit_next(scratch, closed.rest, scratch->path.size(), uint32_t(scratch->frames.size()) - 1);
            return;
        }
        frame = closed.outer;
    }
    if (before) visit_next(scratch, before, scratch->path.size(), frame);
    else deliver(k, k->pause.output.final, k->pause.output.decided);
}

// Visit the ways of the first side of a product, and note that those of the others are to come.
static void visit_product(Scratch* scratch, const Node* at, const FramedVisit& visit) {
    bool begins = (at->label & PART_MASK) == 0;
    Frame frame = begins ? Frame{0, FRESH, visit.frame} : scratch->frames[visit.frame];
    scratch->path.resize(visit.depth);
    if (begins) scratch->path.push_back({at->label, at->pos});
    scratch->frames.push_back({at->sibling, frame.before, frame.outer});
    visit_next(scratch, at->next, scratch->path.size(), uint32_t(scratch->frames.size()) - 1);
}

// Visit a node that picks an event.
static void visit_pick(Kernel* k, const Node* at, const FramedVisit& visit) {
    Scratch* scratch = &k->scratch;
    const Label& label = k->program->labels[at->label];
    uint32_t start = at->sibling ? at->pos : at->max_start;
    if (at->sibling) visit_next(scratch, at->sibling, visit.depth, visit.frame);
    scratch->path.resize(visit.depth);
    scratch->path.push_back({at->label, at->pos});
    if (at->next == 0 && older(start, k->pause.output.lo)) return;
    if (label.part > 0) visit_next(scratch, at->next, scratch->path.size(), visit.frame);
    else close_frames(k, k->program->transitions[label.transition].opens.size(), at->next, visit.frame);
}

// Deliver what is left to be visited, up to the next pause.
static void visit_framed(Kernel* k) {
    Scratch* scratch = &k->scratch;
    while (!scratch->framed.empty()) {
        if (k->pause.left <= 0) {
            k->pause.suspended = true;
            return;
        }
        --k->pause.left;
        FramedVisit visit = scratch->framed.back();
        scratch->framed.pop_back();
        scratch->frames.resize(visit.frames);
        if (!has_live(&k->now, visit.node, k->pause.output.lo)) continue;
        const Node* at = node_at(&k->now, visit.node);
        if (at->label == UNION) {
            visit_next(scratch, at->sibling, visit.depth, visit.frame);
            visit_next(scratch, at->next, visit.depth, visit.frame);
        } else if (at->label & PRODUCT) {
            visit_product(scratch, at, visit);
        } else {
            visit_pick(k, at, visit);
        }
    }
}

}  // namespace spaseq::joins
