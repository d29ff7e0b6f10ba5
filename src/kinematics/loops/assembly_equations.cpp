#include "loops/assembly_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/model/parts/closing_names.hpp"

namespace ulna {
namespace {

bool is_number(const Degree& degree) { return degree.dimension == Dimension::number; }

/// Where the quaternion of a joint begins among its coordinates, and its rates among the speeds; -1
/// where there is none.
int quaternion_place(JointType type) {
  const std::span<const Degree> all = traits_of(type).coordinates;
  const auto at = std::find_if(all.begin(), all.end(), is_number);
  return at == all.end() ? -1 : static_cast<int>(at - all.begin());
}

bool slides(const Loop& loop, int coordinate) {
  return traits_of(loop.type).coordinates[static_cast<std::size_t>(coordinate)].dimension ==
         Dimension::length;
}

}  // namespace

AssemblyEquations::AssemblyEquations(LoopClosure& closure, Workspace& work,
                                     const std::vector<ClosingValue>& given)
    : closure_(closure), work_(work), given_(given), count_(closure.rows()) {
  for (const ClosingValue& value : given) add(value);
  for (Row& row : rows_) {
    if (row.whole_quaternion) {
      if (!(row.quaternion.norm() > 0))
        throw InputError(Problem{
            {}, model().loops()[row.loop].joint, "a quaternion of zeros", "a unit one", {}});
      row.quaternion.normalize();
    }
    row.first = count_;
    count_ += row.rows;
  }
}

void AssemblyEquations::add(const ClosingValue& given) {
  const auto& loops = model().loops();
  if (given.loop < 0 || given.loop >= std::ssize(loops) ||
      loops[given.loop].kind != LoopKind::joint || given.coordinate < 0 ||
      given.coordinate >= size_of(loops[given.loop].type).coordinates)
    throw InputError(fmt::format("coordinate {} of loop {} is given", given.coordinate, given.loop),
                     "a coordinate of a joint that closes a loop");
  if (!std::isfinite(given.value))
    throw InputError("a closing coordinate that is not finite", "finite coordinates");
  const JointType type = loops[given.loop].type;
  if (!is_number(traits_of(type).coordinates[static_cast<std::size_t>(given.coordinate)])) {
    rows_.push_back({.loop = given.loop, .coordinate = given.coordinate, .value = given.value});
    return;
  }
  const auto known = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) {
    return row.whole_quaternion && row.loop == given.loop;
  });
  if (known != rows_.end()) {
    known->quaternion(given.coordinate - known->coordinate) = given.value;
    return;
  }
  Row row{.loop = given.loop,
          .coordinate = quaternion_place(type),
          .rows = 3,
          .whole_quaternion = true};
  row.quaternion(given.coordinate - row.coordinate) = given.value;
  rows_.push_back(row);
}

void AssemblyEquations::miss(const Row& row, Eigen::Ref<Eigen::VectorXd> r) const {
  const Loop& loop = model().loops()[row.loop];
  const SmallVector q = closure_.closing_coordinates(work_, row.loop);
  if (row.whole_quaternion) {
    // Twice the vector part of the rotation from the value to q: for small ones a rotation vector.
    const Quaternion<double> now = q.segment<4>(row.coordinate);
    const Quaternion<double> rest =
        quaternion_product<double>(quaternion_conjugate<double>(row.quaternion), now);
    r = (rest(0) < 0 ? -2 : 2) * rest.tail<3>();
    return;
  }
  r(0) = q(row.coordinate) - row.value;
  if (slides(loop, row.coordinate))
    r(0) /= model().length_scale();
  else if (loop.type != JointType::screw || loop.pitch == 0)
    r(0) = std::remainder(r(0), 2 * M_PI);
}

/// How the miss answers the speeds of the loop's block.
Eigen::MatrixXd AssemblyEquations::rates(const Row& row) const {
  const Loop& loop = model().loops()[row.loop];
  const Eigen::MatrixXd K = closure_.closing_jacobian(work_, row.loop);
  if (!row.whole_quaternion) {
    const double scale = slides(loop, row.coordinate) ? model().length_scale() : 1;
    const int quaternion = quaternion_place(loop.type);
    if (quaternion < 0 || row.coordinate < quaternion) return K.row(row.coordinate) / scale;
    // The position of a free joint, whose rates are in its own axes.
    const Quaternion<double> turn =
        closure_.closing_coordinates(work_, row.loop).segment<4>(quaternion);
    return (rotation_from_quaternion<double>(turn) * K.bottomRows<3>())
               .row(row.coordinate - quaternion - 4) /
           scale;
  }
  const Quaternion<double> now =
      closure_.closing_coordinates(work_, row.loop).segment<4>(row.coordinate);
  const Quaternion<double> rest =
      quaternion_product<double>(quaternion_conjugate<double>(row.quaternion), now);
  const Matrix3<double> answer =
      rest(0) * Matrix3<double>::Identity() + skew<double>(rest.tail<3>());
  return (rest(0) < 0 ? -1 : 1) * answer * K.middleRows<3>(row.coordinate);
}

void AssemblyEquations::update(const Eigen::VectorXd& q) {
  closure_.update(work_, q);
  residual_.resize(count_);
  residual_.head(closure_.rows()) = closure_.row_scale().cwiseProduct(closure_.residual());
  for (const Row& row : rows_) miss(row, residual_.segment(row.first, row.rows));
}

Eigen::MatrixXd AssemblyEquations::jacobian() const {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(count_, model().speeds());
  J.topRows(closure_.rows()) = closure_.row_scale().asDiagonal() * closure_.jacobian();
  for (const Row& row : rows_) {
    const std::vector<int>& columns = closure_.blocks()[row.loop].columns;
    J.middleRows(row.first, row.rows)(Eigen::all, columns) = rates(row);
  }
  return J;
}

Eigen::MatrixXd AssemblyEquations::scaled_jacobian() const {
  return jacobian() * closure_.column_scale().asDiagonal();
}

double AssemblyEquations::largest_gap() const {
  double gap = closure_.largest_gap(work_);
  for (const Row& row : rows_)
    gap = std::max(
        gap, residual_.segment(row.first, row.rows).norm() * std::max(1.0, model().length_scale()));
  return gap;
}

AssemblyEquations::Miss AssemblyEquations::largest_miss() const {
  Miss most;
  for (const Row& row : rows_) {
    const double size = residual_.segment(row.first, row.rows).norm();
    if (most.loop < 0 || size > most.size) most = {row.loop, size};
  }
  return most;
}

std::string AssemblyEquations::given_text() const {
  std::string text;
  for (const ClosingValue& given : given_)
    text += fmt::format(", {} = {:.6g}",
                        closing_coordinate_names(model().loops()[given.loop])[given.coordinate],
                        given.value);
  return text;
}

}  // namespace ulna
