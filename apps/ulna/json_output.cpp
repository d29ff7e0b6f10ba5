#include "json_output.hpp"

#include <fmt/format.h>

#include <cmath>

#include "terminal.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::cli {

Json json_object() { return Json{{"ulna", 1}}; }

Json to_json(const Eigen::Ref<const Eigen::VectorXd>& values) {
  Json list = Json::array();
  for (const double x : values) list.push_back(x);
  return list;
}

Json matrix_to_json(const Eigen::Ref<const Eigen::MatrixXd>& values) {
  Json rows = Json::array();
  for (Eigen::Index row = 0; row < values.rows(); ++row)
    rows.push_back(to_json(values.row(row).transpose()));
  return rows;
}

Json limits_to_json(const Eigen::Ref<const Eigen::VectorXd>& values) {
  Json list = Json::array();
  for (const double x : values) list.push_back(std::isfinite(x) ? Json(x) : Json());
  return list;
}

void print_json(const Json& object) {
  // Names come from files: bytes that are not UTF-8 are replaced.
  print(object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void require_finite(const Eigen::Ref<const Eigen::MatrixXd>& values, const std::string& what) {
  if (!values.allFinite())
    throw ComputationError(fmt::format("{} is not finite: numbers this large overflow", what));
}

}  // namespace ulna::cli
