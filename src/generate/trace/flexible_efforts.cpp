#include "trace/flexible_tracing.hpp"
#include "ulna/dynamics/kernels/flexible_newton_euler.hpp"

namespace ulna::generate {

Expressions flexible_efforts(const Tracing& t, const Expressions& v, const Expressions& a) {
  Scratch<Expression> scratch(t.model.topology());
  Expressions tau = zeros(t.speeds());
  flexible_newton_euler<Expression>(t.tree(), scratch.view(), t.q.data(), v.data(), a.data(),
                                    nullptr, tau.data());
  return tau;
}

}  // namespace ulna::generate
