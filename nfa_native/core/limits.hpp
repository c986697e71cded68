// What no count and no position of a stream comes to, so that sums of two of them fit.
#pragma once

#include <cstdint>

namespace spaseq {

constexpr int64_t FARTHEST = 1000000000000000000;

}  // namespace spaseq
