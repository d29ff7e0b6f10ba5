// `ulna matrices` gives what the authors of the 4x4 method printed; its coefficients make up the
// efforts.

#include <gmock/gmock.h>

#include <fstream>

#include "run_cli.hpp"
#include "support/json_data.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

Json test_data(const std::string& name) { return testing::read_data(name); }

std::string joined(const Json& numbers) {
  std::string out;
  for (const Json& x : numbers) out += (out.empty() ? "" : ",") + x.dump();
  return out;
}

Json rows_of_four(const Json& flat) {
  Json rows = Json::array();
  for (std::size_t r = 0; r < 4; ++r)
    rows.push_back({flat[4 * r], flat[4 * r + 1], flat[4 * r + 2], flat[4 * r + 3]});
  return rows;
}

TEST(Matrices, OfTheShippedScaraAreThoseOfItsAuthors) {
  // Printed to four decimals; 180 degrees here are 3.14159 there, 3e-6 times arms and forces.
  const Json arm = test_data("legnani_programs.json")["robots"][1];
  ASSERT_EQ(arm["steps"].size(), 2u);
  for (const Json& step : arm["steps"]) {
    const Json& motion = step["motion"];
    const Json found = run_json({"matrices", "scara", "--q", joined(motion["q"]), "--v",
                                 joined(motion["v"]), "--a", joined(motion["a"])});
    ASSERT_EQ(found["links"].size(), step["links"].size());
    for (std::size_t i = 0; i < step["links"].size(); ++i) {
      const Json& link = found["links"][i];
      EXPECT_EQ(link.size(), 3u + 12u + 1u);
      EXPECT_EQ(link["body"], "link" + std::to_string(i + 1));
      EXPECT_EQ(link["joint"], "joint" + std::to_string(i + 1));
      ASSERT_EQ(step["links"][i].size(), 12u);
      for (const auto& [key, printed] : step["links"][i].items())
        expect_json(link[key], rows_of_four(printed), 2e-4, link["body"].get<std::string>() + key);
    }
  }
}

TEST(Matrices, OfAFourBarHoldTheJointThatClosesIt) {
  const Json found = run_json({"matrices", "four-bar", "--q", "joint1=30deg", "--v", "joint1=2"});
  ASSERT_EQ(found["closing"].size(), 1u);
  EXPECT_EQ(found["closing"][0]["screws"].size(), 1u);
  EXPECT_EQ(found["independent"].size(), 1u);
  EXPECT_EQ(found["D_ijk"].size(), 1u);
  EXPECT_EQ(found["links"][0].size(), 3u + 12u + 1u);
  const Json efforts = run_json({"inverse", "four-bar", "--q", "joint1=30deg", "--v", "joint1=2"});
  expect_json(found["tau"], efforts["tau"], 1e-9);
}

/// The Stanford arm of Legnani et al., Part 2, as a robot file.
std::string stanford_arm(const Json& n) {
  const std::string d2 = n["d2"].dump(), d4 = n["d4"].dump();
  const std::string places[] = {"alpha: -90 deg", "d: " + d2 + ", alpha: 90 deg",
                                "theta: 0",       "d: " + d4 + ", alpha: -90 deg",
                                "alpha: 90 deg",  "theta: 0"};
  std::string bodies, joints;
  for (std::size_t i = 0; i < 6; ++i) {
    const std::string name = "link" + std::to_string(i + 1);
    const Json& t = n["inertias"][i];
    const Json tensor = {{t[0], t[3], t[5]}, {t[3], t[1], t[4]}, {t[5], t[4], t[2]}};
    bodies += "  - {name: " + name + ", mass: " + n["masses"][i].dump() +
              ", centre: " + n["centres"][i].dump() + ", inertia: " + tensor.dump() + "}\n";
    joints += "  - {name: joint" + std::to_string(i + 1) +
              ", type: " + (i == 2 ? "prismatic" : "revolute") +
              ", parent: " + (i == 0 ? "world" : "link" + std::to_string(i)) + ", child: " + name +
              ", dh: {convention: standard, " + places[i] + "}}\n";
  }
  return "ulna: 1\nname: stanford\ngravity: " + n["gravity"].dump() + "\nbodies:\n" + bodies +
         "joints:\n" + joints;
}

TEST(Matrices, OfTheStanfordArmWithALoadAtItsTip) {
  // Computed independently from the equations of the paper; sizes up to 200, so 1e-11 is some
  // hundred roundings.
  const Json n = test_data("legnani_stanford.json");
  const TemporaryFolder folder;
  // The load is given in the axes of the last frame, the option takes world axes.
  std::vector<double> load(6, 0);
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) {
      const double R = n["M06"][4 * r + c];
      load[r] += R * n["tip_wrench"][3 + c].get<double>();
      load[3 + r] += R * n["tip_wrench"][c].get<double>();
    }
  const Json found =
      run_json({"matrices", folder.write("stanford.yaml", stanford_arm(n)), "--q", joined(n["q"]),
                "--v", joined(n["v"]), "--a", joined(n["a"]), "--wrench", "link6:" + joined(load)});
  ASSERT_EQ(found["links"].size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const Json& link = found["links"][i];
    expect_json(link["screws"], Json::array({rows_of_four(n["L0"][i])}), 1e-11);
    expect_json(link["joint_action"], rows_of_four(n["joint_action"][i]), 1e-11);
  }
  expect_json(found["links"][5]["absolute_position"], rows_of_four(n["M06"]), 1e-11);
  expect_json(found["links"][5]["absolute_velocity"], rows_of_four(n["W06"]), 1e-11);
  expect_json(found["links"][5]["absolute_acceleration"], rows_of_four(n["H06"]), 1e-11);
  for (std::size_t i = 0; i < 36; ++i)
    EXPECT_NEAR(found["D_ij"][i / 6][i % 6].get<double>(), n["mass_matrix"][i].get<double>(),
                1e-11);
}

TEST(Matrices, CoefficientsMakeUpTheEfforts) {
  // tau_i = D_i + sum_j D_ij a_j + sum_jk D_ijk v_j v_k for an arm without rotors and friction.
  const std::vector<double> v = {0.3, -0.2, 0.5, 1, -1, 0.7}, a = {1, 2, -1, 0.5, 0.2, -3};
  const std::string q = "0.1,0.7,0.3,-0.4,0.5,1.2";
  const Json D = run_json({"matrices", "stanford", "--q", q});
  const Json tau = run_json({"inverse", "stanford", "--q", q, "--v", joined(v), "--a", joined(a)});
  for (std::size_t i = 0; i < 6; ++i) {
    double sum = D["D_i"][i];
    for (std::size_t j = 0; j < 6; ++j) {
      sum += D["D_ij"][i][j].get<double>() * a[j];
      for (std::size_t k = 0; k < 6; ++k) sum += D["D_ijk"][i][j][k].get<double>() * v[j] * v[k];
    }
    EXPECT_NEAR(sum, tau["tau"][i].get<double>(), 1e-11) << i;
  }
  expect_json(D["D_ij"], run_json({"mass", "stanford", "--q", q})["M"], 1e-12);
}

TEST(Matrices, OneBodyAndALoad) {
  const TemporaryFolder folder;
  const std::string arm = folder.write("planar.yaml", planar_arm);
  // Stretched along x, at rest, 2 N upwards on the lower link's origin at x = 1.
  const Json found = run_json({"matrices", arm, "--body", "lower", "--wrench", "lower:0,2,0"});
  ASSERT_EQ(found["links"].size(), 1u);
  const Json& lower = found["links"][0];
  EXPECT_EQ(lower["parent"], "upper");
  // Weight 9.81 N down at x = 1.25 and the load: force along y, moment about z.
  const double f = 2 - g0, m = 2 * 1 - g0 * 1.25;
  expect_json(lower["link_action"],
              Json::array({{0, -m, 0, 0}, {m, 0, 0, f}, {0, 0, 0, 0}, {0, -f, 0, 0}}), 1e-13);
  expect_json(lower["joint_action"], lower["link_action"], 0);
  expect_json(lower["screws"],
              Json::array({{{0, -1, 0, 0}, {1, 0, 0, -1}, {0, 0, 0, 0}, {0, 0, 0, 0}}}), 1e-15);
  const Outcome text = run_cli({"matrices", arm});
  EXPECT_EQ(text.status, 0);
  for (const char* part : {"upper, held by world through shoulder", "absolute acceleration",
                           "action on its joint", "D_ijk, i = elbow"})
    EXPECT_THAT(text.out, HasSubstr(part));
}

TEST(Matrices, BadInputIsNamed) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--body", "link9"}, "'link9'"},
      {{"--body", "world"}, "world is not a link"},
      {{"--q", "0,0"}, "--q"},
      {{"--v", "0,nan,0"}, "nan"},
      {{"--a", "0,0,0,0"}, "--a"},
      {{"--wrench", "link9:0,0,1"}, "'link9'"},
      {{"--wrench", "link3"}, "--wrench"}};
  for (const auto& [words, says] : cases) {
    std::vector<std::string> all = {"matrices", "scara"};
    all.insert(all.end(), words.begin(), words.end());
    expect_refusal(all, {says});
  }
}

}  // namespace
}  // namespace ulna::test
