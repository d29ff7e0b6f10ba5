#include <ulna/symbolic/internal/factoring.hpp>

#include "closing.hpp"

namespace ulna {
namespace {

using namespace symbolic_detail;

// With more pairs of terms than these, opening the sums has gone too far.
constexpr std::size_t large = 40000;

std::size_t pairs_of_terms(const Network& network) {
  std::size_t count = 0;
  for (int id = 1; id < network.size(); ++id) {
    const std::size_t terms = network.is_row(id) ? network.atom(id).sum.size() : 0;
    count += terms * (terms - 1) / 2;
  }
  return count;
}

}  // namespace

std::vector<Expression> factored(std::span<const Expression> outputs, Graph& graph,
                                 const FactoringOptions& options) {
  Network network(outputs, graph, options.open_shared, options.known);
  if (pairs_of_terms(network) <= large) {
    std::mt19937 random(options.seed);
    const auto operations = [](const NetworkCost& n) {
      return static_cast<double>(n.multiplications + n.additions);
    };
    std::vector<int> rows;
    for (int id = 1; id < network.size(); ++id)
      if (network.is_row(id)) rows.push_back(id);
    Closing(network, operations, options.seed != 0 ? &random : nullptr).run(std::move(rows));
  }
  return network.write(graph);
}

}  // namespace ulna
