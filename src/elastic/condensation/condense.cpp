#include "ulna/elastic/condense.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ulna/elastic/internal/craig_bampton.hpp"
#include "ulna/elastic/internal/dynamic_condensation.hpp"
#include "ulna/elastic/internal/guyan.hpp"
#include "ulna/elastic/internal/irs.hpp"
#include "ulna/elastic/internal/serep.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {

std::vector<std::string> condensation_methods() {
  return {"guyan", "guyan-one-shot", "irs", "dynamic", "craig-bampton", "serep"};
}

Reduction condense(const SystemMatrices& system, const std::string& method, int keep,
                   const std::vector<int>& interface, double omega) {
  if (method == "craig-bampton") {
    const int fixed = static_cast<int>(interface.size());
    if (interface.empty())
      throw InputError("craig-bampton needs interface freedoms of its own",
                       "a frame whose node is not tied by loops", "name another --interface");
    if (keep < fixed)
      throw InputError(fmt::format("{} coordinates for an interface of {}", keep, fixed),
                       fmt::format("at least {}", fixed));
    return craig_bampton(system, interface, keep - fixed);
  }
  const auto methods = condensation_methods();
  if (std::find(methods.begin(), methods.end(), method) == methods.end())
    throw InputError(fmt::format("unknown method '{}'", method),
                     "guyan, guyan-one-shot, irs, dynamic, craig-bampton or serep");
  if (method == "serep") return serep(system, keep);
  const MasterSelection how =
      method == "guyan-one-shot" ? MasterSelection::one_shot : MasterSelection::sequential;
  const std::vector<int> masters = select_masters(system, keep, how);
  if (method == "irs") return irs(system, masters);
  if (method == "dynamic") return dynamic_condensation(system, masters, omega);
  return guyan(system, masters);
}

}  // namespace ulna::elastic
