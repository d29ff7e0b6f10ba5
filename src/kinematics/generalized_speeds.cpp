#include "ulna/kinematics/generalized_speeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "speed_formula.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

/// Below this share of the largest a turn of a body counts as none.
constexpr double turn_tolerance = 1e-9;

/// How independent rates turn a body, in its own axes.
Eigen::MatrixXd turns_of(const Model& model, const VectorRef& q, int body,
                         const Eigen::MatrixXd& G) {
  Workspace work(model);
  const JacobianQuery own{body, Vector3<double>::Zero(), 0, body};
  return jacobian(model, work, q, own).topRows<3>() * G;
}

int rank_of(const Eigen::MatrixXd& turns) {
  if (turns.size() == 0 || !(turns.norm() > turn_tolerance)) return 0;
  return dense::PivotedQr(turns, turn_tolerance).rank();
}

/// How many components of the angular velocity are independent. Where all rates are free, so are
/// the postures: then at some at random, so that a singular one is refused and not taken for a body
/// that turns less.
int independent_components(const Model& model, const VectorRef& q, int body,
                           const Eigen::MatrixXd& G) {
  if (G.cols() < G.rows()) return rank_of(turns_of(model, q, body, G));
  std::mt19937_64 generator(1);
  int most = 0;
  constexpr int postures = 3;
  for (int k = 0; k < postures; ++k)
    most = std::max(most, rank_of(turns_of(model, model.random(generator), body, G)));
  return most;
}

std::vector<int> first_columns(const Eigen::MatrixXd& matrix, int count) {
  std::vector<int> order = dense::PivotedQr(matrix).column_order();
  order.resize(static_cast<std::size_t>(count));
  std::sort(order.begin(), order.end());
  return order;
}

void take_rates(const Model& model, const std::vector<int>& independent, SpeedRows& rows) {
  for (const int k : independent) {
    rows.names.push_back(model.speed_names()[k]);
    rows.rate.push_back(k);
    rows.component.push_back(-1);
  }
}

void take_body(const Model& model, int body, const VectorRef& q, const Eigen::MatrixXd& G,
               SpeedRows& rows) {
  const std::string& name = model.bodies()[body].name;
  const int count = independent_components(model, q, body, G);
  if (count == 0)
    throw InputError(fmt::format("no turning joint carries body '{}'", name),
                     "a body that joints turn", "use speeds joint-rates");
  const Eigen::MatrixXd turns = turns_of(model, q, body, G);
  // Rates that turn the body at no posture cannot be meant, however small the others are here.
  std::vector<int> places;
  for (int k = 0; k < turns.cols(); ++k)
    if (turns.col(k).norm() > 1e-12) places.push_back(k);
  Eigen::MatrixXd candidates(3, std::max<Eigen::Index>(std::ssize(places), count));
  candidates.setZero();
  for (std::size_t k = 0; k < places.size(); ++k)
    candidates.col(static_cast<Eigen::Index>(k)) = turns.col(places[k]);
  if (std::ssize(places) < count)
    throw ComputationError(
        fmt::format("the generalized speeds 'body:{}' are singular at this posture: fewer than {} "
                    "rates turn the body; try joint-rates",
                    name, count),
        0);
  std::vector<int> columns = first_columns(candidates, count);
  Eigen::MatrixXd taken(3, count);
  for (int k = 0; k < count; ++k) taken.col(k) = candidates.col(columns[k]);
  const std::vector<int> components = first_columns(taken.transpose(), count);
  rows.body = body;
  constexpr const char* axes[] = {"wx", "wy", "wz"};
  for (int k = 0; k < count; ++k) {
    const auto place = static_cast<std::size_t>(places[columns[k]]);
    rows.replaced.push_back(rows.rate[place]);
    rows.rate[place] = -1;
    rows.component[place] = components[k];
    rows.names[place] = fmt::format("{}.{}", name, axes[components[k]]);
  }
}

void take_formulas(const Model& model, const GeneralizedSpeeds& speeds,
                   const std::vector<int>& independent, SpeedRows& rows) {
  const std::size_t count = speeds.formulas.size();
  if (count != independent.size())
    throw InputError(Problem{
        {},
        fmt::format("speeds '{}'", speeds.name),
        fmt::format("{} formula{} for robot '{}'", count, count == 1 ? "" : "s", model.name()),
        fmt::format("{}, one for each degree of freedom", independent.size()),
        {}});
  rows.formulas = read_speed_formulas(model, speeds);
  const int n = model.speeds();
  std::vector<char> kept(static_cast<std::size_t>(n), 0);
  for (std::size_t r = 0; r < count; ++r) {
    rows.names.push_back(speeds.formulas[r].first);
    rows.component.push_back(-1);
    int alone = -1, entries = 0;
    for (int k = 0; k < n; ++k) {
      const Expression& entry = rows.formulas->Y[r * static_cast<std::size_t>(n) + k];
      entries += !entry.is_zero();
      if (entry.is_constant() && entry.factor() == 1.0) alone = k;
    }
    const bool plain = entries == 1 && alone >= 0 && rows.formulas->y[r].is_zero() && !kept[alone];
    rows.rate.push_back(plain ? alone : -1);
    if (plain) kept[alone] = 1;
  }
  for (const int k : independent)
    if (!kept[k]) rows.replaced.push_back(k);
}

}  // namespace

SpeedRows resolve_speeds(const Model& model, const GeneralizedSpeeds& speeds, const VectorRef& q,
                         const Eigen::MatrixXd& G, const std::vector<int>& independent) {
  check_size(model, q, model.coordinates(), "q");
  model.require_rigid("generalized speeds");
  SpeedRows rows;
  rows.name = speeds.name;
  if (!speeds.formulas.empty()) {
    take_formulas(model, speeds, independent, rows);
    return rows;
  }
  const bool of_body = speeds.name.rfind("body:", 0) == 0;
  if (!of_body && speeds.name != "middle" && speeds.name != "joint-rates")
    throw InputError(Problem{{},
                             "speeds",
                             fmt::format("'{}' is not available", speeds.name),
                             "joint-rates, middle, body:NAME or formulas",
                             {}});
  const int body = of_body                   ? model.body(speeds.name.substr(5))
                   : speeds.name == "middle" ? middle_body(model)
                                             : 0;
  if (body < 0)
    throw InputError(
        fmt::format("fewer than three turning joints of robot '{}' follow each other, which the "
                    "rule for the middle link needs",
                    model.name()),
        "speeds joint-rates or body:NAME");
  take_rates(model, independent, rows);
  if (of_body || body > 0) take_body(model, body, q, G, rows);
  return rows;
}

SpeedRows resolve_speeds(const Model& model, const GeneralizedSpeeds& speeds, const VectorRef& q) {
  std::vector<int> all(static_cast<std::size_t>(model.speeds()));
  for (int k = 0; k < model.speeds(); ++k) all[k] = k;
  return resolve_speeds(model, speeds, q, Eigen::MatrixXd::Identity(model.speeds(), model.speeds()),
                        all);
}

int middle_body(const Model& model) {
  // Turns on the way to each node, the outermost last.
  const std::vector<TreeNode>& nodes = model.topology().nodes;
  std::vector<std::vector<int>> turns(nodes.size());
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    turns[i] = turns[nodes[i].parent];
    if (nodes[i].kind != NodeKind::screw || nodes[i].sigma != 0)
      turns[i].push_back(static_cast<int>(i));
  }
  const auto most = std::max_element(
      turns.begin(), turns.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  if (most->size() < 3) return -1;
  const int wanted = (*most)[most->size() <= 4 ? 1 : 2];
  // The first body at or behind that node: some joints have nodes within them.
  for (int i = most->back(), found = -1; i > 0; i = nodes[i].parent) {
    for (std::size_t k = 1; k < model.bodies().size(); ++k)
      if (model.bodies()[k].node == i) {
        found = static_cast<int>(k);
        break;
      }
    if (i == wanted) return found;
  }
  return -1;
}

}  // namespace ulna
