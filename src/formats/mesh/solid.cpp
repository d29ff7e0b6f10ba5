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

}  // namespace ulna
