// Measured logs from the command line: identify, inverse --csv, excitation; plots of several runs;
// robots and files to start from.

#include <gmock/gmock.h>

#include <random>
#include <set>
#include <sstream>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

/// A name in a legend: at most 40 characters, shortened inside.
std::string shown_name(const std::string& name) {
  return name.size() <= 40 ? name : name.substr(0, 19) + "…" + name.substr(name.size() - 20);
}

class Logs : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  std::string arm = folder.write("arm.yaml", planar_arm);

  /// A log of the arm along an excitation, as a spreadsheet would write it: semicolons, decimal
  /// commas, milliseconds, degrees, time not from zero.
  std::string spreadsheet(unsigned seed, const std::string& name) {
    const std::string motion = folder.path("motion.csv"), table = folder.path("table.csv");
    run_json({"identify", arm, "--excite", "--rate", "200", "--seed", std::to_string(seed),
              "--candidates", "5", "-o", motion});
    run_json({"inverse", arm, "--csv", motion, "--recorded-rates", "-o", table});
    std::ifstream in(table);
    std::string line, out = "Zeit (ms);Pos shoulder [deg];Pos elbow [deg];Torque_1;Torque_2\n";
    std::getline(in, line);
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    while (std::getline(in, line)) {
      std::vector<double> x;
      std::stringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) x.push_back(std::stod(cell));
      std::ostringstream row;
      row.precision(12);
      row << 1e3 * x[0] + 5000 << ';' << (x[1] + 1e-6 * normal(generator)) * 180 / M_PI << ';'
          << (x[2] + 1e-6 * normal(generator)) * 180 / M_PI << ';'
          << x[7] + 0.05 * normal(generator) << ';' << x[8] + 0.02 * normal(generator) << '\n';
      out += row.str();
    }
    for (char& c : out)
      if (c == '.') c = ',';
    return folder.write(name, out);
  }
};

TEST_F(Logs, IdentifyReadsASpreadsheetAndStatesItsDeviations) {
  const std::string log = spreadsheet(1, "log.csv"), other = spreadsheet(2, "other.csv");
  const std::string robot = folder.path("better.yaml"), plot = folder.path("residuals.svg");
  const Json out =
      run_json({"identify", arm, log, "--validate", other, "-o", robot, "--plot", plot});
  EXPECT_EQ(out["logs"][0]["time_offset"], 5.0);
  EXPECT_NEAR(out["logs"][0]["rate"], 200, 1e-6);
  ASSERT_GT(out["count"], 3);
  for (const Json& one : out["base"])  // five deviations
    EXPECT_NEAR(one["estimate"], one["model"], 5 * one["deviation"].get<double>())
        << one["parameter"];
  EXPECT_LT(out["condition"], 100);
  // The other log is predicted as well as its noise allows.
  EXPECT_LT(out["validation"][0]["error_rms"][0], 0.05);
  EXPECT_LT(out["validation"][0]["error_rms"][1], 0.02);
  EXPECT_THAT(content_of(plot), HasSubstr("Efforts of planar"));
  EXPECT_EQ(run_json({"check", robot})["ok"], true);
  const Outcome words = run_cli({"identify", arm, log});
  EXPECT_THAT(words.err, HasSubstr("semicolons, decimal comma"));
  EXPECT_THAT(words.out, HasSubstr("deviation"));
}

TEST_F(Logs, InverseAlongALogComparesWithMeasuredEfforts) {
  const std::string log = spreadsheet(3, "log.csv"), table = folder.path("out.csv");
  const Json out = run_json({"inverse", arm, "--csv", log, "-o", table});
  EXPECT_EQ(out["speeds"], Json({"shoulder", "elbow"}));
  EXPECT_EQ(out["t"].size(), out["tau"].size());
  EXPECT_LT(out["compared"]["difference_rms"][0], 0.1);  // the noise, filtered
  EXPECT_THAT(content_of(table), HasSubstr("measured.shoulder[Nm]"));
  // Columns told, with a factor; without efforts nothing is compared.
  const std::string plain = folder.write("plain.csv", [] {
    std::string text = "stamp,x1,x2\n";
    for (int k = 0; k < 200; ++k)
      text += std::to_string(k) + "," + std::to_string(1000 * std::sin(0.05 * k)) + ",0\n";
    return text;
  }());
  const Json told = run_json({"inverse", arm, "--csv", plain, "--column", "t=stamp*0.01",
                              "--column", "shoulder=x1*0.001", "--column", "q.elbow=3"});
  EXPECT_NEAR(told["log"]["rate"], 100, 1e-9);
  EXPECT_FALSE(told.contains("compared"));
}

TEST_F(Logs, RefusesWhatItCannotUse) {
  const std::string log = folder.write("a.csv", "t,q.shoulder\n0,0\n1,1\n");
  expect_refusal({"inverse", arm, "--csv", log}, {"a.csv", "2 records", "at least 20"});
  expect_refusal({"inverse", arm, "--csv", log, "--q", "0,0"}, {"--q"});
  expect_refusal({"inverse", arm, "--csv", folder.path("none.csv")}, {"none.csv"});
  expect_refusal({"inverse", arm, "--csv", log, "--column", "q.elbw=2"}, {"elbw", "elbow"});
  expect_refusal({"inverse", arm, "--csv", log, "--column", "q.elbow=9"}, {"column", "9"});
  expect_refusal({"inverse", arm, "--csv", folder.write("b.csv", "no table\n")}, {"no table"});
  expect_refusal({"inverse", arm, "--csv", folder.write("c.csv", "t,x\n0,0\n1,1\n")},
                 {"no column is a coordinate", "--column"});
  expect_refusal({"identify", arm}, {"no log", "--excite"});
  expect_refusal({"identify", "four-bar", "--excite"}, {"loop"});
}

TEST_F(Logs, ExcitationStaysWithinLimitsAndBeginsAtRest) {
  const std::string motion = folder.path("motion.csv");
  const Json out = run_json({"identify", arm, "--excite", "--friction", "-o", motion});
  EXPECT_LT(out["condition"], 100);
  EXPECT_LE(out["peak_velocity"][0], 3 + 1e-9);
  EXPECT_GE(out["lowest"][1], -2.5);
  EXPECT_LE(out["highest"][1], 2.5);
  std::ifstream in(motion);
  std::string title, first;
  std::getline(in, title);
  std::getline(in, first);
  EXPECT_EQ(title.substr(0, 4), "t[s]");
  std::stringstream cells(first);
  std::vector<double> x;
  for (std::string cell; std::getline(cells, cell, ',');) x.push_back(std::stod(cell));
  for (std::size_t k = 3; k < 7; ++k) EXPECT_NEAR(x[k], 0, 1e-9);  // speeds and accelerations
}

TEST_F(Logs, PlotsOfSeveralRunsAndScales) {
  const std::string a =
      folder.write("a.csv", "t[s],q.x[m],reference.x[m]\n0,1,1\n1,2,2.5\n2,1,1\n");
  const std::string b = folder.write("b.csv", "t[s],q.x[m]\n0,3\n2,4\n");
  const std::string svg = folder.path("a.svg"), tex = folder.path("a.tex");
  run_json({"plot", a, b, "-o", svg});
  // Line styles are explained once: of each run, and of commanded values.
  for (const std::string& key : {std::string("x"), a, b, std::string("commanded")})
    EXPECT_THAT(content_of(svg), HasSubstr(">" + shown_name(key) + "</text></g>"));
  const std::string bode = folder.write(
      "f.csv", "f[Hz],magnitude[m/N],phase[deg]\n1,0.1,-10\n10,1,-90\n100,0.001,-170\n");
  run_json({"plot", bode, "--x", "log", "--y", "decibel", "--size", "500x150", "-o", svg});
  EXPECT_THAT(content_of(svg), HasSubstr("dB re 1 m/N"));
  EXPECT_THAT(content_of(svg), HasSubstr("width=\"500\""));
  EXPECT_THAT(content_of(svg), HasSubstr(">−60<"));
  run_json({"plot", a, "--range", "0.5:1.5", "--y-range", "0:3", "-o", svg});
  expect_refusal({"plot", a, "--range", "3:1", "-o", svg}, {"lower end"});
  expect_refusal({"plot", a, "--x", "cubic", "-o", svg}, {"linear or log"});
  run_json({"plot", a, "-o", tex});
  EXPECT_THAT(content_of(tex), HasSubstr("\\begin{tabular}"));
  EXPECT_THAT(content_of(tex), HasSubstr("q.x & m"));
}

TEST_F(Logs, InitWritesFilesThatRun) {
  const std::string name = "my-arm";
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path(""));
  const Json out = run_json({"init", name});
  EXPECT_EQ(out["files"], Json({"my-arm.yaml", "my-arm-experiment.yaml"}));
  EXPECT_EQ(run_json({"check", "my-arm.yaml", "--strict"})["ok"], true);
  run_json({"simulate", "my-arm-experiment.yaml"});
  expect_refusal({"init", name}, {"my-arm.yaml", "exists already"});
  expect_refusal({"init", "a/b"}, {"letters"});
  std::filesystem::current_path(here);
}

TEST_F(Logs, TodaysArmsStandWhereTheirPublicationsSay) {
  const auto at = [](const std::string& robot, const std::string& q) {
    return run_json({"fk", robot, "--q", q})["frames"]["flange"]["position"];
  };
  // UR5e stretched out: a2 + a3 along -x, d4 + d6 along -y, d1 - d5 up.
  expect_json(at("ur5e", "0,0,0,0,0,0"), {-0.8172, -0.2329, 0.0628}, 1e-9);
  // Panda at zero: 0.088 forward, 0.333 + 0.316 + 0.384 - 0.107 up.
  expect_json(at("panda", "0,0,0,0,0,0,0"), {0.088, 0, 0.926}, 1e-9);
  expect_json(at("fr3", "0,0,0,-1,0,1,0"), at("panda", "0,0,0,-1,0,1,0"), 1e-12);
  // iiwa 14 upright: 360 + 420 + 400 + 126 mm.
  expect_json(at("iiwa14", "0,0,0,0,0,0,0"), {0, 0, 1.306}, 1e-9);
  // Gen3 upright: the sums of its lengths and of its offsets across.
  expect_json(at("gen3", "0,0,0,0,0,0,0"), {0, -0.0248501, 1.187385}, 1e-9);
  // UR10e stretched out, like the UR5e.
  expect_json(at("ur10e", "0,0,0,0,0,0"), {-1.18425, -0.2907, 0.06085}, 1e-9);
  // KR 6 R900 stretched out; its name is the reach of the wrist's centre from A1 in mm.
  expect_json(at("kr6r900", "0,0,0,0,0,0"), {0.98, 0, 0.435}, 1e-9);
  EXPECT_NEAR(25 + 455 + std::hypot(420, 35), 901, 1);
  EXPECT_NEAR(run_json({"info", "kr6r900"})["mass"].get<double>(), 33, 0.5);
  // Its successor, of the same reach; the sum of the masses that its description gives.
  expect_json(at("kr6r900-2", "0,0,0,0,0,0"), {0.99, 0, 0.425}, 1e-9);
  EXPECT_NEAR(25 + 455 + std::hypot(420, 25), 901, 1);
  EXPECT_NEAR(run_json({"info", "kr6r900-2"})["mass"].get<double>(), 38.2436, 1e-4);
  std::set<std::string> arms;
  const Json listed = run_json({"robots"});
  for (const Json& robot : listed["robots"])
    if (robot["group"] == "arms") arms.insert(robot["name"]);
  for (const Json& robot : listed["robots"]) {
    if (robot["name"] != "kr6r900") continue;
    EXPECT_THAT(robot["description"].get<std::string>(), HasSubstr("estimated masses"));
  }
  EXPECT_EQ(arms, (std::set<std::string>{"fr3", "gen3", "iiwa14", "kr6r900", "kr6r900-2", "panda",
                                         "ur10e", "ur5e"}));
}

// What a user manual states is what `check` and `simulate` count with.
TEST_F(Logs, LimitsOfTodaysArmsAreThoseOfTheirSources) {
  const auto limits = [&](const std::string& robot, const std::string& joint) {
    const Json info = run_json({"info", robot});
    Json found;
    for (std::size_t k = 0; k < info["coordinates"].size(); ++k)
      if (info["coordinates"][k] == joint)
        for (const auto& [key, values] : info["limits"].items()) found[key] = values[k];
    return found;
  };
  const double degree = M_PI / 180;
  EXPECT_NEAR(limits("ur10e", "shoulder_pan")["velocity"], 120 * degree, 1e-12);
  EXPECT_EQ(limits("ur10e", "shoulder_lift")["effort"], 330);
  EXPECT_EQ(limits("ur10e", "wrist_3_joint")["effort"], 56);
  EXPECT_EQ(limits("ur5e", "elbow")["effort"], 150);
  EXPECT_NEAR(limits("iiwa14", "joint4")["velocity"], 75 * degree, 1e-12);
  EXPECT_EQ(limits("iiwa14", "joint3")["effort"], 176);
  EXPECT_NEAR(limits("gen3", "joint_4")["upper"], 147.8 * degree, 1e-12);
  EXPECT_EQ(limits("fr3", "joint6")["upper"], 4.5169);
  EXPECT_EQ(limits("fr3", "joint7")["velocity"], 5.26);
  EXPECT_NEAR(limits("kr6r900", "A2")["lower"], -190 * degree, 1e-12);
  EXPECT_EQ(limits("kr6r900-2", "A1")["effort"], 334.8);
  EXPECT_NEAR(limits("kr6r900-2", "A6")["velocity"], 540 * degree, 1e-12);
}

}  // namespace
}  // namespace ulna::test
