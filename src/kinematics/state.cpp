#include "ulna/kinematics/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"
#include "ulna/kinematics/internal/determination.hpp"
#include "ulna/kinematics/internal/named_efforts.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/model/internal/entry_hint.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

/// Loops that are closed to this are not assembled again.
constexpr double closed_already = 1e-12;

[[noreturn]] void refuse_part(const char* part, const std::string& found,
                              const std::string& expected, const std::string& hint = {}) {
  throw InputError(Problem{{}, part, found, expected, hint});
}

/// The place of each name among those known; each may be given once.
std::vector<int> places_of(const Model& model, const NamedValues& values,
                           const std::vector<std::string>& known, const char* part) {
  std::vector<int> places;
  for (const NamedValue& one : values) {
    const auto at = std::find(known.begin(), known.end(), one.name);
    if (at == known.end())
      refuse_part(part, fmt::format("robot '{}' has no '{}'", model.name(), one.name),
                  "names as 'ulna info' lists them", nearest_entry_hint(model, one.name, known));
    if (!std::isfinite(one.value))
      refuse_part(part, fmt::format("'{}' is {}", one.name, one.value), "a finite number");
    const int place = static_cast<int>(at - known.begin());
    if (std::find(places.begin(), places.end(), place) != places.end())
      refuse_part(part, fmt::format("'{}' is given twice", one.name), "each name once");
    places.push_back(place);
  }
  return places;
}

/// Names of the tree's coordinates, then of those of closing joints.
struct CoordinateList {
  std::vector<std::string> names;
  std::vector<ClosingValue> closing;  ///< loop and coordinate of what follows the tree
};

CoordinateList all_coordinates(const Model& model) {
  CoordinateList list{model.coordinate_names(), {}};
  for (int k = 0; k < std::ssize(model.loops()); ++k) {
    int coordinate = 0;
    for (std::string& name : closing_coordinate_names(model.loops()[k])) {
      list.names.push_back(std::move(name));
      list.closing.push_back({k, coordinate++, 0});
    }
  }
  return list;
}

/// Speeds or accelerations by name: places in all_speed_names(), and what they shall be.
struct GivenRates {
  std::vector<int> places;
  Eigen::VectorXd values;
};

GivenRates given_rates(const Model& model, const NamedValues& values, const char* part) {
  GivenRates given;
  given.places = places_of(model, values, all_speed_names(model), part);
  given.values.resize(std::ssize(values));
  for (std::size_t k = 0; k < values.size(); ++k)
    given.values(static_cast<Eigen::Index>(k)) = values[k].value;
  return given;
}

/// Modal speeds that are not named are zero, where the loops leave them free.
void add_still_modes(const LoopClosure& closure, GivenRates& given) {
  const Model& model = closure.model();
  if (model.modes() == 0) return;
  for (const int k : split_speeds(closure).independent) {
    if (k < model.joint_speeds() ||
        std::find(given.places.begin(), given.places.end(), k) != given.places.end())
      continue;
    given.places.push_back(k);
    given.values.conservativeResize(given.values.size() + 1);
    given.values(given.values.size() - 1) = 0;
  }
}

std::string names_at(const Model& model, const std::vector<int>& places) {
  const std::vector<std::string> names = all_speed_names(model);
  std::string text;
  for (const int k : places) text += (text.empty() ? "'" : ", '") + names[k] + "'";
  return text;
}

/// Completes speeds or accelerations of a mechanism from named ones.
class RateCompletion {
 public:
  RateCompletion(LoopClosure& closure, Workspace& work, const State& state)
      : closure_(closure), work_(work), model_(closure.model()), state_(state) {}

  /// At closure.update (speeds), or closure.update_rates at the state (accelerations).
  Eigen::VectorXd completed(GivenRates given, bool accelerations) {
    add_still_modes(closure_, given);
    const bool tree = std::all_of(given.places.begin(), given.places.end(),
                                  [&](int k) { return k < model_.speeds(); });
    return tree ? from_tree(given, accelerations) : from_any(given, accelerations);
  }

 private:
  Eigen::VectorXd from_tree(const GivenRates& given, bool accelerations) const {
    const SpeedSplit split = split_speeds(closure_, given.places);
    Eigen::VectorXd x(given.values.size());
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      const auto at = std::lower_bound(split.independent.begin(), split.independent.end(),
                                       given.places[static_cast<std::size_t>(k)]);
      x(at - split.independent.begin()) = given.values(k);
    }
    const CoordinateMap map = independent_map(closure_, split);
    return accelerations ? map.accelerations(x) : map.speeds(x);
  }

  /// Rows N v = x, where N is K for a closing joint, on v = G u + gamma.
  Eigen::VectorXd from_any(const GivenRates& given, bool accelerations) {
    const SpeedSplit split = split_speeds(closure_);
    const auto dof = static_cast<Eigen::Index>(split.independent.size());
    if (std::ssize(given.places) != dof)
      throw InputError(
          fmt::format("{} independent speeds ({}) for robot '{}'", given.places.size(),
                      names_at(model_, given.places), model_.name()),
          fmt::format("{}, as many as it has degrees of freedom here", dof),
          dof == 0 ? "" : fmt::format("for example {}", names_at(model_, split.independent)));
    const CoordinateMap map = independent_map(closure_, split);
    const std::vector<ClosingDegree> closing = closing_degrees(model_);
    Eigen::MatrixXd N(dof, dof);
    Eigen::VectorXd rest = given.values;
    for (Eigen::Index r = 0; r < dof; ++r) {
      const int place = given.places[static_cast<std::size_t>(r)];
      if (place < model_.speeds()) {
        N.row(r) = map.G.row(place);
        if (accelerations) rest(r) -= map.gamma(place);
        continue;
      }
      const ClosingDegree& at = closing[static_cast<std::size_t>(place - model_.speeds())];
      N.row(r) = closure_.closing_jacobian(work_, at.loop).row(at.degree) *
                 map.G(closure_.blocks()[at.loop].columns, Eigen::all);
      if (accelerations)  // K gamma + Kdot v
        rest(r) -=
            closure_.closing_state(work_, at.loop, state_.q, state_.v, map.gamma).a(at.degree);
    }
    const double quality = determination(closure_, split, given.places, N);
    if (!(quality > loop_rank_tolerance_of(model_)))
      throw ComputationError(
          fmt::format("the rates of {} do not determine the other speeds of robot '{}' here "
                      "(singular: {:.2g}); those of {} do",
                      names_at(model_, given.places), model_.name(), quality,
                      names_at(model_, split.independent)),
          quality);
    const Eigen::VectorXd u = dense::PivotedQr(N).solve(rest);
    Eigen::VectorXd x = accelerations ? map.accelerations(u) : map.speeds(u);
    for (Eigen::Index r = 0; r < dof; ++r)  // kept to the last bit
      if (const int place = given.places[static_cast<std::size_t>(r)]; place < model_.speeds())
        x(place) = given.values(r);
    return x;
  }

  LoopClosure& closure_;
  Workspace& work_;
  const Model& model_;
  const State& state_;
};

/// A full vector of the right size with finite entries.
const Eigen::VectorXd& checked(const Model& model, const Eigen::VectorXd& x, int size,
                               const char* part) {
  check_size(model, x, size, part);
  if (!x.allFinite()) refuse_part(part, "a value that is not finite", "finite numbers");
  return x;
}

Eigen::VectorXd tree_rates(const Model& model, const StatePart& part, const char* name) {
  if (const auto* all = std::get_if<Eigen::VectorXd>(&part))
    return checked(model, *all, model.speeds(), name);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(model.speeds());
  if (const auto* some = std::get_if<NamedValues>(&part)) {
    const GivenRates given = given_rates(model, *some, name);
    x(given.places) = given.values;
  }
  return x;
}

Eigen::VectorXd loop_rates(LoopClosure& closure, Workspace& work, const State& state,
                           const StatePart& part, const char* name, bool accelerations,
                           double& moved) {
  const Model& model = closure.model();
  if (closure.rows() == 0) return tree_rates(model, part, name);  // nothing follows from another
  if (const auto* some = std::get_if<NamedValues>(&part))
    return RateCompletion(closure, work, state)
        .completed(given_rates(model, *some, name), accelerations);
  const Eigen::VectorXd given = tree_rates(model, part, name);
  Eigen::VectorXd x =
      accelerations ? compatible_accelerations(closure, given) : compatible_speeds(closure, given);
  if (std::holds_alternative<Eigen::VectorXd>(part)) moved = (x - given).norm();
  return x;
}

}  // namespace

std::vector<ClosingDegree> closing_degrees(const Model& model) {
  std::vector<ClosingDegree> list;
  for (int k = 0; k < std::ssize(model.loops()); ++k)
    for (int d = 0; d < std::ssize(closing_speed_names(model.loops()[k])); ++d)
      list.push_back({k, d});
  return list;
}

std::vector<int> degrees_by_name(const Model& model, const std::vector<std::string>& names) {
  const std::vector<std::string> known = all_speed_names(model);
  std::vector<int> places;
  for (const std::string& name : names) {
    const auto at = std::find(known.begin(), known.end(), name);
    if (at == known.end())
      throw InputError(fmt::format("robot '{}' has no speed '{}'", model.name(), name),
                       "names as 'ulna info' lists them", nearest_name_hint(name, known));
    places.push_back(static_cast<int>(at - known.begin()));
  }
  return places;
}

AssemblyOptions assembly_options(const Model& model, const StatePart& q,
                                 const Eigen::VectorXd& near) {
  AssemblyOptions options;
  options.start = near.size() > 0 ? near : model.neutral();
  if (const auto* all = std::get_if<Eigen::VectorXd>(&q))
    options.start = checked(model, *all, model.coordinates(), "q");
  if (const auto* some = std::get_if<NamedValues>(&q)) {
    const CoordinateList known = all_coordinates(model);
    const std::vector<int> places = places_of(model, *some, known.names, "q");
    for (std::size_t k = 0; k < places.size(); ++k) {
      const int behind = places[k] - model.coordinates();
      if (behind < 0) {
        options.start(places[k]) = (*some)[k].value;
        options.held.push_back(places[k]);
      } else {
        options.closing.push_back(known.closing[static_cast<std::size_t>(behind)]);
        options.closing.back().value = (*some)[k].value;
      }
    }
    std::sort(options.held.begin(), options.held.end());
  }
  options.start = model.normalized(options.start);
  return options;
}

State complete_state(LoopClosure& closure, Workspace& work, const StateRequest& request) {
  const Model& model = closure.model();
  AssemblyOptions options = assembly_options(model, request.q, request.near);
  State state;
  state.q = options.start;
  closure.update(work, state.q);
  state.gap = closure.largest_gap(work);
  if (state.gap > closed_already || !options.closing.empty()) {
    options.tolerance = 1e-11;
    const AssemblyResult found = assemble(model, options);
    if (found.solutions.empty()) throw ComputationError(found.reason, found.nearest_gap);
    state.q = found.solutions[0].q;
    if (!found.note.empty()) state.notes.push_back(found.note);
    if (found.solutions[0].gap > options.tolerance)
      state.notes.push_back(
          fmt::format("the loops stay open by {:.3g} (m, rad), within the robot's tolerance {:.3g}",
                      found.solutions[0].gap, model.robot().loop_tolerance));
    if (std::holds_alternative<Eigen::VectorXd>(request.q))
      state.moved_q = model.difference(options.start, state.q).norm();
    closure.update(work, state.q);
  }
  state.v = loop_rates(closure, work, state, request.v, "v", false, state.moved_v);
  closure.update_rates(work, state.q, state.v);
  state.a = loop_rates(closure, work, state, request.a, "a", true, state.moved_a);
  for (int k = 0; k < std::ssize(model.loops()); ++k)
    state.closing.push_back(closure.closing_state(work, k, state.q, state.v, state.a));
  return state;
}

State complete_state(const Model& model, const StateRequest& request) {
  Workspace work(model);
  LoopClosure closure(model);
  return complete_state(closure, work, request);
}

Eigen::VectorXd named_efforts(const Model& model, const StatePart& tau) {
  const auto* some = std::get_if<NamedValues>(&tau);
  if (!some) return tree_rates(model, tau, "tau");
  const GivenRates given = given_rates(model, *some, "tau");
  const bool closing = std::any_of(given.places.begin(), given.places.end(),
                                   [&](int place) { return place >= model.speeds(); });
  Eigen::VectorXd efforts =
      Eigen::VectorXd::Zero(model.speeds() + (closing ? std::ssize(closing_degrees(model)) : 0));
  for (std::size_t k = 0; k < given.places.size(); ++k)
    efforts(given.places[k]) += given.values(static_cast<Eigen::Index>(k));
  return efforts;
}

void check_efforts(const Model& model, const VectorRef& efforts) {
  if (efforts.size() != model.speeds() + std::ssize(closing_degrees(model)))
    check_size(model, efforts, model.speeds(), "tau");
}

Eigen::VectorXd efforts_on_tree(const LoopClosure& closure, const Workspace& work,
                                const VectorRef& efforts) {
  const Model& model = closure.model();
  Eigen::VectorXd tree = efforts.head(model.speeds());
  if (efforts.size() == model.speeds()) return tree;
  const std::vector<ClosingDegree> closing = closing_degrees(model);
  for (std::size_t k = 0; k < closing.size(); ++k) {
    const double value = efforts(model.speeds() + static_cast<Eigen::Index>(k));
    if (value == 0) continue;
    SmallVector along = SmallVector::Zero(size_of(model.loops()[closing[k].loop].type).speeds);
    along(closing[k].degree) = value;
    closure.add_closing_efforts(work, closing[k].loop, along, tree);
  }
  return tree;
}

Eigen::VectorXd complete_efforts(const Model& model, const VectorRef& q, const StatePart& tau) {
  const Eigen::VectorXd efforts = named_efforts(model, tau);
  if (efforts.size() == model.speeds()) return efforts;
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  return efforts_on_tree(closure, work, efforts);
}

}  // namespace ulna
