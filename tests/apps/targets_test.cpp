// The tip of an arm, poses in every form, all postures, home poses: what is chosen is said.

#include <gmock/gmock.h>

#include <cmath>
#include <sstream>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string link(const std::string& name, double mass) {
  return "<link name=\"" + name + "\">" +
         (mass > 0 ? "<inertial><mass value=\"" + std::to_string(mass) +
                         "\"/><inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\" ixy=\"0\" ixz=\"0\" "
                         "iyz=\"0\"/></inertial>"
                   : "") +
         "</link>";
}

std::string joint(const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& at = "0.3 0 0") {
  return "<joint name=\"j_" + child + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/><origin xyz=\"" + at + "\"/><axis xyz=\"0 0 1\"/>" +
         (type == "prismatic" ? "<limit lower=\"0\" upper=\"0.04\" effort=\"20\" velocity=\"0.2\"/>"
                              : "") +
         "</joint>";
}

// Fingers may move, or be fixed in the file; the tip is what carries them.
TEST(Targets, AFingerIsNoTip) {
  TemporaryFolder folder;
  const auto tip = [&](const std::string& hand) {
    std::string text = "<robot name=\"r\">" + link("base", 0);
    std::string last = "base";
    for (const char* name : {"l1", "l2", "l3", "l4"}) {
      text += link(name, 1) + joint("continuous", last, name);
      last = name;
    }
    return run_json({"info", folder.write("r.urdf", text + hand + "</robot>")})["tip"];
  };
  const std::string ee = link("end_effector", 0) + joint("fixed", "l4", "end_effector");
  EXPECT_EQ(tip(ee), "end_effector");
  for (const char* type : {"fixed", "prismatic"})
    EXPECT_EQ(tip(ee + link("finger_1", 0.1) + joint(type, "l4", "finger_1") +
                  link("finger_2", 0.1) + joint(type, "l4", "finger_2") + link("tip_2", 0.1) +
                  joint("fixed", "finger_2", "tip_2")),
              "end_effector")
        << type;
  // Fingers may sit on the place for tools itself; a hand with mass is no flange.
  for (const double mass : {0.0, 0.3})
    EXPECT_EQ(tip(link("tool0", mass) + joint("fixed", "l4", "tool0") + link("left", 0.1) +
                  joint("prismatic", "tool0", "left") + link("right", 0.1) +
                  joint("prismatic", "tool0", "right")),
              mass > 0 ? "l4" : "tool0");
  // A hand with a place between its fingers: the tip is what carries the hand.
  EXPECT_EQ(tip(link("flange", 0) + joint("fixed", "l4", "flange") + link("camera", 0.1) +
                joint("fixed", "flange", "camera") + link("hand", 0.7) +
                joint("fixed", "flange", "hand") + link("hand_tcp", 0) +
                joint("fixed", "hand", "hand_tcp") + link("left", 0.1) +
                joint("prismatic", "hand", "left") + link("right", 0.1) +
                joint("prismatic", "hand", "right")),
            "flange");
  // One body after another is a tool, not a gripper.
  EXPECT_EQ(tip(link("tool", 0.5) + joint("fixed", "l4", "tool") + link("tcp", 0) +
                joint("fixed", "tool", "tcp")),
            "tcp");
}

// Fingers of a MuJoCo model that an equation couples are fingers, too.
TEST(Targets, CoupledFingersAreNoTip) {
  TemporaryFolder folder;
  const std::string robot = folder.write("r.xml", R"(<mujoco model="r"><worldbody>
<body name="l1"><joint name="j1" axis="0 0 1"/><geom size="0.1"/>
<body name="l2" pos="0.3 0 0"><joint name="j2" axis="0 1 0"/><geom size="0.1"/>
<body name="l3" pos="0.3 0 0"><joint name="j3" axis="0 1 0"/><geom size="0.1"/>
<body name="hand" pos="0.1 0 0"><geom size="0.05"/>
<body name="left"><joint name="f1" type="slide" axis="0 1 0"/><geom size="0.02"/></body>
<body name="right"><joint name="f2" type="slide" axis="0 -1 0"/><geom size="0.02"/></body>
</body></body></body></body></worldbody>
<equality><joint joint1="f1" joint2="f2"/></equality></mujoco>)");
  EXPECT_EQ(run_json({"info", robot})["tip"], "l3");
}

// A pose is a pose, whichever way it is written; the output of one command is the input of the
// next.
TEST(Targets, ExperimentsAndPlatformsTakeEveryFormOfAPose) {
  TemporaryFolder folder;
  const auto final_of = [&](const std::string& to) {
    const std::string file = folder.write(
        "e.yaml", "experiment: 1\nrobot: stewart-6-6\npath: {frame: platform, line: {to: " + to +
                      "}, time: 1 s}\n");
    return run_json({"simulate", file})["final"]["q"];
  };
  const Json turned = final_of("{position: [0, 0, 0.6], rpy: [0, 0, 10 deg]}");
  expect_json(final_of("{position: [0, 0, 0.6], axis-angle: [0, 0, 2, 10 deg]}"), turned, 1e-12);
  const double c = std::cos(M_PI / 18), s = std::sin(M_PI / 18);
  const std::string rows = "[" + std::to_string(c) + ", " + std::to_string(-s) + ", 0, 0], [" +
                           std::to_string(s) + ", " + std::to_string(c) + ", 0, 0], [0, 0, 1, 0.6]";
  expect_json(final_of("{matrix: [" + rows + "]}"), turned, 1e-6);
  expect_json(final_of("{matrix: [" + rows + ", [0, 0, 0, 1]]}"), turned, 1e-6);
  const std::string q = turned.dump();
  const Outcome fk = run_cli({"fk", "stewart-6-6", "--q", q.substr(1, q.size() - 2), "--json"});
  const std::string there = folder.write("there.json", fk.out);
  expect_json(final_of("{file: there.json}"), turned, 1e-9);
  // All frames are in it: the platform's own is taken.
  expect_json(run_json({"platform", "stewart-6-6", "--pose", there})["pose"]["position"],
              {0, 0, 0.6}, 1e-9);
  const auto refused = [&](const std::string& to, const std::vector<std::string>& says) {
    expect_refusal({"simulate", folder.write("bad.yaml",
                                             "experiment: 1\nrobot: stewart-6-6\npath: {frame: "
                                             "platform, line: {to: " +
                                                 to + "}, time: 1 s}\n")},
                   says);
  };
  refused("{matrix: [[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 1, 0]]}", {"rotation"});
  refused("{matrix: [[1, 0, 0, 0], [0, 1, 0, 0]]}", {"four rows"});
  refused("{position: [0, 0, 0], matrix: [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]}", {"several"});
  refused("{axis-angle: [0, 0, 0, 1]}", {"axis is zero"});
  refused("{file: absent.json}", {"absent.json"});
}

TEST(Targets, SolutionsOfARedundantArmAreSaidToBeSamples) {
  const Outcome seven =
      run_cli({"ik", "iiwa14", "--position", "0.4,0.1,0.6", "--rpy", "0,2,0", "--all", "--json"});
  EXPECT_THAT(seven.err, HasSubstr("leaves the robot 1 degree of freedom"));
  const Outcome six =
      run_cli({"ik", "ur5e", "--position", "0.4,0.1,0.4", "--rpy", "0,2,0", "--all", "--json"});
  EXPECT_THAT(six.err, Not(HasSubstr("degree of freedom")));
}

// Manseur and Doty's arm (1989), which reaches one pose in sixteen postures.
TEST(Targets, AGeneralArmFromAUrdfHasSixteenPostures) {
  TemporaryFolder folder;
  const double a[] = {0.3, 1, 0, 1.5, 0, 0}, d[] = {0, 0, 0.2, 0, 0, 0};
  const double alpha[] = {M_PI / 2, M_PI / 180, M_PI / 2, M_PI / 180, M_PI / 2, M_PI / 180};
  std::ostringstream text;
  text.precision(17);
  text << "<robot name=\"manseur-doty\">" << link("l0", 0);
  for (int k = 0; k <= 6; ++k) {
    const std::string name = k < 6 ? "l" + std::to_string(k + 1) : "tool";
    text << link(name, k < 6 ? 1 : 0) << "<joint name=\"j" << k + 1 << "\" type=\""
         << (k < 6 ? "continuous" : "fixed") << "\"><parent link=\"l" << k << "\"/><child link=\""
         << name << "\"/><axis xyz=\"0 0 1\"/>";
    if (k > 0)
      text << "<origin xyz=\"" << a[k - 1] << " 0 " << d[k - 1] << "\" rpy=\"" << alpha[k - 1]
           << " 0 0\"/>";
    text << "</joint>";
  }
  const Json all = run_json(
      {"ik", folder.write("md.urdf", text.str() + "</robot>"), "--matrix",
       "-0.760117,-0.641689,0.102262,-1.140175,0.133333,0,0.991071,0,-0.635959,0.766965,0.085558,0,"
       "0,0,0,1",
       "--all"});
  EXPECT_EQ(all["frame"], "tool");
  EXPECT_EQ(all["method"], "elimination");
  ASSERT_EQ(all["solutions"].size(), 16u);
  for (const Json& solution : all["solutions"]) {
    EXPECT_LT(double(solution["residual"]), 1e-10);
    for (const Json& q : solution["q"]) EXPECT_LE(std::abs(double(q)), M_PI + 1e-12);
  }
}

TEST(Targets, APlatformStartsAtItsHomePose) {
  TemporaryFolder folder;
  const std::string file = folder.write(
      "e.yaml", "experiment: 1\nrobot: stewart-6-6\nduration: 1 ms\ngravity: [0, 0, 0]\n");
  const Json home = run_json({"platform", "stewart-6-6"});
  const Json fk = run_json({"fk", "stewart-6-6"})["frames"]["platform"];
  expect_json(fk["position"], home["pose"]["position"], 1e-12);
  const Json q = run_json({"simulate", file})["final"]["q"];
  EXPECT_NEAR(double(q[9]), double(home["drives"][0]), 1e-9);  // after seven of float, two of leg1
}

TEST(Targets, TheMotorIsAtTheEntryThatIsNotZero) {
  const Outcome outcome = run_cli({"inverse", "slider-crank", "--v", "1,0,0", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["actuated"], Json({"crank"}));
  EXPECT_THAT(outcome.err, HasSubstr("the motor is at crank, whose motion was given"));
}

TEST(Targets, ModalCoordinatesByName) {
  const auto tip = [](const std::string& elastic) {
    return run_json({"fk", "flexible-two-link", "--elastic", elastic})["frames"]["tip"];
  };
  expect_json(tip("inboard.y1=0.01"), tip("0.01,0,0,0,0,0,0,0"), 0);
  expect_json(tip("all=0.01,outboard.y4=0"), tip("0.01,0.01,0.01,0.01,0.01,0.01,0.01,0"), 0);
  expect_refusal({"fk", "flexible-two-link", "--elastic", "inbord.y1=0.01"},
                 {"did you mean 'inboard.y1'?"});
}

}  // namespace
}  // namespace ulna::test
