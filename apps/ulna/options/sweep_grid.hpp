#pragma once
// --sweep: "joint2=0deg:180deg:5deg", "v.elbow=0:6:0.5", "payload=0:50:5",
// "arm.material=steel,aluminium", "arm.section.ratio=1.3,2,3", or any place in the robot file,
// "beams.arm.section.outer=100mm:200mm:10mm" (formats/parameters.hpp). Several make a grid of all
// combinations.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna::cli {

struct SweepAxis {
  std::string parameter;  ///< "joint2"
  std::string unit;       ///< of its values; may be empty
  std::vector<std::string> labels;
  std::vector<double> values;  ///< words are numbered from 1
  bool words = false;

  std::string title() const { return unit.empty() ? parameter : parameter + "[" + unit + "]"; }
};

struct SweepPoint {
  std::shared_ptr<const Model> model;
  Eigen::VectorXd q, v;
};

struct SweepGrid {
  std::vector<SweepAxis> axes;
  std::vector<SweepPoint> points;  ///< the last axis runs fastest
  std::vector<int> previous;  ///< the neighbour that a point is followed from; -1 for the first

  /// Which value of an axis a point has.
  int index(int point, int axis) const;
  std::string label(int point) const;  ///< "5" or "payload = 5, joint2 = 0.1"
};

/// `prepare`: what is done to every robot that differs from the model before it is used.
SweepGrid parse_sweeps(const std::vector<std::string>& texts, const Model& model,
                       const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                       const std::function<Model(Robot)>& prepare);

/// Whether one of them is a speed.
bool sweeps_speed(const std::vector<std::string>& texts);

}  // namespace ulna::cli
