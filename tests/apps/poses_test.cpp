// Poses in every form, degrees, the frame of `ik`, the motors of `inverse`, drives of `modes`.

#include <gmock/gmock.h>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

std::string list(const Json& numbers) {
  std::string text;
  for (const Json& x : numbers) text += (text.empty() ? "" : ",") + x.dump();
  return text;
}

TEST(Poses, IkTakesEveryForm) {
  const std::string q = "0.3,0.5,-0.4,0.2,0.7,0.1";
  TemporaryFolder folder;
  const Json there = run_json({"fk", "puma560", "--q", q, "--frame", "link6"});
  const Json& pose = there["frames"]["link6"];
  ASSERT_EQ(pose["quaternion"].size(), 4u);
  ASSERT_EQ(pose["rpy"].size(), 3u);
  const std::string file = folder.write("there.json", there.dump());
  std::string matrix;
  for (int row = 0; row < 3; ++row)
    matrix += list(pose["rotation"][row]) + "," + pose["position"][row].dump() + ",";
  matrix += "0,0,0,1";
  const std::string position = list(pose["position"]);
  double w = pose["quaternion"][0];
  const double angle = 2 * std::acos(w);
  const std::string axis_angle = pose["quaternion"][1].dump() + "," + pose["quaternion"][2].dump() +
                                 "," + pose["quaternion"][3].dump() + "," + Json(angle).dump();
  const std::vector<std::vector<std::string>> forms = {
      {"--position", position, "--rotation", list(pose["quaternion"])},
      {"--position", position, "--quaternion", list(pose["quaternion"])},
      {"--position", position, "--rpy", list(pose["rpy"])},
      {"--position", position, "--axis-angle", axis_angle},
      {"--matrix", matrix},
      {"--pose", file}};
  for (const std::vector<std::string>& form : forms) {
    std::vector<std::string> words = {"ik", "puma560", "--frame", "link6", "--start", q};
    words.insert(words.end(), form.begin(), form.end());
    const Json found = run_json(words);
    EXPECT_EQ(found["frame"], "link6");
    const Json expected = {0.3, 0.5, -0.4, 0.2, 0.7, 0.1};
    expect_json(found["solutions"][0]["q"], expected, 1e-7, form[form.size() - 2]);
  }
}

TEST(Poses, TwoFormsAtOnceAreRefused) {
  expect_refusal(
      {"ik", "puma560", "--position", "0.4,0.1,0.3", "--rpy", "0,0,0", "--rotation", "1,0,0,0"},
      {"--rpy", "given together with --rotation"});
  expect_refusal({"ik", "puma560", "--matrix", "1,0,0"}, {"--matrix", "16"});
  expect_refusal({"ik", "puma560", "--matrix", "2,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1"},
                 {"--matrix", "not a rotation"});
  expect_refusal({"ik", "puma560", "--pose", "nowhere.json"}, {"nowhere.json"});
}

TEST(Poses, PlatformsTakeThem) {
  const Json home = run_json({"platform", "stewart-6-6"});
  const Json same = run_json({"platform", "stewart-6-6", "--rpy", list(home["pose"]["rpy"])});
  expect_json(same["drives"], home["drives"], 1e-9);
}

TEST(Poses, DegreesInAndOut) {
  TemporaryFolder folder;
  const std::string arm = folder.write("arm.yaml", planar_arm);
  const Json plain = run_json({"fk", arm, "--q", "90,-45", "--degrees", "--frame", "tool"});
  const Json units = run_json({"fk", arm, "--q", "90deg,-45deg", "--frame", "tool"});
  expect_json(plain["frames"], units["frames"], 1e-14);
  expect_json(run_json({"fk", arm, "--q", "shoulder=90", "--degrees"})["frames"]["lower"]["rpy"],
              Json{0, 0, M_PI / 2}, 1e-12);
  const Outcome table = run_cli({"fk", arm, "--q", "90,0", "--degrees", "--frame", "tool"});
  EXPECT_THAT(table.out, HasSubstr("yaw deg"));
  EXPECT_THAT(table.out, HasSubstr("90"));
  EXPECT_THAT(table.out, HasSubstr("qw"));
  const Outcome ik = run_cli({"ik", arm, "--position", "1,0.5,0", "--degrees", "--frame", "tool"});
  EXPECT_THAT(ik.out, HasSubstr("deg"));
  EXPECT_THAT(ik.out, HasSubstr("for frame 'tool'"));
}

/// Three joints and a gripper with two fingers.
constexpr const char* arm_with_gripper = R"(
ulna: 1
name: picker
bodies:
  - {name: l1, mass: 1}
  - {name: l2, mass: 1}
  - {name: l3, mass: 1}
  - {name: flange, mass: 0.1}
  - {name: hand, mass: 0.1}
  - {name: left, mass: 0.1}
  - {name: right, mass: 0.1}
joints:
  - {name: j1, type: revolute, parent: world, child: l1}
  - {name: j2, type: revolute, parent: l1, child: l2, axis: [0, 1, 0], at: [0, 0, 0.3]}
  - {name: j3, type: revolute, parent: l2, child: l3, axis: [0, 1, 0], at: [0.4, 0, 0]}
  - {name: mount, type: fixed, parent: l3, child: flange, at: [0.3, 0, 0]}
  - {name: bolt, type: fixed, parent: flange, child: hand, at: [0.05, 0, 0]}
  - {name: f1, type: prismatic, parent: hand, child: left, axis: [0, 1, 0], limits: {lower: 0, upper: 0.04}}
  - {name: f2, type: prismatic, parent: hand, child: right, axis: [0, -1, 0], limits: {lower: 0, upper: 0.04}}
)";

TEST(Poses, TheTipOfAnArmWithAGripperIsTheFlange) {
  TemporaryFolder folder;
  const std::string robot = folder.write("picker.yaml", arm_with_gripper);
  const Outcome text = run_cli({"ik", robot, "--position", "0.5,0.1,0.4"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.err, HasSubstr("the target is that of frame 'flange'; --frame names another"));
  EXPECT_EQ(run_json({"ik", robot, "--position", "0.5,0.1,0.4"})["frame"], "flange");
}

TEST(Poses, InverseDrivesTheJointWhoseMotionWasGiven) {
  for (const char* joint : {"joint1", "joint4"}) {
    const std::string name = joint;
    const std::vector<std::string> words = {"inverse", "four-bar",  "--q", name + "=60deg",
                                            "--v",     name + "=2", "--a", name + "=1"};
    const Json found = run_json(words);
    EXPECT_EQ(found["actuated"], Json::array({name}));
    EXPECT_THAT(run_cli(words).err, HasSubstr("the motor is at " + name));
  }
  const Json overruled = run_json(
      {"inverse", "four-bar", "--q", "joint1=60deg", "--v", "joint1=2", "--actuated", "joint4"});
  EXPECT_EQ(overruled["actuated"], Json::array({"joint4"}));
}

TEST(Poses, ModesOfAnArmLockItsDrives) {
  const Outcome locked = run_cli({"modes", "t3r3-frame", "--json"});
  EXPECT_THAT(locked.err, HasSubstr("the drives hold the robot"));
  EXPECT_EQ(Json::parse(locked.out)["frequencies_hz"],
            run_json({"modes", "t3r3-frame", "--locked", "all"})["frequencies_hz"]);
  const Outcome free = run_cli({"modes", "t3r3-frame", "--free", "--json"});
  EXPECT_THAT(free.err, ::testing::Not(HasSubstr("the drives hold")));
  EXPECT_LT(Json::parse(free.out)["frequencies_hz"][0].get<double>(), 1e-3);
  // Very stiff drives are as good as locked ones.
  const Json stiff = run_json({"modes", "t3r3-frame", "--elastic", "all=1e13"});
  EXPECT_NEAR(stiff["frequencies_hz"][0].get<double>() /
                  Json::parse(locked.out)["frequencies_hz"][0].get<double>(),
              1, 1e-4);
}

TEST(Poses, UnknownRobotsAreShortWithTheNearestName) {
  const Outcome text = run_cli({"info", "PUMA560"});
  EXPECT_EQ(text.status, 2);
  EXPECT_THAT(text.err, HasSubstr("did you mean 'puma560'?"));
  EXPECT_LT(text.err.size(), 300u) << text.err;
}

TEST(Poses, HelpEndsAtAHundredColumns) {
  const Outcome all = run_cli({"--help"});
  std::vector<std::string> commands = {""};
  std::istringstream words(all.out);
  for (std::string line; std::getline(words, line);)
    if (line.starts_with("  ") && line.size() > 3 && line[2] >= 'a' && line[2] <= 'z' &&
        !line.starts_with("  ulna"))
      commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  EXPECT_GT(commands.size(), 30u);
  for (const std::string& command : commands) {
    const Outcome help = command.empty() ? all : run_cli({command, "--help"});
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(Poses, TheManualPageHasAllCommands) {
  const Outcome page = run_cli({"completion", "man"});
  EXPECT_EQ(page.status, 0);
  for (const char* part :
       {".TH ULNA 1", ".SS inverse", ".SS ik", "\\-\\-reactions", ".SH EXIT STATUS"})
    EXPECT_THAT(page.out, HasSubstr(part));
}

}  // namespace
}  // namespace ulna::test
