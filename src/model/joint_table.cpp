// The table of joint types, made of their headers.

#include <array>
#include <string_view>

#include "ulna/model/joints/joint_types.hpp"
#include "ulna/model/parts/placement.hpp"

namespace ulna {
namespace {

constexpr int quaternion_entries = 4;

constexpr std::array<JointTraits, joint_type_count> make_table() {
  std::array<JointTraits, joint_type_count> rows{};
  for (int k = 0; k < joint_type_count; ++k)
    rows[k] = with_joint(static_cast<JointType>(k), [](auto joint) {
      using T = decltype(joint);
      return JointTraits{T::name, T::coordinates, T::speeds, T::keys, T::turn_rows, T::glyphs};
    });
  return rows;
}
constexpr std::array<JointTraits, joint_type_count> table = make_table();

/// A rotation whose third column is along `axis` up to sign; the sign is returned. An axis against
/// x, y or z is a turn the other way, which costs nothing, rather than another frame.
double frame_along(const Vector3<double>& axis, Matrix3<double>& A) {
  const Vector3<double> z = axis.normalized();
  int k = 0;
  z.cwiseAbs().maxCoeff(&k);
  const double sign = z(k) > 0 ? 1 : -1;
  A = axes_along(sign * z);
  return sign;
}

}  // namespace

const JointTraits& traits_of(JointType type) { return table[static_cast<std::size_t>(type)]; }

const std::vector<std::string>& joint_type_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const JointTraits& traits : table) list.emplace_back(traits.name);
    return list;
  }();
  return names;
}

ULNA_API int JointTraits::coordinate_of_speed(int k) const {
  for (std::size_t c = 0; c < coordinates.size(); ++c)
    if (std::string_view(coordinates[c].suffix) == speeds[k].suffix) return static_cast<int>(c);
  return -1;
}

ULNA_API int JointTraits::speed_of_limits(int coordinate) const {
  int before = 0;  // entries of the quaternion that come first
  for (int c = 0; c < coordinate; ++c) before += coordinates[c].dimension == Dimension::number;
  if (coordinates[coordinate].dimension == Dimension::number) return -1;
  return before == quaternion_entries ? coordinate - 1 : coordinate;
}

ULNA_API bool JointTraits::slides_along_axis() const {
  bool slides = keys.pitch;
  for (const Degree& speed : speeds) slides = slides || speed.dimension == Dimension::length;
  return slides && keys.single_axis;
}

JointPart turn_about(const Vector3<double>& axis, int degree, double pitch) {
  JointPart part{JointPart::Kind::screw, degree, degree};
  part.sigma = frame_along(axis, part.A);
  if (pitch != 0) part.h = part.sigma * pitch;
  return part;
}

JointPart slide_along(const Vector3<double>& axis, int degree) {
  JointPart part{JointPart::Kind::screw, degree, degree};
  part.h = frame_along(axis, part.A);
  return part;
}

std::vector<JointPart> parts_of(const JointData& joint) {
  return with_joint(joint.type, [&](auto type) { return type.parts(joint); });
}

JointRefusal refusal_of(const JointData& joint) {
  return with_joint(joint.type, [&](auto type) { return type.refuse(joint); });
}

}  // namespace ulna
