// Parallel robots of every kind from the command line: loads, efforts, proofs, quality, paths.

#include <gmock/gmock.h>

#include "run_cli.hpp"
#include "support/places.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string parallel(const std::string& name) {
  return testing::data_file("parallel/" + name + ".yaml");
}

std::string list_of(const Json& numbers) {
  std::string text;
  for (const Json& x : numbers) text += (text.empty() ? "" : ",") + x.dump();
  return text;
}

TEST(ParallelRobotCommand, TakesEveryKindOfLeg) {
  for (const char* name : {"three-rps", "three-prs", "hexaglide", "linear-delta", "stewart-1965"}) {
    const Json home = run_json({"platform", parallel(name), "--stiffness", "1e6", "--quality"});
    EXPECT_LT(double(home["condition"]), 100) << name;
    EXPECT_EQ(home["efforts"].size(), home["drives"].size()) << name;
    EXPECT_GT(double(home["quality"]["force"]["everywhere"]), 0) << name;
    // The drives hold the weights: the efforts found by inverse dynamics at the same posture.
    const Json back = run_json({"platform", parallel(name), "--drives", list_of(home["drives"])});
    EXPECT_TRUE(bool(back["poses"][0]["home_branch"])) << name;
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(double(back["poses"][0]["position"][k]), double(home["pose"]["position"][k]),
                  1e-9)
          << name;
    // These efforts hold it still.
    const Json held = run_json({"platform", parallel(name), "--efforts", list_of(home["efforts"])});
    for (const Json& x : held["acceleration"]) EXPECT_NEAR(double(x), 0, 1e-6) << name;
  }
}

TEST(ParallelRobotCommand, ClosedFormAndLoopsAgree) {
  const std::vector<std::string> state = {
      "--position",          "3.3,0.1,0",      "--turn",      "-20deg,5deg,0", "--twist",
      "0.1,0,0.2,0.3,0,0.1", "--acceleration", "0,1,0,0,2,0", "--wrench",      "-500,0,100,20,0,0"};
  std::vector<std::string> closed = {"platform", "ddts"}, loops = closed;
  closed.insert(closed.end(), state.begin(), state.end());
  loops.insert(loops.end(), state.begin(), state.end());
  loops.insert(loops.end(), {"--actuated", "leg1,leg2,leg3,leg4,leg5,leg6"});
  const Json a = run_json(closed), b = run_json(loops);
  for (int k = 0; k < 6; ++k) {
    EXPECT_NEAR(double(a["drives"][k]), double(b["drives"][k]), 1e-9);
    EXPECT_NEAR(double(a["rates"][k]), double(b["rates"][k]), 1e-9);
    EXPECT_NEAR(double(a["efforts"][k]), double(b["efforts"][k]), 1e-5);
  }
}

TEST(ParallelRobotCommand, WrenchesAndEffortsAreOneBalance) {
  // Efforts that hold a load give no acceleration under it.
  const Json held = run_json({"platform", "ddts", "--wrench", "-5000,100,0,0,0,300"});
  const Json plain = run_json({"platform", "ddts"});
  EXPECT_GT(std::abs(double(held["efforts"][0]) - double(plain["efforts"][0])), 100);
  const Json still = run_json({"platform", "ddts", "--wrench", "-5000,100,0,0,0,300", "--efforts",
                               list_of(held["efforts"])});
  for (const Json& x : still["acceleration"]) EXPECT_NEAR(double(x), 0, 1e-9);
  // By name, the others zero: as forward dynamics of the ordinary robot.
  const Json named = run_json({"platform", "ddts", "--gravity", "0,0,0", "--efforts", "leg1=100"});
  const Json forward = run_json({"forward", "ddts", "--gravity", "0,0,0", "--tau", "leg1=100"});
  EXPECT_GT(std::abs(double(named["acceleration"][3])), 0);
  const Json info = run_json({"info", "ddts"});
  EXPECT_EQ(forward["a"].size(), 24u);
  // The influence coefficients hold the same load.
  const Json influence = run_json({"influence", "ddts", "--wrench", "platform:-5000,0,0"});
  double sum = 0;
  for (const Json& x : influence["load"]) sum += std::abs(double(x));
  EXPECT_GT(sum, 1000);
}

TEST(ParallelRobotCommand, ProvesEveryPose) {
  const Json at = run_json({"platform", "stewart-6-3", "--position", "0.03,-0.02,0.55", "--turn",
                            "5deg,0,10deg", "--ignore-limits"});
  const Json all =
      run_json({"platform", "stewart-6-3", "--drives", list_of(at["drives"]), "--all"});
  EXPECT_EQ(all["method"], "homotopy");
  EXPECT_EQ(int(all["degree"]), 16);
  EXPECT_EQ(int(all["certified"]) + int(all["complex"]), 16);
  EXPECT_TRUE(bool(all["complete"]));
  const Outcome text =
      run_cli({"platform", "stewart-6-3", "--drives", list_of(at["drives"]), "--all"});
  EXPECT_THAT(text.out, HasSubstr("none is missing"));
}

TEST(ParallelRobotCommand, AssembliesArePosesOfThePlatform) {
  const Json home = run_json({"platform", parallel("hexaglide")});
  std::string q;
  for (int k = 0; k < 6; ++k)
    q += (q.empty() ? "" : ",") + ("leg" + std::to_string(k + 1) + "=") + home["drives"][k].dump();
  const Json all =
      run_json({"assemble", parallel("hexaglide"), "--q", q, "--all", "--restarts", "40"});
  EXPECT_LT(all["solutions"].size(), std::size_t(all["assemblies"]));
}

TEST(ParallelRobotCommand, StiffnessFollowsTheLoad) {
  // A dead load along the legs' lines changes what the drives alone give, by about load over
  // length.
  const Json plain = run_json({"platform", "ddts", "--stiffness", "1e7"});
  const Json loaded = run_json({"platform", "ddts", "--stiffness", "1e7", "--wrench", "-1e6,0,0"});
  const double change = double(loaded["stiffness"][4][4]) - double(plain["stiffness"][4][4]);
  EXPECT_GT(std::abs(change), 1e5);
  EXPECT_LT(std::abs(change), 5e6);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < i; ++j)
      EXPECT_NEAR(double(loaded["stiffness"][i][j]), double(loaded["stiffness"][j][i]), 1);
}

TEST(ParallelRobotCommand, FollowsAnExperiment) {
  const TemporaryFolder folder;
  const std::string example = testing::example_file("ddts.yaml");
  const Json path = run_json({"platform", example});
  // The run begins 30 degrees from a singular pose and moves away from it.
  const Json& first = path["records"].front();
  const Json& last = path["records"].back();
  EXPECT_LE(double(first["distance"]), 2 * M_PI / 6 * 1.01);
  EXPECT_GT(double(last["distance"]), double(first["distance"]));
  EXPECT_NEAR(std::abs(double(first["determinant"])), 19.299, 1e-2);
  EXPECT_TRUE(path["crossings"].empty());
  const std::string file = folder.path("influence.csv");
  run_json({"influence", example, "-o", file});
  EXPECT_THAT(content_of(file), HasSubstr("I.leg1.leg1"));
  EXPECT_THAT(content_of(file), HasSubstr("P.leg1.leg2.leg3"));
}

TEST(ParallelRobotCommand, InversePrintsTheMotorsOnly) {
  const Outcome outcome = run_cli({"inverse", "ddts"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("leg6"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("leg1_hinge  ")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("float.wx")));
}

TEST(ParallelRobotCommand, MotorsAndInputsAreTheDrivesOfThePlatform) {
  // Not what pivoting finds: passive elbows, or the platform's own joint.
  for (const std::string& robot :
       {std::string("five-bar"), parallel("three-rps"), parallel("stewart-1965")}) {
    std::vector<std::string> drives;
    const Json home = run_json({"platform", robot});
    for (const Json& name : home["legs"]) drives.push_back(name);
    EXPECT_EQ(run_json({"inverse", robot})["actuated"], Json(drives)) << robot;
    EXPECT_EQ(run_json({"influence", robot})["inputs"], Json(drives)) << robot;
  }
}

TEST(ParallelRobotCommand, MotionsListTheJointsThatTheyMove) {
  const TemporaryFolder folder;
  const Json motion = run_json({"motion", folder.write("path.yaml",
                                                       "experiment: 1\nrobot: ddts\npath: {frame: "
                                                       "platform, line: {to: [3.1, 0, 0]}, time: "
                                                       "1 s}\n")});
  EXPECT_EQ(motion["peaks"].size(), 6u);
  for (const auto& [name, peak] : motion["peaks"].items())
    EXPECT_GT(double(peak["rate"]), 0) << name;
}

TEST(ParallelRobotCommand, SlicesPlatformsOfThreeFreedoms) {
  // A tilted 3-RPS shifts; without a turn about z, as its legs are a third of a turn apart.
  for (const char* name : {"three-rps", "three-prs"}) {
    const Json slice = run_json(
        {"platform", parallel(name), "--slice", "rx=-0.3:0.3,ry=-0.3:0.3", "--points", "7"});
    EXPECT_GT(double(slice["share"]), 0.9) << name;
    EXPECT_NEAR(double(slice["beside"][3][3]), 0, 1e-9) << name;
    EXPECT_GT(double(slice["beside"][0][0]), 1e-3) << name;
    EXPECT_LT(double(slice["beside"][0][0]), 0.1) << name;
    EXPECT_LT(double(slice["condition"][0][0]), 100) << name;
  }
  // A Delta on rails does not turn.
  const Json still = run_json({"platform", parallel("linear-delta"), "--slice",
                               "rx=-0.3:0.3,ry=-0.3:0.3", "--points", "3"});
  EXPECT_NEAR(double(still["share"]), 1.0 / 9, 1e-12);
}

TEST(ParallelRobotCommand, FindsSingularPosesWithoutClosedForm) {
  // The DDTS by its loops: singular where it is turned by 30 degrees, as by its closed form.
  const std::string all = "leg1,leg2,leg3,leg4,leg5,leg6";
  const Json slice = run_json(
      {"platform", "ddts", "--actuated", all, "--slice", "x=2.8:3.2,rx=-0.2:0.9", "--points", "6"});
  ASSERT_FALSE(slice["singular"].empty());
  for (const Json& piece : slice["singular"])
    for (const Json& end : piece) EXPECT_NEAR(double(end[1]), M_PI / 6, 1e-6);
  const Json quality = run_json({"platform", parallel("three-rps"), "--quality"});
  const Json& nearest = quality["quality"]["nearest_singularity"];
  EXPECT_TRUE(bool(nearest["found"]));
  EXPECT_GT(double(nearest["distance"]), 0.01);
}

TEST(ParallelRobotCommand, SaysOnWhichBranchARunStarts) {
  const TemporaryFolder folder;
  const auto notes_of = [&](const std::string& text) {
    const std::string file = folder.write("run.yaml", "experiment: 1\nduration: 1 ms\n" + text);
    return run_json({"simulate", file})["notes"].dump();
  };
  EXPECT_THAT(notes_of("robot: ddts\n"), HasSubstr("its home pose"));
  EXPECT_THAT(notes_of("robot: " + parallel("hexaglide") +
                       "\nstart: {q: {leg1: 0.1, leg2: 0.1, leg3: 0.1, leg4: 0.1, leg5: 0.1, "
                       "leg6: 0.1}}\n"),
              HasSubstr("on the branch of its home pose"));
  EXPECT_THAT(notes_of("robot: " + parallel("three-rps") +
                       "\nstart: {q: {leg1: 0.65, leg2: 0.6, leg3: 0.6}}\n"),
              HasSubstr("on the branch of its home pose"));
}

/// The hexapod with beams for rods.
std::string beam_hexapod(const TemporaryFolder& folder, const std::string& flexible) {
  std::string text = content_of(testing::example_file("../robots/stewart-6-6.yaml"));
  for (int leg = 1; leg <= 6; ++leg) {
    const std::string name = "leg" + std::to_string(leg) + "_rod";
    const std::size_t at = text.find("  - {name: " + name), end = text.find('\n', at);
    text.replace(at, end - at,
                 "  - name: " + name +
                     "\n    beams: [{name: beam, from: [0, 0, -0.4], to: [0, 0, 0], EI: 2000, "
                     "mass_per_length: 7.5" +
                     flexible + "}]");
  }
  return folder.write("legs.yaml", text);
}

TEST(ParallelRobotCommand, LegsMayBend) {
  const TemporaryFolder folder;
  // At rest and straight, the drives do not feel that the rods could bend.
  const Json rigid = run_json({"inverse", beam_hexapod(folder, "")});
  const std::string soft =
      beam_hexapod(folder, ", flexible: {modes: {bending_y: 1, bending_z: 1}}");
  const Json bent = run_json({"inverse", soft, "--actuated", "leg1,leg2,leg3,leg4,leg5,leg6"});
  EXPECT_EQ(int(bent["dof"]), 18);
  for (std::size_t k = 0; k < rigid["tau"].size(); ++k)
    EXPECT_NEAR(double(bent["tau"][k]), double(rigid["tau"][k]), 1e-8) << k;
  EXPECT_THAT(run_cli({"inverse", soft}).out,
              HasSubstr("motors at leg1, leg2, leg3, leg4, leg5, leg6\n"));
  const Outcome verified = run_cli({"verify", soft, "--states", "2"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  EXPECT_THAT(run_cli({"influence", soft}).err, HasSubstr("flexible body 'leg1_rod'"));
}

TEST(ParallelRobotCommand, FollowsAPathWithoutClosedForm) {
  const TemporaryFolder folder;
  const auto records = [&](const std::string& path) {
    const std::string file =
        folder.write("path.yaml", "experiment: 1\nrobot: " + parallel("three-rps") +
                                      "\nduration: 1 s\nrecord: {interval: 0.5 s}\npath: "
                                      "{frame: platform, line: " +
                                      path + "}\n");
    return run_json({"platform", file})["records"].size();
  };
  EXPECT_EQ(records("{to: [0, 0, 0.65]}"), 3u);
  EXPECT_EQ(records("{to: {position: [0, 0, 0.62], rpy: [0.2, 0, 0]}}, free: [x, y]"), 3u);
  const Outcome wrong =
      run_cli({"motion", folder.write("wrong.yaml",
                                      "experiment: 1\nrobot: ddts\npath: {frame: platform, "
                                      "line: {to: [3.1, 0, 0]}, time: 1 s, free: [w]}\n")});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("found 'w'; expected some of x, y and z"));
}

TEST(ParallelRobotCommand, ListsWorkingModes) {
  const Json modes = run_json({"platform", "rotary-hexapod", "--working-modes"});
  EXPECT_EQ(modes["working_modes"].size(), 6u);
  for (const Json& leg : modes["working_modes"]) EXPECT_EQ(leg.size(), 2u);
  const Json carriages = run_json({"platform", parallel("three-prs"), "--working-modes"});
  EXPECT_EQ(carriages["combinations"], 8);
  EXPECT_THAT(run_cli({"platform", parallel("three-rps"), "--working-modes"}).out,
              HasSubstr("1 combination\n"));
}

TEST(ParallelRobotCommand, LegsOfDifferentFreedomsAreSolvedByTheirLoops) {
  const std::string robot = parallel("delta-telescope");
  const Json plain = run_json({"platform", "delta", "--position", "0.05,-0.03,-0.62"}),
             mixed = run_json({"platform", robot, "--position", "0.05,-0.03,-0.62", "--stiffness",
                               "1e4", "--working-modes"});
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(double(mixed["drives"][k]), double(plain["drives"][k]), 1e-8);
  EXPECT_LT(double(mixed["condition"]), 100);
  EXPECT_EQ(run_json({"inverse", robot})["actuated"], Json({"leg1", "leg2", "leg3"}));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"check", robot},
        {"info", robot},
        {"verify", robot, "--states", "2"},
        {"influence", robot, "--position", "0.05,-0.03,-0.62"},
        {"platform", robot, "--slice", "x=-0.1:0.1,z=-0.7:-0.5", "--points", "5"}})
    EXPECT_EQ(run_cli(words).status, 0) << words[0] << run_cli(words).err;
}

TEST(ParallelRobotCommand, DrivesMayBeTurnsOfThePlatform) {
  const Json home = run_json({"platform", "gough-leg"});
  const Json pose = run_json({"platform", "gough-leg", "--drives", list_of(home["drives"])});
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(double(pose["poses"][0]["position"][k]), double(home["pose"]["position"][k]), 1e-8);
}

TEST(ParallelRobotCommand, AnEquilibriumThatIsNotThereNamesTheEffortsOfTheMotors) {
  const Outcome free = run_cli({"equilibrium", "stewart-6-6"});
  EXPECT_EQ(free.status, 1);
  const std::size_t at = free.err.find("--tau ");
  ASSERT_NE(at, std::string::npos) << free.err;
  const std::string tau = free.err.substr(at + 6, free.err.find(' ', at + 6) - at - 6);
  const Json held = run_json({"equilibrium", "stewart-6-6", "--tau", tau});
  EXPECT_TRUE(bool(held["found"]));
}

}  // namespace
}  // namespace ulna::test
