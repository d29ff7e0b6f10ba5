#include "ulna/model/repair.hpp"

#include <fmt/format.h>

#include "check/impossible_bodies.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

std::string InertiaRepair::text() const {
  return fmt::format("impossible inertia ({}) replaced by the nearest possible one, {:.3g} % away",
                     reason, 100 * change);
}

Matrix3<double> nearest_possible_inertia(const Matrix3<double>& inertia) {
  const Matrix3<double> symmetric = 0.5 * (inertia + inertia.transpose());
  const Matrix3<double> Sigma = 0.5 * symmetric.trace() * Matrix3<double>::Identity() - symmetric;
  const dense::SymmetricEigen eigen = dense::eigen_symmetric(Sigma);
  const Matrix3<double> V = eigen.vectors;
  const Vector3<double> values = eigen.values.cwiseMax(0);
  const Matrix3<double> possible = V * values.asDiagonal() * V.transpose();
  return possible.trace() * Matrix3<double>::Identity() - possible;
}

namespace {

InertiaRepair repair(const SourceMark& mark, std::string element, std::string reason,
                     Inertial& inertial) {
  const Matrix3<double> before = inertial.inertia;
  inertial.inertia = nearest_possible_inertia(before);
  return {mark, std::move(element), std::move(reason),
          (inertial.inertia - before).norm() / before.norm()};
}

}  // namespace

std::vector<InertiaRepair> repair_inertias(Robot& robot) {
  std::vector<InertiaRepair> done;
  for (const ImpossibleBody& one : impossible_bodies(robot)) {
    BodyData& body = robot.bodies[static_cast<std::size_t>(one.body - robot.bodies.data())];
    if (!one.harmless.empty() || !body.beams.empty()) continue;
    done.push_back(repair(body.mark, "body '" + body.name + "'", one.reason, body.inertial));
  }
  for (PayloadData& payload : robot.payloads) {
    Inertial& own = payload.inertial;
    if (!(own.mass >= 0) || !own.inertia.allFinite()) continue;
    const std::string reason = why_impossible(own.mass, own.inertia);
    if (!reason.empty())
      done.push_back(repair(payload.mark, "payload '" + payload.name + "'", reason, own));
  }
  return done;
}

}  // namespace ulna
