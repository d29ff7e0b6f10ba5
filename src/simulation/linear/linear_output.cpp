#include "linear/linear_output.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ulna/dynamics/elements.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/internal/check_size.hpp"

namespace ulna {
namespace {

constexpr const char* frame_parts[] = {"rx", "ry", "rz", "x", "y", "z"};

class RowCollector {
 public:
  RowCollector(const Model& model, const VectorRef& q) : model_(model), q_(q), work_(model) {}

  void add_speed(char kind, int k) {
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(model_.speeds());
    row(k) = 1;
    const std::string& name = model_.speed_names()[static_cast<std::size_t>(k)];
    push(kind == 'q' ? row : zero(), kind == 'v' ? row : zero(), fmt::format("{}.{}", kind, name));
  }
  /// `part`: one of the six, or -1 for all.
  void add_frame(int frame, int part) {
    check_frame(model_, frame);
    const Eigen::MatrixXd J = jacobian(model_, work_, q_, {frame});
    const std::string& name = model_.frames()[static_cast<std::size_t>(frame)].name;
    for (int k = 0; k < 6; ++k)
      if (part < 0 || part == k)
        push(J.row(k), zero(), fmt::format("frame.{}.{}", name, frame_parts[k]));
  }
  void add(const std::string& name, const std::vector<int>& speeds) {
    if (name == "q" || name == "v") {
      for (const int k : speeds) add_speed(name[0], k);
      return;
    }
    for (int k = 0; k < model_.speeds(); ++k)
      for (const char kind : {'q', 'v'})
        if (name == fmt::format("{}.{}", kind, model_.speed_names()[static_cast<std::size_t>(k)]))
          return add_speed(kind, k);
    for (std::size_t f = 0; f < model_.frames().size(); ++f) {
      const std::string whole = "frame." + model_.frames()[f].name;
      if (name == whole) return add_frame(static_cast<int>(f), -1);
      for (int k = 0; k < 6; ++k)
        if (name == whole + "." + frame_parts[k]) return add_frame(static_cast<int>(f), k);
    }
    refuse(name);
  }
  OutputRows rows() const {
    OutputRows out;
    const auto n = static_cast<long>(names_.size());
    out.by_q.resize(n, model_.speeds());
    out.by_v.resize(n, model_.speeds());
    for (long k = 0; k < n; ++k) {
      out.by_q.row(k) = by_q_[static_cast<std::size_t>(k)];
      out.by_v.row(k) = by_v_[static_cast<std::size_t>(k)];
    }
    out.names = names_;
    return out;
  }

 private:
  Eigen::RowVectorXd zero() const { return Eigen::RowVectorXd::Zero(model_.speeds()); }
  void push(Eigen::RowVectorXd by_q, Eigen::RowVectorXd by_v, std::string name) {
    by_q_.push_back(std::move(by_q));
    by_v_.push_back(std::move(by_v));
    names_.push_back(std::move(name));
  }
  [[noreturn]] void refuse(const std::string& name) const {
    std::vector<std::string> known = {"q", "v"};
    for (const std::string& speed : model_.speed_names())
      for (const char* kind : {"q.", "v."}) known.push_back(kind + speed);
    for (const Frame& frame : model_.frames()) known.push_back("frame." + frame.name);
    throw InputError(fmt::format("there is no output '{}'", name),
                     "q, v, q.NAME, v.NAME, frame.NAME or one of its rx, ry, rz, x, y, z",
                     nearest_name_hint(name, known));
  }

  const Model& model_;
  const VectorRef& q_;
  Workspace work_;
  std::vector<Eigen::RowVectorXd> by_q_, by_v_;
  std::vector<std::string> names_;
};

}  // namespace

OutputRows output_rows(const Model& model, const VectorRef& q, const LinearOutput& output,
                       const std::vector<int>& speeds) {
  RowCollector rows(model, q);
  for (const std::string& name : output.outputs) rows.add(name, speeds);
  if (output.outputs.empty() && output.frame >= 0) rows.add_frame(output.frame, -1);
  if (output.outputs.empty() && output.frame < 0) rows.add("q", speeds);
  return rows.rows();
}

namespace {

std::vector<int> input_speeds(const Model& model, const LinearOutput& output,
                              const std::vector<int>& speeds) {
  if (output.actuators.empty()) return output.elements.empty() ? speeds : std::vector<int>{};
  std::vector<int> seen;
  for (const int k : output.actuators) {
    if (k < 0 || k >= model.speeds())
      throw InputError(fmt::format("there is no speed {} to actuate", k),
                       fmt::format("0 to {}", model.speeds() - 1));
    if (std::find(seen.begin(), seen.end(), k) != seen.end())
      throw InputError(
          fmt::format("'{}' is actuated twice", model.speed_names()[static_cast<std::size_t>(k)]),
          "each actuator once");
    seen.push_back(k);
  }
  return output.actuators;
}

void check_input_elements(const Model& model, const std::vector<int>& elements) {
  std::vector<int> seen;
  for (const int k : elements) {
    if (k < 0 || k >= static_cast<int>(model.elements().size()) ||
        model.elements()[static_cast<std::size_t>(k)].type != ElementData::Type::actuator)
      throw InputError(fmt::format("element {} is not an input", k), "an element of type actuator");
    if (std::find(seen.begin(), seen.end(), k) != seen.end())
      throw InputError(fmt::format("actuator '{}' is an input twice",
                                   model.elements()[static_cast<std::size_t>(k)].name),
                       "each actuator once");
    seen.push_back(k);
  }
}

}  // namespace

Eigen::MatrixXd choose_inputs(const Model& model, const VectorRef& q, const VectorRef& v,
                              const LinearOutput& output, LinearSystem& linear) {
  check_input_elements(model, output.elements);
  linear.inputs = input_speeds(model, output, linear.speeds);
  linear.elements = output.elements;
  Eigen::MatrixXd efforts = Eigen::MatrixXd::Zero(
      model.speeds(), static_cast<long>(linear.inputs.size() + linear.elements.size()));
  long column = 0;
  for (const int k : linear.inputs) efforts(k, column++) = 1;
  for (const int k : linear.elements) efforts.col(column++) = actuator_input(model, k, q, v);
  return efforts;
}

}  // namespace ulna
