#pragma once
// One robot of every kind, for force elements between the frames PA, PB and PC.

#include "run_cli.hpp"

namespace ulna::test::element_walk {

using Words = std::vector<std::string>;

/// Frames PA (on the world), PB and PC (an eye) stand on its bodies.
struct WalkedRobot {
  std::string text;
  Words q, v, a, tau;
  std::string joint;  ///< with a torsion along it
};

inline constexpr const char* world_frame =
    "frames:\n  - {name: PA, body: world, at: {position: [0.2, 0.1, -0.5], rpy: [0.3, 0.2, "
    "-0.4]}}\n";

inline WalkedRobot walked_tree() {
  return {
      std::string(R"(ulna: 1
name: tree
gravity: [0.3, -9.81, 0.5]
bodies:
  - {name: upper, mass: 2, centre: [0.5, 0.1, 0], inertia: [0.05, 0.2, 0.2]}
  - {name: slider, mass: 1, centre: [0.1, 0, 0.05], inertia: [0.02, 0.03, 0.03]}
  - {name: hand, mass: 0.7, centre: [0.1, 0.05, 0.02], inertia: [0.01, 0.02, 0.02]}
joints:
  - {name: shoulder, type: revolute, parent: world, child: upper, axis: [0.2, 0.1, 1]}
  - {name: slide, type: prismatic, parent: upper, child: slider, at: [1, 0, 0], axis: [1, 0, 0.2]}
  - {name: wrist, type: revolute, parent: slider, child: hand, at: [0.2, 0, 0.1], axis: [0, 1, 0.3]}
)") + world_frame +
          "  - {name: PC, body: upper, at: [0.4, 0.3, 0.1]}\n"
          "  - {name: PB, body: hand, at: {position: [0.3, 0.1, -0.1], rpy: [-0.2, 0.4, 0.1]}}\n",
      {"--q", "0.4,0.15,-0.3"},
      {"--v", "0.7,-0.4,1.1"},
      {"--a", "1,-2,0.5"},
      {"--tau", "3,-2,1"},
      "shoulder"};
}

inline WalkedRobot walked_loop() {
  return {std::string(R"(ulna: 1
name: bars
bodies:
  - {name: crank, mass: 1, centre: [0.15, 0, 0], inertia: [0.01, 0.01, 0.01]}
  - {name: rod, mass: 2, centre: [0.4, 0, 0], inertia: [0.05, 0.05, 0.05]}
  - {name: rocker, mass: 1.5, centre: [0.25, 0, 0], inertia: [0.03, 0.03, 0.03]}
joints:
  - {name: a, type: revolute, parent: world, child: crank, axis: [0, -1, 0]}
  - {name: b, type: revolute, parent: crank, child: rod, at: [0.3, 0, 0], axis: [0, -1, 0]}
  - {name: c, type: revolute, parent: world, child: rocker, at: [0.7, 0, 0], axis: [0, -1, 0]}
  - {name: d, type: revolute, parent: rod, child: rocker, at: [0.8, 0, 0], child_at: [-0.5, 0, 0], axis: [0, -1, 0], cut: true}
)") + world_frame +
              "  - {name: PC, body: crank, at: [0.2, 0.1, 0.1]}\n"
              "  - {name: PB, body: rod, at: {position: [0.4, 0.1, 0.1], rpy: [-0.2, 0.4, 0.1]}}\n",
          {"--q", "a=0.9"},
          {"--v", "a=1.3"},
          {"--a", "a=-2"},
          {"--tau", "a=4"},
          "a"};
}

inline WalkedRobot walked_flexible() {
  return {
      std::string(R"(ulna: 1
name: flexible
gravity: [0.3, -9.81, 0.5]
bodies:
  - {name: upper, beam: {from: [0, 0, 0], to: [1, 0, 0], material: aluminium, section: {round: 25 mm}, flexible: {modes: {bending_y: 2, bending_z: 2}}}}
  - {name: hand, mass: 0.7, centre: [0.1, 0.05, 0.02], inertia: [0.01, 0.02, 0.02]}
joints:
  - {name: shoulder, type: revolute, parent: world, child: upper, axis: [0.2, 0.1, 1]}
  - {name: wrist, type: revolute, parent: upper, child: hand, at: [1, 0, 0], axis: [0, 1, 0.3]}
)") + world_frame +
          "  - {name: PC, body: upper, at: [0.4, 0, 0]}\n"
          "  - {name: PB, body: hand, at: {position: [0.3, 0.1, -0.1], rpy: [-0.2, 0.4, 0.1]}}\n",
      {"--q", "0.4,-0.3,0.01,0.004,-0.008,0.003"},
      {"--v", "0.7,1.1,0.05,-0.02,0.03,0.04"},
      {"--a", "1,0.5,0.3,-0.2,0.4,0.1"},
      {"--tau", "3,1"},
      "wrist"};
}

inline WalkedRobot walked_flexible_loop() {
  const std::string strip =
      "beam: {length: 0.4, material: steel, section: {rectangle: {height: 3 mm, width: 20 mm}}, "
      "flexible: {modes: {bending_y: 2, bending_z: 0}, family: pinned-pinned, damping: 0.005}}";
  return {
      "ulna: 1\nname: strips\ngravity: [0, -9.81, 0]\nbodies:\n"
      "  - {name: crank, mass: 0.5, centre: [0.02, 0, 0], inertia: [0.001, 0.001, 0.002]}\n"
      "  - {name: coupler, " +
          strip + "}\n  - {name: rocker, " + strip +
          "}\njoints:\n"
          "  - {name: crank, type: revolute, parent: world, child: crank}\n"
          "  - {name: pin, type: revolute, parent: crank, child: coupler, at: [0.1, 0, 0]}\n"
          "  - {name: pivot, type: revolute, parent: world, child: rocker, at: [0.35, 0, 0]}\n"
          "  - {name: closing, type: revolute, parent: coupler, child: rocker, cut: true, at: "
          "[0.4, 0, 0], child_at: [-0.4, 0, 0]}\n" +
          world_frame +
          "  - {name: PC, body: crank, at: [0.05, 0.02, 0.03]}\n"
          "  - {name: PB, body: coupler, at: [0.2, 0, 0]}\n",
      {"--q", "crank=0.7"},
      {"--v", "crank=2"},
      {},
      {"--tau", "crank=0.5"},
      "pin"};
}

inline std::string platform_frames() {
  return std::string(world_frame) +
         "  - {name: PC, body: leg1_cylinder, at: [0.05, 0.02, 0.1]}\n"
         "  - {name: PB, body: platform, at: {position: [0.1, 0.05, -0.1], rpy: [-0.2, 0.4, "
         "0.1]}}\n";
}

inline WalkedRobot walked_platform(const TemporaryFolder& folder) {
  const std::string file = folder.path("platform.yaml");
  EXPECT_EQ(run_cli({"convert", "stewart-6-6", "-o", file}).status, 0);
  return {content_of(file) + platform_frames(),
          {},
          {"--v", "leg1=0.1,leg2=-0.05,leg3=0.02,leg4=0.07,leg5=-0.03,leg6=0.01"},
          {"--a", "leg1=0.5,leg2=-0.2,leg3=0.1,leg4=0,leg5=0.3,leg6=0.1"},
          {"--tau", "leg1=300,leg2=250,leg3=200,leg4=220,leg5=210,leg6=230"},
          "leg2"};
}

}  // namespace ulna::test::element_walk
