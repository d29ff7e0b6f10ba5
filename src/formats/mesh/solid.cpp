#include "mesh/solid.hpp"

#include <numbers>

namespace ulna {

Solid solid_of(const std::string& type, const Vector3<double>& size) {
  constexpr double pi = std::numbers::pi;
  const double x = size.x(), y = size.y(), z = size.z();
  if (type == "sphere") return {4.0 / 3 * pi * x * x * x, Vector3<double>::Constant(0.4 * x * x)};
  if (type == "ellipsoid")
    return {4.0 / 3 * pi * x * y * z,
            Vector3<double>(y * y + z * z, x * x + z * z, x * x + y * y) / 5};
  if (type == "box")
    return {8 * x * y * z, Vector3<double>(y * y + z * z, x * x + z * z, x * x + y * y) / 3};
  const double h = 2 * y, cylinder = pi * x * x * h;
  if (type == "cylinder")
    return {cylinder, {(3 * x * x + h * h) / 12, (3 * x * x + h * h) / 12, x * x / 2}};
  if (type == "capsule") {
    // The two half balls stand 3/8 of a radius beyond the ends of the cylinder.
    const double balls = 4.0 / 3 * pi * x * x * x, share = balls / (balls + cylinder);
    const double across =
        (1 - share) * (3 * x * x + h * h) / 12 + share * (0.4 * x * x + h * (3 * x + 2 * h) / 8);
    return {balls + cylinder, {across, across, (1 - share) * x * x / 2 + share * 0.4 * x * x}};
  }
  return {};
}

namespace {

/// Parts of a surface, put together.
void add_part(Shell& sum, double area, const Vector3<double>& moments) {
  sum.moments = (sum.area * sum.moments + area * moments) / (sum.area + area);
  sum.area += area;
}

}  // namespace

Shell shell_of(const std::string& type, const Vector3<double>& size) {
  constexpr double pi = std::numbers::pi;
  const double x = size.x(), y = size.y();
  Shell shell;
  if (type == "sphere") return {4 * pi * x * x, Vector3<double>::Constant(2.0 / 3 * x * x)};
  if (type == "box") {
    const Vector3<double> s2 = size.cwiseAbs2();
    for (int k = 0; k < 3; ++k) {  // the two faces across axis k
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      Vector3<double> moments;
      moments[k] = (s2[i] + s2[j]) / 3;
      moments[i] = s2[j] / 3 + s2[k];
      moments[j] = s2[i] / 3 + s2[k];
      add_part(shell, 8 * size[i] * size[j], moments);
    }
    return shell;
  }
  if (type != "cylinder" && type != "capsule") return {};
  const double h = 2 * y, side = x * x / 2 + h * h / 12;
  add_part(shell, 2 * pi * x * h, {side, side, x * x});
  if (type == "cylinder") {
    const double across = x * x / 4 + y * y;
    add_part(shell, 2 * pi * x * x, {across, across, x * x / 2});
  } else {
    // The centres of half spheres stand half a radius beyond the ends of the cylinder.
    const double across = 5.0 / 12 * x * x + (y + x / 2) * (y + x / 2);
    add_part(shell, 4 * pi * x * x, {across, across, 2.0 / 3 * x * x});
  }
  return shell;
}

}  // namespace ulna
