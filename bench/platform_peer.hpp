// Other libraries beside Ulna on a platform with loops: forward dynamics of a tree whose legs are
// held to the platform by ball joints. Each is a module of its own (contestant.hpp says why) that
// exports make_platform_peer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contestant.hpp"

namespace ulna::bench {

struct PlatformSpec {
  enum class Kind { free, hinge, slide };
  struct Body {
    int parent = -1;
    Kind kind = Kind::hinge;
    Matrix3 R_PJ{};
    Vector3 p_PJ{}, axis{};  // the axis in the joint's frame, which is the body's at zero
    double mass = 0;
    Vector3 p_BBcm{};
    Matrix3 I_BBcm{};
    int q = 0, v = 0;  // first coordinate and speed in Ulna's order
  };
  struct Ball {
    int a = 0, b = 0;
    Vector3 p_a{}, p_b{};
  };
  Vector3 gravity{};
  std::vector<Body> bodies;  // parents before children; a free one is in the world
  std::vector<Ball> balls;
  int coordinates = 0, speeds = 0;
  std::vector<int> legs;  // speeds with drives
};

// Ulna's layout: quaternion (w, x, y, z) and position; twist in the body's axes, rotation first.
struct PlatformState {
  std::vector<double> q, v, tau;
};

class PlatformPeer {
 public:
  virtual ~PlatformPeer() = default;
  virtual std::string name() const = 0;
  virtual void set_states(const std::vector<PlatformState>& states) = 0;
  virtual void forward(std::size_t state) = 0;  // timed
  virtual std::vector<double> leg_accelerations() const = 0;
};

}  // namespace ulna::bench

extern "C" __attribute__((visibility("default"))) ulna::bench::PlatformPeer* make_platform_peer(
    const ulna::bench::PlatformSpec& spec);
