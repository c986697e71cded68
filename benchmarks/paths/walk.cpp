// What a plain program does for walks of two steps: the lower bound that fixed.py measures against.
#include <cstddef>
#include <cstdint>
#include <vector>

// One step: for each vertex where its neighbours begin, the neighbours, and the number of the step itself.
struct Rows {
    const uint32_t* offsets;
    const uint32_t* targets;
    uint32_t symbol;
};

// One column: the query and the three nodes of each walk.
extern "C" size_t walk(size_t queries, const uint32_t* starts, const Rows* first, const Rows* second) {
    static std::vector<uint32_t> found;
    found.clear();
    for (size_t query = 0; query < queries; ++query) {
        uint32_t start = starts[query];
        for (uint32_t i = first[query].offsets[start]; i < first[query].offsets[start + 1]; ++i) {
            uint32_t middle = first[query].targets[i];
            for (uint32_t j = second[query].offsets[middle]; j < second[query].offsets[middle + 1]; ++j) {
                uint32_t row[] = {static_cast<uint32_t>(query), start, middle, second[query].targets[j]};
                found.insert(found.end(), row, row + 4);
            }
        }
    }
    return found.size() / 4;
}

// The columns that SPAseq gives: of each walk its query, where its steps end, its nodes, and its steps.
extern "C" size_t walk_columns(size_t queries, const uint32_t* starts, const Rows* first, const Rows* second) {
    static std::vector<uint32_t> whose, nodes, steps;
    static std::vector<uint64_t> ends;
    whose.clear();
    ends.clear();
    nodes.clear();
    steps.clear();
    for (size_t query = 0; query < queries; ++query) {
        uint32_t start = starts[query];
        for (uint32_t i = first[query].offsets[start]; i < first[query].offsets[start + 1]; ++i) {
            uint32_t middle = first[query].targets[i];
            for (uint32_t j = second[query].offsets[middle]; j < second[query].offsets[middle + 1]; ++j) {
                uint32_t walked[] = {start, middle, second[query].targets[j]};
                uint32_t taken[] = {first[query].symbol, second[query].symbol};
                nodes.insert(nodes.end(), walked, walked + 3);
                steps.insert(steps.end(), taken, taken + 2);
                ends.push_back(steps.size());
                whose.push_back(static_cast<uint32_t>(query));
            }
        }
    }
    return whose.size();
}
