#pragma once
// The open tree at a level below exact, for robots with loops; the loops themselves are exact.

#include "formulation/tree_route.hpp"
#include "ulna/dynamics/elastic_level.hpp"

namespace ulna {

class TruncatedRoute : public TreeRoute {
 public:
  TruncatedRoute(const Model& model, ElasticLevel level) : TreeRoute(model), at_(model, level) {}

  void efforts(Workspace&, const VectorRef& q, const VectorRef& v, const VectorRef& a,
               ExternalWrenches wrenches, Eigen::VectorXd& tau) override {
    at_.update(q, v, wrenches);
    tau = at_.M() * a + at_.h();
  }
  void mass(Workspace& work, const VectorRef& q, Eigen::MatrixXd& M) override {
    at_.update(q, work.zero());
    M = at_.M();
  }

 private:
  ElasticEquations at_;
};

}  // namespace ulna
