// ulna generate: files that appear complete, counts in JSON, and refusals that help.

#include <cstdlib>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

TEST(Generate, WritesAFunctionAndItsTest) {
  const TemporaryFolder folder;
  const Json out = run_json({"generate", "scara", "--function", "inverse", "--language", "c", "-o",
                             folder.path("new/folder")});
  ASSERT_EQ(out["files"].size(), 3u);
  for (const Json& file : out["files"]) EXPECT_FALSE(content_of(file).empty()) << file;
  for (const char* key : {"mul", "add", "div", "sqrt", "trig"})
    EXPECT_TRUE(out["operations"][key].is_number_integer()) << key;
  EXPECT_EQ(out["operations"]["trig"], 1);  // of the second angle alone
  EXPECT_EQ(out["operations"]["div"], 0);
}

TEST(Generate, SymbolicParametersAddAPrepareFunction) {
  const TemporaryFolder folder;
  const Json out = run_json({"generate", "scara", "--function", "mass", "--language", "python",
                             "--symbolic", "inertias,lengths", "-o", folder.path("")});
  EXPECT_TRUE(out.contains("prepare_operations"));
  EXPECT_NE(content_of(out["files"][0]).find("def scara_mass_prepare(p)"), std::string::npos);
}

TEST(Generate, LoopsNameTheirMotors) {
  const TemporaryFolder folder;
  const Json out = run_json({"generate", "five-bar", "--function", "loop-inverse", "--language",
                             "c", "--actuated", "left,right", "-o", folder.path("")});
  EXPECT_EQ(out["actuated"], (Json{"left", "right"}));
  EXPECT_NE(content_of(out["files"][0]).find("which must be independent"), std::string::npos);
  expect_refusal({"generate", "five-bar", "--function", "loop-inverse", "--language", "c",
                  "--actuated", "left"},
                 {"1 actuated", "2 degrees of freedom"});
  expect_refusal({"generate", "five-bar", "--function", "loop-inverse", "--language", "c",
                  "--actuated", "left,rigth"},
                 {"rigth", "right"});
  expect_refusal({"generate", "five-bar", "--function", "mass", "--language", "c"},
                 {"has a loop", "inverse, forward"});
  // The older names are still read; inverse and forward mean the same.
  const Json same = run_json({"generate", "five-bar", "--function", "inverse", "--language", "c",
                              "--actuated", "left,right", "-o", folder.path("")});
  EXPECT_EQ(same["operations"], out["operations"]);
  expect_refusal(
      {"generate", "puma560", "--function", "inverse", "--language", "c", "--actuated", "joint1"},
      {"--actuated", "loops"});
  expect_refusal({"generate", "puma560", "--function", "loop-forward", "--language", "c"},
                 {"has no loops"});
}

TEST(Generate, TakesEveryFormulationOfTheTableAndSpeeds) {
  const TemporaryFolder folder;
  const auto generate = [&](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"generate", "intelledex605", "--language", "c", "-o", folder.path("")});
    return words;
  };
  const Json out =
      run_json(generate({"--function", "forward", "--method", "kane", "--speeds", "body:C"}));
  EXPECT_EQ(out["method"], "kane in the speeds body:C");
  run_json(generate({"--function", "mass", "--method", "lagrange-4x4"}));
  EXPECT_EQ(
      run_json(generate({"--function", "inverse", "--method", "influence-coefficients"}))["method"],
      "influence-coefficients");
  run_json(generate({"--function", "mass", "--method", "influence-coefficients"}));
  expect_refusal(generate({"--function", "inverse", "--method", "articulated-body"}),
                 {"'articulated-body'", "accelerations only"});
  expect_refusal(generate({"--function", "energy", "--method", "kane"}), {"energy", "inverse"});
  expect_refusal(generate({"--function", "inverse", "--speeds", "body:C"}), {"kane"});
}

TEST(Generate, RefusesWhatItDoesNotKnow) {
  const std::vector<std::string> head = {"generate", "puma560"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), head.begin(), head.end());
    return words;
  };
  expect_refusal(with({"--function", "invers", "--language", "c"}),
                 {"invers", "did you mean 'inverse'"});
  expect_refusal(with({"--function", "inverse", "--language", "pyton"}),
                 {"pyton", "did you mean 'python'"});
  expect_refusal(with({"--function", "jacobian", "--language", "c", "--frame", "wirst"}),
                 {"wirst", "wrist"});
  expect_refusal(with({"--function", "inverse", "--language", "c", "--symbolic", "masses"}),
                 {"masses", "inertias"});
  expect_refusal(with({"--language", "c"}), {"--function"});
}

TEST(Generate, RefusesAFolderThatCannotBeMadeAndLeavesNothing) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "");
  expect_refusal(
      {"generate", "scara", "--function", "inverse", "--language", "c", "-o", file + "/below"},
      {"file/below"});
  expect_refusal({"generate", "scara", "--function", "inverse", "--language", "c", "-o", file},
                 {"file", "folder"});
}

TEST(Generate, RefusesLoopsByName) {
  const TemporaryFolder folder;
  std::string closed = planar_arm;
  const std::string frames = "frames:";
  closed.insert(closed.find(frames),
                "  - {name: closing, type: revolute, parent: world, child: lower}\n");
  expect_refusal({"generate", folder.write("closed.yaml", closed), "--function", "mass",
                  "--language", "c", "-o", folder.path("out")},
                 {"loop"});
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
}

TEST(Generate, SnapSaysWhatItChanged) {
  const TemporaryFolder folder;
  const std::string robot = folder.write("arm.yaml", R"(ulna: 1
name: arm
bodies:
  - {name: a, mass: 1 kg, centre: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: b, mass: 1 kg, centre: [0.1, 0.2, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  - {name: first, type: revolute, parent: world, child: a}
  - {name: second, type: revolute, parent: a, child: b, dh: {convention: modified, a: 1 m, alpha: 1.5707}}
)");
  std::vector<std::string> words = {"generate", robot, "--function",       "inverse", "--language",
                                    "c",        "-o",  folder.path("out"), "--snap",  "1e-3"};
  const Json exact = run_json(words);
  ASSERT_EQ(exact["snapped"].size(), 1u);
  EXPECT_NE(exact["snapped"][0].get<std::string>().find("second"), std::string::npos);
  words.back() = "1e-9";
  const Json as_given = run_json(words);
  EXPECT_TRUE(as_given["snapped"].empty());
  EXPECT_LT(exact["operations"]["mul"], as_given["operations"]["mul"]);
  words.back() = "2";
  expect_refusal(words, {"at most 0.1"});
}

TEST(Generate, ThoroughSearchesAreCheckedBeforeTheyBegin) {
  const std::vector<std::string> head = {"generate", "scara", "--language", "c", "--function"};
  const auto with = [&](std::vector<std::string> tail) {
    std::vector<std::string> words = head;
    words.insert(words.end(), tail.begin(), tail.end());
    return words;
  };
  expect_refusal(with({"mass", "--thorough", "5"}), {"--thorough", "inverse or bias"});
  expect_refusal(with({"inverse", "--thorough", "-1"}), {"--thorough", "more than 0"});
  expect_refusal(with({"inverse", "--at-most", "10,10"}), {"--at-most", "--thorough"});
  expect_refusal(with({"inverse", "--thorough", "5", "--at-most", "ten"}),
                 {"--at-most", "162,128"});
}

TEST(Generate, InSinglePrecisionWithFixedNames) {
  TemporaryFolder folder;
  const std::string out = folder.path("code"), program = folder.path("test"),
                    log = folder.path("log");
  const Json made = run_json({"generate", "puma560", "--function", "inverse", "--language", "c",
                              "--precision", "float", "--fixed-names", "-o", out});
  EXPECT_EQ(made["function"], "robot_inverse");
  const std::string code = content_of(out + "/robot_inverse.c");
  EXPECT_NE(code.find("const float *restrict q"), std::string::npos);
  EXPECT_EQ(code.find("double"), std::string::npos);
  const std::string command = "cc -std=c99 -Wall -Werror -O1 -o " + program + " " + out +
                              "/robot_inverse.c " + out + "/robot_inverse_test.c -lm && " +
                              program + " > " + log;
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string said = content_of(log);
  const double error = std::stod(said.substr(said.rfind(' ')));
  EXPECT_LT(error, 1e-5);   // a few units in the last place of a float
  EXPECT_GT(error, 1e-12);  // it is not double
  expect_refusal({"generate", "puma560", "--function", "inverse", "--language", "python",
                  "--precision", "float", "-o", out},
                 {"precision", "c or c++"});
}

}  // namespace
}  // namespace ulna::test
