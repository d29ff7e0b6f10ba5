// Sections, axes and masses of beams.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "ulna/model/robot.hpp"

namespace ulna {
namespace {

using Vec = Vector3<double>;

Section hollow(Section::Shape shape, double outer, double inner) {
  Section s;
  s.shape = shape;
  s.height = s.width = outer;
  s.inner_height = s.inner_width = inner;
  return s;
}

BeamData steel_tube(const Vec& from, const Vec& to) {
  BeamData beam;
  beam.from = from, beam.to = to;
  beam.material = material_named("steel");
  beam.sections = {hollow(Section::Shape::tube, 0.1, 0.08)};
  return beam;
}

TEST(Section, NumbersOfTheNotes) {
  // Printed: A 0.01016, I 3.0729e-5 (box), A 0.00798, I 1.81e-5 (tube).
  const Section box = numbers_of(hollow(Section::Shape::box, 0.1524, 0.1143));
  EXPECT_NEAR(*box.A, 0.01016, 5e-6);
  EXPECT_NEAR(*box.Iy, 3.0729e-5, 5e-9);
  EXPECT_EQ(*box.Iy, *box.Iz);
  EXPECT_LT(*box.J, *box.Iy + *box.Iz);
  const Section tube = numbers_of(hollow(Section::Shape::tube, 0.1524, 0.1143));
  EXPECT_NEAR(*tube.A, 0.00798, 5e-6);
  EXPECT_NEAR(*tube.Iy, 1.81e-5, 5e-8);
  EXPECT_DOUBLE_EQ(*tube.J, 2 * *tube.Iy);
}

TEST(Section, TorsionOfASquareAndOfAThinStrip) {
  Section s;
  s.shape = Section::Shape::rectangle;
  s.height = s.width = 1;
  EXPECT_NEAR(*numbers_of(s).J, 0.1405770, 1e-7);  // Saint-Venant, a^4 times this
  s.height = 1000;
  EXPECT_NEAR(*numbers_of(s).J / 1000, (1 - 0.63025e-3) / 3, 1e-7);
}

// The torsion problem of boxes with sharp corners solved by quadratic finite elements, extrapolated
// over meshes of two and four elements through the wall; mm^4.
TEST(Section, TorsionOfBoxesWithTheirCorners) {
  struct Box {
    double height, width, cover, side, J, tolerance;
  };
  for (const Box& b : {Box{60, 60, 5, 5, 869977, 1e-3}, Box{60, 60, 7.5, 7.5, 1168940, 1e-3},
                       Box{60, 60, 15, 15, 1673456, 1e-3}, Box{100, 60, 5, 5, 1880354, 1e-3},
                       Box{100, 60, 8, 4, 1851729, 1e-3}, Box{100, 40, 6, 12, 1294384, 4e-3}}) {
    Section s;
    s.shape = Section::Shape::box;
    s.height = b.height, s.width = b.width;
    s.inner_height = b.height - 2 * b.cover, s.inner_width = b.width - 2 * b.side;
    EXPECT_NEAR(*numbers_of(s).J / b.J, 1, b.tolerance) << b.height << " " << b.cover;
  }
}

TEST(Section, HeightLiesAlongY) {
  Section s;
  s.shape = Section::Shape::rectangle;
  s.height = 2, s.width = 1;
  EXPECT_DOUBLE_EQ(*numbers_of(s).Iz, 8.0 / 12);
  s.shape = Section::Shape::i;
  s.flange = 0.1, s.web = 0.1;
  const Section n = numbers_of(s);
  EXPECT_GT(*n.Iz, *n.Iy);
  EXPECT_DOUBLE_EQ(*n.A, 0.2 + 0.18);
}

TEST(Beam, AxesAreRightHandedForEveryDirection) {
  for (const Vec& to : {Vec(1, 0, 0), Vec(0, 1, 0), Vec(0, -1, 0), Vec(0, 0, 2), Vec(1, 2, -3)}) {
    const Matrix3<double> R = section_axes(steel_tube(Vec::Zero(), to));
    EXPECT_NEAR((R.transpose() * R - Matrix3<double>::Identity()).norm(), 0, 1e-15);
    EXPECT_NEAR(R.col(0).cross(R.col(1)).dot(R.col(2)), 1, 1e-15);
    EXPECT_NEAR(R.col(0).dot(to.normalized()), 1, 1e-15);
  }
  EXPECT_EQ(section_axes(steel_tube(Vec::Zero(), Vec(1, 0, 0))), (Matrix3<double>::Identity()));
}

TEST(Beam, HasTheInertiaOfAHollowCylinder) {
  const BeamData beam = steel_tube(Vec(1, 0, 0), Vec(1, 0, 2));
  const Inertial I = inertial_of(beam);
  const double m = 7800 * std::numbers::pi / 4 * (0.01 - 0.0064) * 2, r2 = (0.0025 + 0.0016);
  EXPECT_NEAR(I.mass, m, 1e-12);
  EXPECT_NEAR((I.centre - Vec(1, 0, 1)).norm(), 0, 1e-15);
  EXPECT_NEAR(I.inertia(2, 2), m * r2 / 2, 1e-12);
  EXPECT_NEAR(I.inertia(0, 0), m * (3 * r2 + 4) / 12, 1e-12);
}

TEST(Beam, OfManySectionsIsTheSumOfItsPieces) {
  BeamData beam = steel_tube(Vec::Zero(), Vec(3, 0, 0));
  const Inertial one = inertial_of(beam);
  beam.elements = 3;
  beam.sections.assign(3, beam.sections[0]);
  const Inertial three = inertial_of(beam);
  EXPECT_NEAR(one.mass, three.mass, 1e-12);
  EXPECT_NEAR((one.inertia - three.inertia).norm(), 0, 1e-11 * one.inertia.norm());
}

}  // namespace
}  // namespace ulna
