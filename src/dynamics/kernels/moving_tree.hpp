#pragma once
// A robot in motion on numbers that carry their rates: coordinates with their velocities, speeds
// with their accelerations. What kernels compute from it has its rate of change in d[0]. Allocates.

#include <vector>

#include "ulna/kinematics/kernels/flexible_kinematics.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna {

struct MovingTree {
  using D = Dual<1>;

  MovingTree(const Model& model, const VectorRef& q_now, const VectorRef& v_now, const VectorRef& a)
      : parameters_(converted<D>(model.parameters())),
        scratch_(model.topology()),
        q(moving_coordinates(model, q_now, v_now)),
        v(static_cast<std::size_t>(model.speeds())),
        tree(view<D>(model.topology(), parameters_)),
        work(scratch_.view()) {
    for (int k = 0; k < model.speeds(); ++k) v[k] = D(v_now(k)), v[k].d[0] = a(k);
    flexible_poses(tree, work, q.data(), v.data());
    // Velocities alone: their rates are accelerations already.
    flexible_motions(tree, work, v.data(), std::vector<D>(v.size(), D(0)).data());
  }
  MovingTree(const MovingTree&) = delete;
  MovingTree& operator=(const MovingTree&) = delete;

 private:
  Parameters<D> parameters_;
  Scratch<D> scratch_;

 public:
  std::vector<D> q, v;
  TreeView<D> tree;
  ScratchView<D> work;
};

}  // namespace ulna
