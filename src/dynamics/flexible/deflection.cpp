#include "ulna/dynamics/internal/deflection.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/dynamics/kernels/flexible_inertia.hpp"

namespace ulna {
namespace {

StationState<double> state_of(const ModalBody& body, const ModalStation& station,
                              const double* eta) {
  const std::vector<double> zero(static_cast<std::size_t>(body.modes), 0);
  std::vector<Vec3<double>> hinge(2 * zero.size());
  return station_state(station, body.modes, eta, zero.data(), hinge.data(),
                       hinge.data() + body.modes);
}

/// At x along the body, or along the element that starts at `start`.
StationState<double> state_at(const ModalBody& body, const double* eta, double x,
                              double start = 0) {
  for (const ModalStation& s : body.stations)
    if (s.x == start + x) return state_of(body, s, eta);
  return state_of(body, body.station_at(x), eta);
}

Pose<double> pose_of(const StationState<double>& s) {
  Pose<double> X;
  X.rotation << s.R.xx, s.R.xy, s.R.xz, s.R.yx, s.R.yy, s.R.yz, s.R.zx, s.R.zy, s.R.zz;
  X.position << s.p.x, s.p.y, s.p.z;
  return X;
}

/// In the root frame. The elements of a geometrically exact beam stand one on another.
Pose<double> pose_at(const ModalBody& body, const double* eta, double x) {
  const BeamElements* elements = body.elements.get();
  if (!elements) return pose_of(state_at(body, eta, x));
  Pose<double> X;
  for (const auto& [element, start, slices] : elements->list) {
    const bool last = element == elements->list.back().body || x <= start + element->length;
    X = X * pose_of(state_at(*element, eta, last ? x - start : element->length, start));
    if (last) break;
    eta += element->modes;
  }
  return X;
}

/// Angles c, -b and a of R = Rz(c) Ry(b) Rx(a): slopes along y and z, twist.
Vector3<double> angles_at_end(const ModalBody& body, const double* eta, const Pose<double>& X) {
  if (body.elements) {
    const Matrix3<double>& R = X.rotation;
    return {std::atan2(R(1, 0), R(0, 0)), std::asin(std::clamp(R(2, 0), -1.0, 1.0)),
            std::atan2(R(2, 1), R(2, 2))};
  }
  const int k = body.modes;
  for (const ModalStation& s : body.stations)  // freezing makes one at the end
    if (s.x == body.length) {
      const double* rows = s.angles.data();
      return {row_times(rows + 2 * k, eta, k), -row_times(rows + k, eta, k),
              row_times(rows, eta, k)};
    }
  return Vector3<double>::Zero();
}

}  // namespace

Vector6<double> end_deflection(const Model& model, int link, const VectorRef& q) {
  const FlexibleLink& f = model.flexible_links().at(static_cast<std::size_t>(link));
  const ModalBody& body = *f.modal;
  const double* eta = q.data() + f.q;
  const Pose<double> X = pose_at(body, eta, body.length);
  Vector6<double> out;
  out << X.position, angles_at_end(body, eta, X);
  out(0) -= body.length;
  return out;
}

Pose<double> section_pose(const Model& model, int link, const VectorRef& q, double x) {
  const FlexibleLink& f = model.flexible_links().at(static_cast<std::size_t>(link));
  return pose_at(*f.modal, q.data() + f.q, x);
}

Vector3<double> section_moment(const Model& model, int link, const VectorRef& q, double x) {
  const FlexibleLink& f = model.flexible_links().at(static_cast<std::size_t>(link));
  const std::vector<double> rows = f.modal->moments(x);
  const int k = f.modal->modes;
  Vector3<double> moment;
  for (int r = 0; r < 3; ++r) moment(r) = row_times(rows.data() + r * k, q.data() + f.q, k);
  return moment;
}

double elastic_energy(const Model& model, const VectorRef& q) {
  double sum = 0;
  for (const FlexibleLink& f : model.flexible_links())
    sum += elastic_energy(*f.modal, q.data() + f.q);
  return sum;
}

double largest_deflection(const Model& model, const VectorRef& q) {
  double largest = 0;
  for (std::size_t k = 0; k < model.flexible_links().size(); ++k) {
    const Vector6<double> d = end_deflection(model, static_cast<int>(k), q);
    largest = std::max(largest, std::hypot(d(1), d(2)) / model.flexible_links()[k].modal->length);
  }
  return largest;
}

}  // namespace ulna
