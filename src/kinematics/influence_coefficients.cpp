#include "ulna/kinematics/influence_coefficients.hpp"

#include <Eigen/Geometry>

#include "plain_vectors.hpp"

namespace ulna {
namespace {

/// One speed on the way from the root to the body: how it turns the body and moves the point.
struct Influence {
  int node, speed;
  Vector3<double> w, v;
};

/// Columns of G, from the root outward. eq. 1-2
std::vector<Influence> way_from_root(const Model& model, const Workspace& work, int node,
                                     const Vector3<double>& point) {
  std::vector<Influence> way;
  const std::vector<TreeNode>& nodes = model.topology().nodes;
  std::vector<int> path;
  for (int i = node; i > 0; i = nodes[i].parent) path.insert(path.begin(), i);
  for (int i : path) {
    const Matrix3<double> R = plain(work.view().pose[i].R);
    const Vector3<double> r = point - plain(work.view().pose[i].p);
    if (nodes[i].kind == NodeKind::screw) {
      const Vector3<double> w = nodes[i].sigma * R.col(2);
      way.push_back({i, nodes[i].v, w, w.cross(r) + nodes[i].h * R.col(2)});
      continue;
    }
    for (int k = 0; k < 3; ++k) way.push_back({i, nodes[i].v + k, R.col(k), R.col(k).cross(r)});
    if (nodes[i].kind == NodeKind::free)
      for (int k = 0; k < 3; ++k)
        way.push_back({i, nodes[i].v + 3 + k, Vector3<double>::Zero(), R.col(k)});
  }
  return way;
}

void add(std::vector<Eigen::MatrixXd>& H, int first_plane, const Influence& m, const Influence& n,
         const Vector3<double>& share) {
  for (int k = 0; k < 3; ++k) H[first_plane + k](m.speed, n.speed) += share(k);
}

}  // namespace

CoordinateMap node_influence(const Model& model, const Workspace& work, int node,
                             const Vector3<double>& p_W) {
  model.require_rigid("influence coefficients");
  const int n = model.speeds();
  CoordinateMap map;
  map.G.setZero(6, n);
  map.gamma.setZero(6);
  map.H.assign(6, Eigen::MatrixXd::Zero(n, n));
  const std::vector<Influence> way = way_from_root(model, work, node, p_W);
  for (std::size_t j = 0; j < way.size(); ++j) {
    map.G.col(way[j].speed).head<3>() += way[j].w;  // mimic joints share a speed: sums
    map.G.col(way[j].speed).tail<3>() += way[j].v;
    for (std::size_t i = 0; i < way.size() && way[i].node <= way[j].node; ++i) {
      const Vector3<double> turned = way[i].w.cross(way[j].v);
      add(map.H, 3, way[i], way[j], turned);  // eq. 5
      if (way[i].node == way[j].node) continue;
      add(map.H, 3, way[j], way[i], turned);
      add(map.H, 0, way[i], way[j], way[i].w.cross(way[j].w));  // eq. 4
    }
  }
  return map;
}

CoordinateMap influence_coefficients(const Model& model, const Workspace& work, int frame,
                                     const Vector3<double>& point) {
  const Frame& f = model.frames()[frame];
  return node_influence(model, work, f.node, frame_pose(model, work, frame) * point);
}

CoordinateMap symmetric(CoordinateMap map) {
  for (Eigen::MatrixXd& plane : map.H) plane = (0.5 * (plane + plane.transpose())).eval();
  return map;
}

CoordinateMap rows_of(const CoordinateMap& map, const std::vector<int>& rows) {
  CoordinateMap part;
  part.G = map.G(rows, Eigen::all);
  part.gamma = map.gamma(rows);
  if (!map.H.empty())
    for (int row : rows) part.H.push_back(map.H[row]);
  return part;
}

std::vector<Eigen::MatrixXd> generalized_product(const Eigen::MatrixXd& C,
                                                 const std::vector<Eigen::MatrixXd>& B) {
  std::vector<Eigen::MatrixXd> product;
  for (Eigen::Index k = 0; k < C.rows(); ++k) {
    product.push_back(B.empty() ? Eigen::MatrixXd()
                                : Eigen::MatrixXd::Zero(B[0].rows(), B[0].cols()));
    for (std::size_t n = 0; n < B.size(); ++n)
      if (const double c = C(k, static_cast<Eigen::Index>(n)); c != 0) product.back() += c * B[n];
  }
  return product;
}

}  // namespace ulna
