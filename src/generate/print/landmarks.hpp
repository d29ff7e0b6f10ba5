#pragma once
// Names for values that mean something. However an expression was rewritten, what it computes can
// be told from its values: those of the quantities of mechanics are computed by the general
// algorithms at two random states, and a statement with the same two values is that quantity.
//
//   w3_x       angular velocity of link 3 (the one that the third speed moves), x in its own axes
//   w2in3_x    that of its parent in the axes of joint 3 before it turns
//   dw3_x, a3_x        angular acceleration; acceleration of its origin, gravity included
//   ww3_xy, U3_xy      products w_x w_y; entries of skew(dw) + skew(w)^2
//   R3_xy, p3_x        its pose in the world
//   M23, bias3         entries of the mass matrix (M2_13 from ten speeds on); efforts without
//                      acceleration

#include <array>
#include <string>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna::generate {

struct Landmarks {
  static constexpr int states = 2;
  /// q, v, a and tau at each state.
  std::array<std::vector<double>, states> q, v, a, tau;
  struct Named {
    std::array<double, states> values;
    std::string name;
  };
  std::vector<Named> named;  ///< by rising first value

  /// The name of what has these values; empty when there is none. A value that is the opposite of a
  /// landmark has "m" before its name.
  std::string name_of(const std::array<double, states>& values) const;
};

/// Of a tree of rigid bodies.
Landmarks landmarks(const Model& model);

}  // namespace ulna::generate
