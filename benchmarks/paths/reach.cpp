// What a plain program does to reach all vertices from one: the lower bound that kleene.py measures against.
#include <cstddef>
#include <cstdint>
#include <vector>

// From each start in turn: the vertices that it reaches by 0 edges or more, into `found`; how many these are altogether.
extern "C" size_t reach(
    size_t vertices, const uint32_t* offsets, const uint32_t* targets, size_t starts, const uint32_t* start, uint32_t* found
) {
    static std::vector<uint8_t> seen;
    seen.assign(vertices, 0);
    size_t total = 0;
    for (size_t i = 0; i < starts; ++i) {
        uint32_t* queue = found + total;
        size_t size = 0;
        queue[size++] = start[i];
        seen[start[i]] = 1;
        for (size_t next = 0; next < size; ++next)
            for (uint32_t edge = offsets[queue[next]]; edge < offsets[queue[next] + 1]; ++edge) {
                uint32_t to = targets[edge];
                if (seen[to]) continue;
                seen[to] = 1;
                queue[size++] = to;
            }
        for (size_t next = 0; next < size; ++next) seen[queue[next]] = 0;
        total += size;
    }
    return total;
}
