// What a plain program does for walks of two steps: the lower bound that fixed.py measures against.
#include <cstddef>
#include <cstdint>
#include <vector>

// One step: for each vertex where its neighbours begin, and the neighbours.
struct Rows {
    const uint32_t* offsets;
    const uint32_t* targets;
};

extern "C" size_t walk(size_t queries, const uint32_t* starts, const Rows* first, const Rows* second) {
    static std::vector<uint32_t> found;  // query, and the three nodes of its walks
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
