// A thesis on kinematic and finite-element analysis of manipulators: its frequency tables (printed,
// within 0.03 %), the same computed independently (within 1e-8), and its statements on
// condensation. Section measures are 0.1524/0.1143 exactly and the torsion constant is Iy + Iz, as
// there.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "support/json_data.hpp"
#include "ulna/elastic/complex_modes.hpp"
#include "ulna/elastic/internal/craig_bampton.hpp"
#include "ulna/elastic/internal/guyan.hpp"
#include "ulna/elastic/internal/irs.hpp"
#include "ulna/elastic/natural_modes.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/structure/structure_modes.hpp"

namespace ulna {
namespace {

using std::numbers::pi;
using testing::Json;

const Json& manipulators_data() {
  static const Json all = testing::read_data("fe_manipulators.json");
  return all;
}

constexpr double l2 = 1.016, l3 = 1.5113;

// The elbow-up posture of the thesis for a tip position.
Eigen::Vector3d posture(double x, double y, double z) {
  const double r = std::hypot(x, y);
  const double c3 = (r * r + z * z - l2 * l2 - l3 * l3) / (2 * l2 * l3);
  const double t3 = -std::acos(c3);
  return {std::atan2(y, x),
          std::atan2(z, r) - std::atan2(l3 * std::sin(t3), l2 + l3 * std::cos(t3)), t3};
}
const Eigen::Vector3d reference = posture(2, 0.25, 0.5);

Robot t3r3() { return read_robot("t3r3-frame").robot; }
BeamData& upper(Robot& robot) { return robot.bodies[1].beams[0]; }
BeamData& tube(Robot& robot) { return robot.bodies[2].beams[0]; }
BeamData& stub(Robot& robot) { return robot.bodies[2].beams[1]; }

void set_mesh(Robot& robot, int up, int behind, int fore) {
  upper(robot).elements = up;
  tube(robot).elements = fore;
  stub(robot).elements = behind;
  stub(robot).attached.clear();
  for (int k = 0; k <= behind; ++k) {
    AttachedBody share;
    share.station = double(k) / behind;
    share.inertial.mass = 50.0 / (behind + 1);
    stub(robot).attached.push_back(share);
  }
}

void set_ratio(BeamData& beam, double ratio) {
  Section& s = beam.sections[0];
  s.inner_height = s.inner_width = s.height / ratio;
  s.J.reset();
  const Section n = numbers_of(s);
  s.J = *n.Iy + *n.Iz;
}

StructureOptions with_locked_joints(elastic::MassMatrix mass = elastic::MassMatrix::consistent) {
  StructureOptions options;
  options.joints = JointHold::locked;
  options.element.mass = mass;
  return options;
}

elastic::SystemMatrices matrices(const Robot& robot, const Eigen::Vector3d& q,
                                 const StructureOptions& options = with_locked_joints()) {
  const Model model(robot);
  return RobotStructure(model, q, options).system();
}

Eigen::VectorXd hertz(const elastic::SystemMatrices& system, int count = 6) {
  elastic::EigenOptions options;
  options.count = count;
  const elastic::NaturalModes modes = elastic::natural_modes(system, options);
  EXPECT_LT(modes.residual.maxCoeff(), 1e-12);
  return modes.omega / (2 * pi);
}

void expect_row(const Eigen::VectorXd& f, const Json& row, double tolerance, int skipped = -1) {
  for (int k = 0; k < static_cast<int>(row.size()) && k < f.size(); ++k)
    if (k != skipped) {
      EXPECT_NEAR(f(k) / row[k].get<double>(), 1, tolerance) << "mode " << k + 1;
    }
}

TEST(FrequencyTables, GripperMass) {
  for (const Json& row : manipulators_data()["gripper_mass"]) {
    SCOPED_TRACE(row["mass"].dump() + " kg");
    Robot robot = t3r3();
    robot.payloads[0].inertial.mass = row["mass"];
    expect_row(hertz(matrices(robot, reference)), row["f"], 3e-4);
  }
}

TEST(FrequencyTables, Materials) {
  for (const Json& row : manipulators_data()["materials"]) {
    SCOPED_TRACE(row.dump());
    Robot robot = t3r3();
    upper(robot).material = material_named(row["upper"]);
    tube(robot).material = stub(robot).material = material_named(row["fore"]);
    expect_row(hertz(matrices(robot, reference)), row["f"], 3e-4);
  }
}

TEST(FrequencyTables, ForearmSection) {
  for (const Json& row : manipulators_data()["forearm_ratio"]) {
    SCOPED_TRACE(row["ratio"].dump());
    Robot robot = t3r3();
    set_ratio(tube(robot), row["ratio"]);
    set_ratio(stub(robot), row["ratio"]);
    expect_row(hertz(matrices(robot, reference)), row["f"], 3e-4);
  }
}

TEST(FrequencyTables, UpperArmSection) {
  for (const Json& row : manipulators_data()["upper_arm_ratio"]) {
    SCOPED_TRACE(row["ratio"].dump());
    Robot robot = t3r3();
    set_ratio(upper(robot), row["ratio"]);
    const Eigen::VectorXd f = hertz(matrices(robot, reference));
    // So/Si = 6, mode 2: printed 24.434; the model gives 24.242 here as in independent code.
    const bool doubtful = row["ratio"] == 6;
    expect_row(f, row["f"], 3e-4, doubtful ? 1 : -1);
    if (doubtful) {
      EXPECT_NEAR(f(1), 24.242, 1e-3);
    }
  }
}

TEST(FrequencyTables, PositionWithTwoElementsALink) {
  for (const Json& row : manipulators_data()["position"]) {
    SCOPED_TRACE(row["p"].dump());
    Robot robot = t3r3();
    set_mesh(robot, 2, 1, 2);
    // Two rows have a digit read from a blurred print.
    expect_row(hertz(matrices(robot, posture(row["p"][0], row["p"][1], row["p"][2]))), row["f"],
               3e-4);
  }
}

TEST(Frequencies, OfEveryMeshAgreeWithIndependentCode) {
  for (const Json& row : manipulators_data()["meshes"]) {
    SCOPED_TRACE(row["mesh"].dump() + row["lumped"].dump());
    Robot robot = t3r3();
    set_mesh(robot, row["mesh"][0], row["mesh"][1], row["mesh"][2]);
    const auto mass = row["lumped"] ? elastic::MassMatrix::lumped : elastic::MassMatrix::consistent;
    expect_row(hertz(matrices(robot, reference, with_locked_joints(mass)), 10), row["f"], 1e-8);
  }
}

// ---- condensation -------------------------------------------------------------------------------

TEST(Condensation, OfTheArmAgreesWithIndependentCode) {
  const Json& reference_rows = manipulators_data()["condensation"];
  const elastic::SystemMatrices system = matrices(t3r3(), reference);
  ASSERT_EQ(system.size(), 66);
  expect_row(hertz(system, 8), reference_rows["full"], 1e-8);
  const Model model(t3r3());
  const RobotStructure structure(model, reference, with_locked_joints());
  const std::vector<int> tip =
      structure.frame().nodes()[structure.node_of(model.frame("tip"))].map.freedoms;
  for (const Json& row : reference_rows["table"]) {
    SCOPED_TRACE(row["dof"].dump() + " coordinates");
    const int keep = row["dof"];
    const std::vector<int> masters =
        elastic::select_masters(system, keep, elastic::MasterSelection::sequential);
    expect_row(hertz(elastic::reduced_system(system, elastic::guyan(system, masters))),
               row["guyan_sequential"], 1e-8);
    expect_row(
        hertz(elastic::reduced_system(system, elastic::craig_bampton(system, tip, keep - 6))),
        row["cms_tip_interface"], 1e-8);
    // Rows where equal ratios meet at the cut depend on how ties break.
    if (keep == 11 || keep == 12 || keep == 13 || keep == 20 || keep == 24 || keep == 36) continue;
    const std::vector<int> at_once =
        elastic::select_masters(system, keep, elastic::MasterSelection::one_shot);
    expect_row(hertz(elastic::reduced_system(system, elastic::guyan(system, at_once))),
               row["guyan_one_shot"], 1e-8);
  }
}

double worst_error(const elastic::SystemMatrices& reduced, const Eigen::VectorXd& exact) {
  const Eigen::VectorXd f = hertz(reduced);
  return (f.array() / exact.head(f.size()).array() - 1).abs().maxCoeff();
}

TEST(Condensation, StatementsOfTheNotes) {
  const elastic::SystemMatrices system = matrices(t3r3(), reference);
  const Eigen::VectorXd exact = hertz(system);
  const Model model(t3r3());
  const RobotStructure structure(model, reference, with_locked_joints());
  const std::vector<int> tip =
      structure.frame().nodes()[structure.node_of(model.frame("tip"))].map.freedoms;
  using elastic::MasterSelection;
  // Component synthesis with 13 coordinates: six modes within 0.07 %.
  EXPECT_LT(worst_error(reduced_system(system, craig_bampton(system, tip, 7)), exact), 7e-4);
  const auto guyan_error = [&](int keep, MasterSelection how) {
    return worst_error(
        reduced_system(system, elastic::guyan(system, select_masters(system, keep, how))), exact);
  };
  // Sequential Guyan at 11: mode 6 is off by 0.8 % (and mode 5 by 2 %); one shot is worse.
  const Eigen::VectorXd f = hertz(reduced_system(
      system, elastic::guyan(system, select_masters(system, 11, MasterSelection::sequential))));
  EXPECT_NEAR(f(5) / exact(5) - 1, 0.008, 0.0005);
  const Eigen::VectorXd one_shot = hertz(reduced_system(
      system, elastic::guyan(system, select_masters(system, 11, MasterSelection::one_shot))));
  EXPECT_GT(one_shot(5) / exact(5) - 1, 0.008);
  // As good as synthesis with 13, Guyan needs 24 coordinates.
  EXPECT_LT(guyan_error(24, MasterSelection::sequential), 7e-4);
  EXPECT_GT(guyan_error(20, MasterSelection::sequential), 7e-4);
  // The improved reduced system beats Guyan with the same masters.
  const auto masters = select_masters(system, 13, MasterSelection::sequential);
  EXPECT_LT(worst_error(reduced_system(system, elastic::irs(system, masters)), exact),
            0.3 * guyan_error(13, MasterSelection::sequential));
}

// ---- the damped spindle -------------------------------------------------------------------------

elastic::SystemMatrices spindle() {
  const Json& a = manipulators_data()["spindle"]["assumptions"];
  elastic::BeamStructure frame;
  constexpr unsigned v = 1u << 1, rz = 1u << 5;  // a plane frame: two freedoms a node
  double x = 0;
  frame.add_node("node 1", {0, 0, 0}, rz);
  for (std::size_t k = 0; k < a["lengths"].size(); ++k) {
    const double L = a["lengths"][k], d = a["dia"][k];
    x += L;
    frame.add_node("node " + std::to_string(k + 2), {x, 0, 0}, v | rz);
    BeamProperties p;
    const double A = pi * d * d / 4, I = pi * d * d * d * d / 64;
    const double E = a["E"], rho = a["rho"];
    p.EA = E * A, p.EIy = p.EIz = E * I, p.GJ = E * I, p.mass = rho * A;
    frame.add_element({"element " + std::to_string(k + 1), static_cast<int>(k),
                       static_cast<int>(k) + 1, Matrix3<double>::Identity(), L, p, 0});
  }
  for (const Json& bearing : a["springs"]) {
    elastic::StructureSpring spring;
    spring.a = bearing[0];
    spring.stiffness(1, 1) = bearing[1];
    spring.damping(1, 1) = bearing[2];
    frame.add_spring(spring);
  }
  return frame.assemble();
}

TEST(Spindle, DampedFrequenciesAndRatios) {
  const Json& ref = manipulators_data()["spindle"];
  const elastic::SystemMatrices system = spindle();
  ASSERT_EQ(system.size(), 25);
  expect_row(hertz(system), ref["undamped_full"], 1e-8);
  const elastic::ComplexModes modes = elastic::complex_modes(system, 6);
  EXPECT_LT(modes.residual.maxCoeff(), 1e-12);
  expect_row(modes.damped_omega / (2 * pi), ref["damped_full"], 1e-8);
  for (int k = 0; k < 6; ++k)
    EXPECT_NEAR(modes.damping_ratio(k), ref["damping_ratio"][k].get<double>(), 1e-9);
}

TEST(Spindle, CondensesWithItsDampers) {
  const Json& ref = manipulators_data()["spindle"];
  const elastic::SystemMatrices system = spindle();
  const std::vector<int> bearings = ref["interface_dof_zero_based_in_25"];
  for (const Json& row : ref["table"]) {
    SCOPED_TRACE(row["dof"].dump() + " coordinates");
    const int keep = row["dof"];
    const auto cms = elastic::craig_bampton(system, bearings, keep - 4);
    const auto damped = elastic::complex_modes(elastic::reduced_system(system, cms), 5);
    expect_row(damped.damped_omega / (2 * pi), row["cms"], 1e-7);
    const auto masters =
        elastic::select_masters(system, keep, elastic::MasterSelection::sequential);
    const auto static_damped =
        elastic::complex_modes(elastic::reduced_system(system, elastic::guyan(system, masters)), 5);
    expect_row(static_damped.damped_omega / (2 * pi), row["guyan"], 1e-7);
  }
}

}  // namespace
}  // namespace ulna
