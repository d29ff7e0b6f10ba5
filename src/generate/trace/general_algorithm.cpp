#include "ulna/generate/internal/general_algorithm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "trace/kane_speeds.hpp"
#include "trace/loop_choice.hpp"
#include "trace/tracing.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/dynamics/torque_regressor.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

using Vector = Eigen::Map<const Eigen::VectorXd>;

void put(const Eigen::Ref<const Eigen::MatrixXd>& matrix, double* out) {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) *out++ = matrix(i, j);
}

}  // namespace

struct GeneralAlgorithm::Memory {
  std::unique_ptr<Model> own;  ///< where forces of actuators or the time are arguments
  int place_of_u = -1;         ///< of these among the arguments
  const Model& model;
  int frame;
  Workspace work;
  DerivativeWorkspace derivatives;
  std::optional<TorqueRegressor> regressor;  ///< of the function of this name
  std::optional<Kane> kane;
  SpeedRows speeds_chosen;  ///< of partial-velocities
  void (*run)(Memory&, const double* const*, double* const*) = nullptr;
  std::unique_ptr<LoopClosure> closure;  ///< of functions of loops
  std::unique_ptr<LoopDynamics> loops;
  std::vector<int> actuated;

  Memory(const Model& m, const std::string& function, const TraceOptions& options)
      : own(copy_with_inputs(m)),
        model(own ? *own : m),
        frame(options.frame < 0 ? m.tip_frame() : options.frame),
        work(model),
        derivatives(model) {
    if (!own) return;
    const TracedFunction f = generate::described(m, function, options);
    for (std::size_t k = 0; k < f.inputs.size(); ++k)
      if (f.inputs[k].name == "u") place_of_u = static_cast<int>(k);
  }

  static std::unique_ptr<Model> copy_with_inputs(const Model& m) {
    const bool forces = std::any_of(m.elements().begin(), m.elements().end(),
                                    [](const Element& e) { return e.input; });
    return forces || m.has_timed_elements() ? std::make_unique<Model>(m) : nullptr;
  }

  /// Forces of the actuators that are inputs, in their order, then the time.
  void take_inputs(const double* u) {
    for (int k = 0; k < std::ssize(own->elements()); ++k)
      if (own->elements()[static_cast<std::size_t>(k)].input) own->set_actuator_force(k, *u++);
    if (own->has_timed_elements()) own->set_time(*u);
  }

  Vector q(const double* const* in) const { return {in[0], model.coordinates()}; }
  Vector speeds(const double* x) const { return {x, model.speeds()}; }
  Eigen::VectorXd loads(const Eigen::VectorXd& lambda) const {
    Eigen::VectorXd y = Eigen::VectorXd::Zero(model.speeds());
    loops->closure().add_transposed(lambda, y);
    return y;
  }
};

GeneralAlgorithm::~GeneralAlgorithm() = default;
GeneralAlgorithm::GeneralAlgorithm(GeneralAlgorithm&&) noexcept = default;
GeneralAlgorithm& GeneralAlgorithm::operator=(GeneralAlgorithm&&) noexcept = default;

GeneralAlgorithm::GeneralAlgorithm(const Model& model, const std::string& function,
                                   const TraceOptions& options)
    : memory_(std::make_unique<Memory>(model, function, options)) {
  using In = const double* const*;
  using Out = double* const*;
  struct Entry {
    const char* name;
    void (*run)(Memory&, In, Out);
  };
  static constexpr Entry entries[] = {
      {"forward-kinematics",
       [](Memory& m, In in, Out out) {
         update_poses(m.model, m.work, m.q(in));
         const Pose<double> X = frame_pose(m.model, m.work, m.frame);
         put(X.position, out[0]);
         put(X.rotation, out[1]);
       }},
      {"frame-poses",
       [](Memory& m, In in, Out out) {
         update_poses(m.model, m.work, m.q(in));
         const int frames = static_cast<int>(m.model.frames().size());
         for (int k = 0; k < frames; ++k) {
           const Pose<double> X = frame_pose(m.model, m.work, k);
           put(X.position, out[0] + 3 * k);
           put(X.rotation, out[1] + 9 * k);
         }
       }},
      {"jacobian",
       [](Memory& m, In in, Out out) {
         JacobianQuery query;
         query.frame = m.frame;
         put(jacobian(m.model, m.work, m.q(in), query), out[0]);
       }},
      {"matrices",
       [](Memory& m, In in, Out out) {
         update_poses(m.model, m.work, m.q(in));
         for (int k = 1; k < static_cast<int>(m.model.bodies().size()); ++k) {
           const Pose<double> X = frame_pose(m.model, m.work, k);
           const Pose<double> parent =
               frame_pose(m.model, m.work, generate::parent_body(m.model, k));
           put((parent.inverse() * X).matrix(), out[0] + 16 * (k - 1));
           put(X.matrix(), out[1] + 16 * (k - 1));
         }
       }},
      {"partial-velocities",
       [](Memory& m, In in, Out out) {
         const Eigen::VectorXd rest = Eigen::VectorXd::Zero(m.model.speeds());
         const SpeedMap map = map_of_rows(m.model, m.speeds_chosen, m.q(in), rest);
         for (int k = 1; k < static_cast<int>(m.model.bodies().size()); ++k) {
           const BodyPartials partials = m.kane->partials(m.q(in), rest, k, map);
           const std::ptrdiff_t place = std::ptrdiff_t{3} * (k - 1) * m.model.speeds();
           put(partials.angular, out[0] + place);
           put(partials.linear, out[1] + place);
         }
       }},
      {"inverse",
       [](Memory& m, In in, Out out) {
         put(inverse_dynamics(m.model, m.work, m.q(in), m.speeds(in[1]), m.speeds(in[2])), out[0]);
       }},
      {"bias",
       [](Memory& m, In in, Out out) {
         put(bias_efforts(m.model, m.work, m.q(in), m.speeds(in[1])), out[0]);
       }},
      {"gravity",
       [](Memory& m, In in, Out out) { put(gravity_efforts(m.model, m.work, m.q(in)), out[0]); }},
      {"mass",
       [](Memory& m, In in, Out out) { put(mass_matrix(m.model, m.work, m.q(in)), out[0]); }},
      {"forward",
       [](Memory& m, In in, Out out) {
         put(forward_dynamics(m.model, m.work, m.q(in), m.speeds(in[1]), m.speeds(in[2])), out[0]);
       }},
      {"energy",
       [](Memory& m, In in, Out out) {
         const Energy e = energy(m.model, m.work, m.q(in), m.speeds(in[1]));
         *out[0] = e.kinetic;
         *out[1] = e.potential;
       }},
      {"inverse-derivatives",
       [](Memory& m, In in, Out out) {
         const InverseDerivatives& d = inverse_dynamics_derivatives(
             m.model, m.work, m.derivatives, m.q(in), m.speeds(in[1]), m.speeds(in[2]));
         put(d.dtau_dq, out[0]);
         put(d.dtau_dv, out[1]);
         put(d.mass_matrix, out[2]);
       }},
      {"forward-derivatives",
       [](Memory& m, In in, Out out) {
         const ForwardDerivatives& d = forward_dynamics_derivatives(
             m.model, m.work, m.derivatives, m.q(in), m.speeds(in[1]), m.speeds(in[2]));
         put(d.acceleration, out[0]);
         put(d.da_dq, out[1]);
         put(d.da_dv, out[2]);
         put(d.da_dtau, out[3]);
       }},
      {"regressor",
       [](Memory& m, In in, Out out) {
         put((*m.regressor)(m.work, m.q(in), m.speeds(in[1]), m.speeds(in[2])), out[0]);
       }},
      {"loop-residual",
       [](Memory& m, In in, Out out) {
         m.closure->update_rates(m.work, m.q(in), m.speeds(in[1]));
         put(m.closure->residual(), out[0]);
         put(m.closure->jacobian(), out[1]);
         put(m.closure->bias(), out[2]);
       }},
      {"loop-inverse",
       [](Memory& m, In in, Out out) {
         const LoopEfforts efforts =
             m.loops->inverse(m.work, m.q(in), m.speeds(in[1]), m.speeds(in[2]), {m.actuated, {}});
         put(efforts.tau, out[0]);
         put(m.loads(efforts.lambda), out[1]);
       }},
      {"loop-forward", [](Memory& m, In in, Out out) {
         put(m.loops->forward(m.work, m.q(in), m.speeds(in[1]), m.speeds(in[2])), out[0]);
         put(m.loads(m.loops->lambda()), out[1]);
       }}};
  if (function == "partial-velocities") {
    memory_->speeds_chosen = generate::fixed_speeds(model, options.speeds);
    memory_->kane.emplace(model);
  }
  const std::string name = generate::table_name(model, function);
  for (const Entry& entry : entries)
    if (name == entry.name) memory_->run = entry.run;
  if (name == "regressor") {
    model.require_rigid("the torque regressor");
    memory_->regressor.emplace(model);
  }
  if (name.starts_with("loop-")) {
    memory_->closure = std::make_unique<LoopClosure>(memory_->model);
    memory_->loops = std::make_unique<LoopDynamics>(memory_->model);
    if (name == "loop-inverse")
      memory_->actuated = generate::choose_for_loops(model, options).actuated;
  }
  if (!memory_->run)
    throw InputError(fmt::format("there is no function '{}'", function), {},
                     nearest_name_hint(function, function_names()));
}

void GeneralAlgorithm::operator()(const double* const* inputs, double* const* outputs) {
  if (memory_->place_of_u >= 0) memory_->take_inputs(inputs[memory_->place_of_u]);
  memory_->run(*memory_, inputs, outputs);
}

}  // namespace ulna
