#pragma once
// Where the searches of `ulna optimize` ended, as a page: the Pareto front of two measures, or the
// ends of a multi-start.

#include <string>
#include <vector>

#include "ulna/formats/study_search.hpp"

namespace ulna::cli {

/// Points that no other end beats in both measures; all of them feasible.
std::vector<bool> on_front(const Study& study, const StudyGoal& goal,
                           const std::vector<StudyRow>& ends);

std::string searches_page(const Study& study, const StudyGoal& goal, const std::string& file,
                          const std::vector<StudyRow>& ends, long best);

}  // namespace ulna::cli
