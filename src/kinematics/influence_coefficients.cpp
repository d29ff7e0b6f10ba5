#include "ulna/kinematics/influence_coefficients.hpp"

#include <Eigen/Geometry>

#include "plain_vectors.hpp"
#include "ulna/kinematics/kernels/influence.hpp"

namespace ulna {
namespace {

void add(std::vector<Eigen::MatrixXd>& H, int first_plane, int m, int n,
         const Vec3<double>& share) {
  const double entries[3] = {share.x, share.y, share.z};
  for (int k = 0; k < 3; ++k) H[first_plane + k](m, n) += entries[k];
}

}  // namespace

CoordinateMap node_influence(const Model& model, const Workspace& work, int node,
                             const Vector3<double>& p_W) {
  model.require_rigid("the map of influence coefficients");
  const int n = model.speeds();
  CoordinateMap map;
  map.G.setZero(6, n);
  map.gamma.setZero(6);
  map.H.assign(6, Eigen::MatrixXd::Zero(n, n));
  using Column = InfluenceColumn<double>;
  const std::vector<Column> way = influence_columns<double>(
      model.topology().nodes.data(), work.view().pose, node, {p_W.x(), p_W.y(), p_W.z()});
  for (const Column& column : way) {  // mimic joints share a speed: sums
    map.G.col(column.speed).head<3>() += plain(column.w);
    map.G.col(column.speed).tail<3>() += plain(column.v);
  }
  second_influence(way, [&](const Column& m, const Column& k, const Vec3<double>& turn,
                            const Vec3<double>& move) {
    add(map.H, 0, m.speed, k.speed, turn);
    add(map.H, 3, m.speed, k.speed, move);
  });
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
