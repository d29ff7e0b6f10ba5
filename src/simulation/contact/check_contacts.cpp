#include "contact/check_contacts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

class ContactChecker {
 public:
  ContactChecker(const Experiment& experiment, std::vector<Problem>& problems)
      : e_(experiment), problems_(problems) {}

  void run() {
    if (e_.contacts.empty() && e_.nonholonomic.empty()) return;
    // What answers a force must be the mass matrix that the accelerations come from.
    if (e_.elastic != ElasticLevel::exact)
      complain({}, "elastic",
               fmt::format("contacts and nonholonomic rows at level {}", name_of(e_.elastic)),
               "level exact: the truncated levels have no symmetric mass matrix");
    check(e_.contacts, "contact", [&](const Contact& c, const std::string& element) {
      check_shape(c.shape, c.mark, element);
      check_plane(c.plane, c.shape.body, c.mark, element);
      if (!(c.restitution >= 0 && c.restitution <= 1))
        complain(c.mark, element, fmt::format("the restitution is {}", c.restitution), "0 to 1");
      if (!(c.friction >= 0) || !std::isfinite(c.friction))
        complain(c.mark, element, fmt::format("the friction is {}", c.friction), "0 or more");
      if (c.static_friction >= 0 && !(c.static_friction >= c.friction && c.friction > 0))
        complain(c.mark, element,
                 fmt::format("the static friction is {} and that of sliding {}", c.static_friction,
                             c.friction),
                 "a static one that is not less, and both above 0");
      if (std::isnan(c.static_friction) || std::isinf(c.static_friction))
        complain(c.mark, element, "the static friction is not a number", "0 or more");
      if (!(c.stribeck_speed >= 0) || !std::isfinite(c.stribeck_speed))
        complain(c.mark, element, fmt::format("the Stribeck speed is {}", c.stribeck_speed),
                 "0 or more");
      if (!(c.rolling_resistance >= 0) || !std::isfinite(c.rolling_resistance))
        complain(c.mark, element, fmt::format("the rolling resistance is {}", c.rolling_resistance),
                 "0 or more");
      else if (c.rolling_resistance > 0 && !(c.shape.radius > 0))
        complain(c.mark, element, "rolling resistance of a point", "a ball or disc, with a radius");
      if (!(c.rest_speed > 0) || !std::isfinite(c.rest_speed))
        complain(c.mark, element, fmt::format("the rest speed is {}", c.rest_speed), "above 0");
    });
    check(e_.nonholonomic, "nonholonomic",
          [&](const NonholonomicConstraint& c, const std::string& element) {
            check_shape(c.shape, c.mark, element);
            check_plane(c.plane, c.shape.body, c.mark, element);
            if (c.kind == NonholonomicConstraint::Kind::knife_edge)
              check_directions(c, element);
            else if (!(c.shape.radius > 0))
              complain(c.mark, element, "a wheel without radius does not roll", "a radius above 0");
          });
  }

 private:
  void complain(SourceMark where, std::string element, std::string message, std::string expectation,
                std::string hint = {}) {
    if (where.file.empty()) where.file = e_.source;
    problems_.push_back(
        {where, std::move(element), std::move(message), std::move(expectation), std::move(hint)});
  }

  template <class Items, class Check>
  void check(const Items& items, const char* what, const Check& check_one) {
    std::set<std::string> names;
    for (const auto& item : items) {
      const std::string element = fmt::format("{} '{}'", what, item.name);
      if (!names.insert(item.name).second)
        complain(item.mark, element, "there are two of this name", "a name of its own");
      check_one(item, element);
    }
  }

  bool body_exists(int body, const SourceMark& mark, const std::string& element) {
    if (body >= 0 && body < static_cast<int>(e_.model->bodies().size())) return true;
    complain(mark, element, fmt::format("there is no body number {}", body), "one of the robot's");
    return false;
  }

  void check_shape(const TouchingShape& shape, const SourceMark& mark, const std::string& element) {
    if (!body_exists(shape.body, mark, element)) return;
    if (shape.body == 0)
      complain(mark, element, "the touching body is fixed to the world", "a body that moves");
    check_section(shape.body, shape.point, mark, element);
    if (!(shape.radius >= 0) || !std::isfinite(shape.radius))
      complain(mark, element, fmt::format("the radius is {}", shape.radius), "0 or more");
    if (!shape.point.allFinite() || !shape.axis.allFinite())
      complain(mark, element, "a number is not finite", "finite numbers");
    if (shape.disc() && !(shape.radius > 0))
      complain(mark, element, "a disc without radius", "a radius above 0");
  }

  /// On a flexible body a section must be known that carries the point.
  void check_section(int body, const Vector3<double>& point, const SourceMark& mark,
                     const std::string& element) {
    try {
      if (point.allFinite()) e_.model->carrier(body, point);
    } catch (const InputError& error) {
      for (const Problem& p : error.problems())
        complain(mark, element, p.message, p.expectation, p.hint);
    }
  }

  void check_plane(const ContactPlane& plane, int body, const SourceMark& mark,
                   const std::string& element) {
    if (!body_exists(plane.body, mark, element)) return;
    check_section(plane.body, plane.point, mark, element);
    if (plane.body == body)
      complain(mark, element, "the plane is on the body that touches it", "another body");
    if (!(plane.normal.norm() > 0) || !plane.normal.allFinite())
      complain(mark, element, "the normal of the plane is zero", "a direction");
    if (!plane.point.allFinite()) complain(mark, element, "the point is not finite", "numbers");
  }

  void check_directions(const NonholonomicConstraint& c, const std::string& element) {
    Matrix3<double> all = Matrix3<double>::Zero();
    if (c.directions.empty() || c.directions.size() > 3)
      return complain(c.mark, element, fmt::format("{} directions", c.directions.size()), "1 to 3");
    for (std::size_t k = 0; k < c.directions.size(); ++k) {
      if (!(c.directions[k].norm() > 0) || !c.directions[k].allFinite())
        return complain(c.mark, element, "a direction is zero", "directions");
      all.col(static_cast<Eigen::Index>(k)) = c.directions[k].normalized();
    }
    if (dense::FullLu(all).rank(1e-9) < static_cast<int>(c.directions.size()))
      complain(c.mark, element, "its directions depend on each other", "independent ones");
  }

  const Experiment& e_;
  std::vector<Problem>& problems_;
};

}  // namespace

void check_contacts(const Experiment& experiment, std::vector<Problem>& problems) {
  ContactChecker(experiment, problems).run();
}

}  // namespace ulna
