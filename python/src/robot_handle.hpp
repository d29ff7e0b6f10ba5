#pragma once
// A robot as Python holds it: the frozen model, and scratch memory for as many threads as compute
// with it at the same time.

#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/torque_regressor.hpp"
#include "ulna/formats/import_report.hpp"

namespace ulna::python {

/// What one thread needs to compute with one robot. The larger parts are made when first asked for.
class Context {
 public:
  explicit Context(const Model& robot) : model(robot), work(robot) {}

  const Model& model;
  Workspace work;

  Kane& kane() { return made(kane_); }
  LoopDynamics& loops() { return made(loops_); }
  LoopClosure& closure() { return made(closure_); }
  /// Null for trees.
  LoopClosure* closure_if_any() { return plain().loops() ? &closure() : nullptr; }
  /// By the default formulations: what most calls ask.
  Dynamics& plain() { return made(plain_); }
  ElasticEquations& elastic(ElasticLevel level) {
    if (!elastic_ || elastic_->level() != level)
      elastic_ = std::make_unique<ElasticEquations>(model, level);
    return *elastic_;
  }
  /// The last one is kept: calls with the same options follow each other.
  Dynamics& dynamics(const DynamicsOptions& options) {
    if (!dynamics_ || !(asked_ == options)) {
      dynamics_ = std::make_unique<Dynamics>(model, options);
      asked_ = options;
    }
    return *dynamics_;
  }
  TorqueRegressor& regressor(const RegressorTerms& terms) {
    const int place = terms.rotors + 2 * terms.damping + 4 * terms.friction + 8 * terms.springs;
    std::unique_ptr<TorqueRegressor>& part = regressors_[place];
    if (!part) part = std::make_unique<TorqueRegressor>(model, terms);
    return *part;
  }

 private:
  template <class T>
  T& made(std::unique_ptr<T>& part) {
    if (!part) part = std::make_unique<T>(model);
    return *part;
  }
  std::unique_ptr<Kane> kane_;
  std::unique_ptr<LoopDynamics> loops_;
  std::unique_ptr<LoopClosure> closure_;
  std::unique_ptr<ElasticEquations> elastic_;
  std::unique_ptr<Dynamics> plain_, dynamics_;
  DynamicsOptions asked_;
  std::array<std::unique_ptr<TorqueRegressor>, 16> regressors_;
};

/// What no robot file holds: the forces of actuators that are inputs, and the time of formulas.
struct ActuatorInputs {
  double time = 0;
  std::map<std::string, double> forces;
};
ActuatorInputs inputs_of(const Model& model);
void set_inputs(Model& model, const ActuatorInputs& inputs);

class RobotHandle {
 public:
  explicit RobotHandle(std::shared_ptr<const Model> frozen, ImportReport read = {});

  const std::shared_ptr<const Model> model;
  const ImportReport report;  ///< of the file it was read from
  /// First coordinate of each quaternion.
  const std::vector<int>& quaternions() const { return quaternions_; }
  /// Whether batches are computed several states at a time.
  bool takes_packs() const { return takes_packs_; }
  /// Index of a frame, or -1: quicker than Model::frame, which knows what to say when there is
  /// none.
  int find_frame(const std::string& name) const {
    const auto found = frames_.find(name);
    return found == frames_.end() ? -1 : found->second;
  }
  /// Equal for robots that are the same in every value: model_hash, and inputs that were set. With
  /// Python's lock.
  const std::string& content() const;
  const double* zeros() const { return zeros_.data(); }  ///< as many as there are coordinates

  /// A context for the caller alone, back on the shelf when the guard goes. Both happen with
  /// Python's lock held, which keeps the shelf in order.
  class Loan {
   public:
    explicit Loan(RobotHandle& robot) : robot_(robot), context_(robot.take()) {}
    ~Loan() { robot_.shelf_.push_back(std::move(context_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Context& operator*() { return *context_; }
    Context* operator->() { return context_.get(); }

   private:
    RobotHandle& robot_;
    std::unique_ptr<Context> context_;
  };

 private:
  std::unique_ptr<Context> take() {
    if (shelf_.empty()) return fresh();
    std::unique_ptr<Context> context = std::move(shelf_.back());
    shelf_.pop_back();
    return context;
  }
  std::unique_ptr<Context> fresh();

  std::vector<std::unique_ptr<Context>> shelf_;
  std::vector<int> quaternions_;
  std::unordered_map<std::string, int> frames_;
  Eigen::VectorXd zeros_;
  mutable std::string content_;  ///< made when it is first asked for
  bool takes_packs_;
};

}  // namespace ulna::python
