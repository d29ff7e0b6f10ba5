// Lanczos iteration on structures that are not held: all modes at rest, and all of one frequency,
// are found, however many elements there are.

#include <gtest/gtest.h>

#include "beams.hpp"

namespace ulna::elastic {
namespace {

constexpr double free_root = 4.730040744862704;  // cos b cosh b = 1

NaturalModes sparse_modes(const BeamStructure& frame, int count) {
  EigenOptions options;
  options.count = count;
  options.method = EigenOptions::Method::sparse;
  return natural_modes(frame.assemble(), options);
}

// A square section: each bending frequency twice.
BeamProperties square() {
  BeamProperties p;
  p.EA = 1e6, p.GJ = 1e5, p.EIz = 1, p.EIy = 1;
  p.mass = 1, p.polar_inertia = 1e-2;
  return p;
}

TEST(SparseModes, AFreeBeamOfManyElementsHasSixModesAtRestAndItsPairs) {
  for (const int elements : {30, 100, 300, 1000, 2000}) {
    const NaturalModes modes =
        sparse_modes(straight_beam(square(), elements, Ends::free_free, false), 10);
    EXPECT_EQ(modes.rigid_body_modes, 6) << elements;
    // Rounding of K grows with the fourth power of the number of elements: of 2000 about four
    // digits are left.
    const double digits = 1e-15 * std::pow(elements, 4), tolerance = std::max(1e-6, digits);
    EXPECT_NEAR(modes.omega(6) / (free_root * free_root), 1, tolerance) << elements;
    EXPECT_NEAR(modes.omega(7) / (free_root * free_root), 1, tolerance) << elements;
    EXPECT_GT(modes.omega(8), 2 * free_root * free_root) << elements;
  }
}

TEST(SparseModes, ABeamOnAHingeOfManyElements) {
  const double root = 3.926602312047919;  // tan b = tanh b
  for (const int elements : {30, 300, 1000, 2000}) {
    // The first node has its rotation alone.
    BeamStructure hinged;
    for (int k = 0; k <= elements; ++k)
      hinged.add_node("node " + std::to_string(k), {double(k) / elements, 0, 0},
                      k == 0 ? 0b100000u : 0b100010u);
    for (int k = 0; k < elements; ++k)
      hinged.add_element({"element " + std::to_string(k), k, k + 1, Matrix3<double>::Identity(),
                          1.0 / elements, square(), 0});
    const NaturalModes modes = sparse_modes(hinged, 4);
    EXPECT_EQ(modes.rigid_body_modes, 1) << elements;
    const double tolerance = std::max(1e-6, 1e-15 * std::pow(elements, 4));
    EXPECT_NEAR(modes.omega(1) / (root * root), 1, tolerance) << elements;
  }
}

// Eight beams that are not joined: sixteen modes at rest in a plane, and each frequency eight
// times.
TEST(SparseModes, AsManyOfOneFrequencyAsThereAre) {
  BeamStructure frame;
  constexpr int beams = 8, elements = 40;
  for (int b = 0; b < beams; ++b)
    for (int k = 0; k <= elements; ++k)
      frame.add_node("node", {double(k) / elements, double(b), 0}, 0b100010u);
  for (int b = 0; b < beams; ++b)
    for (int k = 0; k < elements; ++k) {
      const int first = b * (elements + 1) + k;
      frame.add_element(
          {"element", first, first + 1, Matrix3<double>::Identity(), 1.0 / elements, square(), 0});
    }
  const NaturalModes modes = sparse_modes(frame, 24);
  EXPECT_EQ(modes.rigid_body_modes, 16);
  for (int k = 16; k < 24; ++k) EXPECT_NEAR(modes.omega(k) / (free_root * free_root), 1, 1e-6) << k;
}

// A soft and a very stiff beam in line, free: the stiff one is all but rigid.
TEST(SparseModes, SoftAndStiffMembersInOneStructure) {
  constexpr int elements = 100;
  BeamProperties stiff = square();
  stiff.EIz = stiff.EIy = 1e8, stiff.EA = 1e12, stiff.GJ = 1e10, stiff.mass = 1e4;
  BeamStructure frame;
  for (int k = 0; k <= 2 * elements; ++k)
    frame.add_node("node", {double(k) / elements, 0, 0}, 0b100010u);
  for (int k = 0; k < 2 * elements; ++k)
    frame.add_element({"element", k, k + 1, Matrix3<double>::Identity(), 1.0 / elements,
                       k < elements ? square() : stiff, 0});
  const NaturalModes modes = sparse_modes(frame, 4);
  EXPECT_EQ(modes.rigid_body_modes, 2);
  // The soft one is clamped in the heavy one, but for what that gives way: to first order the
  // square of its frequency is raised by the squares of its momentum (0.7830 of the mode of unit
  // mass) over the mass 1e4 and of its moment of momentum about the centre of the heavy one, half a
  // length away (0.5688 + 0.7830 / 2), over its inertia 1e4/12.
  const double root = 1.875104068711961, momentum = 0.7830, moment = 0.5688 + momentum / 2;
  const double raised = 0.5 * (momentum * momentum / 1e4 + moment * moment / (1e4 / 12));
  EXPECT_NEAR(modes.omega(2) / (root * root), 1 + raised, 2e-6);
}

}  // namespace
}  // namespace ulna::elastic
