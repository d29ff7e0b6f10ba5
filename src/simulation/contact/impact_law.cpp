#include "ulna/simulation/parts/contact.hpp"

namespace ulna {

const char* name_of(ImpactLaw law) {
  switch (law) {
    case ImpactLaw::poisson:
      return "poisson";
    case ImpactLaw::sequential:
      return "sequential";
    default:
      return "newton";
  }
}

}  // namespace ulna
