// The contestants must agree before they are timed: a fast wrong answer is not a contest.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "contestant.hpp"
#include "states.hpp"

namespace ulna::bench {

using Contestants = std::vector<std::unique_ptr<Contestant>>;

struct Disagreement : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The largest difference found for each contestant, relative to the largest entry of a result.
using Disagreements = std::map<std::string, double>;

// Compares the results of all contestants, which have loaded `spec`, with those of the strictest
// one, and derivatives also with differences of the dynamics they belong to. Throws Disagreement
// when one of them exceeds its tolerance.
Disagreements require_agreement(const Contestants& contestants, const ChainSpec& spec,
                                const States& states);

}  // namespace ulna::bench
