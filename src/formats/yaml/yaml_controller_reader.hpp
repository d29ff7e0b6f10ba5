#pragma once
// Reads one controller of an experiment file. What all laws share is in yaml_controller.cpp, the
// laws besides pd and the like in yaml_control_laws.cpp, models of controllers in
// yaml_control_model.cpp.

#include <memory>

#include "ulna/formats/read_robot.hpp"
#include "ulna/simulation/control_laws.hpp"
#include "ulna/simulation/experiment.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

class ControllerReader {
 public:
  ControllerReader(YamlContext& context, const YamlNode& node, const Experiment& experiment,
                   std::string folder, const ReadOptions& options);

  /// Null with the problems noted.
  std::shared_ptr<const Controller> read();

 private:
  std::shared_ptr<Controller> read_law();
  std::shared_ptr<Controller> read_feedback(FeedbackLaw law);
  std::shared_ptr<Controller> read_state_feedback();
  std::shared_ptr<Controller> read_impedance();
  std::shared_ptr<Controller> read_operational_space();
  std::shared_ptr<Controller> read_adaptive();

  void read_joints();
  void read_timing(Controller& controller);
  void read_sensors(Controller& controller);
  /// What it adds for channels and frames.
  void read_outer(Controller& controller);
  void read_model();
  void read_parameter_factors(const YamlMap& map, Robot& robot);
  Eigen::VectorXd limits();
  int frame();
  /// {position: 1000, rotation: 50}, one number, or six: turns first.
  Eigen::Matrix<double, 6, 1> of_frame(const std::string& key);
  /// A number for all its joints, a list with one per speed of its joints, or a map by joint.
  Eigen::VectorXd gains(const std::string& key, double fallback) {
    return gains(map_, key, fallback, 0);
  }
  /// The same of another map; values below `least` are refused.
  Eigen::VectorXd gains(const YamlMap& map, const std::string& key, double fallback, double least);
  /// Rows of numbers.
  Eigen::MatrixXd matrix(const YamlNode& node, const std::string& element, long rows, long columns);
  /// One number, a diagonal, or a whole matrix.
  Eigen::MatrixXd weights(const YamlNode& node, const std::string& element, long size);
  void choose_gains(const YamlNode& node, const struct LinearSystem& linear,
                    StateFeedback& controller);
  void add_filter(const YamlNode& node, const struct LinearSystem& linear,
                  StateFeedback& controller);
  std::vector<int> speeds_of_joints() const;
  bool starts_at(int coordinate) const;
  Eigen::VectorXd reference_at_start() const;
  /// What the controller takes for the robot.
  const Model& model() const { return own_model_ ? *own_model_ : *e_.model; }

  YamlContext& context_;
  const Experiment& e_;
  std::string folder_;
  const ReadOptions& options_;
  YamlMap map_;
  std::vector<int> joints_;
  std::shared_ptr<const Model> own_model_;
};

}  // namespace ulna
