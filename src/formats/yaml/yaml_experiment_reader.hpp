#pragma once
// Reads one experiment file (docs/experiment-file.md). Its parts are in a file each:
// yaml_experiment_robot, _drives, _state, _forces, _events, _run; yaml_contact; yaml_sensor,
// yaml_actuator, yaml_controller, yaml_path.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ulna/dynamics/loops.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/simulation/internal/draft.hpp"
#include "ulna/simulation/simulate.hpp"
#include "yaml/yaml_motion.hpp"

namespace ulna {

/// A robot file beside the experiment, or one by its path or shipped name.
ReadResult read_robot_beside(const std::string& folder, const std::string& name,
                             const ReadOptions& options);

class ExperimentReader {
 public:
  ExperimentReader(YamlContext& context, const YamlNode& root, std::string folder,
                   const ReadOptions& options);

  ExperimentDraft read(ImportReport& report);
  /// Adds the sensors, actuators, controllers and events of a text to an experiment.
  void add_to(Experiment& experiment);
  /// Instead of the robot file that it names.
  void use_robot(ReadResult robot) { robot_ = std::move(robot); }
  /// Instead of the model that the file gives, with this level of its flexible bodies.
  void use_model(std::shared_ptr<const Model> model, ElasticLevel level) {
    e_.model = std::move(model), e_.elastic = level;
  }
  /// Keeps the functions of time that it reads for other readings of the file, and their ranges.
  void learn(MotionMemory& learned, MotionRanges& ranges) {
    motions_.learned = &learned, motions_.ranges = &ranges;
  }
  /// Takes them from there where they are the same; the ranges of new ones go to `ranges`.
  void recall(const MotionMemory& known, MotionRanges& ranges) {
    motions_.known = &known, motions_.ranges = &ranges;
  }
  /// Of an experiment that was read from the file all that may be read again without its motions:
  /// inputs, sensors, actuators, controllers, events, friction, integrator.
  void read_control_of(Experiment& experiment);

 private:
  const Model& model() const { return *e_.model; }

  bool check_version();
  void read_times();
  /// `path` and `timing`: motions that are still to be computed.
  void read_plan();
  void read_constants();

  bool read_robot_of(ImportReport& report);
  /// Names under motions, drives and start.
  std::vector<std::string> joints_spoken_of() const;
  /// Joints with limits, where these act as stops and no list gives coordinates an order.
  std::vector<std::string> joints_with_stops() const;
  /// The level, and how many modes each bending plane of each flexible body has here.
  void read_elastic(Robot& robot);
  void read_elastic_body(const YamlMap& map, const std::string& body, Robot& robot);

  /// Index of a joint that has freedoms of its own, or -1 with the problem noted.
  int joint_named(const std::string& name, const SourceMark& mark, const std::string& element);
  /// One function per speed of the joint: a single one, or a list.
  std::vector<ScalarMotionPtr> read_functions(
      const YamlNode& node, int j, const std::string& element, bool effort,
      std::vector<std::shared_ptr<const VariableFormula>>* formulas = nullptr);
  void read_motions();
  /// The file of `efforts`: its titles say which joints need coordinates, before there is a model.
  void load_effort_table();
  bool reads_motion_table(const YamlNode& node) const;
  void read_motion_table(const YamlNode& node);
  bool read_motion_columns(const YamlMap& map, const CsvTable& table, int j);
  void read_efforts();
  void read_effort_column(const YamlMap& map, const std::string& title, int speed);
  void read_drives();
  /// `limit` of drives: motors that saturate.
  void read_drive_limits();
  ScalarMotionPtr column_of(const YamlNode& table, int speed,
                            const std::function<ScalarMotionPtr()>& read);
  void read_drive_into(Drive& drive, int j, const YamlNode& value);

  void read_start();
  /// All values in a list, or those of some joints in a map: with loops these are kept, and the
  /// others follow.
  void read_state(const YamlNode& node, const std::string& element, bool coordinates,
                  Eigen::VectorXd& values, std::vector<char>& keep);
  /// Where switched efforts are to lead.
  void read_goal();

  void read_inputs();
  void read_wrenches();
  void read_vector_function(const YamlMap& map, const char* key, const Quantity& q,
                            ScalarMotionPtr (&out)[3]);
  /// `stops: true`, or a map.
  void read_stops();
  /// `impacts: newton`, or another law.
  void read_impacts();
  /// Friction of joints at rest, a map by joint.
  void read_friction();

  /// `sensors`, `actuators`, `controllers`.
  void read_control();
  void read_events();
  void read_event(const YamlNode& node);
  void read_level(const YamlMap& map, Event& event);
  void read_action(const YamlNode& node, const std::string& owner, Event& event);
  void read_move(const YamlMap& map, Event& event);
  void read_gain_change(const YamlNode& node, const std::string& owner, Event& event);
  /// What a channel is measured in, so that limits may have units.
  Quantity quantity_of(const std::string& channel) const;
  /// The formulation of the equations of motion, and how loops are closed.
  void read_dynamics();
  void read_integrator();
  void read_record();

  /// Visits the entries of a map by joint; `all` stands for every joint and comes first.
  template <class Visit>
  void for_each_joint(const YamlNode& node, const std::string& element, const Visit& visit) {
    if (node.kind != YamlNode::Kind::map)
      return context_.problems.add(context_.mark(node), element, "found " + describe(node),
                                   "a map with the names of joints, or all");
    for (const YamlEntry& entry : node.entries)
      if (entry.key == "all") {
        // What is wrong with it is said once, of the first joint that it does not fit.
        const std::size_t before = context_.problems.count();
        for (std::size_t j = 0; j < model().joints().size(); ++j)
          if (model().joints()[j].speeds > 0 && context_.problems.count() == before)
            visit(static_cast<int>(j), entry.value);
      }
    for (const YamlEntry& entry : node.entries) {
      if (entry.key == "all") continue;
      const int j = joint_named(entry.key, {context_.file, entry.line, entry.column}, element);
      if (j >= 0) visit(j, entry.value);
    }
  }

  YamlContext& context_;
  YamlMap map_;
  std::string folder_;
  const ReadOptions& options_;
  std::optional<ReadResult> robot_;
  MotionContext motions_;
  CsvTable efforts_;  ///< of `efforts`; without titles when there is none
  ExperimentDraft draft_;
  Experiment& e_ = draft_.experiment;
};

}  // namespace ulna
