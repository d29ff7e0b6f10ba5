#include "trace/flexible_tracing.hpp"
#include "ulna/dynamics/kernels/flexible_composite_body.hpp"

namespace ulna::generate {

Expressions flexible_mass_matrix(const Tracing& t) {
  Scratch<Expression> scratch(t.model.topology());
  Expressions M = zeros(static_cast<std::size_t>(t.speeds()) * t.speeds());
  flexible_composite_body<Expression>(t.tree(), scratch.view(), t.q.data(), M.data());
  return M;
}

}  // namespace ulna::generate
