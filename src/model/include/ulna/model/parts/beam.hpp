#pragma once
// A beam on a body: a straight elastic member with an axis, a material and sections. Structures
// cut it into elements, flexible links take its modes; for a rigid body it is a rod that gives its
// mass. Plain data in SI units, checked with the robot that holds it.
//
// Axes of the section: x from the start to the end of the axis, y the part of `reference` that is
// normal to x, z = x cross y. EIz bends the beam in its x-y plane (displacement along y), EIy in
// its x-z plane.

#include <optional>
#include <string>
#include <vector>

#include "ulna/model/parts/inertial.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/spatial/pose.hpp"

namespace ulna {

/// An isotropic material. Materials with a name come from `material_named`.
struct Material {
  std::string name;    ///< empty when given by numbers
  double E = 0;        ///< Young's modulus
  double G = 0;        ///< shear modulus
  double density = 0;  ///< kg/m^3
};

/// A cross-section by its shape and measures, or by its numbers.
struct Section {
  enum class Shape { numbers, round, tube, rectangle, box, i };
  Shape shape = Shape::numbers;

  // Shapes. Heights lie along y, widths along z. Round and tube: height is the outer diameter.
  double height = 0, width = 0;
  double inner_height = 0, inner_width = 0;  ///< of the hollow in a tube or box
  double flange = 0, web = 0;                ///< thicknesses of an I

  // Numbers. Beside a shape they replace what the shape would give.
  std::optional<double> A;       ///< area
  std::optional<double> Iy, Iz;  ///< second moments about y and z
  std::optional<double> J;       ///< torsion constant
  std::optional<double> Ip;      ///< polar moment that turns in torsion; else Iy + Iz
  std::optional<double> ky, kz;  ///< shear coefficients: k A G is the stiffness in shear along y, z
};

/// What an element needs of its cross-section, all per metre of beam. Zero: not given.
struct BeamProperties {
  double EA = 0, EIy = 0, EIz = 0, GJ = 0;
  double kGAy = 0, kGAz = 0;  ///< shear along y and z; zero: stiff in shear
  double mass = 0;            ///< kg/m
  double polar_inertia = 0;   ///< kg m, of a slice about x
  double rotatory_inertia_y = 0, rotatory_inertia_z = 0;  ///< kg m, of a slice about y, z
};

/// A rigid body clamped to a point of a beam's axis.
struct AttachedBody {
  double station = 1;  ///< 0 at the start of the axis, 1 at its end
  Inertial inertial;   ///< centre from that point, in the axes of the body
};

enum class ModeFamily {
  clamped_free,
  clamped_tip_body,
  pinned_pinned,
  clamped_clamped,
  finite_element,
  /// Elements with strains instead of modes (exact_beam.hpp). The numbers of modes are then those
  /// of the functions of a strain in each element: 1 constant, 2 linear, 0 locked. `axial` counts
  /// for extension and, where a beam has the stiffness and the rotatory inertia, for shear.
  geometrically_exact
};

/// How a beam bends while its robot moves.
struct FlexibleData {
  int bending_y = 2, bending_z = 2, torsion = 0, axial = 0;  ///< numbers of modes
  ModeFamily family = ModeFamily::clamped_free;
  /// Of critical; none, one for all modes, or one each in the order bending_y, bending_z, torsion,
  /// axial.
  std::vector<double> damping;
  std::optional<std::pair<double, double>> rayleigh;  ///< a M + b K instead

  int modes() const { return bending_y + bending_z + torsion + axial; }
};

struct BeamData {
  std::string name;  ///< where a body has several; may be empty
  Vector3<double> from = Vector3<double>::Zero(), to = Vector3<double>::Zero();  ///< body axes
  std::optional<Vector3<double>> reference;  ///< see `section_axes` for the default
  std::optional<Material> material;
  std::vector<Section> sections;           ///< one for all elements, or one per element
  std::optional<BeamProperties> products;  ///< instead of material and sections
  int elements = 2;
  std::vector<AttachedBody> attached;
  std::optional<FlexibleData> flexible;
  SourceMark mark;

  double length() const { return (to - from).norm(); }
};

/// steel, aluminium, titanium, magnesium, cast-iron, brass, acrylic; none for other names.
ULNA_API std::optional<Material> material_named(const std::string& name);
ULNA_API std::vector<std::string> material_names();

/// Numbers A, Iy, Iz, J, Ip, ky and kz of a section; ky, kz stay empty for a section of numbers
/// without them. Torsion: exact for round, tube and (to 1e-6) rectangle, Bredt's formula for the
/// thin box, Saint-Venant's sum for the open I.
ULNA_API Section numbers_of(const Section& section, double nu = 0.3);

/// Of one element, from 0; of a beam with one section all are alike.
ULNA_API BeamProperties properties_of(const BeamData& beam, int element = 0);

/// Columns are the section's axes x, y, z in body axes. Without a `reference` it is the body's y
/// axis, or its z axis for a beam within 0.06 degrees of y.
ULNA_API Matrix3<double> section_axes(const BeamData& beam);

/// The beam as a rigid body in the frame of its body: a rod, and the rigid bodies attached to it.
ULNA_API Inertial inertial_of(const BeamData& beam);

ULNA_API const char* name_of(ModeFamily family);
ULNA_API const char* name_of(Section::Shape shape);

/// What is wrong with a beam, each naming `element` ("body 'arm', beam").
ULNA_API std::vector<Problem> check(const BeamData& beam, const std::string& element);

}  // namespace ulna
