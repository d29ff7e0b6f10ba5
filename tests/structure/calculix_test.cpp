// The same arms in CalculiX (B32R beams): Timoshenko elements with rotatory inertia, nu = 0. Runs
// where the program ccx is installed. B32R is a single brick across the section, whose torsion is
// right for pipes; a full rectangle it twists 7 % too stiffly, full circles and boxes it bends 1 %
// too softly. So straight arms are compared with rectangles and pipes, arms that twist with pipes.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include "ulna/formats/read_robot.hpp"
#include "ulna/formats/write_calculix.hpp"
#include "ulna/structure/structure_modes.hpp"

namespace ulna {
namespace {

bool have_ccx() { return std::system("command -v ccx >/dev/null 2>&1") == 0; }

// Frequencies in Hz from the .dat file.
std::vector<double> run_ccx(const std::string& deck) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("ulna_ccx_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "arm.inp") << deck;
  const std::string command =
      "cd '" + folder.string() + "' && OMP_NUM_THREADS=1 ccx arm >ccx.log 2>&1";
  const int status = std::system(command.c_str());
  std::vector<double> hertz;
  std::ifstream dat(folder / "arm.dat");
  std::string line;
  bool table = false;
  while (std::getline(dat, line)) {
    if (line.find("E I G E N V A L U E") != std::string::npos) table = true;
    if (line.find("P A R T I C I P A T I O N") != std::string::npos) break;
    std::istringstream words(line);
    int number = 0;
    double eigenvalue = 0, rad = 0, hz = 0;
    if (table && words >> number >> eigenvalue >> rad >> hz) hertz.push_back(hz);
  }
  EXPECT_EQ(status, 0);
  std::filesystem::remove_all(folder);
  return hertz;
}

void compare(const std::string& robot, double tolerance) {
  const Model model(read_robot_yaml_text(robot, "arm.yaml").robot);
  StructureOptions options;
  options.joints = JointHold::locked;
  options.element.theory = elastic::BeamTheory::timoshenko;
  options.element.rotatory_inertia = true;
  const RobotFrame structure(model, Eigen::VectorXd::Zero(model.coordinates()), options);
  const Eigen::VectorXd ours = structure_modes(structure).modes.omega / (2 * std::numbers::pi);
  const std::vector<double> theirs = run_ccx(write_calculix(structure, 8));
  ASSERT_GE(theirs.size(), 6u);
  for (int k = 0; k < 6; ++k)
    EXPECT_NEAR(ours(k) / theirs[k], 1, tolerance)
        << "mode " << k + 1 << ": " << ours(k) << " and " << theirs[k] << " Hz";
}

const char* const material = "material: {E: 70 GPa, nu: 0, density: 2700}";

std::string arm(const std::string& section, const std::string& fore_to) {
  const std::string common = std::string(material) + ", section: " + section + ", elements: 24";
  return "ulna: 1\nname: arm\nbodies:\n  - {name: upper, beam: {length: 1.2, " + common +
         "}}\n  - {name: fore, beam: {to: " + fore_to + ", " + common +
         ", attached: [{at: end, mass: 5}]}}\njoints:\n"
         "  - {name: shoulder, type: revolute, parent: world, child: upper}\n"
         "  - {name: elbow, type: revolute, parent: upper, child: fore, at: [1.2, 0, 0]}\n";
}

TEST(CalculiX, AgreesOnAStraightArm) {
  if (!have_ccx()) GTEST_SKIP() << "CalculiX is not installed (Debian: calculix-ccx)";
  compare(arm("{rectangle: {height: 60 mm, width: 40 mm}}", "[1, 0, 0]"), 5e-3);
  compare(arm("{tube: {outer: 60 mm, inner: 45 mm}}", "[1, 0, 0]"), 5e-3);
}

TEST(CalculiX, AgreesOnAnArmWithACorner) {
  if (!have_ccx()) GTEST_SKIP() << "CalculiX is not installed (Debian: calculix-ccx)";
  compare(arm("{tube: {outer: 60 mm, inner: 45 mm}}", "[0, 1, 0]"), 1e-2);
  compare(arm("{tube: {outer: 60 mm, inner: 45 mm}}", "[0.5, 0.3, 0.7]"), 1e-2);
}

TEST(CalculiX, DeckRefusesWhatItCannotHold) {
  const auto complaint = [](const std::string& robot, JointHold hold) {
    try {
      const Model model(read_robot_yaml_text(robot, "arm.yaml").robot);
      StructureOptions options;
      options.joints = hold;
      write_calculix(RobotFrame(model, Eigen::VectorXd::Zero(2), options), 6);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string round = arm("{round: 50 mm}", "[1, 0, 0]");
  EXPECT_EQ(complaint(round, JointHold::locked), "accepted");
  EXPECT_NE(complaint(round, JointHold::free).find("released joints"), std::string::npos);
  const std::string numbers = arm("{A: 1e-3, Iy: 1e-7, Iz: 1e-7, J: 1e-7}", "[1, 0, 0]");
  EXPECT_NE(complaint(numbers, JointHold::locked).find("body 'upper', beam element 1"),
            std::string::npos);
}

}  // namespace
}  // namespace ulna
