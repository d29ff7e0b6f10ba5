// Steps of a new user from a URDF, a mechanism or a log to the answer: what is chosen is said, what
// is wrong is said once, and what is written can be read by the next command.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

long count_of(const std::string& text, const std::string& part) {
  long count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// ---------------------------------------------------------------- motions from one table

TEST(Everyday, AnExcitationIsFollowedFromItsTable) {
  TemporaryFolder folder;
  folder.write("arm.yaml", planar_arm);
  const std::string motion = folder.path("motion.csv");
  run_json({"identify", folder.path("arm.yaml"), "--excite", "--candidates", "3", "-o", motion});
  const std::vector<std::string> rows = lines_of(content_of(motion));
  EXPECT_EQ(rows.back().substr(0, 3), "10,");  // it ends where it begins
  EXPECT_EQ(rows.back().substr(2), rows[1].substr(1));
  const std::string file = folder.write("follow.yaml", R"(experiment: 1
robot: arm.yaml
duration: 10 s
motions: {table: motion.csv}
record: {interval: 10 ms, channels: [q, tau]}
)");
  const std::string run = folder.path("run");
  const Outcome outcome = run_cli({"simulate", file, "-o", run, "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // The rates of the table are used: the motion is smooth and ends at rest.
  EXPECT_THAT(outcome.err, Not(HasSubstr("jump")));
  const std::vector<std::string> recorded = lines_of(content_of(run + "/run.csv"));
  ASSERT_EQ(recorded.size(), rows.size());
  for (const std::size_t k : {1u, 400u, 1001u}) {
    std::stringstream a(recorded[k]), b(rows[k]);
    for (int cell = 0; cell < 3; ++cell) {
      std::string x, y;
      std::getline(a, x, ','), std::getline(b, y, ',');
      EXPECT_NEAR(std::stod(x), std::stod(y), 1e-9);
    }
  }
}

TEST(Everyday, TablesOfMotionsConvertTheirUnits) {
  TemporaryFolder folder;
  folder.write("arm.yaml", planar_arm);
  folder.write("log.csv", "t[ms],shoulder[deg],elbow[rad]\n0,0,0\n500,45,0.5\n1000,90,1\n");
  const auto final_of = [&](const std::string& motions) {
    const std::string file = folder.write(
        "e.yaml", "experiment: 1\nrobot: arm.yaml\nduration: 1 s\nmotions: " + motions + "\n");
    return run_json({"simulate", file})["final"]["q"];
  };
  expect_json(final_of("{table: log.csv}"), {M_PI / 2, 1}, 1e-9);
  expect_json(final_of("{shoulder: {table: log.csv, value: shoulder}, elbow: 1}"), {M_PI / 2, 1},
              1e-9);
  folder.write("bad.csv", "t,shoulder[m]\n0,0\n1,1\n");
  const std::string bad = folder.write(
      "bad.yaml", "experiment: 1\nrobot: arm.yaml\nduration: 1 s\nmotions: {table: bad.csv}\n");
  expect_refusal({"simulate", bad}, {"bad.csv", "'m' is not that of an angle"});
  folder.write("none.csv", "t,x\n0,0\n1,1\n");
  const std::string none = folder.write(
      "none.yaml", "experiment: 1\nrobot: arm.yaml\nduration: 1 s\nmotions: {table: none.csv}\n");
  expect_refusal({"simulate", none}, {"no column is the motion of a joint", "q.shoulder"});
}

TEST(Everyday, OneMistakeIsReportedOnce) {
  TemporaryFolder folder;
  const auto refused = [&](const std::string& rest) {
    const std::string file =
        folder.write("e.yaml", "experiment: 1\nrobot: puma560\nduration: 2 s\n" + rest + "\n");
    const Outcome outcome = run_cli({"simulate", file});
    EXPECT_EQ(outcome.status, 2);
    return outcome.err;
  };
  EXPECT_EQ(count_of(refused("motions: {all: {file: x.csv}}"), "error:"), 1);
  EXPECT_EQ(count_of(refused("drives: {all: blocked}"), "error:"), 1);
  folder.write("short.csv", "t,joint1,joint2,joint3\n0,0,0,0\n1,1,1,1\n");
  const std::string text = refused("motions: {table: short.csv}");
  EXPECT_EQ(count_of(text, "error:"), 1) << text;
  EXPECT_THAT(text, HasSubstr("outside: hold"));
  // Two mistakes are two.
  EXPECT_EQ(count_of(refused("motions: {joint1: {x: 1}, joint2: {y: 1}}"), "error:"), 2);
}

// ---------------------------------------------------------------- tips and targets

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
TEST(Everyday, AFingerIsNoTip) {
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
  // One body after another is a tool, not a gripper.
  EXPECT_EQ(tip(link("tool", 0.5) + joint("fixed", "l4", "tool") + link("tcp", 0) +
                joint("fixed", "tool", "tcp")),
            "tcp");
}

// Fingers of a MuJoCo model that an equation couples are fingers, too.
TEST(Everyday, CoupledFingersAreNoTip) {
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
TEST(Everyday, ExperimentsAndPlatformsTakeEveryFormOfAPose) {
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

TEST(Everyday, SolutionsOfARedundantArmAreSaidToBeSamples) {
  const Outcome seven =
      run_cli({"ik", "iiwa14", "--position", "0.4,0.1,0.6", "--rpy", "0,2,0", "--all", "--json"});
  EXPECT_THAT(seven.err, HasSubstr("leaves the robot 1 degree of freedom"));
  const Outcome six =
      run_cli({"ik", "ur5e", "--position", "0.4,0.1,0.4", "--rpy", "0,2,0", "--all", "--json"});
  EXPECT_THAT(six.err, Not(HasSubstr("degree of freedom")));
}

// Manseur and Doty's arm (1989), which reaches one pose in sixteen postures.
TEST(Everyday, AGeneralArmFromAUrdfHasSixteenPostures) {
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

TEST(Everyday, APlatformStartsAtItsHomePose) {
  TemporaryFolder folder;
  const std::string file = folder.write(
      "e.yaml", "experiment: 1\nrobot: stewart-6-6\nduration: 1 ms\ngravity: [0, 0, 0]\n");
  const Json home = run_json({"platform", "stewart-6-6"});
  const Json fk = run_json({"fk", "stewart-6-6"})["frames"]["platform"];
  expect_json(fk["position"], home["pose"]["position"], 1e-12);
  const Json q = run_json({"simulate", file})["final"]["q"];
  EXPECT_NEAR(double(q[9]), double(home["drives"][0]), 1e-9);  // after seven of float, two of leg1
}

TEST(Everyday, TheMotorIsAtTheEntryThatIsNotZero) {
  const Outcome outcome = run_cli({"inverse", "slider-crank", "--v", "1,0,0", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["actuated"], Json({"crank"}));
  EXPECT_THAT(outcome.err, HasSubstr("the motor is at crank, whose motion was given"));
}

TEST(Everyday, ModalCoordinatesByName) {
  const auto tip = [](const std::string& elastic) {
    return run_json({"fk", "flexible-two-link", "--elastic", elastic})["frames"]["tip"];
  };
  expect_json(tip("inboard.y1=0.01"), tip("0.01,0,0,0,0,0,0,0"), 0);
  expect_json(tip("all=0.01,outboard.y4=0"), tip("0.01,0.01,0.01,0.01,0.01,0.01,0.01,0"), 0);
  expect_refusal({"fk", "flexible-two-link", "--elastic", "inbord.y1=0.01"},
                 {"did you mean 'inboard.y1'?"});
}

// ---------------------------------------------------------------- tables of runs

TEST(Everyday, BearingsAreThoseThatCarrySomething) {
  TemporaryFolder folder;
  const std::string file = folder.write("e.yaml", R"(experiment: 1
robot: stewart-6-6
duration: 0.2 s
record: {interval: 10 ms, channels: [q]}
)");
  const Outcome outcome = run_cli({"simulate", file});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::size_t bearings = outcome.out.find("Bearings:");
  ASSERT_NE(bearings, std::string::npos);
  EXPECT_THAT(outcome.out.substr(bearings), Not(HasSubstr("\n  float ")));
  EXPECT_THAT(outcome.out.substr(bearings), HasSubstr("\n  leg1_hinge "));
  // Along an experiment in which nothing is driven there are no efforts, but there are bearings.
  const Outcome inverse = run_cli({"inverse", file, "--reactions"});
  EXPECT_THAT(inverse.out, HasSubstr("No joint is driven"));
  EXPECT_THAT(inverse.out, Not(HasSubstr("t [s]\n")));
}

TEST(Everyday, APackageFolderIsRelativeToWhereTheProgramRuns) {
  TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("robot"));
  std::filesystem::create_directories(folder.path("pkg/meshes"));
  const std::string robot =
      folder.write("robot/r.urdf",
                   "<robot name=\"r\"><link name=\"base\"/><link name=\"l\"><inertial><mass "
                   "value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
                   "iyz=\"0\"/></inertial><visual><geometry><mesh "
                   "filename=\"package://parts/meshes/t.stl\"/></geometry></visual></link>" +
                       joint("continuous", "base", "l") + "</robot>");
  folder.write("pkg/meshes/t.stl",
               "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
               "0\nendloop\nendfacet\nendsolid t\n");
  const std::string file =
      folder.write("e.yaml", "experiment: 1\nrobot: robot/r.urdf\nduration: 0.1 s\n");
  const std::string run = folder.path("run"), page = folder.path("page.html");
  ASSERT_EQ(run_cli({"simulate", file, "-o", run}).status, 0);
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path(""));
  const Outcome report = run_cli({"report", run, "--package", "parts=pkg", "-o", page});
  const Outcome view = run_cli({"view", robot, "--package", "parts=pkg", "--no-open", "-o", page});
  std::filesystem::current_path(here);
  EXPECT_EQ(report.status, 0);
  EXPECT_THAT(report.err, Not(HasSubstr("not found")));
  EXPECT_THAT(view.err, Not(HasSubstr("not found")));
}

// ---------------------------------------------------------------- figures

TEST(Everyday, FrequencyResponsesAreBodePlots) {
  TemporaryFolder folder;
  const std::string csv = folder.path("r.csv"), svg = folder.path("r.svg");
  for (const std::string& file : {csv, svg})
    run_json(
        {"linearize", "puma560", "--actuators", "joint2", "--outputs", "q.joint2", "--bode", file});
  EXPECT_EQ(lines_of(content_of(csv))[0],
            "w[rad/s],magnitude.q.joint2 by joint2[dB],phase.q.joint2 by joint2[deg]");
  EXPECT_GT(std::stod(lines_of(content_of(csv))[1]), 0);
  // Decades on the abscissa, phase below magnitude in parts of a turn.
  const std::string bode = content_of(svg);
  EXPECT_THAT(bode, HasSubstr(">0.1</text>"));
  EXPECT_THAT(bode, HasSubstr(">w [rad/s]</text>"));
  EXPECT_LT(bode.find(">magnitude<"), bode.find(">phase<"));
  EXPECT_THAT(bode, HasSubstr(">−180</text>"));
  EXPECT_THAT(bode, HasSubstr(">−135</text>"));

  const std::vector<std::string> response = {"modes",         "t3r3-frame", "--q",
                                             "0,1,-1",        "--response", "tip.z:tip.z",
                                             "--frequencies", "1:100:1",    "-o"};
  for (const std::string& file : {csv, svg}) {
    std::vector<std::string> words = response;
    words.push_back(file);
    run_json(words);
  }
  EXPECT_EQ(lines_of(content_of(csv))[0],
            "frequency[Hz],magnitude.tip.z by tip.z[m/N],phase.tip.z by tip.z[deg]");
  EXPECT_THAT(content_of(svg), HasSubstr("dB re 1 m/N"));
  EXPECT_LT(content_of(svg).find(">magnitude<"), content_of(svg).find(">phase<"));
  // What was written can be plotted again.
  run_json({"plot", csv, "--x", "log", "--y", "decibel", "-o", folder.path("again.svg")});
  EXPECT_THAT(content_of(folder.path("again.svg")), HasSubstr("dB re 1 m/N"));
}

TEST(Everyday, PanelsOfZerosAreLeftOut) {
  TemporaryFolder folder;
  const std::string table =
      folder.write("a.csv", "t[s],reaction.a.fx[N],reaction.b.fx[N],tau.x[Nm]\n0,1,0,0\n1,2,0,0\n");
  const std::string svg = folder.path("a.svg");
  const Outcome some = run_cli({"plot", table, "-o", svg});
  EXPECT_THAT(some.err, HasSubstr("zero all the time: reaction.b, tau"));
  EXPECT_EQ(count_of(content_of(svg), "class=\"panel\""), 1);
  // What alone is asked for is drawn.
  const Outcome alone = run_cli({"plot", table, "--channels", "tau", "-o", svg});
  EXPECT_EQ(alone.status, 0);
  EXPECT_EQ(count_of(content_of(svg), "class=\"panel\""), 1);
  // Angles in radians take logarithmic axes; only phases stay as they are.
  const std::string angles = folder.write("b.csv", "t[s],q.x[rad]\n0,0.01\n1,100\n");
  run_json({"plot", angles, "--y", "log", "-o", svg});
  EXPECT_THAT(content_of(svg), HasSubstr(">10</text>"));
}

// ---------------------------------------------------------------- logs

TEST(Everyday, UnitsTellEffortsFromCoordinates) {
  TemporaryFolder folder;
  const std::string arm = folder.write("arm.yaml", planar_arm);
  std::string text = "Zeit [s]\tshoulder [deg]\telbow [\xC2\xB0]\tM_shoulder [Nm]\telbow [N m]\n";
  for (int k = 0; k < 400; ++k) {
    const double t = 0.01 * k;
    text += std::to_string(t + 100) + "\t" + std::to_string(20 * std::sin(2 * t)) + "\t" +
            std::to_string(30 * std::cos(3 * t)) + "\t" + std::to_string(std::sin(t)) + "\t" +
            std::to_string(std::cos(t)) + "\n";
  }
  const Json out = run_json({"inverse", arm, "--csv", folder.write("log.csv", text)});
  EXPECT_EQ(out["compared"]["speeds"], Json({"shoulder", "elbow"}));
  const Outcome notes = run_cli({"inverse", arm, "--csv", folder.path("log.csv")});
  EXPECT_THAT(notes.err, HasSubstr("tau.shoulder from 'M_shoulder [Nm]'"));
  EXPECT_THAT(notes.err, HasSubstr("tau.elbow from 'elbow [N m]'"));
  EXPECT_THAT(notes.err, HasSubstr("q.elbow from 'elbow [\xC2\xB0]'"));
  std::string rows = "t,q1,q2\n";
  for (int k = 0; k < 200; ++k)
    rows += std::to_string(0.01 * k) + "," + std::to_string(std::sin(0.05 * k)) + ",0\n";
  expect_refusal({"identify", arm, folder.write("q.csv", rows)},
                 {"efforts of 0 of 2 speeds", "--column tau.JOINT=TITLE"});
}

// ---------------------------------------------------------------- help and lists

TEST(Everyday, CommandsHaveOneLineEach) {
  const Outcome alone = run_cli({});
  EXPECT_EQ(alone.status, 0);
  int groups = 0, commands = 0;
  for (const std::string& line : lines_of(alone.out.substr(0, alone.out.find("\nExamples:")))) {
    if (line.ends_with(":") && line != "Options:") ++groups;
    if (!line.starts_with("  ") || line.starts_with("  -")) continue;
    ++commands;
    ASSERT_GT(line.size(), 34u) << line;
    EXPECT_EQ(line.substr(32, 2), "  ") << line;  // a name, and what it does beside it
    EXPECT_NE(line[34], ' ') << line;
  }
  EXPECT_EQ(groups, 5);
  EXPECT_GT(commands, 30);
}

TEST(Everyday, HelpGoesOnBelowWhatItExplains) {
  for (const char* command : {"ik", "plot", "modes", "identify"}) {
    const std::vector<std::string> lines = lines_of(run_cli({command, "--help"}).out);
    for (std::size_t k = 1; k < lines.size(); ++k) {
      // A paragraph is filled: no line ends early because the text of the program did.
      const std::string &line = lines[k - 1], &next = lines[k];
      if (line.empty() || next.empty() || line[0] == ' ' || next[0] == ' ') continue;
      if (line.ends_with(':') || line.starts_with("Usage") || next.starts_with("Usage")) continue;
      if (line.ends_with('.')) continue;
      EXPECT_GT(line.size() + 1 + next.find(' '), 85u) << command << ": " << line;
    }
    const auto robot = std::ranges::find_if(
        lines, [](const std::string& line) { return line.starts_with("  ROBOT (required)"); });
    if (robot == lines.end()) continue;
    EXPECT_TRUE(robot[1].empty() || robot[1].starts_with(std::string(34, ' ')) ||
                robot[1].substr(32, 2) == "  ")
        << robot[1];
  }
}

TEST(Everyday, AnUnknownCommandIsShort) {
  const Outcome outcome = run_cli({"inverze", "puma560"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'inverse'?"));
  EXPECT_LT(outcome.err.size(), 120u) << outcome.err;
}

TEST(Everyday, RobotsAreListedInGroups) {
  const Outcome text = run_cli({"robots"});
  std::size_t at = 0;
  for (const char* title :
       {"Current arms:", "Arms of the literature:", "Mechanisms and parallel robots:",
        "Flexible robots:", "Benchmark problems:"}) {
    const std::size_t next = text.out.find(title);
    ASSERT_NE(next, std::string::npos) << title;
    EXPECT_GE(next, at);
    at = next;
  }
  std::map<std::string, std::string> group;
  const Json listed = run_json({"robots"});
  for (const Json& robot : listed["robots"])
    group[robot["name"].get<std::string>()] = robot["group"].get<std::string>();
  EXPECT_EQ(group["fr3"], "arms");
  EXPECT_EQ(group["puma560"], "classic");
  EXPECT_EQ(group["unimate"], "classic");
  EXPECT_EQ(group["four-bar"], "mechanisms");
  EXPECT_EQ(group["stewart-6-6"], "mechanisms");
  EXPECT_EQ(group["flexible-four-bar"], "flexible");
  EXPECT_EQ(group["bricard"], "benchmarks");
}

}  // namespace
}  // namespace ulna::test
