// What the field rarely asks for: sensors on joints that close loops, events that never come,
// equilibria that cannot be.

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/formats/read_experiment.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/simulation/equilibrium.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna::unlikely_cases_test {
namespace {

TEST(ClosingSensors, AnEncoderOnAClosingJointReadsItsAngle) {
  const ulna::Run run = simulate(read_experiment_text(R"(experiment: 1
robot: crank-rocker
duration: 0.2
start: {v: {crank: 5}}
record: {interval: 0.02, channels: [closing, closing_rate, sensor]}
sensors:
  - {encoder: pin, rate: 1 kHz, resolution: 0.001}
  - {name: tacho, tachometer: pin, rate: 1 kHz}
)",
                                                      "t.yaml")
                                     .experiment);
  const Eigen::VectorXd angle = run.column("closing.pin"), rate = run.column("closing_rate.pin");
  EXPECT_GT((angle.array() - angle(0)).abs().maxCoeff(), 0.1);
  EXPECT_LT((run.column("sensor.pin.q") - angle).cwiseAbs().maxCoeff(), 0.0005 + 1e-3 * 10);
  EXPECT_LT((run.column("sensor.tacho.v") - rate).cwiseAbs().maxCoeff(), 0.5);
  EXPECT_NEAR(run.column("sensor.tacho.v")(0), rate(0), 1e-9);
}

TEST(EventNotes, NameEventsThatDidNotHappen) {
  const auto notes = [](const std::string& events) {
    const std::string text =
        "experiment: 1\nrobot: crank-rocker\nduration: 0.1\nevents:\n" + events;
    std::string all;
    const ulna::Run run = simulate(read_experiment_text(text, "t.yaml").experiment);
    for (const std::string& note : run.summary.notes) all += note + "\n";
    return all;
  };
  EXPECT_NE(notes("  - {name: late, at: 3 s, do: record}\n").find("'late' is set to t = 3 s"),
            std::string::npos)
      << notes("  - {name: late, at: 3 s, do: record}\n");
  EXPECT_NE(notes("  - {name: far, when: q.crank, above: 500, do: record}\n")
                .find("'far' did not happen"),
            std::string::npos);
  EXPECT_EQ(notes("  - {name: soon, at: 0.05, do: record}\n").find("soon"), std::string::npos);
}

TEST(Equilibria, ThatNothingHoldsAreSaidToBeSo) {
  // A body on a vertical slide; in the second robot a free joint closes a loop and holds nothing.
  for (const char* more :
       {"", "  - {name: idle, type: free, parent: world, child: body, cut: true}\n"}) {
    const Model model(read_robot_yaml_text(R"(ulna: 1
name: fall
bodies:
  - {name: body, mass: 2, inertia: [0.1, 0.1, 0.1]}
joints:
  - {name: z, type: prismatic, parent: world, child: body, axis: [0, 0, 1], limits: {lower: -1, upper: 1}}
)" + std::string(more),
                                           "t.yaml")
                          .robot);
    const Equilibrium found =
        find_equilibrium(model, Eigen::VectorXd::Zero(1).eval(), Eigen::VectorXd::Zero(1).eval());
    EXPECT_FALSE(found.found);
    EXPECT_NE(found.reason.find("nothing balances it"), std::string::npos) << found.reason;
    EXPECT_NE(found.reason.find("19.62 N along 'z'"), std::string::npos) << found.reason;
  }
}

}  // namespace
}  // namespace ulna::unlikely_cases_test
