#include "ulna/elastic/parts/section_stress.hpp"

#include <cmath>
#include <functional>
#include <numbers>

namespace ulna::elastic {
namespace {

using std::numbers::pi;

/// A point of the section and its shear, tangential to the boundary.
struct StressPoint {
  double y, z, shear;
};

/// sigma = N/A + My z/Iy - Mz y/Iz (eq. 45).
struct NormalStress {
  NormalStress(const Section& numbers, const Resultants& r)
      : mean(r(0) / *numbers.A), along_z(r(4) / *numbers.Iy), along_y(-r(5) / *numbers.Iz) {}
  double at(double y, double z) const { return mean + along_z * z + along_y * y; }
  double mean, along_z, along_y;
};

/// Keeps the greatest of what it is shown.
class Greatest {
 public:
  explicit Greatest(const NormalStress& normal) : normal_(normal) {}

  double von_mises(const StressPoint& p) const {
    return std::hypot(normal_.at(p.y, p.z), std::sqrt(3.0) * p.shear);
  }
  void look(const StressPoint& p) {
    const double sigma = normal_.at(p.y, p.z), total = von_mises(p);
    if (total > found_.von_mises || first_) {
      found_.von_mises = total;
      found_.y = p.y, found_.z = p.z, found_.normal = sigma, found_.shear = p.shear;
    }
    if (first_ || std::abs(sigma) > std::abs(found_.largest_normal)) found_.largest_normal = sigma;
    if (first_ || std::abs(p.shear) > std::abs(found_.largest_shear))
      found_.largest_shear = p.shear;
    first_ = false;
  }

  /// Along a curve s in [0, 1], with the greatest found between samples.
  void look_along(const std::function<StressPoint(double)>& curve, int pieces) {
    double best = -1, at = 0;
    for (int k = 0; k <= pieces; ++k) {
      const double s = double(k) / pieces;
      const StressPoint p = curve(s);
      look(p);
      if (const double total = von_mises(p); total > best) best = total, at = s;
    }
    double low = std::max(0.0, at - 1.0 / pieces), high = std::min(1.0, at + 1.0 / pieces);
    const double golden = (std::sqrt(5.0) - 1) / 2;
    for (int k = 0; k < 60; ++k) {
      const double a = high - golden * (high - low), b = low + golden * (high - low);
      (von_mises(curve(a)) > von_mises(curve(b)) ? high : low) =
          von_mises(curve(a)) > von_mises(curve(b)) ? b : a;
    }
    look(curve((low + high) / 2));
  }

  const SectionStress& found() const { return found_; }

 private:
  const NormalStress& normal_;
  SectionStress found_;
  bool first_ = true;
};

/// Shear at the angle t of the circumference, positive with t: T R/J and k Q/A sin of the angle to
/// the force (eq. 46).
void around_ring(double R, double r, const Section& numbers, const Resultants& f, Greatest& most) {
  const double factor = 4.0 / 3 * (R * R + R * r + r * r) / (R * R + r * r) / *numbers.A;
  const double torsion = f(3) * R / *numbers.J;
  most.look_along(
      [&](double s) {
        const double t = 2 * pi * s, c = std::cos(t), d = std::sin(t);
        return StressPoint{R * c, R * d, torsion + factor * (f(2) * c - f(1) * d)};
      },
      72);
}

/// Saint-Venant's torsion of a rectangle with sides a >= b, by twist G theta = 1 (eq. 47): at s
/// from the middle of a long side, and at t from the middle of a short one.
double on_long_side(double a, double b, double s) {
  double sum = 0;
  for (int n = 1; n < 60; n += 2) {
    const double x = n * pi / b;  // cosh(x s)/cosh(x a/2) without overflow
    sum += (std::exp(x * (std::abs(s) - a / 2)) + std::exp(-x * (std::abs(s) + a / 2))) /
           (1 + std::exp(-x * a)) / (double(n) * n);
  }
  return b * (1 - 8 / (pi * pi) * sum);
}
double on_short_side(double a, double b, double t) {
  double sum = 0;
  for (int n = 1, sign = 1; n < 400; n += 2, sign = -sign)
    sum += sign * std::tanh(n * pi * a / (2 * b)) * std::cos(n * pi * t / b) / (double(n) * n);
  return b * 8 / (pi * pi) * sum;
}

void around_rectangle(double h, double w, const Section& numbers, const Resultants& f,
                      Greatest& most) {
  const double twist = f(3) / *numbers.J, A = *numbers.A;
  const auto torsion = [&](bool along_y, double s) {
    const bool is_long = along_y ? h >= w : w >= h;
    const double a = std::max(h, w), b = std::min(h, w);
    return twist * (is_long ? on_long_side(a, b, s) : on_short_side(a, b, s));
  };
  // Forces make 3Q/2A (1 - (2 s/side)^2) on the edges along them and nothing on the others.
  for (const double sign : {1.0, -1.0}) {
    most.look_along(
        [&](double s) {
          const double y = h * (s - 0.5);
          const double force = 1.5 * f(1) / A * (1 - std::pow(2 * y / h, 2));
          return StressPoint{y, sign * w / 2, sign * torsion(true, y) - force};
        },
        20);
    most.look_along(
        [&](double s) {
          const double z = w * (s - 0.5);
          const double force = 1.5 * f(2) / A * (1 - std::pow(2 * z / w, 2));
          return StressPoint{sign * h / 2, z, sign * torsion(false, z) + force};
        },
        20);
  }
  most.look({0, 0, 1.5 * std::hypot(f(1), f(2)) / A});
}

/// Shear flow in the walls by their middle lines; normal stress at the outer faces (eqs. 48, 49).
void around_box(const Section& box, const Section& numbers, const Resultants& f, Greatest& most) {
  const double side = (box.width - box.inner_width) / 2,
               cover = (box.height - box.inner_height) / 2;
  const double hm = box.height - cover, wm = box.width - side;
  const double bredt = f(3) / (2 * hm * wm);
  // The flow of a force through walls of thickness `web` along it and `flange` across it, at s from
  // the middle of a web or flange; `length` and `width` of the middle lines, along and across.
  const auto in_web = [](double Q, double I, double s, double length, double width, double web,
                         double flange) {
    return Q / I * (flange * width / 2 * length / 2 + web * (length * length / 4 - s * s) / 2);
  };
  const auto in_flange = [](double Q, double I, double s, double length, double flange) {
    return Q / I * flange * length / 2 * s;
  };
  for (const double sign : {1.0, -1.0}) {
    most.look_along(
        [&](double u) {  // a side, along y at z = sign w/2, flow counted along -y
          const double s = hm * (u - 0.5);
          const double flow = sign * bredt - in_web(f(1), *numbers.Iz, s, hm, wm, side, cover) +
                              sign * in_flange(f(2), *numbers.Iy, s, wm, side);
          return StressPoint{box.height * (u - 0.5), sign * box.width / 2, flow / side};
        },
        20);
    most.look_along(
        [&](double u) {  // a cover, along z at y = sign h/2, flow counted along z
          const double s = wm * (u - 0.5);
          const double flow = sign * bredt + in_web(f(2), *numbers.Iy, s, wm, hm, cover, side) -
                              sign * in_flange(f(1), *numbers.Iz, s, hm, cover);
          return StressPoint{sign * box.height / 2, box.width * (u - 0.5), flow / cover};
        },
        20);
  }
}

}  // namespace

std::optional<SectionStress> section_stress(const Section& section, const Resultants& resultants) {
  if (section.shape == Section::Shape::numbers || section.shape == Section::Shape::i) return {};
  Section shape = section;  // what its measures give, whatever numbers replace it elsewhere
  shape.A = shape.Iy = shape.Iz = shape.J = shape.Ip = shape.ky = shape.kz = std::nullopt;
  const Section numbers = numbers_of(shape);
  const NormalStress normal(numbers, resultants);
  Greatest most(normal);
  if (section.shape == Section::Shape::round)
    around_ring(section.height / 2, 0, numbers, resultants, most);
  if (section.shape == Section::Shape::tube)
    around_ring(section.height / 2, section.inner_height / 2, numbers, resultants, most);
  if (section.shape == Section::Shape::rectangle)
    around_rectangle(section.height, section.width, numbers, resultants, most);
  if (section.shape == Section::Shape::box) around_box(section, numbers, resultants, most);
  return most.found();
}

}  // namespace ulna::elastic
