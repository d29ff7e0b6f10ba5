// `ulna ik`: every posture of an arm with its name, methods and obstacles.

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "run_cli.hpp"
#include "support/places.hpp"

namespace ulna::test {
namespace {

/// The lengths of a UR5.
constexpr const char* ur5 = R"(
ulna: 1
name: ur5
bodies:
  - {name: a, mass: 1}
  - {name: b, mass: 1}
  - {name: c, mass: 1}
  - {name: d, mass: 1}
  - {name: e, mass: 1}
  - {name: f, mass: 1}
joints:
  - {name: j1, type: revolute, parent: world, child: a, dh: {convention: standard, d: 0.089159, alpha: 90 deg}}
  - {name: j2, type: revolute, parent: a, child: b, dh: {convention: standard, a: -0.425}}
  - {name: j3, type: revolute, parent: b, child: c, dh: {convention: standard, a: -0.39225}}
  - {name: j4, type: revolute, parent: c, child: d, dh: {convention: standard, d: 0.10915, alpha: 90 deg}}
  - {name: j5, type: revolute, parent: d, child: e, dh: {convention: standard, d: 0.09465, alpha: -90 deg}}
  - {name: j6, type: revolute, parent: e, child: f, dh: {convention: standard, d: 0.0823}}
)";

TEST(Ik, GivesTheEightPosturesOfAUr5WithTheirNames) {
  TemporaryFolder folder;
  const std::string robot = folder.write("ur5.yaml", ur5);
  for (const char* rotation : {"0,1,0,0", "0.3,0.8,-0.1,0.2"}) {
    const std::vector<std::string> base = {"ik",         robot,    "--position", "0.4,0.1,0.3",
                                           "--rotation", rotation, "--all"};
    const Json all = run_json(base);
    EXPECT_EQ(all["method"], "closed-form");
    ASSERT_EQ(all["solutions"].size(), 8u) << rotation;
    std::set<std::string> names;
    double last = 0;
    for (const Json& solution : all["solutions"]) {
      names.insert(solution["posture"].dump());
      EXPECT_GE(double(solution["distance"]), last - 1e-12);
      last = solution["distance"];
    }
    EXPECT_EQ(names.size(), 8u);
    std::vector<std::string> general = base;
    general.insert(general.end(), {"--method", "elimination"});
    EXPECT_EQ(run_json(general)["solutions"].size(), 8u);
  }
}

/// The same arm with these limits at every joint.
std::string limited_ur5(const std::string& limits) {
  const std::string more = "limits: {" + limits + ", effort: 100, velocity: 3}, ";
  std::string text = ur5;
  for (std::size_t at = text.find("dh: {"); at != std::string::npos;
       at = text.find("dh: {", at + more.size() + 1))
    text.insert(at, more);
  return text;
}

// Ranges of two turns and more do not make more postures, in YAML or URDF; each is brought inside.
TEST(Ik, PosturesLieWithinTheLimitsAndDifferByMoreThanTurns) {
  TemporaryFolder folder;
  const auto solutions = [&](const std::string& limits, std::vector<std::string> more = {}) {
    const std::string yaml = folder.write("ur5.yaml", limited_ur5(limits));
    const std::string urdf = folder.path("ur5.urdf");
    run_json({"convert", yaml, "-o", urdf});
    std::vector<Json> found;
    for (const std::string& robot : {yaml, urdf}) {
      std::vector<std::string> words = {
          "ik",          robot,        "--frame",          "f",    "--position",
          "0.4,0.1,0.3", "--rotation", "0.3,0.8,-0.1,0.2", "--all"};
      words.insert(words.end(), more.begin(), more.end());
      const Json all = run_json(words);
      EXPECT_EQ(all["method"], "closed-form");
      found.push_back(all["solutions"]);
    }
    EXPECT_EQ(found[0].size(), found[1].size());
    for (std::size_t k = 0; k < found[0].size(); ++k)
      expect_json(found[1][k]["q"], found[0][k]["q"], 1e-6);
    return found[0];
  };
  const auto same = [](const Json& a, const Json& b) {
    double apart = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
      apart = std::max(apart, std::abs(std::remainder(double(a[k]) - double(b[k]), 2 * M_PI)));
    return apart < 1e-6;
  };
  const auto expect_inside = [&](const Json& list, double lower, double upper) {
    ASSERT_EQ(list.size(), 8u);
    double last = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (const Json& q : list[i]["q"]) EXPECT_TRUE(q >= lower - 1e-9 && q <= upper + 1e-9) << q;
      for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(same(list[i]["q"], list[k]["q"]));
      EXPECT_GE(double(list[i]["distance"]), last - 1e-9);
      last = list[i]["distance"];
    }
  };
  expect_inside(solutions("lower: -360 deg, upper: 360 deg"), -2 * M_PI, 2 * M_PI);
  expect_inside(solutions("lower: -1080 deg, upper: 1080 deg"), -M_PI, M_PI);
  expect_inside(solutions("lower: 180 deg, upper: 540 deg"), M_PI, 3 * M_PI);
  // Nearest to the start, turns counted.
  const Json near = solutions("lower: -1080 deg, upper: 1080 deg", {"--start", "6,6,6,6,6,6"});
  for (const Json& solution : near)
    for (const Json& q : solution["q"]) EXPECT_LE(std::abs(double(q) - 6), M_PI + 1e-9);
}

TEST(Ik, TakesTheMethodsOfAssemblies) {
  for (const char* method : {"gauss-newton", "newton-raphson", "davidon-fletcher-powell"}) {
    const Json found =
        run_json({"ik", "puma560", "--position", "0.4,0.1,0.3", "--rotation", "0,1,0,0",
                  "--tolerance", "1e-7", "--start", "0.2,-1,1,0.1,0.5,0", "--method", method});
    EXPECT_EQ(found["method"], method);
    ASSERT_EQ(found["solutions"].size(), 1u) << method;
  }
  expect_refusal({"ik", "puma560", "--position", "0.4,0.1,0.3", "--method", "guessing"},
                 {"--method", "elimination"});
  expect_refusal({"ik", "planar-3r", "--position", "0.4,0.1,0", "--method", "elimination"},
                 {"elimination", "orientation"});
}

TEST(Ik, KeepsOutOfObstacles) {
  const std::vector<std::string> base = {"ik", "planar-3r", "--position", "0.3,0.3,0"};
  const Json free = run_json(base)["solutions"];
  ASSERT_EQ(free.size(), 1u);
  // The elbow of the posture that is nearest to neutral is no longer allowed.
  const auto text = [](const Json& x) { return std::to_string(double(x)); };
  const Json q = free[0]["q"];
  const Json fk = run_json({"fk", "planar-3r", "--frame", "link2", "--q",
                            text(q[0]) + "," + text(q[1]) + "," + text(q[2])});
  const Json place = fk["frames"]["link2"]["position"];
  std::vector<std::string> blocked = base;
  blocked.insert(blocked.end(),
                 {"--obstacle", "sphere:" + text(place[0]) + "," + text(place[1]) + ",0,0.02",
                  "--keep-out", "link2"});
  const Json found = run_json(blocked)["solutions"];
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GE(double(found[0]["distance"]), double(free[0]["distance"]) - 1e-9);
  EXPECT_GT(std::abs(double(found[0]["q"][0]) - double(free[0]["q"][0])), 1e-3);
  expect_refusal({"ik", "planar-3r", "--position", "0.3,0.3,0", "--obstacle", "ball:1,2,3,4"},
                 {"--obstacle", "half-space"});
  expect_refusal({"ik", "planar-3r", "--position", "0.3,0.3,0", "--clearance", "1"},
                 {"--clearance", "--obstacle"});
}

}  // namespace
}  // namespace ulna::test
