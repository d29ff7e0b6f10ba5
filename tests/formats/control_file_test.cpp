// `sensors`, `actuators`, `controllers` and `events` of experiment files.

#include <gtest/gtest.h>

#include "reading.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/simulation/control_laws.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

const std::string control_head =
    "experiment: 1\nrobot: scara\nduration: 0.2 s\ndrives: {all: controller}\n";

void expect_control_refused(const std::string& rest, const std::vector<std::string>& parts) {
  expect_parts(
      problems_of([&] { check(read_experiment_text(control_head + rest, "e.yaml").experiment); }),
      parts, rest);
}

TEST(ControlFile, EveryPartIsRead) {
  const Experiment e = read_experiment_text(control_head + R"yaml(
sensors:
  - {encoder: [joint1, joint2], rate: 1 kHz, counts: 4096, noise: 1 mrad, bias: 0.01, delay: 2 ms, seed: 7}
  - {name: hand, force-torque: joint3, rate: 500 Hz, noise: [1, 1, 1, 0.1, 0.1, 0.1]}
  - {imu: tip, rate: 100 Hz}
  - {name: lift, channel: frame.tip.z, rate: 50 Hz, resolution: 1 mm}
actuators:
  joint1: {kind: dc, resistance: 2, torque_constant: 0.1, inductance: 1e-3, gear: {ratio: 50, efficiency: 0.8}}
  joint2: {kind: limited, stall: 20 N m, no_load: 5 rad/s, window: 10 s, continuous: 8 N m}
  joint3: {kind: hydraulic, area: 10 cm^2, supply: 10 MPa, valve_time: 5 ms}
controllers:
  - {name: arm, law: computed-torque, kp: 100, kd: 20, rate: 1 kHz, delay: 1 ms, sensors: [joint1, joint2],
     model: {inertial: 0.8, bodies: {link2: 1.5}}}
events:
  - {name: start, at: 0.05 s, do: {move: {joint1: 30 deg, joint3: 10 mm}, time: 0.1 s}}
  - name: grip
    after: start
    delay: 0.02 s
    do:
      - {pick: {name: part, body: link3, mass: 1 kg}, known: false}
      - {gains: {controller: arm, kp: 400}}
      - record
  - {name: low, when: frame.tip.z, below: -1 m, once: true, do: stop}
)yaml",
                                            "e.yaml")
                           .experiment;
  ASSERT_EQ(e.sensors.size(), 5u);
  EXPECT_EQ(e.sensors[0].name, "joint1");
  EXPECT_EQ(e.sensors[0].outputs[0].noise, 1e-3);
  EXPECT_DOUBLE_EQ(e.sensors[0].outputs[0].resolution, 2 * M_PI / 4096);
  EXPECT_EQ(e.sensors[0].delay, 2e-3);
  EXPECT_EQ(e.sensors[0].seed, 7u);
  EXPECT_EQ(e.sensors[2].outputs[5].noise, 0.1);
  EXPECT_EQ(e.sensors[4].outputs[0].resolution, 1e-3);
  ASSERT_EQ(e.actuators.size(), 3u);
  EXPECT_STREQ(e.actuators[0]->kind(), "dc");
  EXPECT_EQ(e.actuators[0]->states(), 1);
  EXPECT_EQ(e.actuators[1]->window, 10);
  EXPECT_EQ(e.actuators[2]->states(), 3);
  ASSERT_EQ(e.controllers.size(), 1u);
  const Controller& arm = *e.controllers[0];
  EXPECT_EQ(arm.delay, 1e-3);
  EXPECT_EQ(arm.sensors, (std::vector<std::string>{"joint1", "joint2"}));
  ASSERT_TRUE(arm.own_model);
  EXPECT_NEAR(arm.own_model->robot().bodies[1].inertial.mass,
              1.2 * e.model->robot().bodies[1].inertial.mass, 1e-12);
  ASSERT_EQ(e.events.size(), 3u);
  EXPECT_EQ(e.events[0].actions.size(), 2u);
  EXPECT_NEAR(e.events[0].actions[0].to[0], M_PI / 6, 1e-12);
  EXPECT_NEAR(e.events[0].actions[1].to[0], 0.01, 1e-12);
  EXPECT_FALSE(e.events[1].actions[0].known);
  const auto& changed = dynamic_cast<const Feedback&>(*e.events[1].actions[1].controller);
  EXPECT_EQ(changed.kp(0), 400);
  EXPECT_EQ(changed.kd(0), 20);  // as before
  EXPECT_EQ(e.events[2].direction, Event::Direction::falling);
  EXPECT_TRUE(e.events[2].once);
  check(e);
}

TEST(ControlFile, EveryLawIsRead) {
  for (const std::string law :
       {"{law: impedance, frame: tip, stiffness: {position: 100, rotation: 5}, damping: 10}",
        "{law: operational-space, frame: tip, position_only: true, kp: 100, kd: 20, joint_kd: 2}",
        "{law: adaptive, lambda: 5, kd: 10, learning: 0.5, model: {mass: 0.7}}",
        "{law: state-feedback, lqr: {q: 10, v: 1, effort: 0.1}}",
        "{law: state-feedback, rate: 500 Hz, lqr: {Q: [1, 1, 1, 1, 1, 1], R: 2}, kalman: "
        "{measurement: 1e-3}}",
        "{law: state-feedback, poles: [-3, -4, -5, -6, [-2, 1], [-2, -1]]}"}) {
    Experiment e =
        read_experiment_text(control_head + "controllers:\n  - " + law + "\n", "e.yaml").experiment;
    ASSERT_EQ(e.controllers.size(), 1u) << law;
    e.record.channels = {"q"};
    EXPECT_TRUE(simulate(e).summary.complete) << law;
  }
}

TEST(ControlFile, MistakesAreReportedWithLineAndAdvice) {
  expect_control_refused("sensors:\n  - {encoder: all}\n", {"e.yaml:6", "sensor", "rate"});
  expect_control_refused("sensors:\n  - {encodr: all, rate: 1 kHz}\n", {"e.yaml:6", "encoder"});
  expect_control_refused("sensors:\n  - {imu: nowhere, rate: 1 kHz}\n", {"e.yaml:6", "nowhere"});
  expect_control_refused("sensors:\n  - {strain: link1, rate: 1 kHz, offset: [0, 1 mm, 0]}\n",
                         {"link1", "does not bend"});
  expect_control_refused("actuators:\n  joint1: {kind: dc}\n", {"e.yaml:6", "resistance"});
  expect_control_refused("actuators:\n  joint1: {kind: steam}\n", {"steam", "hydraulic"});
  expect_control_refused(
      "actuators:\n  joint1: {kind: dc, resistance: -1, torque_constant: 1}\n"
      "controllers: [{law: pd, kp: 1}]\n",
      {"e.yaml:6", "resistance is -1", "above 0"});
  expect_control_refused("controllers: [{law: computed-torqe}]\n", {"computed-torque"});
  expect_control_refused("controllers: [{law: impedance, frame: tip, kp: 3, stiffness: 1}]\n",
                         {"kp"});
  expect_control_refused("controllers: [{law: pd, kp: 1, delay: 1 ms}]\n",
                         {"continuous and has a delay", "rate"});
  expect_control_refused("controllers: [{law: pd, kp: 1, sensors: [eye]}]\n", {"no sensor 'eye'"});
  expect_control_refused("controllers: [{law: pd, kp: 1, model: puma560}]\n",
                         {"another robot", "joints"});
  expect_control_refused("controllers: [{law: pd, kp: 1, model: {masses: 2}}]\n",
                         {"masses", "mass"});
  expect_control_refused("controllers: [{law: pd, kp: 1}]\nevents:\n  - {name: a, at: -1}\n",
                         {"event 'a'", "-1 s"});
  expect_control_refused("controllers: [{law: pd, kp: 1}]\nevents:\n  - {name: a, after: b}\n",
                         {"e.yaml:7", "'b'"});
  expect_control_refused("controllers: [{law: pd, kp: 1}]\nevents:\n  - {at: 1, do: jump}\n",
                         {"jump", "stop"});
  expect_control_refused(
      "controllers: [{law: pd, kp: 1}]\nevents:\n  - {at: 1, do: {pick: {name: p, body: nobody, "
      "mass: 1}}}\n",
      {"nobody"});
  expect_control_refused(
      "controllers: [{law: pd, kp: 1}]\nevents:\n  - {at: 1, do: {gains: {controller: x, kp: "
      "1}}}\n",
      {"no controller 'x'"});
}

}  // namespace
}  // namespace ulna
