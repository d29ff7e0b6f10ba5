#include "ulna/dynamics/elastic_level.hpp"

#include "common.hpp"
#include "ulna/dynamics/internal/exact_level.hpp"
#include "ulna/dynamics/kernels/flexible_newton_euler.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna {
namespace {

constexpr const char* level_names[] = {
    "exact",    "consistent",  "inconsistent", "inconsistent-strict",
    "ruthless", "rate-linear", "mixed",        "geometrically-exact"};

using Grade = Dual<1>;  ///< value: order zero; dual part: order one in the elastic quantities

/// A body whose sections move along straight lines: no foreshortening, no twist from bending.
std::shared_ptr<ModalBody> straightened(const ModalBody& from) {
  auto body = std::make_shared<ModalBody>(from);
  std::fill(body->quadratic.begin(), body->quadratic.end(), 0.0);
  for (ModalStation& s : body->stations) {
    std::fill(s.shortening.begin(), s.shortening.end(), 0.0);
    std::fill(s.twist_coupling.begin(), s.twist_coupling.end(), 0.0);
  }
  return body;
}

Topology straightened(const Topology& from) {
  Topology topology = from;
  for (auto& modal : topology.modal) {
    const std::shared_ptr<ModalBody> straight = straightened(*modal);
    for (TreeNode& node : topology.nodes)
      if (node.modal == modal.get()) node.modal = straight.get();
    modal = straight;
  }
  return topology;
}

bool first_order_level(ElasticLevel level) {
  return level == ElasticLevel::consistent || level == ElasticLevel::inconsistent ||
         level == ElasticLevel::inconsistent_strict || level == ElasticLevel::mixed;
}

}  // namespace

const char* name_of(ElasticLevel level) { return level_names[static_cast<int>(level)]; }

std::optional<ElasticLevel> elastic_level_from_name(const std::string& name) {
  for (int k = 0; k < static_cast<int>(std::size(level_names)); ++k)
    if (name == level_names[k]) return static_cast<ElasticLevel>(k);
  return {};
}

std::vector<std::string> elastic_level_names() {
  return {std::begin(level_names), std::end(level_names)};
}

bool has_exact_links(const Model& model) {
  for (const FlexibleLink& link : model.flexible_links())
    if (link.modal->elements) return true;
  return false;
}

void check_level(const Model& model, ElasticLevel level) {
  const bool elements = has_exact_links(model);
  if (level == ElasticLevel::geometrically_exact && !elements)
    throw InputError(Problem{{},
                             "level",
                             "geometrically-exact, and the links of the robot have modes",
                             "links of the family geometrically-exact",
                             "elastic: geometrically-exact in an experiment cuts them"});
  if (elements && level != ElasticLevel::geometrically_exact && level != ElasticLevel::exact)
    throw InputError(Problem{{},
                             "level",
                             std::string(name_of(level)) + ", and links are geometrically exact",
                             "exact or geometrically-exact",
                             "the other levels are expansions in modes"});
}

struct ElasticEquations::Graded {
  Graded(const Model& model, ElasticLevel level)
      : topology(level == ElasticLevel::inconsistent || level == ElasticLevel::inconsistent_strict
                     ? straightened(model.topology())
                     : model.topology()),
        heavy(converted<Grade>(model.parameters())),
        weightless(heavy),
        scratch(topology),
        q(model.coordinates()),
        v(model.speeds()),
        a(model.speeds()),
        zero(model.speeds(), Grade(0)),
        tau(model.speeds()),
        levers(level == ElasticLevel::inconsistent_strict ? topology.nodes.size() : 0) {
    for (Grade& g : weightless.gravity) g = Grade(0);
  }

  /// Efforts to first order, into tau.
  void run(const Parameters<Grade>& parameters, const Grade* speeds) {
    for (Levers<Grade>& l : levers) l = {Vec3<Grade>::zero(), Vec3<Grade>::zero()};
    flexible_newton_euler<Grade>(view<Grade>(topology, parameters), scratch.view(), q.data(),
                                 speeds, a.data(), nullptr, tau.data(),
                                 levers.empty() ? nullptr : levers.data());
  }

  Topology topology;
  Parameters<Grade> heavy, weightless;
  Scratch<Grade> scratch;
  std::vector<Grade> q, v, a, zero, tau;
  std::vector<Levers<Grade>> levers;
};

ElasticEquations::ElasticEquations(const Model& model, ElasticLevel level)
    : model_(model),
      level_(level == ElasticLevel::geometrically_exact ? ElasticLevel::exact : level),
      work_(model),
      M_(model.speeds(), model.speeds()),
      h_(model.speeds()),
      q_(model.coordinates()),
      v_(model.speeds()) {
  check_level(model, level);
  if (first_order_level(level)) graded_ = std::make_unique<Graded>(model, level);
}
ElasticEquations::~ElasticEquations() = default;
ElasticEquations::ElasticEquations(ElasticEquations&&) noexcept = default;

/// eq. 23: the joints' quantities are of order zero, those of the modes of order one.
void ElasticEquations::first_order(const VectorRef& q, const VectorRef& v, bool mass, bool forces) {
  Graded& g = *graded_;
  const int n = model_.speeds(), rigid = model_.joint_speeds(),
            coordinates = model_.joint_coordinates();
  const auto grade = [](double x, bool elastic) {
    Grade out(elastic ? 0 : x);
    if (elastic) out.d[0] = x;
    return out;
  };
  for (int k = 0; k < model_.coordinates(); ++k) g.q[k] = grade(q(k), k >= coordinates);
  for (int k = 0; k < n; ++k) g.v[k] = grade(v(k), k >= rigid), g.a[k] = Grade(0);
  if (forces) {
    g.run(g.heavy, g.v.data());
    for (int k = 0; k < n; ++k) h_(k) = g.tau[k].value + g.tau[k].d[0];
  }
  if (!mass) return;
  // Columns of M: what a unit acceleration adds at rest and without weight.
  g.run(g.weightless, g.zero.data());
  for (int k = 0; k < n; ++k) v_(k) = g.tau[k].value + g.tau[k].d[0];
  for (int c = 0; c < n; ++c) {
    g.a[c] = grade(1, c >= rigid);
    g.run(g.weightless, g.zero.data());
    for (int k = 0; k < n; ++k) M_(k, c) = g.tau[k].value + g.tau[k].d[0] - v_(k);
    g.a[c] = Grade(0);
  }
}

/// eq. 26: undeformed, but for the stiffness and damping of the modes.
void ElasticEquations::at_rest(const VectorRef& q, const VectorRef& v, bool with_rates) {
  q_ = q, v_ = v;
  q_.tail(model_.modes()).setZero();
  v_.tail(model_.modes()).setZero();
  if (!with_rates) v_.setZero();
  compute_mass_matrix(model_, work_, q_.data());
  M_ = work_.mass_matrix;
  run_newton_euler(model_, work_, q_.data(), v_.data(), work_.zero().data(), nullptr);
  h_ = work_.tau;
  for (const FlexibleLink& link : model_.flexible_links()) {
    const int k = link.modal->modes;
    for (int j = 0; j < k; ++j)
      h_(link.v + j) += linear_elastic_effort(*link.modal, j, q.data() + link.q, v.data() + link.v);
  }
}

void ElasticEquations::update(const VectorRef& q, const VectorRef& v, ExternalWrenches wrenches) {
  check_size(model_, q, model_.coordinates(), "q");
  check_size(model_, v, model_.speeds(), "v");
  switch (level_) {
    case ElasticLevel::exact:
      compute_mass_matrix(model_, work_, q.data());
      M_ = work_.mass_matrix;
      run_newton_euler(model_, work_, q.data(), v.data(), work_.zero().data(), nullptr);
      h_ = work_.tau;
      break;
    case ElasticLevel::ruthless:
    case ElasticLevel::rate_linear:
      at_rest(q, v, level_ == ElasticLevel::ruthless);
      break;
    case ElasticLevel::mixed:
      at_rest(q, v, true);
      first_order(q, v, false, true);
      break;
    default:
      first_order(q, v, true, true);
  }
  if (model_.has_passive()) add_passive_efforts(model_, q.data(), v.data(), 1, h_.data());
  if (!wrenches.empty()) {
    // What the wrenches do to the modes and joints, at the deflection as it is.
    const NodeWrenches external = gather_wrenches(model_, work_, q, wrenches);
    run_newton_euler(model_, work_, q.data(), work_.zero().data(), work_.zero().data(), external);
    h_ += work_.tau;
    run_newton_euler(model_, work_, q.data(), work_.zero().data(), work_.zero().data(), nullptr);
    h_ -= work_.tau;
  }
}

}  // namespace ulna
