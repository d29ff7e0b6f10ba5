#include "ulna/dynamics/internal/deflection.hpp"

#include <cmath>

#include "ulna/dynamics/kernels/flexible_inertia.hpp"

namespace ulna {
namespace {

const ModalStation& end_station(const ModalBody& body) {
  for (const ModalStation& s : body.stations)
    if (s.x == body.length) return s;
  return body.stations.back();  // never: freezing makes one at the end
}

StationState<double> state_of(const ModalBody& body, const ModalStation& station,
                              const double* eta) {
  const std::vector<double> zero(static_cast<std::size_t>(body.modes), 0);
  std::vector<Vec3<double>> hinge(2 * zero.size());
  return station_state(station, body.modes, eta, zero.data(), hinge.data(),
                       hinge.data() + body.modes);
}

}  // namespace

Vector6<double> end_deflection(const Model& model, int link, const VectorRef& q) {
  const FlexibleLink& f = model.flexible_links().at(static_cast<std::size_t>(link));
  const ModalBody& body = *f.modal;
  const ModalStation& end = end_station(body);
  const double* eta = q.data() + f.q;
  const int k = body.modes;
  const Vec3<double> p = state_of(body, end, eta).p;
  Vector6<double> out;
  out << p.x - body.length, p.y, p.z, row_times(end.angles.data() + 2 * k, eta, k),
      -row_times(end.angles.data() + k, eta, k), row_times(end.angles.data(), eta, k);
  return out;
}

Pose<double> section_pose(const Model& model, int link, const VectorRef& q, double x) {
  const FlexibleLink& f = model.flexible_links().at(static_cast<std::size_t>(link));
  const StationState<double> s = state_of(*f.modal, f.modal->station_at(x), q.data() + f.q);
  Pose<double> X;
  X.rotation << s.R.xx, s.R.xy, s.R.xz, s.R.yx, s.R.yy, s.R.yz, s.R.zx, s.R.zy, s.R.zz;
  X.position << s.p.x, s.p.y, s.p.z;
  return X;
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
