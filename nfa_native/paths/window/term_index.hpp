// Places of words.  A term of the dictionary has a small number of its own, so its place stands in a column; other words are hashed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/window/number_table.hpp"

namespace spaseq::paths {

struct WordPlaces {
    static constexpr uint64_t MOST_TERMS = uint64_t(1) << 24;   // a column is no longer; terms behind it are hashed, too

    std::vector<uint32_t> of_terms;         // by the number of the term; NO_PLACE: it has none
    NumberTable others;

    uint32_t place_of(uint64_t word) const noexcept {
        if (!is_term(word)) return others.at(word);
        uint64_t term = word >> 8;
        return term < of_terms.size() ? of_terms[term] : NO_PLACE;
    }

    // Ask for the memory that a look-up needs.
    void prefetch_place(uint64_t word) const noexcept {
        if (is_term(word) && word >> 8 < of_terms.size()) __builtin_prefetch(&of_terms[word >> 8]);
    }

    // Enter a place, or write another one.  std::bad_alloc: nothing has changed.
    void set_place(uint64_t word, uint32_t place) {
        if (!is_term(word)) return others.put_place(word, place);
        uint64_t term = word >> 8;
        if (term >= of_terms.size()) of_terms.resize(term + term / 2 + 1, NO_PLACE);
        of_terms[term] = place;
    }

    // Take out a word that is there.
    void lose_place(uint64_t word) noexcept {
        if (is_term(word)) of_terms[word >> 8] = NO_PLACE;
        else others.remove(word);
    }

  private:
    static bool is_term(uint64_t word) noexcept { return (word & 15) == 0 && word >> 8 < MOST_TERMS; }   // see nfa_native/terms/dictionary.pxd
};

}  // namespace spaseq::paths
