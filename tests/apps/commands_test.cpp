// One golden test per command: the structure of its JSON exactly, its numbers to rounding. The
// planar arm stands with its upper link along x and its lower link along y, where all can be worked
// out by hand: M = [1.7825 0.0825; 0.0825 0.0825], h = -m2 l1 c2 sin(q2) = -0.25, gravity (2 g, 0).

#include <gmock/gmock.h>
#include <filesystem>

#include <cstdlib>
#include <fstream>
#include <numbers>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using std::numbers::pi;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double rounding = 1e-13;  // a few hundred units in the last place of numbers near 1
const std::string bent = "0,90deg";

class Commands : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  std::string arm = folder.write("planar.yaml", planar_arm);
};

TEST_F(Commands, InfoDescribesTheRobot) {
  expect_json(run_json({"info", arm}), Json::parse(R"({
    "ulna": 1, "name": "planar", "dof": 2, "mass": 3, "bodies": ["upper", "lower"],
    "joints": [
      {"name": "shoulder", "type": "revolute", "parent": "world", "child": "upper", "dof": 1},
      {"name": "elbow", "type": "revolute", "parent": "upper", "child": "lower", "dof": 1}],
    "loops": [], "mobility": 2, "gravity": [0, -9.81, 0], "frames": ["tool"], "tip": "tool",
    "coordinates": ["shoulder", "elbow"], "speeds": ["shoulder", "elbow"],
    "closing_coordinates": [], "closing_speeds": [],
    "limits": {"lower": [-2.9670597283903604, -2.5], "upper": [2.9670597283903604, 2.5],
               "velocity": [3, 3], "effort": [100, null]}})"),
              rounding);
}

TEST_F(Commands, InfoOfALoopHasItsMobility) {
  const std::string loop = folder.write("loop.yaml", R"(
ulna: 1
name: four-bar
bodies:
  - {name: crank, mass: 1, inertia: [1, 1, 1]}
  - {name: coupler, mass: 1, inertia: [1, 1, 1]}
  - {name: rocker, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: a, type: revolute, parent: world, child: crank}
  - {name: b, type: revolute, parent: crank, child: coupler, at: [1, 0, 0]}
  - {name: c, type: revolute, parent: world, child: rocker, at: [0, 1, 0]}
  - {name: d, type: revolute, parent: coupler, child: rocker, at: [0, 1, 0], child_at: [-1, 0, 0], cut: true}
)");
  const Json info = run_json({"info", loop});
  EXPECT_EQ(info["loops"], Json::parse(R"(["d"])"));
  EXPECT_EQ(info["joints"].size(), 4u);
  EXPECT_EQ(info["mobility"], 1);
  EXPECT_EQ(info["mobility_report"]["rank"], 2);
  EXPECT_EQ(info["mobility_report"]["gruebler"], -2);
  EXPECT_EQ(run_json({"inverse", loop})["dof"], 1);
}

TEST_F(Commands, CheckListsWhatWasUsed) {
  const Json check = run_json({"check", arm, "--strict"});
  EXPECT_EQ(check.size(), 7u);
  EXPECT_EQ(check["ulna"], 1);
  EXPECT_EQ(check["ok"], true);
  EXPECT_EQ(check["changed"], Json::array());
  EXPECT_EQ(check["ignored"], Json::array());
  EXPECT_EQ(check["problems"], Json::array());
  EXPECT_EQ(check["notes"], Json::array());
  ASSERT_EQ(check["used"].size(), 5u);
  for (const Json& used : check["used"]) EXPECT_THAT(used.get<std::string>(), HasSubstr("line "));
}

TEST_F(Commands, CheckFindsAllProblemsAtOnce) {
  const std::string bad = folder.write("bad.yaml", R"(
ulna: 1
name: bad
bodies:
  - {name: upper, mass: -2}
  - {name: lower, mass: -1}
joints:
  - {name: shoulder, type: revolute, parent: world, child: upper, axis: [0, 0, 0]}
  - {name: elbow, type: revolute, parent: upper, child: lower}
)");
  const Json check = run_json({"check", bad}, 2);
  EXPECT_EQ(check["ok"], false);
  EXPECT_EQ(check["problems"].size(), 3u);
  for (const char* name : {"'upper'", "'lower'", "'shoulder'"})
    EXPECT_THAT(check["problems"].dump(), HasSubstr(name));
}

TEST_F(Commands, StrictRefusesWhatIsOtherwiseIgnored) {
  const std::string urdf = folder.write(
      "extra.urdf", R"(<robot name="extra"><link name="base"/><gazebo><static/></gazebo></robot>)");
  const Json tolerant = run_json({"check", urdf});
  EXPECT_EQ(tolerant["ok"], true);
  EXPECT_EQ(tolerant["ignored"].size(), 1u);
  const Json strict = run_json({"check", urdf, "--strict"}, 2);
  EXPECT_EQ(strict["ok"], false);
  EXPECT_EQ(strict["ignored"].size(), 1u);
  EXPECT_EQ(strict["problems"].size(), 1u);
  EXPECT_EQ(run_cli({"fk", urdf, "--strict"}).status, 2);
  EXPECT_THAT(run_cli({"fk", urdf}).err,
              HasSubstr("1 element that does not affect dynamics was ignored"));
}

TEST_F(Commands, FkPlacesTheFrames) {
  expect_json(run_json({"fk", arm, "--q", bent}), Json::parse(R"({"ulna": 1, "frames": {
    "upper": {"position": [0, 0, 0], "rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
              "quaternion": [1, 0, 0, 0], "rpy": [0, 0, 0]},
    "lower": {"position": [1, 0, 0], "rotation": [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
              "quaternion": [0.70710678118654752, 0, 0, 0.70710678118654752], "rpy": [0, 0, 1.5707963267948966]},
    "tool": {"position": [1, 0.5, 0], "rotation": [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
             "quaternion": [0.70710678118654752, 0, 0, 0.70710678118654752], "rpy": [0, 0, 1.5707963267948966]}}})"),
              rounding);
  const Json one = run_json({"fk", arm, "--frame", "tool"});  // neutral: stretched along x
  expect_json(one["frames"], Json::parse(R"({"tool": {
    "position": [1.5, 0, 0], "rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "quaternion": [1, 0, 0, 0], "rpy": [0, 0, 0]}})"),
              rounding);
}

TEST_F(Commands, JacobianAndItsDerivative) {
  expect_json(run_json({"jacobian", arm, "--q", bent, "--dot", "--v", "1,2"}), Json::parse(R"({
    "ulna": 1, "frame": "tool",
    "jacobian": [[0, 0], [0, 0], [1, 1], [-0.5, -0.5], [1, 0], [0, 0]],
    "jacobian_dot": [[0, 0], [0, 0], [0, 0], [-1, 0], [-1.5, -1.5], [0, 0]]})"),
              rounding);
}

TEST_F(Commands, JacobianOfAPointRelativeToAFrameInItsAxes) {
  const Json relative =
      run_json({"jacobian", arm, "--q", bent, "--frame", "lower", "--point", "500mm,0,0",
                "--relative-to", "upper", "--expressed-in", "lower"});
  expect_json(relative["jacobian"],
              Json::parse("[[0, 0], [0, 0], [0, 1], [0, 0], [0, 0.5], [0, 0]]"), rounding);
}

TEST_F(Commands, IkFindsBothElbowsAndTheRates) {
  const Json result = run_json({"ik", arm, "--position", "1,0.5,0", "--all", "--twist",
                                "0,0,0,-1.5,1,0", "--acceleration", "0,0,0,-4.5,-1.5,0"});
  ASSERT_EQ(result["solutions"].size(), 2u);
  EXPECT_FALSE(result.contains("reason"));
  const bool first_is_bent = result["solutions"][0]["q"][1].get<double>() > 0;
  Json up = result["solutions"][first_is_bent ? 0 : 1];
  const Json down = result["solutions"][first_is_bent ? 1 : 0];
  expect_json(down["q"], Json({2 * std::atan2(0.5, 1), -pi / 2}), 1e-9);
  // The solver's tolerance of 1e-10 shows in all that follows.
  expect_json(up,
              {{"q", {0, pi / 2}},
               {"residual", 0},
               {"distance", pi / 2},
               {"v", {1, 2}},
               {"v_residual", 0},
               {"a", {3, 4}},
               {"a_residual", 0}},
              1e-8);
}

TEST_F(Commands, IkSaysWhyThereIsNoSolution) {
  const Outcome outcome = run_cli({"ik", arm, "--position", "3,0,0", "--json"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("error: "));
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result["solutions"], Json::array());
  EXPECT_FALSE(result["reason"].get<std::string>().empty());
  EXPECT_NEAR(result["best_residual"].get<double>(), 1.5, 1e-6);  // stretched out, it reaches 1.5
  const Outcome plain = run_cli({"ik", arm, "--position", "3,0,0"});
  EXPECT_EQ(plain.status, 1);
  EXPECT_THAT(plain.out, IsEmpty());
}

TEST_F(Commands, IkWarnsOfATwistThatCannotBe) {
  const Outcome outcome = run_cli({"ik", arm, "--position", "1,0.5,0", "--twist", "0,0,0,0,0,1"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("warning: --twist"));
}

TEST_F(Commands, InverseGivesEfforts) {
  // M a + C v + gravity with C v = (-2, 0.25).
  expect_json(run_json({"inverse", arm, "--q", bent, "--v", "1,2", "--a", "3,4"}),
              {{"ulna", 1}, {"method", "newton-euler"}, {"tau", {23.2975, 0.8275}}}, 1e-12);
  // A force of 2 N along -y at the elbow adds what carries it; a moment on the lower link, both.
  expect_json(run_json({"inverse", arm, "--q", bent, "--wrench", "lower:0,-2,0", "--wrench",
                        "lower:0,0,0,0,0,-1"})["tau"],
              {19.62 + 2 + 1, 1}, 1e-12);
  expect_json(run_json({"inverse", arm, "--q", bent, "--gravity", "0,0,-9.81"})["tau"], {0, 0},
              1e-12);
}

TEST_F(Commands, InverseKnowsItsMethods) {
  for (const char* method : {"newton-euler", "newton-euler-4x4", "lagrange-4x4", "kane"})
    expect_json(
        run_json({"inverse", arm, "--q", bent, "--v", "1,2", "--a", "3,4", "--method", method}),
        {{"ulna", 1}, {"method", method}, {"tau", {23.2975, 0.8275}}}, 1e-12);
  expect_json(run_json({"inverse", "intelledex605", "--q", "0.5,1.3,0.5,0.5,0.5,0.5", "--v",
                        "1,-0.5,1,1,1,1", "--method", "kane", "--speeds", "body:C"})["tau"],
              run_json({"inverse", "intelledex605", "--q", "0.5,1.3,0.5,0.5,0.5,0.5", "--v",
                        "1,-0.5,1,1,1,1"})["tau"],
              1e-10);
  const Outcome singular =
      run_cli({"inverse", "intelledex605", "--method", "kane", "--speeds", "body:C"});
  EXPECT_EQ(singular.status, 1);
  EXPECT_THAT(singular.err, HasSubstr("'body:C' are singular"));
  EXPECT_THAT(singular.err, HasSubstr("joint-rates"));
  const Outcome unknown =
      run_cli({"inverse", "intelledex605", "--method", "kane", "--speeds", "body:X"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("'X'"));
  const Outcome other = run_cli({"inverse", arm, "--method", "nonsense"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("'nonsense' is not available"));
  EXPECT_THAT(other.err, HasSubstr("newton-euler"));
}

TEST_F(Commands, RegressorTimesValuesIsTheEfforts) {
  const Json json = run_json({"regressor", arm, "--q", bent, "--v", "1,2", "--a", "3,4"});
  EXPECT_EQ(json.size(), 7u);
  EXPECT_EQ(json["speeds"], Json({"shoulder", "elbow"}));
  ASSERT_EQ(json["parameters"].size(), 20u);
  expect_json(json["others"], {0.0, 0.0}, 1e-12);
  EXPECT_EQ(json["parameters"][1], "mx(upper)");
  expect_json(json["tau"], {23.2975, 0.8275}, 1e-12);
  ASSERT_EQ(json["Y"].size(), 2u);
  // Of the upper link the shoulder feels gravity along x and Izz; the elbow feels nothing.
  expect_json(Json(json["values"].begin(), json["values"].begin() + 10),
              {2, 1, 0, 0, 0.01, 0, 0, 0.7, 0, 0.7}, rounding);
  const Json& row = json["Y"][0];
  expect_json(Json(row.begin(), row.begin() + 10), {0, 9.81, 0, 0, 0, 0, 0, 0, 0, 3}, 1e-12);
  for (int k = 0; k < 10; ++k) EXPECT_EQ(json["Y"][1][k], 0);
  EXPECT_EQ(
      run_json({"regressor", arm, "--rotors", "--friction", "--springs"})["parameters"].size(),
      20u + 5 * 2);
  const Outcome wrong = run_cli({"regressor", arm, "--q", "1,2,3"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--q"));
}

// Two parallel hinges in a vertical plane: of the upper link the moment of inertia and the first
// moment across the axis, to which the lower link's mass is added; of the lower its own three.
TEST_F(Commands, BaseParametersOfAPlanarArm) {
  for (const char* method : {"rank", "grouping"}) {
    const Json json = run_json({"base-parameters", arm, "--method", method});
    EXPECT_EQ(json["method"], method);
    EXPECT_EQ(json["count"], 6);
    EXPECT_EQ(json["count_by_rank"], 6);
    EXPECT_EQ(json["count_by_grouping"], 6);
    ASSERT_EQ(json["base"].size(), 6u);
    EXPECT_EQ(json["base"][0]["text"], "Izz(upper) + m(lower)");
    EXPECT_EQ(json["base"][1]["text"], "mx(upper) + m(lower)");
    EXPECT_EQ(json["base"][2]["text"], "my(upper)");
    EXPECT_EQ(json["base"][3]["parameter"], "Izz(lower)");
    expect_json(json["base"][1]["terms"], {{"mx(upper)", 1}, {"m(lower)", 1}}, 1e-9);
    EXPECT_NEAR(json["base"][0]["value"].get<double>(), 1.7, 1e-9);
    EXPECT_EQ(json["without_effect"].size(), 13u);
  }
  EXPECT_EQ(run_json({"base-parameters", "puma560"})["count"], 36);
  const Outcome unknown = run_cli({"base-parameters", arm, "--method", "guess"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("grouping"));
}

TEST_F(Commands, ForwardUndoesInverseByEveryMethod) {
  const std::pair<const char*, const char*> asked_and_used[] = {
      {"automatic", "articulated-body"},
      {"articulated-body", "articulated-body"},
      {"composite-body", "composite-body"},
      {"kane", "kane"},
      {"lagrange-4x4", "lagrange-4x4"}};
  for (const auto& [asked, used] : asked_and_used)
    expect_json(run_json({"forward", arm, "--q", bent, "--v", "1,2", "--tau", "23.2975,0.8275",
                          "--method", asked}),
                {{"ulna", 1}, {"method", used}, {"a", {3, 4}}}, 1e-11);
}

TEST_F(Commands, ForwardNamesTheJointOfASingularMassMatrix) {
  const std::string massless = folder.write("massless.yaml", R"(
ulna: 1
name: massless
bodies:
  - {name: link}
joints:
  - {name: loose, type: revolute, parent: world, child: link}
)");
  const Outcome outcome = run_cli({"forward", massless, "--json"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("'loose'"));
}

TEST_F(Commands, MassAndItsTerms) {
  const Json M = Json::parse("[[1.7825, 0.0825], [0.0825, 0.0825]]");
  expect_json(run_json({"mass", arm, "--q", bent}), {{"ulna", 1}, {"M", M}}, rounding);
  expect_json(run_json({"mass", arm, "--q", bent, "--terms", "--v", "1,2"}),
              {{"ulna", 1},
               {"M", M},
               {"C", Json::parse("[[-0.5, -0.75], [0.25, 0]]")},
               {"gravity", {19.62, 0}}},
              1e-12);
}

TEST_F(Commands, EnergyAndMomentum) {
  expect_json(run_json({"energy", arm, "--q", bent, "--v", "1,2"}),
              {{"ulna", 1},
               {"kinetic", 1.22125},
               {"potential", 2.4525},
               {"momentum", {0, 0, 1.9475, -0.75, 2, 0}},
               {"centre_of_mass", {2.0 / 3, 1.0 / 12, 0}},
               {"centre_of_mass_velocity", {-0.25, 2.0 / 3, 0}}},
              1e-12);
}

TEST_F(Commands, RobotsListsTheShippedOnes) {
  const Json robots = run_json({"robots"});
  EXPECT_EQ(robots["ulna"], 1);
  std::vector<std::string> names;
  for (const Json& robot : robots["robots"]) {
    names.push_back(robot["name"]);
    EXPECT_TRUE(robot["description"].is_string());
    const Outcome info = run_cli({"info", names.back(), "--json"});
    EXPECT_EQ(info.status, 0) << info.err;
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"intelledex605", "puma560"}));
}

TEST_F(Commands, TheBodiesOfTheIntelledexAreAToF) {
  const Json info = run_json({"info", "intelledex605"});
  EXPECT_EQ(info["bodies"], Json::parse(R"(["A", "B", "C", "D", "E", "F"])"));
  EXPECT_EQ(info["dof"], 6);
}

TEST_F(Commands, ConvertWritesBackWithoutLoss) {
  const std::string copy = folder.path("copy.yaml");
  expect_json(run_json({"convert", arm, "-o", copy}),
              {{"ulna", 1}, {"name", "planar"}, {"file", copy}, {"lost", Json::array()}}, 0);
  EXPECT_EQ(run_json({"info", copy}), run_json({"info", arm}));
  const std::vector<std::string> state = {"--q", "0.1,0.2", "--v", "0.3,0.4", "--a", "0.5,0.6"};
  std::vector<std::string> first = {"inverse", arm}, second = {"inverse", copy};
  first.insert(first.end(), state.begin(), state.end());
  second.insert(second.end(), state.begin(), state.end());
  EXPECT_EQ(run_json(first), run_json(second));
  // Printed, it is the same text; nothing else is left in the folder.
  EXPECT_EQ(run_cli({"convert", arm}).out, content_of(copy));
  EXPECT_EQ(run_json({"convert", arm})["yaml"], content_of(copy));
  const auto entries = std::filesystem::directory_iterator(folder.path(""));
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 2);
}

TEST_F(Commands, ConvertWritesAFileCompleteOrNotAtAll) {
  for (const std::string& place : {folder.path("none/copy.yaml"), folder.path("")}) {
    const Outcome outcome = run_cli({"convert", arm, "-o", place});
    EXPECT_EQ(outcome.status, 2) << place;
    EXPECT_THAT(outcome.err, HasSubstr(place));
  }
  EXPECT_EQ(run_cli({"convert", arm, "-o", folder.path("copy.json")}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(folder.path("copy.json")));
}

TEST_F(Commands, ConvertWritesOtherFormatsAndListsWhatIsLost) {
  for (const std::string ending : {".urdf", ".xml"}) {
    const std::string copy = folder.path("copy" + ending);
    EXPECT_EQ(run_json({"convert", arm, "-o", copy})["file"], copy);
    EXPECT_EQ(run_json({"info", copy})["dof"], run_json({"info", arm})["dof"]);
  }
  const std::string urdf = folder.path("bars.urdf");
  const Json lost = run_json({"convert", "four-bar", "-o", urdf, "--loops", "none"})["lost"];
  EXPECT_THAT(lost.dump(), HasSubstr("closes a loop and is not written"));
  const Outcome refused =
      run_cli({"convert", "four-bar", "--to", "urdf", "--loops", "none", "--strict"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("closes a loop and is not written"));
  EXPECT_THAT(run_cli({"convert", arm, "--to", "mjfc"}).err, HasSubstr("yaml, urdf, mjcf or sdf"));
}

// h5py, where it is installed, finds the numbers of run.csv.
TEST_F(Commands, ConvertWritesARunAsHdf5) {
  const std::string run = folder.path("run"), file = folder.path("run.h5");
  std::ofstream(folder.path("fall.yaml"))
      << "experiment: 1\nname: fall\nrobot: scara\nduration: 0.1 s\nrecord: {interval: 50 ms}\n";
  ASSERT_EQ(run_cli({"simulate", folder.path("fall.yaml"), "-o", run}).status, 0);
  const Outcome outcome = run_cli({"convert", run, "-o", file});
  if (outcome.err.find("built without HDF5") != std::string::npos)
    GTEST_SKIP() << "built without HDF5";
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(content_of(file).substr(1, 3), "HDF");
  // At once, and nothing else is left behind.
  const std::string at_once = folder.path("at-once.h5");
  ASSERT_EQ(run_cli({"simulate", folder.path("fall.yaml"), "-o", at_once}).status, 0);
  EXPECT_EQ(content_of(at_once).substr(1, 3), "HDF");
  EXPECT_FALSE(std::filesystem::exists(at_once + ".run"));
  EXPECT_FALSE(std::filesystem::exists(at_once + ".run.partial"));
  const std::string check = folder.path("check.py");
  std::ofstream(check) << R"(import csv, sys
try:
    import h5py
except ImportError:
    sys.exit(0)
run = h5py.File(sys.argv[1])
rows = list(csv.reader(open(sys.argv[2])))
titles = {run[name].attrs["title"]: name for name in run if name != "ulna"}
for k, title in enumerate(rows[0]):
    assert list(run[titles[title]][:]) == [float(row[k]) for row in rows[1:]], title
assert run["t"].attrs["unit"] == "s"
assert "scara" in run["ulna/robot"].asstr()[()]
)";
  EXPECT_EQ(
      std::system(("/usr/bin/python3 " + check + " " + file + " " + run + "/run.csv").c_str()), 0);
}

TEST_F(Commands, QTakesTheNameOfAPosture) {
  const std::string file = folder.write(
      "posed.yaml",
      std::string(planar_arm) + "postures:\n  - {name: home, q: {shoulder: 0.3, elbow: 40 deg}}\n");
  EXPECT_EQ(run_json({"fk", file, "--q", "home"})["frames"],
            run_json({"fk", file, "--q", "0.3,40deg"})["frames"]);
  EXPECT_THAT(run_cli({"fk", file, "--q", "hom"}).err, HasSubstr("did you mean 'home'?"));
}

TEST_F(Commands, CompletionIsValidShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome script = run_cli({"completion", shell});
    EXPECT_EQ(script.status, 0);
    for (const char* word : {"jacobian", "expressed-in", "newton-euler", "intelledex605"})
      EXPECT_THAT(script.out, HasSubstr(word)) << shell;
    const std::string file = folder.write(shell, script.out);
    const std::string there = std::string("command -v ") + shell + " >/dev/null";
    if (std::system(there.c_str()) != 0) continue;
    EXPECT_EQ(std::system((std::string(shell) + " -n " + file).c_str()), 0);
  }
  EXPECT_EQ(run_cli({"completion", "tcsh"}).status, 2);
  EXPECT_EQ(run_json({"completion", "bash"})["script"], content_of(folder.path("bash")));
}

TEST_F(Commands, BashCompletesCommandsOptionsAndMethods) {
  const std::string script = folder.write("script", run_cli({"completion", "bash"}).out);
  const auto completed = [&](const std::string& words, int count) {
    const std::string command = "bash -c 'source " + script + "; COMP_WORDS=(" + words +
                                "); COMP_CWORD=" + std::to_string(count - 1) +
                                "; _ulna; echo \"${COMPREPLY[*]}\"' > " + folder.path("out");
    EXPECT_EQ(std::system(command.c_str()), 0);
    return content_of(folder.path("out"));
  };
  EXPECT_EQ(completed("ulna jac", 2), "jacobian\n");
  EXPECT_EQ(completed("ulna info intell", 3), "intelledex605\n");
  EXPECT_EQ(completed("ulna fk x --jso", 4), "--json\n");
  EXPECT_EQ(completed("ulna inverse x --method k", 5), "kane\n");
  EXPECT_EQ(completed("ulna fk x --q n", 5), "\n");
}

}  // namespace
}  // namespace ulna::test
