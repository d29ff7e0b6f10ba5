#include "ulna/model/parts/loop.hpp"

#include <fmt/format.h>

#include "freeze/freezer.hpp"
#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/model/parts/closing_names.hpp"
#include "ulna/model/parts/placement.hpp"

namespace ulna {
namespace {

/// A closing joint has no coordinate that another could follow, and its rotor would couple the
/// tree.
void require_closing(const JointData& joint) {
  const auto refuse = [&](const char* what) {
    throw InputError(Problem{joint.mark, "joint '" + joint.name + "'",
                             fmt::format("closes a loop and {}", what), "a joint of the tree",
                             "mark another joint of that loop with cut: true"});
  };
  if (joint.mimic) refuse("mimics another joint");
  for (const DegreeData& degree : joint.degrees)
    if (degree.rotor_inertia != 0) refuse("has a rotor");
}

std::vector<std::string> closing_names(const Loop& loop,
                                       std::span<const Degree> JointTraits::*list) {
  std::vector<std::string> names;
  if (loop.kind != LoopKind::joint) return names;
  for (const Degree& degree : traits_of(loop.type).*list)
    names.push_back(loop.joint + degree.suffix);
  return names;
}

}  // namespace

std::vector<std::string> closing_coordinate_names(const Loop& loop) {
  return closing_names(loop, &JointTraits::coordinates);
}

std::vector<std::string> closing_speed_names(const Loop& loop) {
  return closing_names(loop, &JointTraits::speeds);
}

std::vector<double> substituted(double factor, const std::vector<double>& higher, double scale,
                                double shift) {
  std::vector<double> coefficients = {factor};
  coefficients.insert(coefficients.end(), higher.begin(), higher.end());
  std::vector<double> out = {0};
  // By Horner: what is gathered so far, and the next coefficient, times scale y + shift.
  for (std::size_t k = coefficients.size(); k-- > 0;) {
    out[0] += coefficients[k];
    out.push_back(0);
    for (std::size_t power = out.size(); power-- > 0;)
      out[power] = shift * out[power] + (power > 0 ? scale * out[power - 1] : 0);
  }
  return out;
}

int closure_rows(JointType type) { return 6 - size_of(type).speeds; }

Loop loop_of(const JointData& joint, int parent, int child, const CarriedFrame& F,
             const CarriedFrame& M) {
  require_closing(joint);
  Loop loop;
  loop.joint = joint.name;
  loop.parent = parent;
  loop.child = child;
  loop.type = joint.type;
  loop.rows = closure_rows(joint.type);
  loop.degrees = joint.degrees;
  loop.pitch = joint.pitch;
  const JointKeys& keys = traits_of(joint.type).keys;
  if (keys.axis) loop.R_JA = axes_along(joint.axis.normalized());
  loop.node_F = F.node;
  loop.node_M = M.node;
  loop.X_NF = F.X_NF * Pose<double>::turn(loop.R_JA);
  loop.X_NM = M.X_NF * Pose<double>::turn(loop.R_JA);
  if (keys.axis2) {
    loop.axis2 = loop.R_JA.transpose() * joint.axis2.normalized();
    loop.axes_cosine = loop.axis2.z();
  }
  return loop;
}

Loop loop_of(const ConstraintData& rod, int parent, int child, const CarriedFrame& F,
             const CarriedFrame& M) {
  Loop loop;
  loop.joint = rod.name;
  loop.parent = parent;
  loop.child = child;
  loop.kind = LoopKind::distance;
  loop.rows = 1;
  loop.length = rod.length;
  loop.node_F = F.node;
  loop.node_M = M.node;
  loop.X_NF = F.X_NF;
  loop.X_NM = M.X_NF;
  return loop;
}

}  // namespace ulna
