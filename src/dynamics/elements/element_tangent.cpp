#include <algorithm>

#include "ulna/dynamics/elements.hpp"
#include "ulna/dynamics/kernels/elements.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna {

struct ElementTangent::Memory {
  static constexpr int directions = 4;  ///< at a time
  using D = Dual<directions>;

  explicit Memory(const Model& the_model)
      : model(the_model),
        parameters(converted<D>(the_model.parameters())),
        q(static_cast<std::size_t>(the_model.coordinates())),
        v(static_cast<std::size_t>(the_model.speeds())),
        tau(v.size()),
        unit(Eigen::VectorXd::Zero(the_model.speeds())),
        tangent(Eigen::VectorXd::Zero(the_model.coordinates())),
        touched(v.size(), 0) {
    for (const Element& e : model.elements()) {
      if (e.q >= 0) touched[e.v] = 1;
      if (e.formula) touch_formula(*e.formula);
      for (const ElementPoint& point : e.points)
        for (int i = point.node; i != e.ancestor; i = model.topology().nodes[i].parent) {
          const TreeNode& node = model.topology().nodes[i];
          const int count = node.kind == NodeKind::station ? node.modal->modes : speeds_of(node);
          for (int k = 0; k < count; ++k) touched[node.v + k] = 1;
        }
    }
    for (int k = 0; k < model.speeds(); ++k)
      if (touched[k]) speeds.push_back(k);
  }

  /// Speeds that a formula of a force depends on, and those that move its coordinates.
  void touch_formula(const ForceFormula& formula) {
    for (const ForceFormula::Operation& one : formula.operations()) {
      if (one.code == ForceFormula::Code::speed) touched[one.index] = 1;
      if (one.code != ForceFormula::Code::coordinate) continue;
      for (const TangentBlock& block : model.blocks()) {
        const bool line = block.kind == TangentBlock::Kind::line;
        const int width = line ? block.speeds : block.speeds + 1;
        if (one.index < block.q || one.index >= block.q + width) continue;
        for (int k = 0; k < block.speeds; ++k)
          if (!line || block.q + k == one.index) touched[block.v + k] = 1;
      }
    }
  }

  void set(const VectorRef& at, const VectorRef& rate) {
    for (std::size_t k = 0; k < q.size(); ++k) q[k] = D(at(static_cast<Eigen::Index>(k)));
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = D(rate(static_cast<Eigen::Index>(k)));
  }

  /// The efforts along the directions that were seeded, into the columns of `out`.
  void differentiate(std::size_t first, std::size_t count, Eigen::MatrixXd& out) {
    std::fill(tau.begin(), tau.end(), D(0));
    add_element_efforts<D>(model.elements(), view<D>(model.topology(), parameters), q.data(),
                           v.data(), 1, tau.data());
    for (std::size_t c = 0; c < count; ++c)
      for (std::size_t k = 0; k < tau.size(); ++k)
        out(static_cast<Eigen::Index>(k), speeds[first + c]) = tau[k].d[c];
  }

  const Model& model;
  Parameters<D> parameters;
  std::vector<D> q, v, tau;
  Eigen::VectorXd unit, tangent;
  std::vector<char> touched;
  std::vector<int> speeds;  ///< that some element feels
};

ElementTangent::ElementTangent(const Model& model)
    : memory_(std::make_unique<Memory>(model)),
      stiffness_(Eigen::MatrixXd::Zero(model.speeds(), model.speeds())),
      damping_(Eigen::MatrixXd::Zero(model.speeds(), model.speeds())) {}
ElementTangent::~ElementTangent() = default;

void ElementTangent::update(const VectorRef& q, const VectorRef& v) {
  Memory& m = *memory_;
  check_size(m.model, q, m.model.coordinates(), "q");
  check_size(m.model, v, m.model.speeds(), "v");
  constexpr std::size_t width = Memory::directions;
  for (std::size_t first = 0; first < m.speeds.size(); first += width) {
    const std::size_t count = std::min(width, m.speeds.size() - first);
    m.set(q, v);
    for (std::size_t c = 0; c < count; ++c) {
      m.unit(m.speeds[first + c]) = 1;
      coordinate_rates(m.model, q, m.unit, m.tangent);
      m.unit(m.speeds[first + c]) = 0;
      for (std::size_t k = 0; k < m.q.size(); ++k)
        m.q[k].d[c] = m.tangent(static_cast<Eigen::Index>(k));
    }
    m.differentiate(first, count, stiffness_);
    m.set(q, v);
    for (std::size_t c = 0; c < count; ++c) m.v[m.speeds[first + c]].d[c] = 1;
    m.differentiate(first, count, damping_);
  }
}

}  // namespace ulna
