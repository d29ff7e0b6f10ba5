#include "run/controller_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tip/channel_feedback.hpp"
#include "ulna/kinematics/independent_speeds.hpp"

namespace ulna {
namespace {

std::shared_ptr<const Model> model_of(const Experiment& e, const Controller& controller) {
  if (controller.own_model) return controller.own_model;
  return e.known_model ? e.known_model : e.model;
}

}  // namespace

std::string why_no_model_of(const Model& own, const Model& robot) {
  const auto& mine = own.joints();
  const auto& others = robot.joints();
  if (mine.size() != others.size())
    return fmt::format("it has {} joints, and robot '{}' has {}", mine.size(), robot.name(),
                       others.size());
  for (std::size_t j = 0; j < mine.size(); ++j)
    if (mine[j].name != others[j].name || mine[j].type != others[j].type ||
        mine[j].q != others[j].q || mine[j].v != others[j].v)
      return fmt::format("its joint '{}' ({}) stands where robot '{}' has '{}' ({})", mine[j].name,
                         name_of(mine[j].type), robot.name(), others[j].name,
                         name_of(others[j].type));
  if (own.modes() != 0 && own.modes() != robot.modes())
    return fmt::format("it has {} elastic modes, and robot '{}' has {}", own.modes(), robot.name(),
                       robot.modes());
  return {};
}

ControllerView::ControllerView(const Experiment& e, std::size_t index, const SensorBank& sensors)
    : controller_(e.controllers[index]),
      model_(model_of(e, *controller_)),
      sensors_(sensors),
      same_size_(model_->speeds() == e.model->speeds()),
      work_(*model_),
      dynamics_(*model_),
      q_(Eigen::VectorXd::Zero(e.model->coordinates())),
      v_(Eigen::VectorXd::Zero(e.model->speeds())),
      error_(v_),
      scratch_(Eigen::VectorXd::Zero(model_->speeds())),
      tau_(scratch_),
      own_q_(model_->neutral()),
      own_v_(scratch_),
      q_ref_(own_q_),
      v_ref_(scratch_),
      a_ref_(scratch_),
      own_error_(scratch_) {
  for (const int j : controller_->joints) {
    const Joint& joint = model_->joints()[static_cast<std::size_t>(j)];
    if (e.drives[static_cast<std::size_t>(j)].kind != DriveKind::controller) continue;
    for (int k = 0; k < joint.speeds; ++k) speeds_.push_back(joint.v + k);
  }
  connect(*e.model);
  mark_led(e);
  if (!controller_->feedback.empty())
    outer_ = std::make_unique<ChannelFeedback>(e, *controller_, sensors);
}

ControllerView::~ControllerView() = default;

int ControllerView::states() const {
  return controller_->states(*model_) + (outer_ ? outer_->states() : 0);
}

/// Its own joints, and those that motions, locks and other controllers lead: their accelerations
/// are those of their references.
void ControllerView::mark_led(const Experiment& e) {
  led_.assign(static_cast<std::size_t>(model_->speeds()), 0);
  for (const int k : speeds_) led_[static_cast<std::size_t>(k)] = 1;
  for (std::size_t j = 0; j < model_->joints().size() && j < e.drives.size(); ++j) {
    const Joint& joint = model_->joints()[j];
    const DriveKind kind = e.drives[j].kind;
    if (kind == DriveKind::motion || kind == DriveKind::locked || kind == DriveKind::controller)
      for (int k = joint.v; k < joint.v + joint.speeds; ++k) led_[static_cast<std::size_t>(k)] = 1;
  }
}

/// Do they determine all others? Where the loops bind them to each other only its own count as led.
void ControllerView::count_led(const Eigen::VectorXd& q) {
  std::ptrdiff_t freedoms = model_->speeds();
  if (dynamics_.loops()) {
    LoopClosure closure(*model_);
    closure.update(work_, q.head(model_->coordinates()));
    freedoms = std::ssize(split_speeds(closure).independent);
  }
  if (freedoms < std::count(led_.begin(), led_.end(), 1)) {
    led_.assign(led_.size(), 0);
    for (const int k : speeds_) led_[static_cast<std::size_t>(k)] = 1;
  }
  determined_ = std::count(led_.begin(), led_.end(), 1) == freedoms;
  counted_ = true;
}

void ControllerView::connect(const Model& plant) {
  for (const std::string& name : controller_->sensors) {
    const auto k = static_cast<std::size_t>(sensors_.find(name));
    const Sensor& sensor = sensors_.sensors()[k];
    if (sensor.speed < 0) continue;
    const auto first = static_cast<std::size_t>(sensors_.first(k));
    if (sensor.kind == "tachometer") {
      measured_v_.push_back({sensor.speed, first});
      continue;
    }
    measured_q_.push_back(
        {plant.coordinate_of_speed()[static_cast<std::size_t>(sensor.speed)], first});
    // A tachometer of the same joint is better than a difference.
    bool has_tachometer = false;
    for (const std::string& other : controller_->sensors) {
      const Sensor& s = sensors_.sensors()[static_cast<std::size_t>(sensors_.find(other))];
      has_tachometer |= s.kind == "tachometer" && s.speed == sensor.speed;
    }
    if (!has_tachometer && sensor.difference) measured_v_.push_back({sensor.speed, first + 1});
  }
}

void ControllerView::control(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                             const Reference& reference, const Eigen::VectorXd* held,
                             const double* z, Eigen::VectorXd& tau, double* dz) {
  if (!counted_) count_led(q);
  const Eigen::VectorXd* seen_q = &q;
  const Eigen::VectorXd* seen_v = &v;
  // The first sample is taken of a robot that moves by its controllers already: they see it as it
  // is.
  if (sensors_.has_readings() && (!measured_q_.empty() || !measured_v_.empty())) {
    q_ = q;
    v_ = v;
    for (const Measured& m : measured_q_) q_(m.index) = sensors_.readings()[m.reading];
    for (const Measured& m : measured_v_) v_(m.index) = sensors_.readings()[m.reading];
    seen_q = &q_;
    seen_v = &v_;
  }
  reference.error_from(*seen_q, error_);
  tau_.setZero();
  if (same_size_) {
    controller_->control(
        {*model_, work_, t, *seen_q, *seen_v, reference.q, reference.v, reference.a, error_,
         scratch_, dynamics_.loops(), held, &dynamics_, &led_, determined_},
        z, tau_, dz);
  } else {
    // Without the modes of flexible bodies, which come last.
    own_q_ = seen_q->head(own_q_.size());
    own_v_ = seen_v->head(own_v_.size());
    q_ref_ = reference.q.head(own_q_.size());
    v_ref_ = reference.v.head(own_v_.size());
    a_ref_ = reference.a.head(own_v_.size());
    own_error_ = error_.head(own_v_.size());
    controller_->control({*model_, work_, t, own_q_, own_v_, q_ref_, v_ref_, a_ref_, own_error_,
                          scratch_, dynamics_.loops(), held, &dynamics_, &led_, determined_},
                         z, tau_, dz);
  }
  for (const int k : speeds_) tau(k) += tau_(k);
  if (!outer_) return;
  const int own = controller_->states(*model_);
  outer_->add(t, q, v, reference, speeds_, z + own, tau, dz + own);
}

}  // namespace ulna
