#pragma once
// Numbers with units as people write them: "90 deg", "25 mm", "0.3 kg m^2", "pi/2", "3*2.5 N m".
// A number without a unit is in SI units (radians for angles). This one reader serves robot files,
// experiments, formulas of motions and the command line.

#include <optional>
#include <string>
#include <string_view>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// What kind of number is expected: its name in messages, its dimension, and how it may look.
struct Quantity {
  const char* name;
  int length, mass, time, angle;
  const char* example;
};

namespace quantity {
inline constexpr Quantity number{"a plain number", 0, 0, 0, 0, "2.5"};
inline constexpr Quantity length{"a length", 1, 0, 0, 0, "0.25 or 250 mm"};
inline constexpr Quantity mass{"a mass", 0, 1, 0, 0, "2.5 or 2.5 kg"};
inline constexpr Quantity inertia{"a moment of inertia", 2, 1, 0, 0, "0.02 or 0.02 kg m^2"};
inline constexpr Quantity angle{"an angle", 0, 0, 0, 1, "1.57, 90 deg or pi/2"};
inline constexpr Quantity acceleration{"an acceleration", 1, 0, -2, 0, "-9.81 or -9.81 m/s^2"};
inline constexpr Quantity angular_acceleration{"an angular acceleration", 0, 0, -2, 1,
                                               "2 or 90 deg/s^2"};
inline constexpr Quantity pitch{"a pitch", 1, 0, 0, -1, "0.001, 1 mm/rad or 5 mm/rev"};
inline constexpr Quantity angular_velocity{"an angular velocity",     0, 0, -1, 1,
                                           "3.1, 180 deg/s or 30 rpm"};
inline constexpr Quantity velocity{"a velocity", 1, 0, -1, 0, "0.5 or 500 mm/s"};
inline constexpr Quantity time{"a time", 0, 0, 1, 0, "0.5 or 500 ms"};
inline constexpr Quantity frequency{"a frequency", 0, 0, -1, 0, "1000 or 1 kHz"};
inline constexpr Quantity torque{"a torque", 2, 1, -2, 0, "12 or 12 N m"};
inline constexpr Quantity force{"a force", 1, 1, -2, 0, "200 or 200 N"};
inline constexpr Quantity angular_damping{"a damping", 2, 1, -1, -1, "0.1 or 0.1 N m s/rad"};
inline constexpr Quantity damping{"a damping", 0, 1, -1, 0, "5 or 5 N s/m"};
inline constexpr Quantity angular_stiffness{"a stiffness", 2, 1, -2, -1, "40 or 40 N m/rad"};
inline constexpr Quantity stiffness{"a stiffness", 0, 1, -2, 0, "1000 or 1 N/mm"};
inline constexpr Quantity angular_hardening{"a hardening", 2, 1, -2, -3, "1e5 or 1e5 N m/rad^3"};
inline constexpr Quantity hardening{"a hardening", -2, 1, -2, 0, "1e8 or 1e8 N/m^3"};
inline constexpr Quantity gear_ratio_to_length{"a gear ratio", -1, 0, 0, 1, "300 or 300 rad/m"};
inline constexpr Quantity modulus{"a modulus of elasticity", -1, 1, -2, 0, "2e11 or 200 GPa"};
inline constexpr Quantity density{"a density", -3, 1, 0, 0, "7800 or 7800 kg/m^3"};
inline constexpr Quantity area{"an area", 2, 0, 0, 0, "0.001 or 10 cm^2"};
inline constexpr Quantity second_moment{"a second moment of area", 4, 0, 0, 0, "1e-6 or 100 cm^4"};
inline constexpr Quantity bending_stiffness{"a bending stiffness", 3, 1, -2, 0, "80 or 80 N m^2"};
inline constexpr Quantity mass_per_length{"a mass per length", -1, 1, 0, 0, "1.2 or 1.2 kg/m"};
inline constexpr Quantity inertia_per_length{"an inertia per length", 1, 1, 0, 0,
                                             "0.01 or 0.01 kg m"};
}  // namespace quantity

struct ParsedQuantity {
  double value = 0;       ///< SI
  std::string complaint;  ///< what is wrong with the text; empty when it was read
};

ULNA_API ParsedQuantity parse_quantity(std::string_view text, const Quantity& expected);

/// A plain decimal number and nothing else: no units, no "nan", no "inf". Independent of the
/// locale.
ULNA_API ParsedQuantity parse_decimal(std::string_view text);

/// Powers of metre, kilogram, second and radian.
struct Dimensions {
  int length = 0, mass = 0, time = 0, angle = 0;

  bool operator==(const Dimensions&) const = default;
  /// Of a product with a power of something else.
  Dimensions times(const Dimensions& other, int power = 1) const {
    return {length + power * other.length, mass + power * other.mass, time + power * other.time,
            angle + power * other.angle};
  }
};

/// Whether numbers of these dimensions may stand for the quantity. Radians may stay unsaid next to
/// forces: N m s is as good as N m s/rad.
ULNA_API bool fits(const Dimensions& found, const Quantity& expected);

/// One unit by its name ("deg", "mm"): its value in SI units, and what it measures.
struct NamedUnit {
  double value;
  Dimensions dimensions;
};
/// Nothing for a name that is none.
ULNA_API std::optional<NamedUnit> unit_named(std::string_view name);

/// "an angle, such as 1.57, 90 deg or pi/2", for messages.
ULNA_API std::string expected_text(const Quantity& quantity);

/// 'text' in quotes, cut when it is long (between characters, never inside one).
ULNA_API std::string in_quotes(std::string_view text);

}  // namespace ulna
