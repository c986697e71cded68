// Unions one by one.  Some filters across are told by finished matches only, those of steps that are repeated in a side.
// Where such a union has several rows, which of them it has decides what it can do next: then each union is looked at,
// and what is left of it goes on by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "nfa_native/joins/frames.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/rebuild.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/trace.hpp"

namespace spaseq::joins {

// The set of one match: its picks as they are in `path`, from its first step on.
static uint32_t node_of_path(Kernel* k) {
    Scratch* scratch = &k->scratch;
    std::vector<uint32_t> nodes(1, 0), sides;
    for (const Move& move : scratch->moves) {
        if (move.step == NO_STEP) {
            auto ends = scratch->side_levels.begin() + move.ends;
            sides.clear();
            size_t count = k->program->junctions[move.junction].sides.size();
            for (size_t i = 0; i < count; ++i) sides.push_back(nodes[ends[int64_t(i)]]);
            nodes.push_back(make_product(&k->now, move.junction, sides));
            continue;
        }
        size_t at = scratch->steps[move.step];
        const Label& label = k->program->labels[scratch->path[at].label];
        std::vector<uint32_t> picks;
        for (uint32_t i = 0; i < label.parts; ++i) picks.push_back(scratch->path[at - i].pos);
        uint32_t start = picks[0];
        for (uint32_t pos : picks) start = older(pos, start) ? pos : start;
        uint32_t before = nodes[move.base];
        if (before) start = node_at(&k->now, before)->max_start;
        nodes.push_back(extend(k, picks.data(), label.parts, scratch->path[at].label, before, start, 0));
    }
    return nodes.back();
}

// Note a union that has rows left.
static void note_single(Kernel* k) {
    uint32_t whole = k->program->whole;
    if (!find_steps(k)) return;
    rebuild(k, UNBOUND);
    const std::vector<word_t>& rows = k->scratch.levels[last_level(k)];
    if (rows.empty()) return;
    k->scratch.singles->push_back({node_of_path(k), rows, uint32_t(rows.size() / whole)});
}

// All unions in a product, with their rows.
static std::vector<SingleUnion> find_singles(Kernel* k, uint32_t node, uint32_t lo) {
    std::vector<SingleUnion> found;
    std::vector<Pick> path;
    std::vector<Frame> frames;
    std::vector<FramedVisit> framed;
    Pause* pause = &k->pause;
    Output output = pause->output;
    int64_t left = pause->left;
    auto swap_all = [&] {
        k->scratch.path.swap(path);
        k->scratch.frames.swap(frames);
        k->scratch.framed.swap(framed);
    };
    swap_all();  // an output may be half done
    k->scratch.outer_merged.swap(k->scratch.merged);
    k->scratch.singles = &found;
    pause->left = FOREVER;
    pause->output.lo = lo;
    begin_frames(&k->scratch, node);
    visit_framed(k);
    k->scratch.singles = nullptr;
    k->scratch.outer_merged.swap(k->scratch.merged);
    pause->left = left;
    pause->output = output;
    swap_all();
    return found;
}

// A row of the union's columns is one of the whole rows.
static bool is_among(
    const JunctionSpec* junction, const word_t* row, const SingleUnion& single, uint32_t whole
) noexcept {
    for (uint32_t i = 0; i < single.count; ++i) {
        const word_t* other = single.rows.data() + size_t(i) * whole;
        bool same = true;
        for (uint32_t j = 0; j < junction->width && same; ++j)
            same = junction->shown[j] == NO_COLUMN || row[j] == other[junction->shown[j]];
        if (same) return true;
    }
    return false;
}

// The rows of the union's columns that it has.
static std::vector<word_t> rows_of_single(
    const JunctionSpec* junction, const std::vector<word_t>& rows, const SingleUnion& single, uint32_t whole
) {
    std::vector<word_t> kept;
    for (size_t at = 0; at < rows.size(); at += junction->width)
        if (is_among(junction, rows.data() + at, single, whole))
            kept.insert(kept.end(), rows.begin() + int64_t(at), rows.begin() + int64_t(at + junction->width));
    return kept;
}

}  // namespace spaseq::joins
