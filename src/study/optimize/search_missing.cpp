#include "ulna/numerics/error.hpp"
#include "ulna/study/search.hpp"

namespace ulna {

SearchResult search_least(const SearchProblem&, const SearchOptions&) {
  throw ComputationError(
      "Ulna was built without NLopt: tools/install-packages optimize, then build again");
}

std::vector<std::string> search_algorithms() { return {}; }

}  // namespace ulna
