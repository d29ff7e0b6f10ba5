#include "ulna/simulation/internal/exact_links.hpp"

#include <limits>

#include "ulna/model/internal/requirements.hpp"

namespace ulna {
namespace {

/// Joints come first in every vector; elements start without strain.
template <class Vector>
void resize_tail(Vector& x, long joints, long size) {
  if (x.size() == 0) return;
  Vector changed = Vector::Zero(size);
  changed.head(joints) = x.head(joints);
  x = std::move(changed);
}

void resize_marks(std::vector<char>& keep, long joints, long size) {
  if (keep.empty()) return;
  keep.resize(static_cast<std::size_t>(joints));
  keep.resize(static_cast<std::size_t>(size), 0);
}

}  // namespace

Experiment with_exact_links(Experiment e, const GeometricallyExact& options) {
  if (!e.model) throw InputError("the experiment has no robot");
  require_flexible(*e.model);
  const Model& before = *e.model;
  const auto after =
      std::make_shared<const Model>(with_geometrically_exact_links(before.robot(), options));
  const long q = before.joint_coordinates(), v = before.joint_speeds();
  resize_tail(e.q, q, after->coordinates());
  resize_tail(e.v, v, after->speeds());
  resize_marks(e.keep_q, q, after->coordinates());
  resize_marks(e.keep_v, v, after->speeds());
  if (e.goal) {
    const auto free = [&](Eigen::VectorXd& wish) {
      if (wish.size() == 0) return;
      resize_tail(wish, v, after->speeds());
      wish.tail(after->modes()).setConstant(std::numeric_limits<double>::quiet_NaN());
    };
    free(e.goal->q), free(e.goal->v);
  }
  e.model = after;
  e.elastic = ElasticLevel::exact;  // nothing is left out of the equations of this robot
  return e;
}

}  // namespace ulna
