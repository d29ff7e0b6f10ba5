#include "trace/flexible_tracing.hpp"
#include "ulna/dynamics/kernels/flexible_articulated_body.hpp"

namespace ulna::generate {

Expressions flexible_accelerations(const Tracing& t, const Expressions& left) {
  Scratch<Expression> scratch(t.model.topology());
  Expressions a = zeros(t.speeds());
  flexible_articulated_body<Expression>(t.tree(), scratch.view(), t.q.data(), t.v.data(),
                                        left.data(), nullptr, a.data());
  return a;
}

}  // namespace ulna::generate
