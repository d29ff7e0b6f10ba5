// The laws of controllers besides pd and the like: state feedback, impedance, operational space,
// adaptive.

#include <fmt/format.h>

#include <algorithm>

#include "ulna/dynamics/internal/dynamics_choice.hpp"
#include "ulna/kinematics/state.hpp"
#include "ulna/simulation/internal/draft.hpp"
#include "ulna/simulation/linear_analysis.hpp"
#include "ulna/simulation/linearize.hpp"
#include "wording.hpp"
#include "yaml/yaml_controller_reader.hpp"

namespace ulna {

int ControllerReader::frame() {
  const std::string name = map_.needed_text("frame", "the name of a frame");
  if (name.empty()) return 0;
  try {
    return model().frame(name);
  } catch (const InputError& error) {
    for (const Problem& p : error.problems())
      map_.complain("frame", p.message, p.expectation, p.hint);
    return 0;
  }
}

Eigen::Matrix<double, 6, 1> ControllerReader::of_frame(const std::string& key) {
  Eigen::Matrix<double, 6, 1> values = Eigen::Matrix<double, 6, 1>::Zero();
  const YamlNode* node = map_.find(key);
  if (!node) return values;
  const std::string element = map_.element() + ", " + key;
  if (node->kind == YamlNode::Kind::map) {
    const YamlMap map(context_, *node, element, {"position", "rotation"});
    values.head<3>().setConstant(map.number("rotation", quantity::number, 0));
    values.tail<3>().setConstant(map.number("position", quantity::number, 0));
  } else if (node->kind == YamlNode::Kind::sequence) {
    const std::vector<double> six = read_numbers(context_, *node, element, quantity::number, 6);
    for (std::size_t k = 0; k < six.size(); ++k) values(static_cast<long>(k)) = six[k];
  } else {
    values.setConstant(read_number(context_, *node, element, quantity::number));
  }
  if (!(values.array() >= 0).all()) map_.complain(key, "a number is below 0", "0 or more");
  return values;
}

std::shared_ptr<Controller> ControllerReader::read_impedance() {
  auto made = std::make_shared<Impedance>();
  made->frame = frame();
  map_.need("stiffness", "{position: N/m, rotation: N m/rad}, one number or six");
  made->stiffness = of_frame("stiffness");
  made->damping = of_frame("damping");
  made->gravity = map_.boolean("gravity", true);
  made->joint_damping = map_.number("joint_damping", quantity::number, 0);
  made->limit = limits();
  return made;
}

std::shared_ptr<Controller> ControllerReader::read_operational_space() {
  auto made = std::make_shared<OperationalSpace>();
  made->frame = frame();
  made->position_only = map_.boolean("position_only", false);
  made->kp = map_.number("kp", quantity::number, 0);
  made->kd = map_.number("kd", quantity::number, 0);
  made->joint_kp = map_.number("joint_kp", quantity::number, 0);
  made->joint_kd = map_.number("joint_kd", quantity::number, 0);
  for (const char* key : {"kp", "kd", "joint_kp", "joint_kd"})
    if (!(map_.number(key, quantity::number, 0) >= 0))
      map_.complain(key, "it is below 0", "0 or more");
  made->limit = limits();
  return made;
}

std::shared_ptr<Controller> ControllerReader::read_adaptive() {
  auto made = std::make_shared<Adaptive>();
  made->lambda = map_.number("lambda", quantity::number, made->lambda);
  map_.need("kd", "the gains on s");
  made->kd = gains("kd", 0);
  made->rate = map_.number("learning", quantity::number, made->rate);
  if (!(made->lambda > 0))
    map_.complain("lambda", fmt::format("it is {}", made->lambda), "above 0");
  if (!(made->rate >= 0))
    map_.complain("learning", fmt::format("it is {}", made->rate), "0 or more");
  made->limit = limits();
  return made;
}

Eigen::MatrixXd ControllerReader::matrix(const YamlNode& node, const std::string& element,
                                         long rows, long columns) {
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(rows, columns);
  if (static_cast<long>(node.items.size()) != rows) {
    context_.problems.add(context_.mark(node), element, fmt::format("{} rows", node.items.size()),
                          fmt::format("{} rows of {} numbers", rows, columns));
    return M;
  }
  for (long i = 0; i < rows; ++i) {
    const std::vector<double> row =
        read_numbers(context_, node.items[static_cast<std::size_t>(i)], element, quantity::number,
                     static_cast<std::size_t>(columns));
    for (std::size_t k = 0; k < row.size(); ++k) M(i, static_cast<long>(k)) = row[k];
  }
  return M;
}

Eigen::MatrixXd ControllerReader::weights(const YamlNode& node, const std::string& element,
                                          long size) {
  if (node.kind != YamlNode::Kind::sequence)
    return read_number(context_, node, element, quantity::number) *
           Eigen::MatrixXd::Identity(size, size);
  if (!node.items.empty() && node.items.front().kind == YamlNode::Kind::sequence)
    return matrix(node, element, size, size);
  const std::vector<double> diagonal =
      read_numbers(context_, node, element, quantity::number, static_cast<std::size_t>(size));
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(size, size);
  for (std::size_t k = 0; k < diagonal.size(); ++k)
    M(static_cast<long>(k), static_cast<long>(k)) = diagonal[k];
  return M;
}

/// In a loop a joint that the start does not name goes where the others lead it.
bool ControllerReader::starts_at(int coordinate) const {
  const auto k = static_cast<std::size_t>(coordinate);
  return k < e_.keep_q.size() && e_.keep_q[k] != 0;
}

/// Where the reference begins: motions, and the start of joints without one; loops closed.
Eigen::VectorXd ControllerReader::reference_at_start() const {
  const Model& robot = *e_.model;
  StateRequest request;
  request.near = e_.q.size() > 0 ? e_.q : robot.neutral();
  const Eigen::VectorXd motions = start_of_motions(e_).q;
  NamedValues kept;
  for (std::size_t j = 0; j < e_.drives.size(); ++j) {
    const Joint& joint = robot.joints()[j];
    const bool moves = !e_.drives[j].motion.empty();
    if (moves)
      request.near.segment(joint.q, joint.coordinates) =
          motions.segment(joint.q, joint.coordinates);
    const bool controlled =
        std::find(joints_.begin(), joints_.end(), static_cast<int>(j)) != joints_.end();
    if (!moves && !controlled) continue;
    for (int k = joint.q; k < joint.q + joint.coordinates; ++k)
      if (moves || robot.is_tree() || starts_at(k))
        kept.push_back({robot.coordinate_names()[static_cast<std::size_t>(k)], request.near(k)});
  }
  request.q = kept;
  return complete_state(robot, request).q;
}

/// Gains about the start of the reference, or about `at`; for the sampled system where there is a
/// rate.
std::shared_ptr<Controller> ControllerReader::read_state_feedback() {
  auto made = std::make_shared<StateFeedback>();
  const long n = model().coordinates();
  try {
    made->q0 = reference_at_start().head(n);
  } catch (const std::runtime_error& error) {
    map_.complain("law", error.what(), "a start at which the loops close");
    return nullptr;
  }
  if (const YamlNode* at = map_.find("at")) {
    const std::vector<double> q =
        read_numbers(context_, *at, map_.element() + ", at", quantity::number,
                     static_cast<std::size_t>(n - model().modes()));
    for (std::size_t k = 0; k < q.size(); ++k) made->q0(static_cast<long>(k)) = q[k];
  }
  const std::vector<std::pair<const char*, bool>> ways = {
      {"lqr", map_.has("lqr")}, {"poles", map_.has("poles")}, {"gains", map_.has("gains")}};
  int given = 0;
  for (const auto& way : ways) given += way.second;
  if (given != 1) {
    map_.complain({}, fmt::format("{} of lqr, poles and gains are given", given), "one");
    return nullptr;
  }
  try {
    LinearOutput what;
    what.actuators = speeds_of_joints();
    const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model().speeds());
    what.independent = independent_around(model(), made->q0, what.actuators);
    made->efforts = holding_efforts(model(), made->q0, rest, what.independent);
    const LinearSystem linear = linearize(model(), made->q0, rest, made->efforts, what);
    made->speeds = linear.speeds;
    made->actuated = linear.inputs;
    made->limit = limits();
    read_timing(*made);
    for (const auto& [key, has] : ways)
      if (has) choose_gains(*map_.find(key), linear, *made);
    if (const YamlNode* node = map_.find("kalman")) add_filter(*node, linear, *made);
  } catch (const ComputationError& error) {
    map_.complain("law", error.what(), "gains that stabilise the robot at its start");
    return nullptr;
  } catch (const InputError& error) {
    for (const Problem& p : error.problems())
      map_.complain(p.element.empty() ? "law" : p.element, p.message, p.expectation, p.hint);
    return nullptr;
  }
  return made;
}

void ControllerReader::choose_gains(const YamlNode& node, const LinearSystem& linear,
                                    StateFeedback& made) {
  const long n = linear.A.rows(), m = linear.B.cols();
  const std::string element = map_.element();
  if (map_.has("gains")) {
    made.K = matrix(node, element + ", gains", m, n);
    return;
  }
  if (map_.has("poles")) {
    Eigen::VectorXcd poles(n);
    const std::vector<YamlNode>& items = read_list(context_, node, element + ", poles");
    if (static_cast<long>(items.size()) != n)
      throw InputError(fmt::format("{} poles", items.size()), fmt::format("{}", n));
    for (long k = 0; k < n; ++k) {
      const YamlNode& item = items[static_cast<std::size_t>(k)];
      if (item.kind == YamlNode::Kind::sequence) {
        const std::vector<double> pair =
            read_numbers(context_, item, element + ", poles", quantity::number, 2);
        poles(k) = pair.size() == 2 ? std::complex<double>(pair[0], pair[1]) : 0.0;
      } else {
        poles(k) = read_number(context_, item, element + ", poles", quantity::number);
      }
    }
    made.K = place_poles(linear.A, linear.B, poles);
    return;
  }
  const YamlMap map(context_, node, element + ", lqr", {"q", "v", "effort", "Q", "R"});
  const long half = n / 2;
  Eigen::MatrixXd Q = Eigen::MatrixXd::Zero(n, n), R = Eigen::MatrixXd::Identity(m, m);
  const auto part = [&](const char* key, long size, double otherwise) -> Eigen::MatrixXd {
    const YamlNode* found = map.find(key);
    if (!found) return otherwise * Eigen::MatrixXd::Identity(size, size);
    return weights(*found, map.element() + ", " + key, size);
  };
  Q.topLeftCorner(half, half) = part("q", half, 1);
  Q.bottomRightCorner(half, half) = part("v", half, 0);
  if (map.has("Q")) Q = part("Q", n, 1);
  R = part(map.has("R") ? "R" : "effort", m, 1);
  if (made.period > 0) {
    const DiscreteSystem sampled = discretize(linear.A, linear.B, made.period);
    // The cost of a sample is that of its period.
    made.K = discrete_regulator(sampled.A, sampled.B, made.period * Q, made.period * R).K;
  } else {
    made.K = linear_quadratic_regulator(linear.A, linear.B, Q, R).K;
  }
}

/// Positions are measured; the process is disturbed by efforts.
void ControllerReader::add_filter(const YamlNode& node, const LinearSystem& linear,
                                  StateFeedback& made) {
  const YamlMap map(context_, node, map_.element() + ", kalman",
                    {"effort", "state", "measurement"});
  if (!(made.period > 0))
    return map_.complain("kalman", "the controller is continuous", "rate, the samples per second");
  const long n = linear.A.rows(), half = n / 2;
  const auto deviation = [&](const char* key, double otherwise) {
    const double x = map.number(key, quantity::number, otherwise);
    if (!(x >= 0)) map.complain(key, fmt::format("found {}", x), "0 or more");
    return x;
  };
  const double effort = deviation("effort", 1), state = deviation("state", 0),
               measured = deviation("measurement", 1e-3);
  if (!(measured > 0)) return map.complain("measurement", "it is 0", "above 0");
  const DiscreteSystem sampled = discretize(linear.A, linear.B, made.period);
  const Eigen::MatrixXd Q = effort * effort * sampled.B * sampled.B.transpose() +
                            state * state * Eigen::MatrixXd::Identity(n, n);
  // Joints are measured, the modes of flexible bodies are not.
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(half, n);
  for (long k = 0; k < half; ++k)
    if (const int speed = made.speeds[static_cast<std::size_t>(k)];
        speed < model().speeds() - model().modes()) {
      C(static_cast<long>(made.measured.size()), k) = 1;
      made.measured.push_back(speed);
    }
  const auto seen = static_cast<long>(made.measured.size());
  C.conservativeResize(seen, n);
  made.filter = steady_kalman_filter(sampled.A, sampled.B, C, Q,
                                     measured * measured * Eigen::MatrixXd::Identity(seen, seen));
}

}  // namespace ulna
