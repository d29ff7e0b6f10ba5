#include "support/places.hpp"
#include "sweep_fixture.hpp"

namespace ulna::test {
namespace {

// The rows of a study are what the commands say of each robot alone.
TEST_F(Sweep, RowsAreThoseOfSingleRuns) {
  const std::string out = folder.path("out");
  const Json found = run_json({"sweep", study(masses), "-o", out, "--csv"});
  EXPECT_EQ(found["samples"], 6);
  EXPECT_EQ(found["ok"], 6);
  std::string arm = planar_arm;
  arm.replace(arm.find("mass: 2"), 7, "mass: 3");
  folder.write("arm.yaml", arm);
  const std::string table = folder.path("efforts.csv");
  ASSERT_EQ(run_cli({"inverse", folder.path("swing.yaml"), "-o", table}).status, 0);
  // The second column of the table is the effort at the shoulder.
  std::ifstream lines(table);
  std::string line;
  std::getline(lines, line);
  ASSERT_NE(line.find("t[s],tau.shoulder"), std::string::npos);
  double peak = 0;
  while (std::getline(lines, line))
    peak = std::max(peak, std::abs(std::stod(line.substr(line.find(',') + 1))));
  EXPECT_NEAR(found["measures"][0]["largest"].get<double>(), peak, 1e-12 * peak);
}

TEST_F(Sweep, OneSampleAloneIsTheRowOfTheStudy) {
  const std::string file = study(masses), out = folder.path("out");
  run_json({"sweep", file, "-o", out, "--csv"});
  const Json row = run_json({"sweep", file, "--sample", "4", "-o", folder.path("run")});
  EXPECT_EQ(row["parameters"]["m"], 3);
  EXPECT_EQ(row["parameters"]["bodies.lower.mass"], 0.5);
  const std::string csv = content_of(out + "/results.csv");
  std::string line = csv.substr(csv.find("\n4,ok,") + 1);
  line = line.substr(0, line.find('\n'));
  std::vector<std::string> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  ASSERT_EQ(cells.size(), 7u);
  EXPECT_EQ(std::stod(cells[4]), row["measures"]["peak"].get<double>());  // every bit
  EXPECT_TRUE(std::filesystem::exists(folder.path("run/run.csv")));
}

// The same file, byte by byte, by any number of threads and in pieces.
TEST_F(Sweep, ThreadsDoNotChangeTheFile) {
  const std::string file = study(R"(parameters:
  - {name: m, path: bodies.upper.mass, normal: {mean: 2, deviation: 0.3, least: 0.1}}
  - {name: c, path: bodies.upper.centre.x, uniform: {from: 0.3, to: 0.6}}
sampling: {method: sobol, count: 64, indices: true}
run: inverse
measures: {peak: {take: largest, of: abs(tau.shoulder)}}
)");
  const Json one = run_json({"sweep", file, "-o", folder.path("a"), "--threads", "1"});
  run_json({"sweep", file, "-o", folder.path("b"), "--threads", "5"});
  EXPECT_EQ(content_of(folder.path("a/results.h5")), content_of(folder.path("b/results.h5")));
  EXPECT_EQ(one["samples"], 64 * 4);
  const Json& sobol = one["measures"][0]["sobol"];
  EXPECT_GT(sobol["m"]["total"].get<double>() + sobol["c"]["total"].get<double>(), 0.9);
}

// More threads than a process may have, and than there are samples.
TEST_F(Sweep, TooManyThreadsAreAsGoodAsSomeFew) {
  const std::string file = study(masses);
  run_json({"sweep", file, "-o", folder.path("a"), "--threads", "1"});
  run_json({"sweep", file, "-o", folder.path("b"), "--threads", "100000"});
  EXPECT_EQ(content_of(folder.path("a/results.h5")), content_of(folder.path("b/results.h5")));
  expect_refusal({"sweep", file, "-o", ""}, {"no folder"});
}

TEST_F(Sweep, AFailedSampleIsARowWithItsReason) {
  const Json found = run_json({"sweep", study(R"(parameters:
  - {name: m, path: bodies.upper.mass, list: [1, -1, 2]}
run: inverse
measures: {peak: {take: largest, of: abs(tau.shoulder)}}
constraints: [peak <= 15]
)"),
                               "-o", folder.path("out"), "--csv"});
  EXPECT_EQ(found["failed"], 1);
  EXPECT_EQ(found["reasons"][0]["count"], 1);
  EXPECT_NE(content_of(folder.path("out/results.csv")).find("1,failed,-1,,\""), std::string::npos);
}

// The first sample is no better than the others.
TEST_F(Sweep, TheFirstSampleMayFailAsWell) {
  const Json found = run_json({"sweep", study(R"(parameters:
  - {name: m, path: bodies.upper.mass, list: [-1, 1]}
run: inverse
measures: {peak: {take: largest, of: abs(tau.shoulder)}}
)"),
                               "-o", folder.path("out")});
  EXPECT_EQ(found["failed"], 1);
  EXPECT_EQ(found["ok"], 1);
}

// A number changed in memory gives what a changed file gives, and so does one that is read again.
TEST_F(Sweep, PlacesInMemoryGiveWhatTheFileGives) {
  std::string arm = planar_arm;
  arm.replace(arm.find("mass: 2"), 7, "mass: 3");
  folder.write("heavy.yaml", arm);
  std::string other = swing;
  other.replace(other.find("arm.yaml"), 8, "heavy.yaml");
  folder.write("heavy_swing.yaml", other);
  const std::string rest = R"(run: inverse
measures: {peak: {take: largest, of: abs(tau.shoulder)}, work: {take: integral, of: tau.shoulder}}
)";
  const auto row = [&](const std::string& text, const std::string& sample) {
    return run_json({"sweep", folder.write("one.yaml", text), "--sample", sample})["measures"];
  };
  const std::string mass = "{name: m, path: bodies.upper.mass, list: [2, 3]}";
  const Json quick = row(head + ("parameters: [" + mass + "]\n") + rest, "1");
  // `duration` is no number of the robot, so that all is read again.
  const Json again =
      row(head + ("parameters: [{path: duration, list: [1]}, " + mass + "]\n") + rest, "1");
  const Json file = row(
      "study: 1\nexperiment: heavy_swing.yaml\nparameters: [{name: k, list: [1]}]\n" + rest, "0");
  EXPECT_EQ(quick, file);  // every bit
  EXPECT_EQ(again, file);
}

TEST_F(Sweep, NamedRunsKeepTheirResultsApart) {
  const std::string rest = "parameters: [{path: bodies.upper.mass, list: [2]}]\n";
  const Json found = run_json({"sweep", study(rest + R"(run:
  - simulate
  - {name: wanted, inverse: }
measures:
  run: {take: final, of: q.shoulder}
  led: {take: largest, of: abs(wanted.tau.shoulder)}
)"),
                               "--sample", "0"});
  EXPECT_EQ(found["status"], "ok") << found;
  EXPECT_GT(found["measures"]["led"].get<double>(), 1);
  expect_refusal({"sweep", study(rest + "run: [simulate, inverse]\nmeasures: {a: run.t}\n"), "-o",
                  folder.path("no")},
                 {"same names", "name"});
}

// A constraint may name a result that is no measure; the search sees it, too.
TEST_F(Sweep, ConstraintsOfResultsHoldInSearches) {
  const std::string text =
      R"(parameters: [{name: m, path: bodies.upper.mass, uniform: {from: 1, to: 5}}]
run: inverse
measures: {mass: m}
constraints: [motor.shoulder.peak >= 25]
optimize: {least: mass}
)";
  const Outcome done = run_cli({"optimize", study(text), "-o", folder.path("best"), "--json"});
  if (done.err.find("without NLopt") != std::string::npos)
    GTEST_SKIP() << "Ulna was built without NLopt";
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_GT(Json::parse(done.out)["searches"][0]["measures"]["mass"].get<double>(), 1.1);
}

TEST_F(Sweep, KeepsChannelsOfEverySample) {
  const std::string file = study(R"(parameters: [{path: duration, list: [1, 0.5]}]
run: inverse
measures: {peak: {take: largest, of: abs(tau.shoulder)}}
store: [tau.shoulder, q.elbow]
)");
  run_json({"sweep", file, "-o", folder.path("a"), "--threads", "1"});
  run_json({"sweep", file, "-o", folder.path("b"), "--threads", "2"});
  EXPECT_EQ(content_of(folder.path("a/results.h5")), content_of(folder.path("b/results.h5")));
  EXPECT_NE(content_of(folder.path("a/results.h5")).find("tau.shoulder"), std::string::npos);
}

TEST_F(Sweep, WordsOfATableAreSetAndWritten) {
  folder.write("rows.csv", "material,load\nsteel,0\naluminium,10\n");
  const std::string file = folder.write("table.yaml", R"(study: 1
robot: t3r3-frame
table: rows.csv
parameters:
  - {name: tube, path: beams.tube.material, column: material}
  - {name: load, path: payloads.gripper.mass, column: load}
run: [{modes: {count: 1}}]
measures: {f1: frequency.1}
)");
  run_json({"sweep", file, "-o", folder.path("out"), "--csv"});
  EXPECT_NE(content_of(folder.path("out/results.csv")).find("1,ok,aluminium,10,"),
            std::string::npos);
}

// Of a platform: the drives at a pose lead back to the pose.
TEST_F(Sweep, PosesOfAPlatformByBothWays) {
  const std::string there = folder.write("there.yaml", R"(study: 1
robot: stewart-6-6
parameters: [{path: pose.rx, unit: deg, list: [12]}]
run: platform
measures: {l1: drive.leg1, l2: drive.leg2, l3: drive.leg3, l4: drive.leg4, l5: drive.leg5, l6: drive.leg6}
)");
  const Json legs = run_json({"sweep", there, "--sample", "0"})["measures"];
  std::string parameters;
  for (int k = 1; k <= 6; ++k)
    parameters += "  - {path: drive.leg" + std::to_string(k) + ", list: [" +
                  legs["l" + std::to_string(k)].dump() + "]}\n";
  const std::string back = folder.write(
      "back.yaml", "study: 1\nrobot: stewart-6-6\nparameters:\n" + parameters + R"(run: platform
measures: {rx: pose.rx, y: pose.y}
)");
  const Json pose = run_json({"sweep", back, "--sample", "0"})["measures"];
  EXPECT_NEAR(pose["rx"].get<double>(), 12 * M_PI / 180, 1e-9);  // Newton stops at rounding
}

TEST_F(Sweep, PosesOfAPlatformWithoutClosedForm) {
  const std::string robot = testing::data_file("parallel/three-rps.yaml");
  const std::string there = folder.write("rps.yaml", "study: 1\nrobot: " + robot + R"(
parameters: [{path: pose.z, list: [0.63]}]
run: platform
measures: {l1: drive.leg1, l2: drive.leg2, l3: drive.leg3, c: platform.condition}
)");
  const Json legs = run_json({"sweep", there, "--sample", "0"})["measures"];
  EXPECT_LT(legs["c"].get<double>(), 100);
  std::string parameters;
  for (int k = 1; k <= 3; ++k)
    parameters += "  - {path: drive.leg" + std::to_string(k) + ", list: [" +
                  legs["l" + std::to_string(k)].dump() + "]}\n";
  const std::string back =
      folder.write("rps-back.yaml", "study: 1\nrobot: " + robot + "\nparameters:\n" + parameters +
                                        "run: platform\nmeasures: {z: pose.z}\n");
  const Json pose = run_json({"sweep", back, "--sample", "0"})["measures"];
  EXPECT_NEAR(pose["z"].get<double>(), 0.63, 1e-8);
}

// Without noise the efforts of a changed robot give its own parameters.
TEST_F(Sweep, IdentificationFindsTheRobotOfTheSample) {
  const std::string file = folder.write("identify.yaml", R"(study: 1
robot: puma560
parameters: [{path: bodies.link6.mass, list: [1.5]}]
run: [{identify: {terms: [friction], samples: 100, candidates: 1}}]
measures: {error: identify.error, change: identify.change}
)");
  const Json found = run_json({"sweep", file, "--sample", "0"})["measures"];
  EXPECT_GT(found["change"].get<double>(), 0.01);
  EXPECT_LT(found["error"].get<double>(), 1e-9);
}

TEST_F(Sweep, GoesOnWhereItWasStopped) {
  const std::string file = study(masses), out = folder.path("out");
  run_json({"sweep", file, "-o", folder.path("whole")});
  // As the job of a cluster that is submitted until it is done.
  EXPECT_NE(run_cli({"sweep", file, "-o", folder.path("job"), "--resume"}).err.find("begins"),
            std::string::npos);
  EXPECT_EQ(content_of(folder.path("job/results.h5")), content_of(folder.path("whole/results.h5")));
  expect_refusal({"sweep", file, "-o", folder.path("job"), "--resume"}, {"--resume", "complete"});
  expect_refusal({"sweep", file, "-o", out, "--samples", "3:99"}, {"--samples"});
  EXPECT_EQ(run_json({"sweep", file, "-o", out, "--samples", "2:4"})["samples"], 2);
}

TEST_F(Sweep, MistakesAreNamed) {
  const auto refuse = [&](const std::string& text, const std::vector<std::string>& says) {
    expect_refusal({"sweep", folder.write("bad.yaml", text), "-o", folder.path("bad")}, says);
  };
  refuse("study: 1\nrobot: puma560\nparameters: []\nrun: simulate\nmeasures: {a: run.t}\n",
         {"simulate of a robot alone"});
  refuse(std::string(head) +
             "parameters: [{path: gravity.z, grid: 1:2}]\nrun: inverse\nmeasures: {a: run.t}\n",
         {"from:to:count"});
  refuse(
      std::string(head) +
          "parameters: [{path: gravity.z, grid: \"1:2:3\"}]\nrun: invers\nmeasures: {a: run.t}\n",
      {"invers", "inverse"});
  refuse(std::string(head) +
             "parameters: [{path: gravity.z, normal: {mean: 1, deviation: -1}}]\nrun: "
             "inverse\nmeasures: {a: run.t}\n",
         {"deviation"});
}

// The printed frequencies of the thesis, by the study file of the examples: all but the one that
// the notes call doubtful (reference/fe_manipulators.json, So/Si = 6, mode 2).
TEST(Studies, ReproduceTheTablesOfTheThesis) {
  const TemporaryFolder folder;
  const Json found = run_json({"sweep", ulna::testing::example_file("studies/t3r3_tables.yaml"),
                               "-o", folder.path("out"), "--csv"});
  EXPECT_EQ(found["samples"], 28);
  EXPECT_EQ(found["failed"], 0);
  EXPECT_EQ(found["infeasible"], 1);  // worst <= 0.025 %
  EXPECT_EQ(found["reasons"][0]["first_sample"], 19);
}

// The lightest upper link whose peak torque reaches a bound is where the constraint binds.
TEST_F(Sweep, OptimizeFindsWhereAConstraintBinds) {
  const Outcome done = run_cli({"optimize", study(R"(parameters:
  - {name: m, path: bodies.upper.mass, uniform: {from: 0.5, to: 5}}
run: inverse
measures:
  peak: {take: largest, of: abs(tau.shoulder)}
  mass: m
constraints: [peak >= 25]
optimize: {least: mass, starts: 2}
)"),
                                "-o", folder.path("best"), "--json"});
  if (done.err.find("without NLopt") != std::string::npos)
    GTEST_SKIP() << "Ulna was built without NLopt";
  ASSERT_EQ(done.status, 0) << done.err;
  const Json found = Json::parse(done.out);
  const Json& best = found["searches"][found["best"].get<int>()];
  EXPECT_NEAR(best["measures"]["peak"].get<double>(), 25, 1e-3);  // the search ends at 1e-6 of m
}

// The page of a front draws it; no point of it is beaten in both measures.
TEST_F(Sweep, TheFrontOfTwoMeasuresIsDrawn) {
  const std::string file = study(R"(description: Load & effort
parameters: [{name: m, path: bodies.upper.mass, uniform: {from: 1, to: 3}}]
run: inverse
measures:
  peak: {take: largest, of: abs(tau.shoulder)}
constraints: [m >= 1.2]
optimize: {largest: m, and-least: peak, starts: 5}
)");
  std::string text = content_of(file);
  text.replace(text.find("measures:\n"), 10, "measures:\n  load: m\n");
  text.replace(text.find("largest: m,"), 11, "largest: load,");
  folder.write("study.yaml", text);
  const Outcome done = run_cli({"optimize", file, "-o", folder.path("out")});
  if (done.err.find("without NLopt") != std::string::npos)
    GTEST_SKIP() << "Ulna was built without NLopt";
  ASSERT_EQ(done.status, 0) << done.err;
  const std::string page = content_of(folder.path("out/index.html"));
  EXPECT_EQ(count_of(page, "<circle"), 5) << page;
  EXPECT_EQ(count_of(page, "on the front"), 5) << page;
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("Load &amp; effort"), std::string::npos);
  EXPECT_NE(page.find("m &gt;= 1.2"), std::string::npos);
}

}  // namespace
}  // namespace ulna::test
