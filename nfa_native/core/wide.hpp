// Integers of 128 bits.
#pragma once

namespace spaseq::semirings {

typedef __int128 wide;

}  // namespace spaseq::semirings
