#include "ulna/elastic/beam_structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "ulna/elastic/internal/null_space.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {
namespace {

constexpr const char* freedom_words[6] = {"u", "v", "w", "rx", "ry", "rz"};

// Motion of a point at `arm` from a node, from the node's own.
Matrix6<double> rigid(const Vector3<double>& arm) {
  Matrix6<double> T = Matrix6<double>::Identity();
  T.topRightCorner<3, 3>() = -skew(arm);
  return T;
}

// Ulna's inertias act on (rotation, translation); nodes move by (translation, rotation).
Matrix6<double> nodal_mass(const Inertia<double>& inertia) {
  const Matrix6<double> I = inertia.matrix();
  Matrix6<double> M;
  M << I.bottomRightCorner<3, 3>(), I.bottomLeftCorner<3, 3>(), I.topRightCorner<3, 3>(),
      I.topLeftCorner<3, 3>();
  return M;
}

bool same_properties(const BeamProperties& a, const BeamProperties& b) {
  return a.EA == b.EA && a.EIy == b.EIy && a.EIz == b.EIz && a.GJ == b.GJ && a.kGAy == b.kGAy &&
         a.kGAz == b.kGAz && a.mass == b.mass && a.polar_inertia == b.polar_inertia &&
         a.rotatory_inertia_y == b.rotatory_inertia_y &&
         a.rotatory_inertia_z == b.rotatory_inertia_z;
}

using Columns6 = Eigen::Matrix<double, 6, Eigen::Dynamic>;

}  // namespace

Vector6<double> NodeMap::motion(const Eigen::VectorXd& x) const {
  Vector6<double> u = Vector6<double>::Zero();
  for (std::size_t k = 0; k < freedoms.size(); ++k)
    u += columns.col(static_cast<int>(k)) * x(freedoms[k]);
  return u;
}

int BeamStructure::add_clamped_node(std::string name, const Vector3<double>& position) {
  nodes_.push_back({std::move(name), position, {}});
  return static_cast<int>(nodes_.size()) - 1;
}

int BeamStructure::add_freedom(std::string name) {
  names_.push_back(std::move(name));
  return freedoms() - 1;
}

int BeamStructure::add_node(std::string name, const Vector3<double>& position, unsigned freedoms) {
  NodeMap map;
  for (int k = 0; k < 6; ++k) {
    if (!(freedoms >> k & 1u)) continue;
    map.freedoms.push_back(add_freedom(fmt::format("{} {}", name, freedom_words[k])));
    map.columns.conservativeResize(6, map.columns.cols() + 1);
    map.columns.rightCols<1>() = Vector6<double>::Unit(k);
  }
  nodes_.push_back({std::move(name), position, std::move(map)});
  return static_cast<int>(nodes_.size()) - 1;
}

int BeamStructure::add_carried_node(std::string name, const Vector3<double>& position, int master,
                                    const Columns6& joint, const std::vector<int>& joint_freedoms) {
  const StructureNode& carrier = nodes_[master];
  NodeMap map = carrier.map;
  map.columns = rigid(position - carrier.position) * carrier.map.columns;
  for (std::size_t k = 0; k < joint_freedoms.size(); ++k) {
    map.freedoms.push_back(joint_freedoms[k]);
    map.columns.conservativeResize(6, map.columns.cols() + 1);
    map.columns.rightCols<1>() = joint.col(static_cast<int>(k));
  }
  nodes_.push_back({std::move(name), position, std::move(map)});
  return static_cast<int>(nodes_.size()) - 1;
}

int BeamStructure::add_element(StructureElement element) {
  const BeamProperties& p = element.properties;
  if (!(element.length > 0))
    throw InputError({{}, element.name, "its length is zero", "two ends that differ", {}});
  // Only what its ends can do needs stiffness: rows of the element's own u, v, w, rx, ry, rz.
  Vector6<double> moves = Vector6<double>::Zero();
  for (const int node : {element.start, element.end}) {
    const Columns6& columns = nodes_[node].map.columns;
    if (columns.cols() == 0) continue;
    moves.head<3>() += (element.axes.transpose() * columns.topRows<3>()).cwiseAbs().rowwise().sum();
    moves.tail<3>() +=
        (element.axes.transpose() * columns.bottomRows<3>()).cwiseAbs().rowwise().sum();
  }
  const auto used = [&](int a, int b) { return std::max(moves(a), moves(b)) > 1e-9; };
  for (const auto& [value, what, needed] : {std::tuple{p.EA, "EA", used(0, 0)},
                                            {p.EIy, "EIy", used(2, 4)},
                                            {p.EIz, "EIz", used(1, 5)},
                                            {p.GJ, "GJ", used(3, 3)}})
    if (needed ? !(value > 0) : !(value >= 0))
      throw InputError({{},
                        element.name,
                        fmt::format("{} is {}", what, value),
                        "a stiffness above zero",
                        "a frame in space needs EA, EIy, EIz and GJ of each beam; one that only "
                        "bends in a plane EIz (--freedoms v,rz)"});
  elements_.push_back(std::move(element));
  return static_cast<int>(elements_.size()) - 1;
}

SparseMatrix BeamStructure::collect(const Triplets& triplets) const {
  SparseMatrix A(freedoms(), freedoms());
  A.setFromTriplets(triplets.begin(), triplets.end());
  return A;
}

void BeamStructure::add(Triplets& triplets, const StructureElement& element,
                        const Matrix12& local) const {
  const NodeMap* maps[2] = {&nodes_[element.start].map, &nodes_[element.end].map};
  Columns6 turned[2];
  for (int n = 0; n < 2; ++n) {
    turned[n].resize(6, maps[n]->columns.cols());
    turned[n].topRows<3>() = element.axes.transpose() * maps[n]->columns.topRows<3>();
    turned[n].bottomRows<3>() = element.axes.transpose() * maps[n]->columns.bottomRows<3>();
  }
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b) {
      const Eigen::MatrixXd block =
          turned[a].transpose() * local.block<6, 6>(6 * a, 6 * b) * turned[b];
      for (int i = 0; i < block.rows(); ++i)
        for (int j = 0; j < block.cols(); ++j)
          if (block(i, j) != 0)
            triplets.emplace_back(maps[a]->freedoms[i], maps[b]->freedoms[j], block(i, j));
    }
}

void BeamStructure::add(Triplets& triplets, int node, const Matrix6<double>& matrix) const {
  const NodeMap& map = nodes_[node].map;
  const Eigen::MatrixXd block = map.columns.transpose() * matrix * map.columns;
  for (int i = 0; i < block.rows(); ++i)
    for (int j = 0; j < block.cols(); ++j)
      if (block(i, j) != 0) triplets.emplace_back(map.freedoms[i], map.freedoms[j], block(i, j));
}

void BeamStructure::add_pair(Triplets& triplets, const StructureSpring& spring,
                             const Matrix6<double>& k) const {
  if (k.isZero(0)) return;
  const NodeMap& a = nodes_[spring.a].map;
  NodeMap joined = a;
  if (spring.b >= 0) {  // the stretch u_a - u_b as a map of both nodes' freedoms
    const NodeMap& b = nodes_[spring.b].map;
    joined.freedoms.insert(joined.freedoms.end(), b.freedoms.begin(), b.freedoms.end());
    joined.columns.conservativeResize(6, joined.columns.cols() + b.columns.cols());
    joined.columns.rightCols(b.columns.cols()) = -b.columns;
  }
  const Eigen::MatrixXd block = joined.columns.transpose() * k * joined.columns;
  for (int i = 0; i < block.rows(); ++i)
    for (int j = 0; j < block.cols(); ++j)
      triplets.emplace_back(joined.freedoms[i], joined.freedoms[j], block(i, j));
}

SystemMatrices BeamStructure::assemble(const ElementOptions& options) const {
  Triplets M, C, K;
  // A frame has few different members: the matrices of the last one serve its neighbours.
  const StructureElement* last = nullptr;
  Matrix12 k, m;
  for (const StructureElement& element : elements_) {
    const bool same = last && last->group == element.group && last->length == element.length &&
                      same_properties(last->properties, element.properties);
    if (!same) {
      k = beam_stiffness(element.properties, element.length, options.theory);
      m = beam_mass(element.properties, element.length, options);
    }
    last = &element;
    add(K, element, k);
    add(M, element, m);
  }
  for (const StructureBody& body : bodies_) add(M, body.node, nodal_mass(body.inertia));
  for (const StructureSpring& spring : springs_) {
    add_pair(K, spring, spring.stiffness);
    add_pair(C, spring, spring.damping);
  }
  for (const StructureTie& tie : ties_)
    for (int i = 0; i < tie.row.size(); ++i)
      for (int j = 0; j < tie.row.size() && tie.row(i) != 0; ++j) {
        if (tie.row(j) == 0) continue;
        K.emplace_back(i, j, tie.stiffness * tie.row(i) * tie.row(j));
        C.emplace_back(i, j, tie.damping * tie.row(i) * tie.row(j));
      }
  for (const FreedomTerm& term : terms_) {
    K.emplace_back(term.freedom, term.freedom, term.stiffness);
    C.emplace_back(term.freedom, term.freedom, term.damping);
    M.emplace_back(term.freedom, term.freedom, term.mass);
  }
  SystemMatrices system;
  system.K = reduced(collect(K));
  system.M = reduced(collect(M));
  system.C = reduced(collect(C));
  system.C.prune(0.0);
  if (conditions_.empty()) {
    system.names = names_;
  } else {
    for (const int kept : free_columns(conditions_)) system.names.push_back(names_[kept]);
  }
  return system;
}

SparseMatrix BeamStructure::basis() const {
  return conditions_.empty() ? SparseMatrix() : null_space(conditions_);
}

SparseMatrix BeamStructure::reduced(const SparseMatrix& A) const {
  if (conditions_.empty()) return A;
  const SparseMatrix Z = basis();
  return Z.transpose() * A * Z;
}

Eigen::VectorXd BeamStructure::reduced(const Eigen::VectorXd& f) const {
  return conditions_.empty() ? f : Eigen::VectorXd(basis().transpose() * f);
}

Eigen::VectorXd BeamStructure::full(const Eigen::VectorXd& y) const {
  return conditions_.empty() ? y : Eigen::VectorXd(basis() * y);
}

Vector6<double> BeamStructure::node_motion(int node, const Eigen::VectorXd& y) const {
  return nodes_[node].map.motion(full(y));
}

Eigen::VectorXd BeamStructure::force_at(int node, const Vector6<double>& force) const {
  Eigen::VectorXd f = Eigen::VectorXd::Zero(freedoms());
  add_force(node, force, f);
  return reduced(f);
}

void BeamStructure::add_force(int node, const Vector6<double>& force, Eigen::VectorXd& f) const {
  const NodeMap& map = nodes_[node].map;
  const Eigen::VectorXd parts = map.columns.transpose() * force;
  for (std::size_t k = 0; k < map.freedoms.size(); ++k)
    f(map.freedoms[k]) += parts(static_cast<int>(k));
}

Vector12 BeamStructure::element_motion(const StructureElement& element,
                                       const Eigen::VectorXd& x) const {
  Vector12 d;
  int at = 0;
  for (const int node : {element.start, element.end}) {
    const Vector6<double> u = nodes_[node].map.motion(x);
    d.segment<3>(at) = element.axes.transpose() * u.head<3>();
    d.segment<3>(at + 3) = element.axes.transpose() * u.tail<3>();
    at += 6;
  }
  return d;
}

void BeamStructure::add_element_force(const StructureElement& element, const Vector12& force,
                                      Eigen::VectorXd& f) const {
  Vector6<double> at_node;
  at_node << element.axes * force.segment<3>(0), element.axes * force.segment<3>(3);
  add_force(element.start, at_node, f);
  at_node << element.axes * force.segment<3>(6), element.axes * force.segment<3>(9);
  add_force(element.end, at_node, f);
}

}  // namespace ulna::elastic
