#include "options/sweep_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "options/state_options.hpp"
#include "options/structure_options.hpp"
#include "options/sweep_text.hpp"
#include "ulna/formats/parameters.hpp"
#include "ulna/structure/sweep.hpp"

namespace ulna::cli {
namespace {

constexpr long most_grid_points = 100'000;

[[noreturn]] void refuse_sweep(const std::string& found, const std::string& expected,
                               const std::string& hint = {}) {
  throw InputError(Problem{{}, "--sweep", found, expected, hint});
}

/// A number and the unit behind it, which may be missing.
struct Measure {
  double value;
  std::string unit;
};
Measure measure_of(const std::string& text) {
  const std::size_t end = text.find_last_of("0123456789.") + 1;
  std::string unit = text.substr(end);
  unit.erase(0, std::min(unit.find_first_not_of(' '), unit.size()));
  return {parse_number("--sweep", text.substr(0, end)), unit};
}

/// "A:B:STEP" in one unit, or a list of anything that the robot file takes there.
std::vector<std::string> texts_of(const std::string& text, std::string& unit) {
  if (text.find(':') == std::string::npos) return comma_parts(text);
  std::string numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t colon = std::min(text.find(':', begin), text.size());
    const Measure part = measure_of(text.substr(begin, colon - begin));
    if (begin > 0 && part.unit != unit)
      refuse_sweep("found '" + text + "'", "START:END:STEP in one unit");
    unit = part.unit;
    numbers += fmt::format("{}{}", begin > 0 ? ":" : "", part.value);
    begin = colon + 1;
  }
  std::vector<std::string> texts;
  for (const double value : parse_range("--sweep", numbers))
    texts.push_back(fmt::format("{}{}{}", value, unit.empty() ? "" : " ", unit));
  return texts;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_of("0123456789") < 2 &&
         text.find_first_not_of("+-.0123456789") != 0;
}

/// "v2" or "q2" by number, 0 for the first; -1 for other names.
int numbered_name(const std::string& name, char letter, int count) {
  const bool digits =
      name.size() > 1 && name.size() < 6 && name[0] == letter &&
      std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
  const int k = digits ? std::stoi(name.substr(1)) - 1 : -1;
  return k < count ? k : -1;
}

int place_of(const std::vector<std::string>& names, const std::string& wanted) {
  const auto at = std::find(names.begin(), names.end(), wanted);
  return at == names.end() ? -1 : static_cast<int>(at - names.begin());
}

/// What an axis changes: a coordinate, a speed, or the robot.
struct Change {
  SweepAxis axis;
  int coordinate = -1, speed = -1;
  bool path = false;
  std::function<Robot(Robot, int)> robot;  ///< with the value of a number; not of paths

  bool of_robot() const { return path || robot != nullptr; }
};

class SweepReader {
 public:
  explicit SweepReader(const Model& model) : model_(model) {}

  Change read(const std::string& text) const {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      refuse_sweep("found '" + text + "'", "PARAMETER=START:END:STEP");
    Change change;
    change.axis.parameter = text.substr(0, equals);
    const std::string values = text.substr(equals + 1);
    if (!state(change, values) && !path(change, values) && !named(change, values)) refuse(change);
    if (change.axis.values.empty()) refuse_sweep("found '" + text + "'", "one value or more");
    return change;
  }

 private:
  static void numbers(SweepAxis& axis, const std::vector<double>& values) {
    axis.values = values;
    for (const double value : values) axis.labels.push_back(fmt::format("{:.7g}", value));
  }

  bool state(Change& change, const std::string& values) const {
    const std::string& name = change.axis.parameter;
    int k = place_of(model_.coordinate_names(), name);
    if (k < 0 && name.starts_with("q.")) k = place_of(model_.coordinate_names(), name.substr(2));
    if (k < 0) k = numbered_name(name, 'q', model_.coordinates());
    if (k >= 0) {
      const Entry entry = coordinate_entries(model_)[k];
      change.coordinate = k;
      change.axis.unit = unit_of(entry.dimension);
      numbers(change.axis, parse_range("--sweep", values, entry.dimension));
      return true;
    }
    if (name.starts_with("v.")) k = place_of(model_.speed_names(), name.substr(2));
    if (k < 0) k = numbered_name(name, 'v', model_.speeds());
    if (k < 0) return false;
    change.speed = k;
    numbers(change.axis, parse_range("--sweep", values, speed_entries(model_)[k].dimension, "/s"));
    return true;
  }

  /// A place in the robot file; where words are listed, they are numbered.
  static bool path(Change& change, const std::string& values) {
    if (!is_robot_path(change.axis.parameter)) return false;
    change.path = true;
    change.axis.labels = texts_of(values, change.axis.unit);
    for (const std::string& text : change.axis.labels) {
      if (!is_number(text)) change.axis.words = true;
      change.axis.values.push_back(is_number(text) ? measure_of(text).value
                                                   : double(change.axis.values.size() + 1));
    }
    return true;
  }

  static bool named(Change& change, const std::string& values) {
    SweepAxis& axis = change.axis;
    const std::string& name = axis.parameter;
    if (name == "payload" || name.starts_with("payload.")) {
      axis.unit = "kg";
      numbers(axis, parse_range("--sweep", values, Dimension::mass));
      change.robot = [load = name.size() > 8 ? name.substr(8) : "", all = axis.values](Robot r,
                                                                                       int k) {
        return with_payload_mass(std::move(r), load, all[static_cast<std::size_t>(k)]);
      };
      return true;
    }
    if (name.ends_with(".section.ratio")) {
      numbers(axis, parse_range("--sweep", values));
      change.robot = [body = name.substr(0, name.size() - 14), all = axis.values](Robot r, int k) {
        return with_section_ratio(std::move(r), body, all[static_cast<std::size_t>(k)]);
      };
      return true;
    }
    if (!name.ends_with(".material")) return false;
    axis.words = true;
    axis.labels = comma_parts(values);
    for (std::size_t k = 1; k <= axis.labels.size(); ++k) axis.values.push_back(double(k));
    change.robot = [body = name.substr(0, name.size() - 9), all = axis.labels](Robot r, int k) {
      return with_material(std::move(r), body, all[static_cast<std::size_t>(k)]);
    };
    return true;
  }

  [[noreturn]] void refuse(const Change& change) const {
    refuse_sweep(
        "unknown parameter '" + change.axis.parameter + "'",
        "a coordinate, v.SPEED, payload, payload.NAME, LINK.material, LINK.section.ratio, or a "
        "place in the robot file such as bodies.NAME.mass, joints.NAME.spring.stiffness, "
        "beams.NAME.section.outer",
        nearest_name_hint(change.axis.parameter, model_.coordinate_names()));
  }

  const Model& model_;
};

class GridMaker {
 public:
  GridMaker(const std::vector<Change>& changes, const Model& model,
            const std::function<Model(Robot)>& prepare)
      : changes_(changes), prepare_(prepare), shared_(std::make_shared<const Model>(model)) {
    for (const Change& change : changes) {
      if (!change.path) continue;
      file_.emplace(model.robot());
      break;
    }
  }

  void run(SweepGrid& grid, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    long count = 1;
    for (const Change& change : changes_) {
      grid.axes.push_back(change.axis);
      count *= std::ssize(change.axis.values);
      if (count > most_grid_points)
        refuse_sweep("the grid has more points than that",
                     fmt::format("at most {}", most_grid_points));
    }
    for (int p = 0; p < count; ++p) {
      grid.previous.push_back(neighbour(grid, p));
      const SweepPoint* before = p > 0 ? &grid.points[grid.previous.back()] : nullptr;
      SweepPoint point{model_at(grid, p), before ? before->q : q, v};
      std::vector<int> coordinates;
      std::vector<double> values;
      for (std::size_t a = 0; a < changes_.size(); ++a) {
        const double value = grid.axes[a].values[grid.index(p, static_cast<int>(a))];
        if (changes_[a].speed >= 0) point.v(changes_[a].speed) = value;
        if (changes_[a].coordinate < 0) continue;
        coordinates.push_back(changes_[a].coordinate);
        values.push_back(value);
      }
      point.q = posture_with(*point.model, point.q, coordinates, values);
      grid.points.push_back(std::move(point));
    }
  }

 private:
  /// The point one step back on the fastest axis that can go back.
  static int neighbour(const SweepGrid& grid, int point) {
    int stride = 1;
    for (int a = static_cast<int>(grid.axes.size()) - 1; a >= 0; --a) {
      if (grid.index(point, a) > 0) return point - stride;
      stride *= static_cast<int>(grid.axes[a].values.size());
    }
    return -1;
  }

  std::shared_ptr<const Model> model_at(const SweepGrid& grid, int point) {
    std::vector<int> key;
    std::vector<ParameterValue> values;
    for (std::size_t a = 0; a < changes_.size(); ++a) {
      if (!changes_[a].of_robot()) continue;
      key.push_back(grid.index(point, static_cast<int>(a)));
      if (changes_[a].path)
        values.push_back({changes_[a].axis.parameter, changes_[a].axis.labels[key.back()]});
    }
    if (key.empty()) return prepared(shared_->robot(), key);
    if (const auto found = models_.find(key); found != models_.end()) return found->second;
    Robot robot = values.empty() ? shared_->robot() : file_->with(values);
    for (std::size_t a = 0; a < changes_.size(); ++a)
      if (changes_[a].robot)
        robot = changes_[a].robot(std::move(robot), grid.index(point, static_cast<int>(a)));
    return prepared(std::move(robot), key);
  }

  std::shared_ptr<const Model> prepared(Robot robot, const std::vector<int>& key) {
    std::shared_ptr<const Model>& model = models_[key];
    if (!model) model = std::make_shared<const Model>(prepare_(std::move(robot)));
    return model;
  }

  const std::vector<Change>& changes_;
  const std::function<Model(Robot)>& prepare_;
  std::shared_ptr<const Model> shared_;
  std::optional<RobotParameters> file_;
  std::map<std::vector<int>, std::shared_ptr<const Model>> models_;
};

}  // namespace

int SweepGrid::index(int point, int axis) const {
  for (int a = static_cast<int>(axes.size()) - 1; a > axis; --a)
    point /= static_cast<int>(axes[a].values.size());
  return point % static_cast<int>(axes[axis].values.size());
}

std::string SweepGrid::label(int point) const {
  if (axes.size() == 1) return axes[0].labels[index(point, 0)];
  std::string text;
  for (int a = 0; a < static_cast<int>(axes.size()); ++a)
    text +=
        fmt::format("{}{} = {}", a ? ", " : "", axes[a].parameter, axes[a].labels[index(point, a)]);
  return text;
}

SweepGrid parse_sweeps(const std::vector<std::string>& texts, const Model& model,
                       const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                       const std::function<Model(Robot)>& prepare) {
  std::vector<Change> changes;
  for (const std::string& text : texts) {
    changes.push_back(SweepReader(model).read(text));
    for (std::size_t k = 0; k + 1 < changes.size(); ++k)
      if (changes[k].axis.parameter == changes.back().axis.parameter)
        refuse_sweep("'" + changes[k].axis.parameter + "' is swept twice", "each parameter once");
  }
  SweepGrid grid;
  GridMaker(changes, model, prepare).run(grid, q, v);
  return grid;
}

bool sweeps_speed(const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
    const std::string name = text.substr(0, text.find('='));
    return name.starts_with("v.");
  });
}

}  // namespace ulna::cli
