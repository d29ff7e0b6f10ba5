#include <fmt/format.h>

#include <cmath>

#include "yaml/yaml_element.hpp"
#include "yaml/yaml_write.hpp"

namespace ulna {
namespace {

using PoseText = std::string (*)(const Pose<double>&);

class ElementWriter {
 public:
  explicit ElementWriter(PoseText pose) : pose_(pose) {}

  std::string write(const ElementData& element) {
    key("type", name_of(element.type));
    if (element.joint.empty()) {
      key("from", end(element.from));
      key("to", end(element.to));
    } else {
      key("joint", yaml::text(element.joint));
    }
    std::string eyes;
    for (const ElementEnd& eye : element.through) eyes += (eyes.empty() ? "[" : ", ") + end(eye);
    if (!eyes.empty()) key("through", eyes + "]");
    if (element.type == ElementData::Type::spring_damper) law(element.law, "free_length", true);
    if (element.type == ElementData::Type::torsion) {
      if (element.joint.empty()) key("axis", element.any_axis ? "any" : yaml::list(element.axis));
      law(element.law, "rest", false);
    }
    if (element.type == ElementData::Type::actuator) actuator(element);
    if (element.type == ElementData::Type::bushing) {
      key("stiffness", six(element.stiffness));
      key("damping", six(element.damping));
    }
    return std::move(out_);
  }

 private:
  void key(const char* name, const std::string& value) {
    out_ += fmt::format("    {}: {}\n", name, value);
  }
  void number(const char* name, double value) {
    if (value != 0) key(name, yaml::number(value));
  }

  std::string end(const ElementEnd& end) const {
    if (!end.frame.empty()) return yaml::quoted(end.frame);
    const std::string at = pose_(end.X_BE);
    return fmt::format("{{body: {}{}{}}}", yaml::quoted(end.body), at.empty() ? "" : ", at: ", at);
  }

  void law(const ElementLaw& law, const char* rest, bool line) {
    if (law.rest != 0 || (line && law.has_rest())) key(rest, yaml::number(law.rest));
    number("stiffness", law.stiffness);
    number("hardening", law.hardening);
    number("backlash", law.backlash);
    number("damping", law.damping);
    number("preload", law.preload);
    table("table", law.spring);
    table("damper_table", law.damper);
  }

  void table(const char* name, const ElementTable& table) {
    if (table.empty()) return;
    std::string rows;
    for (std::size_t k = 0; k < table.at.size(); ++k)
      rows += fmt::format("{}[{}, {}]", k ? ", " : "", yaml::number(table.at[k]),
                          yaml::number(table.force[k]));
    key(name, "[" + rows + "]");
  }

  void actuator(const ElementData& element) {
    if (element.input)
      key("force", "input");
    else if (!element.formula.empty())
      key("force", yaml::quoted(element.formula));
    else
      number("force", element.force);
    if (element.least_length != 0 || std::isfinite(element.greatest_length))
      key("stroke",
          fmt::format("[{}, {}]", yaml::number(element.least_length),
                      yaml::number(std::isfinite(element.greatest_length) ? element.greatest_length
                                                                          : longest)));
    if (std::isfinite(element.rate_limit)) key("rate_limit", yaml::number(element.rate_limit));
  }
  static constexpr double longest = 1e30;  ///< a file has no word for an endless stroke

  static std::string six(const Eigen::Matrix<double, 6, 6>& m) {
    const Eigen::Matrix<double, 6, 6> diagonal = m.diagonal().asDiagonal();
    const Eigen::Matrix<double, 6, 1> d = m.diagonal();
    if (m == diagonal) return yaml::list(d);
    std::string rows;
    for (int i = 0; i < 6; ++i) {
      const Eigen::Matrix<double, 6, 1> row = m.row(i).transpose();
      rows += (i ? ", " : "") + yaml::list(row);
    }
    return "[" + rows + "]";
  }

  PoseText pose_;
  std::string out_;
};

}  // namespace

std::string write_element(const ElementData& element, PoseText pose) {
  return ElementWriter(pose).write(element);
}

}  // namespace ulna
