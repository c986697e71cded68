// What hash tables of the matcher hold.
#pragma once

#include <cstdint>

#include "../core/flat_table.hpp"

namespace spaseq::joins {

// A use of a cell; serial 0: none.
struct CellReference {
    uint32_t cell;
    uint32_t serial;
};

// A cell in the table of all live values.
struct TableEntry {
    uint32_t hash;         // part of it
    CellReference cell;

    bool is_free() const noexcept { return cell.serial == 0; }
};

// The bucket of a key.
struct KeyEntry {
    uint32_t hash;         // part of the key
    uint32_t bucket;       // its number + 1

    bool is_free() const noexcept { return bucket == 0; }
};

}  // namespace spaseq::joins
