// For which robots there is a column form, and when it pays.

#include "compile/column_form.hpp"
#include "trace/tracing.hpp"

namespace ulna::generate {

bool has_column_form(const Model& model, const std::string& function) {
  if (function != "mass" && function != "forward" && function != "inverse-derivatives" &&
      function != "forward-derivatives")
    return false;
  if (!is_plain_tree(model)) return false;
  const Topology& topology = model.topology();
  const int n = topology.speeds;
  constexpr int most_columns = 128;  // the arrays on the stack stay below a megabyte
  if (n < 1 || n > most_columns || topology.coordinates != n ||
      static_cast<int>(topology.nodes.size()) != n + 1)
    return false;
  for (int i = 1; i <= n; ++i) {
    const TreeNode& node = topology.nodes[i];
    if (node.kind != NodeKind::screw || node.q != node.v) return false;
  }
  return !topology.shared_speeds;
}

// Fits of what was measured with AVX-512 for 2 to 24 joints, at 0.2 ns an operation (g++ 12).
int column_cost(const Model& model, const std::string& function) {
  const double n = model.speeds();
  const double cost = function == "mass"                  ? 300 + 125 * n
                      : function == "forward"             ? 240 * n + 5 * n * n
                      : function == "inverse-derivatives" ? 700 + 160 * n + 4 * n * n
                                                          : 900 + 280 * n + 1.2 * n * n * n;
  bool chain = true;
  const std::vector<TreeNode>& nodes = model.topology().nodes;
  for (std::size_t i = 1; i < nodes.size(); ++i)
    chain &= nodes[i].parent == static_cast<int>(i) - 1;
  return static_cast<int>(chain ? cost : 1.7 * cost);  // sums over trees are scalar code
}

}  // namespace ulna::generate
