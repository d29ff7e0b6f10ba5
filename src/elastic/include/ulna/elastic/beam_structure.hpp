#pragma once
// A structure of beams in space: nodes, members, rigid bodies and springs, assembled into M, C, K.
//
// Every node moves as a linear map of the freedoms, u_node = B x with u = (translation, rotation)
// in global axes. An ordinary node has six freedoms of its own, a clamped one none; a node carried
// by another moves rigidly with it, and across a joint with the joint's freedoms added. So a
// released hinge is exact: no soft springs, no penalties (docs/theory/structure.md, eqs. 18-20).
// Conditions that tie nodes already there (closed loops) are eliminated from the freedoms.

#include <string>
#include <vector>

#include "ulna/elastic/parts/beam_element.hpp"
#include "ulna/elastic/parts/system_matrices.hpp"
#include "ulna/spatial/inertia.hpp"

namespace ulna::elastic {

/// Motion of a node from the freedoms: the columns times those of x.
struct NodeMap {
  std::vector<int> freedoms;
  Eigen::Matrix<double, 6, Eigen::Dynamic> columns{6, 0};

  ULNA_API Vector6<double> motion(const Eigen::VectorXd& x) const;
};

struct StructureNode {
  std::string name;
  Vector3<double> position;
  NodeMap map;
};

struct StructureElement {
  std::string name;  ///< "upper_arm element 2"
  int start = 0, end = 0;
  Matrix3<double> axes;  ///< columns: the member's axes in global axes
  double length = 0;
  BeamProperties properties;
  int group = 0;                ///< whatever the maker counts, e.g. the body it belongs to
  int member = 0, section = 0;  ///< within the group: the beam and its section
};

struct StructureBody {
  std::string name;
  int node = 0;
  Inertia<double> inertia;  ///< about the node, in global axes
  int group = 0;
};

/// Between two nodes, or from one to the ground (b < 0). (translation, rotation) in global axes.
struct StructureSpring {
  std::string name;
  int a = 0, b = -1;
  Matrix6<double> stiffness = Matrix6<double>::Zero();
  Matrix6<double> damping = Matrix6<double>::Zero();
};

/// A spring and damper on one combination of freedoms: `row` times them is its stretch.
struct StructureTie {
  std::string name;
  Eigen::VectorXd row;
  double stiffness = 0, damping = 0;
};

/// Stiffness, damping and mass on one freedom (a drive, a rotor).
struct FreedomTerm {
  int freedom = 0;
  double stiffness = 0, damping = 0, mass = 0;
};

class ULNA_API BeamStructure {
 public:
  int add_clamped_node(std::string name, const Vector3<double>& position);
  /// Six freedoms of its own; or only those whose bit is set (bit 0: u ... bit 5: rz), as in plane
  /// structures.
  int add_node(std::string name, const Vector3<double>& position, unsigned freedoms = 0b111111);
  /// Moves rigidly with `master`; each column of `joint` (6 x k, motion at `position`) is released
  /// and moves with one of `joint_freedoms`.
  int add_carried_node(std::string name, const Vector3<double>& position, int master,
                       const Eigen::Matrix<double, 6, Eigen::Dynamic>& joint = {6, 0},
                       const std::vector<int>& joint_freedoms = {});
  int add_freedom(std::string name);

  /// Throws InputError for a member of zero length, or without the stiffness a frame needs.
  int add_element(StructureElement element);
  void add_body(StructureBody body) { bodies_.push_back(std::move(body)); }
  void add_spring(StructureSpring spring) { springs_.push_back(std::move(spring)); }
  void add_term(FreedomTerm term) { terms_.push_back(term); }
  /// rows times freedoms = 0.
  void add_condition(const Eigen::VectorXd& row) { conditions_.push_back(row); }

  const std::vector<StructureNode>& nodes() const { return nodes_; }
  const std::vector<StructureElement>& elements() const { return elements_; }
  const std::vector<StructureBody>& bodies() const { return bodies_; }
  /// Its row has one entry for each freedom that there is now.
  void add_tie(StructureTie tie) { ties_.push_back(std::move(tie)); }
  const std::vector<StructureTie>& ties() const { return ties_; }
  const std::vector<StructureSpring>& springs() const { return springs_; }
  const std::vector<FreedomTerm>& terms() const { return terms_; }
  /// Before conditions.
  int freedoms() const { return static_cast<int>(names_.size()); }
  const std::vector<std::string>& freedom_names() const { return names_; }

  /// After conditions: the size of the matrices.
  int size() const { return conditions_.empty() ? freedoms() : static_cast<int>(basis().cols()); }

  /// x = basis() y after the conditions; empty (0 x 0) when there are none.
  SparseMatrix basis() const;

  SystemMatrices assemble(const ElementOptions& options = {}) const;

  /// Sum over elements of `matrix(element)` (12 x 12, member axes), with the conditions applied.
  template <class ElementMatrix>
  SparseMatrix sum_elements(ElementMatrix&& matrix) const {
    Triplets triplets;
    for (const StructureElement& element : elements_) add(triplets, element, matrix(element));
    return reduced(collect(triplets));
  }
  /// The same over nodal 6 x 6 matrices of bodies, in global axes.
  template <class BodyMatrix>
  SparseMatrix sum_bodies(BodyMatrix&& matrix) const {
    Triplets triplets;
    for (const StructureBody& body : bodies_) add(triplets, body.node, matrix(body));
    return reduced(collect(triplets));
  }

  /// Freedoms as the nodes feel them: from reduced y to the motion (6) of a node.
  Eigen::VectorXd full(const Eigen::VectorXd& y) const;
  Vector6<double> node_motion(int node, const Eigen::VectorXd& y) const;
  /// Generalised force of a (force, moment) at a node.
  Eigen::VectorXd force_at(int node, const Vector6<double>& force) const;
  /// The element's twelve displacements in its own axes, from all freedoms x = full(y): those of
  /// many elements are found in one pass.
  Vector12 element_motion(const StructureElement& element, const Eigen::VectorXd& x) const;
  /// Adds the generalised forces of a (force, moment) at a node, and of twelve nodal forces in an
  /// element's axes, to f, which has all freedoms; `reduced` leaves those of the system.
  void add_force(int node, const Vector6<double>& force, Eigen::VectorXd& f) const;
  void add_element_force(const StructureElement& element, const Vector12& force,
                         Eigen::VectorXd& f) const;
  Eigen::VectorXd reduced(const Eigen::VectorXd& f) const;

 private:
  using Triplets = std::vector<Eigen::Triplet<double>>;
  void add(Triplets& triplets, const StructureElement& element, const Matrix12& local) const;
  void add(Triplets& triplets, int node, const Matrix6<double>& matrix) const;
  void add_pair(Triplets& triplets, const StructureSpring& spring, const Matrix6<double>& k) const;
  SparseMatrix collect(const Triplets& triplets) const;
  SparseMatrix reduced(const SparseMatrix& A) const;

  std::vector<StructureNode> nodes_;
  std::vector<StructureElement> elements_;
  std::vector<StructureBody> bodies_;
  std::vector<StructureSpring> springs_;
  std::vector<StructureTie> ties_;
  std::vector<FreedomTerm> terms_;
  std::vector<Eigen::VectorXd> conditions_;
  std::vector<std::string> names_;
};

}  // namespace ulna::elastic
