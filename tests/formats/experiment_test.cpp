// Experiment files: what they say arrives, and what is wrong with them is said at its place.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "reading.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/formats/run_directory.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

/// Lines 1 to 4 of every experiment here.
const std::string head = "experiment: 1\nrobot: scara\nduration: 2 s\n";

Experiment read(const std::string& rest) {
  return read_experiment_text(head + rest, "e.yaml").experiment;
}

std::string refusal(const std::string& text) {
  return problems_of([&] { read_experiment_text(text, "e.yaml"); });
}

void expect_refusal(const std::string& rest, const std::vector<std::string>& parts) {
  expect_parts(refusal(head + rest), parts, rest);
}

TEST(ExperimentFile, EveryPartIsRead) {
  const Experiment e = read(R"yaml(
name: pick
gravity: [0, 0, -1.62]
payloads:
  - {name: stone, body: link3, mass: 2}
constants: {A: 0.2, B: A/2}
motions:
  joint1: A*sin(t) + B
  joint2: {program: poly345, from: 0, to: 30 deg, time: 1 s, start: 0.5 s}
drives:
  joint1: controller
  joint3: {effort: "20 + 5*step(t-1)"}
controllers:
  - {law: pid, kp: 100, kd: 20, ki: 5, rate: 500 Hz, limit: 40, integral_limit: 3}
start:
  q: {joint3: 10 mm}
wrenches:
  - {body: link3, point: [0, 0, 0.1], frame: link3, force: [0, "3*t", 0]}
stop:
  - {name: low, when: q.joint3, below: -50 mm}
integrator: {method: dop853, rtol: 1e-10, largest_step: 10 ms}
record: {interval: 50 ms, channels: [q, energy.kinetic, frame.link3]}
)yaml");
  EXPECT_EQ(e.name, "pick");
  EXPECT_EQ(e.end, 2);
  EXPECT_EQ(e.model->robot().gravity, Vector3<double>(0, 0, -1.62));
  EXPECT_EQ(e.model->robot().payloads.size(), 1);
  EXPECT_EQ(e.drives[0].kind, DriveKind::controller);
  EXPECT_NEAR(e.drives[0].motion[0]->at(1).value, 0.2 * std::sin(1.0) + 0.1, 1e-15);
  EXPECT_EQ(e.drives[1].kind, DriveKind::motion);  // it has a motion, and nothing else is said
  EXPECT_NEAR(e.drives[1].motion[0]->at(1.5).value, M_PI / 6, 1e-15);
  EXPECT_EQ(e.drives[2].kind, DriveKind::effort);
  EXPECT_EQ(e.drives[2].effort[0]->at(1.5).value, 25);
  ASSERT_EQ(e.controllers.size(), 1);
  const auto& pid = dynamic_cast<const Feedback&>(*e.controllers[0]);
  EXPECT_EQ(pid.joints, std::vector<int>{0});
  EXPECT_EQ(pid.period, 1.0 / 500);
  EXPECT_EQ(pid.kp(0), 100);
  EXPECT_EQ(pid.ki(0), 5);
  EXPECT_EQ(pid.limit(0), 40);
  EXPECT_NEAR(e.q(0), 0.1, 1e-15);  // from the motion
  EXPECT_NEAR(e.q(2), 0.01, 1e-15);
  ASSERT_EQ(e.wrenches.size(), 1);
  EXPECT_EQ(e.wrenches[0].force[1]->at(2).value, 6);
  ASSERT_EQ(e.events.size(), 1);
  EXPECT_NEAR(e.events[0].value, -0.05, 1e-15);
  EXPECT_EQ(e.integrator.method, IntegratorMethod::dop853);
  EXPECT_EQ(e.integrator.tolerances.absolute, 1e-12);
  EXPECT_EQ(e.record.channels.size(), 3);
}

TEST(ExperimentFile, MistakesAreNamedWithLineAndHint) {
  expect_refusal("durration: 3\n", {"e.yaml:4", "durration", "did you mean 'duration'"});
  expect_refusal("motions: {joint9: t}\n", {"e.yaml:4", "no joint 'joint9'", "did you mean"});
  expect_refusal("drives: {joint1: motoin}\n", {"e.yaml:4", "motoin", "did you mean 'motion'"});
  expect_refusal("drives: {joint1: motion}\n",
                 {"e.yaml:4", "joint1", "follow a motion but has none"});
  expect_refusal("motions: {joint1: 2*foo(t)}\n", {"e.yaml:4", "foo"});
  expect_refusal(
      "motions: {joint1: " + std::string(10000, '(') + "t" + std::string(10000, ')') + "}\n",
      {"e.yaml:4"});
  expect_refusal("motions: {joint1: sqrt(1 - t)}\n", {"e.yaml:4", "not finite"});
  expect_refusal("motions: {joint1: {program: cicloidal, to: 1}}\n", {"e.yaml:4", "cycloidal"});
  expect_refusal("motions: {joint1: {program: cycloidal, to: 1, time: 0}}\n", {"e.yaml:4", "time"});
  expect_refusal("motions: {joint1: {program: cycloidal, to: 1, time: -2 s}}\n",
                 {"e.yaml:4", "time"});
  expect_refusal("motions: {joint1: t}\nstart: {q: {joint1: 0.3}}\n",
                 {"joint1", "away from where its motion begins"});
  expect_refusal("start: {q: [1, 2]}\n", {"e.yaml:4", "2 values"});
  expect_refusal("integrator: {method: dop85}\n", {"e.yaml:4", "did you mean 'dop853'"});
  expect_refusal("integrator: {rtol: -1}\n", {"relative tolerance is -1"});
  expect_refusal("integrator: {method: rk4}\n", {"rk4 needs step"});
  expect_refusal("record: {interval: 0}\n", {"e.yaml:4", "above 0"});
  expect_refusal("record: {channels: [enrgy]}\n", {"e.yaml:4", "did you mean 'energy'"});
  expect_refusal("stop: [{when: q.joint1}]\n", {"e.yaml:4", "above, below and passes"});
  expect_refusal("wrenches: [{body: link4, force: [1, 0, 0]}]\n", {"e.yaml:4", "did you mean"});
  expect_refusal("wrenches: [{body: link3}]\n", {"e.yaml:4", "neither force nor moment"});
  expect_refusal("controllers: [{law: pd, kp: 1}]\n", {"e.yaml:4", "no joint is driven"});
  expect_refusal("drives: {joint1: controller}\ncontrollers: [{law: pid, kp: 1}]\n",
                 {"e.yaml:5", "'ki'"});
  expect_refusal("drives: {joint1: controller}\ncontrollers: [{law: pd, kp: -1}]\n",
                 {"e.yaml:5", "0 or more"});
  expect_refusal("drives: {joint1: controller}\ncontrollers: [{law: pd, rate: 0}]\n",
                 {"e.yaml:5", "rate"});
  expect_refusal("motions: {joint1: {table: missing.csv, value: q}}\n",
                 {"missing.csv", "no such file", "e.yaml:4"});
  expect_refusal("integrator: {most_steps: -1}\n", {"e.yaml:4", "most_steps is -1"});
  expect_refusal("constants: {t: 1}\n", {"e.yaml:4", "'t'", "has a meaning"});
  expect_refusal("constants: {pi: 3}\n", {"e.yaml:4", "'pi'", "has a meaning"});
  for (const char* text :
       {"experiment: 2\nrobot: scara\nduration: 1\n", "experiment: 1\nrobot: scara\n",
        "experiment: 1\nduration: 1\n", "experiment: 1\nrobot: skara\nduration: 1\n",
        "experiment: 1\nrobot: scara\nduration: 0\n",
        "experiment: 1\nrobot: scara\nduration: -2 s\n",
        "experiment: 1\nrobot: scara\nduration: 5 kg\n"})
    EXPECT_NE(refusal(text).find("e.yaml"), std::string::npos) << text << refusal(text);
}

class RunFiles : public ::testing::Test {
 protected:
  RunFiles() {
    std::string name = (fs::temp_directory_path() / "ulna-run-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~RunFiles() override { fs::remove_all(folder); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  fs::path folder;
};

TEST_F(RunFiles, TablesStandBesideTheExperiment) {
  write("table.csv", "t[s],q.joint1[rad]\n0,0\n0.5,0.1\n1,0.3\n1.5,0.1\n2,0\n");
  const std::string path =
      write("e.yaml", head + "motions: {joint1: {table: table.csv, value: q.joint1}}\n");
  const Experiment e = read_experiment(path).experiment;
  EXPECT_NEAR(e.drives[0].motion[0]->at(1).value, 0.3, 1e-15);
  for (const char* row : {"0.7,nan", "0.7,inf", "0.7,", "0.7", "0.7,1,2", "0.7,x", "0.2,0"}) {
    write("table.csv", std::string("t,q.joint1\n0,0\n0.5,0.1\n") + row + "\n2,0\n3,1\n");
    try {
      read_experiment(path);
      ADD_FAILURE() << row;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(row[2] == '2' ? "row" : "table.csv:4"),
                std::string::npos)
          << row << ": " << error.what();
    }
  }
}

TEST_F(RunFiles, LimitsOfATimingHaveTheUnitOfEachDegreeOfFreedom) {
  write("shaft.yaml",
        "ulna: 1\nname: shaft\nbodies: [{name: a, mass: 1}]\n"
        "joints: [{name: shaft, type: cylindrical, parent: world, child: a}]\n");
  const auto timed = [&](const std::string& rates) {
    return read_experiment(write("e.yaml",
                                 "experiment: 1\nrobot: shaft.yaml\nduration: 2 s\n"
                                 "motions: {shaft: [\"t\", \"0.1*t\"]}\ntiming: {within: {rates: " +
                                     rates + "}}\n"))
        .experiment.timing->scale;
  };
  // Turns at 1 rad/s and slides at 0.1 m/s: the slide may be twice as fast, the turn ten times.
  EXPECT_NEAR(timed("{shaft: [10 rad/s, 20 cm/s]}"), 2, 1e-6);
  EXPECT_NEAR(timed("{shaft: [180 deg/s, 1 m/s]}"), M_PI, 1e-6);
  EXPECT_NEAR(timed("{shaft: 0.3}"), 0.3, 1e-6);
  EXPECT_THAT(problems_of([&] { timed("{shaft: [1, 2, 3]}"); }),
              ::testing::HasSubstr("each of the 2 degrees of freedom"));
  EXPECT_THAT(problems_of([&] { timed("{shaft: [1 m/s, 1 m/s]}"); }),
              ::testing::HasSubstr("expected an angular velocity"));
}

TEST_F(RunFiles, ARunReadsBackAsItWasRecorded) {
  const std::string path = write("e.yaml", head + "record: {channels: [q, tau], interval: 0.5}\n");
  const ReadExperiment r = read_experiment(path);
  const std::string directory = (folder / "run").string();
  RunWriter writer(directory, r.experiment, r.text);
  RunOptions options;
  options.record = [&](double t, std::span<const double> row) { writer.record(t, row); };
  EXPECT_TRUE(fs::exists(directory + ".partial"));
  EXPECT_FALSE(read_run(directory).complete);  // marked while it runs
  writer.finish(simulate(r.experiment, options));
  EXPECT_FALSE(fs::exists(directory + ".partial"));
  const StoredRun run = read_run(directory);
  EXPECT_TRUE(run.complete);
  const auto memory = simulate(r.experiment);
  ASSERT_EQ(run.values.rows(), 5);
  EXPECT_EQ(run.columns[0], "t[s]");
  EXPECT_EQ(run.columns[3], "q.joint3[m]");
  EXPECT_EQ(run.values.rightCols(run.values.cols() - 1), memory.values);  // to the last bit
  EXPECT_EQ(run.column("q.joint3"), memory.column("q.joint3"));
  EXPECT_EQ(model_hash(run.robot), model_hash(r.experiment.model->robot()));
}

TEST_F(RunFiles, ADamagedTableIsNotResumed) {
  const ReadExperiment r = read_experiment_text(head + "record: {interval: 0.1}\n", "e.yaml");
  const std::string directory = (folder / "run").string(), csv = directory + ".partial/run.csv";
  std::stop_source stop;
  {
    RunWriter writer(directory, r.experiment, r.text);
    RunOptions options;
    options.stop = stop.get_token();
    options.record = [&](double t, std::span<const double> row) {
      writer.record(t, row);
      if (t > 1) stop.request_stop();
    };
    options.checkpoint = [&](const Checkpoint& c) { writer.checkpoint(c); };
    writer.finish(simulate(r.experiment, options));
  }
  const auto size = fs::file_size(csv);
  const auto refused = [&](const std::string& part) {
    const auto before = fs::file_size(csv);
    try {
      RunWriter(directory, r.experiment, r.text, true);
      ADD_FAILURE() << part;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
    EXPECT_EQ(fs::file_size(csv), before);
  };
  fs::resize_file(csv, size - 40);
  refused("run.csv is shorter than its checkpoint");
  fs::resize_file(csv, size);  // zeros in the place of the records
  refused("where its checkpoint was taken");
}

TEST_F(RunFiles, ACompleteRunThatWasCutIsRefused) {
  const ReadExperiment r = read_experiment_text(head + "record: {interval: 0.5}\n", "e.yaml");
  const std::string directory = (folder / "run").string(), csv = directory + "/run.csv";
  RunWriter writer(directory, r.experiment, r.text);
  RunOptions options;
  options.record = [&](double t, std::span<const double> row) { writer.record(t, row); };
  writer.finish(simulate(r.experiment, options));
  const auto size = fs::file_size(csv);
  for (const auto left : {size - 1, size - 3, size / 2}) {
    fs::resize_file(csv, left);
    EXPECT_NE(problems_of([&] { read_run(directory); }).find("run.csv"), std::string::npos) << left;
  }
  write("run/summary.json", "{\"kind\": \"run\", \"ulna\": " + std::string(80000, '['));
  EXPECT_NE(problems_of([&] { read_run(directory); }).find("nested deeper"), std::string::npos);
  write("run/summary.json", "{\"kind\": 3, \"ulna\": \"x\"}");
  EXPECT_NE(problems_of([&] { read_run(directory); }).find("summary"), std::string::npos);
}

TEST_F(RunFiles, ACheckpointThatWasChangedIsRefused) {
  const ReadExperiment r = read_experiment_text(head + "record: {interval: 0.1}\n", "e.yaml");
  const std::string directory = (folder / "run").string(),
                    file = directory + ".partial/checkpoint.json";
  std::stop_source stop;
  {
    RunWriter writer(directory, r.experiment, r.text);
    RunOptions options;
    options.stop = stop.get_token();
    options.record = [&](double t, std::span<const double> row) {
      writer.record(t, row);
      if (t > 1) stop.request_stop();
    };
    options.checkpoint = [&](const Checkpoint& c) { writer.checkpoint(c); };
    writer.finish(simulate(r.experiment, options));
  }
  std::ifstream in(file);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto refused = [&](const std::string& key, const std::string& value) {
    const std::size_t at = text.find("\"" + key + "\":") + key.size() + 3;
    std::string changed = text;
    changed.replace(at, text.find_first_of(",]}", at) - at, value);
    std::ofstream(file) << changed;
    return problems_of([&] {
      RunWriter writer(directory, r.experiment, r.text, true);
      RunOptions options;
      options.resume = &*writer.resumed();
      simulate(r.experiment, options);
    });
  };
  EXPECT_NE(refused("step", "0").find("step"), std::string::npos);
  EXPECT_NE(refused("t", "1e300").find("1e+300"), std::string::npos);
  EXPECT_NE(refused("records", "1000000").find("records"), std::string::npos);
  EXPECT_NE(refused("records", "\"many\"").find("not a checkpoint"), std::string::npos);
}

TEST_F(RunFiles, ARunThatWasInterruptedGoesOnWithoutRecordsTwice) {
  // Methods that remember earlier steps have checkpoints at some twenty records only: what came
  // after the last of them is computed again, and stood in the table twice.
  for (const char* method : {"dormand-prince", "radau5", "sundials-bdf"}) {
    if (!is_available(*integrator_from_name(method))) continue;
    SCOPED_TRACE(method);
    const ReadExperiment r = read_experiment_text(
        head + "start: {v: {joint1: 1}}\nintegrator: {method: " + method + "}\n", "e.yaml");
    const auto run = [&](const std::string& directory, bool go_on, double until) {
      RunWriter writer(directory, r.experiment, r.text, go_on);
      std::stop_source stop;
      RunOptions options;
      options.stop = stop.get_token();
      if (writer.resumed()) options.resume = &*writer.resumed();
      options.record = [&](double t, std::span<const double> row) {
        writer.record(t, row);
        if (t > until) stop.request_stop();
      };
      options.checkpoint = [&](const Checkpoint& c) { writer.checkpoint(c); };
      writer.finish(simulate(r.experiment, options));
      std::ifstream in(directory + "/run.csv", std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const double end = r.experiment.end;
    const std::string whole = run((folder / "all").string(), false, 2 * end),
                      parts = (folder / "parts").string();
    run(parts, false, 0.47 * end);
    run(parts, true, 0.78 * end);
    EXPECT_EQ(run(parts, true, 2 * end), whole);
  }
}

TEST_F(RunFiles, ARunKilledBetweenItsLastStepAndItsRenameIsNotLost) {
  for (const char* method : {"dormand-prince", "rk4, step: 2 ms", "sundials-bdf", "sundials-erk"}) {
    const std::string name = std::string(method).substr(0, std::string(method).find(','));
    if (!is_available(*integrator_from_name(name))) continue;
    const ReadExperiment r = read_experiment_text(
        head + "start: {q: {joint1: 0.3}, v: {joint1: 1}}\nintegrator: {method: " + method +
            "}\nstop: [{name: passed, when: q.joint1, above: 0.5, go_on: true}]\n",
        "e.yaml");
    const auto part = [&](const std::string& directory, bool go_on, bool finish) {
      RunWriter writer(directory, r.experiment, r.text, go_on);
      RunOptions options;
      if (writer.resumed()) options.resume = &*writer.resumed();
      options.record = [&](double t, std::span<const double> row) { writer.record(t, row); };
      options.checkpoint = [&](const Checkpoint& c) { writer.checkpoint(c); };
      const RunSummary summary = simulate(r.experiment, options);
      if (!finish) _exit(0);  // as by force: nothing is closed or written any more
      writer.finish(summary);
    };
    const std::string whole = (folder / "whole").string(), killed = (folder / "killed").string();
    part(whole, false, true);
    const pid_t child = fork();
    if (child == 0) part(killed, false, false);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    part(killed, true, true);
    const auto content = [](const std::string& file) {
      std::ifstream in(file, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(in), {});
    };
    EXPECT_EQ(content(whole + "/run.csv"), content(killed + "/run.csv")) << method;
    const auto events = [&](const std::string& directory) {
      const std::string text = content(directory + "/summary.json");
      const std::size_t at = text.find("\"events\"");
      return text.substr(at, text.find(']', at) - at);
    };
    EXPECT_EQ(events(whole), events(killed)) << method;
    EXPECT_NE(events(whole).find("passed"), std::string::npos) << method;
  }
}

TEST_F(RunFiles, ATableMustCoverTheExperimentOrSayThatItIsHeld) {
  const std::string table = "motions: {joint1: {table: table.csv, value: q";
  const auto attempt = [&](const std::string& rows, const std::string& more) -> std::string {
    write("table.csv", "t,q\n" + rows);
    try {
      read_experiment(write("e.yaml", head + table + more + "}}\n"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_EQ(attempt("0,0\n1,0.1\n2,0\n", ""), "read");
  const std::string early = attempt("0,0\n1,0.1\n1.5,0\n", "");
  EXPECT_NE(early.find("end at 1.5 s, the experiment at 2 s"), std::string::npos) << early;
  const std::string late = attempt("0.5,0\n1,0.1\n2,0\n", "");
  EXPECT_NE(late.find("begin at 0.5 s"), std::string::npos) << late;
  EXPECT_EQ(attempt("0.5,0\n1,0.1\n1.5,0\n", ", outside: hold"), "read");
  EXPECT_NE(attempt("0,0\n2,0.1\n", ", outside: cut"), "read");
}

TEST(ExperimentFile, APolynomialMeetsTheConditionsOfItsList) {
  const Experiment e = read(R"yaml(
motions:
  joint1: {polynomial: [{at: 0, value: 10 deg, rate: 0}, {at: 0.8 s, value: 1}, {at: 2 s, value: 1.5, rate: 20 deg/s, acceleration: 0.1}]}
)yaml");
  const ScalarMotion& y = *e.drives[0].motion[0];
  EXPECT_NEAR(y.at(0).value, M_PI / 18, 1e-15);
  EXPECT_NEAR(y.at(0).rate, 0, 1e-14);
  EXPECT_NEAR(y.at(0.8).value, 1, 1e-14);
  EXPECT_NEAR(y.at(2).value, 1.5, 1e-14);
  EXPECT_NEAR(y.at(2).rate, M_PI / 9, 1e-14);
  EXPECT_NEAR(y.at(2).acceleration, 0.1, 1e-13);
  expect_refusal("motions: {joint1: {polynomial: []}}", {"no conditions"});
  expect_refusal("motions: {joint1: {polynomial: [{at: 0}]}}", {"without a condition"});
  expect_refusal("motions: {joint1: {polynomial: [{value: 1}]}}", {"the time of the condition"});
  expect_refusal("motions: {joint1: {polynomial: [{at: 0, valeu: 1}]}}", {"valeu"});
  expect_refusal("motions: {joint1: {polynomial: [{at: 0, value: 1}, {at: 0, value: 2}]}}",
                 {"joint1"});
  expect_refusal("motions: {joint1: {polynomial: [{at: 0, value: 3 kg}]}}", {"3 kg"});
}

TEST_F(RunFiles, AFolderOfSomethingElseIsNotTouched) {
  fs::create_directory(folder / "mine");
  write("mine/letter.txt", "dear");
  const ReadExperiment r = read_experiment_text(head, "e.yaml");
  EXPECT_THROW(RunWriter((folder / "mine").string(), r.experiment, r.text), InputError);
  EXPECT_TRUE(fs::exists(folder / "mine/letter.txt"));
  EXPECT_THROW(RunWriter((folder / "none").string(), r.experiment, r.text, true), InputError);
}

}  // namespace
}  // namespace ulna
