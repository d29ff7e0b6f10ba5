#pragma once
// The JSON of `--json`: one object on one line, keys in the order they were set, every number with
// full precision, never NaN. Includes a heavy header: for the .cpp files of commands only.

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ulna::cli {

using Json = nlohmann::ordered_json;

/// An object that holds the version of these formats, "ulna": 1.
Json json_object();

Json to_json(const Eigen::Ref<const Eigen::VectorXd>& values);
/// Rows of numbers.
Json matrix_to_json(const Eigen::Ref<const Eigen::MatrixXd>& values);
/// Infinite entries (no limit) become null.
Json limits_to_json(const Eigen::Ref<const Eigen::VectorXd>& values);

void print_json(const Json& object);

/// ComputationError when an entry overflowed: a result must be a number.
void require_finite(const Eigen::Ref<const Eigen::MatrixXd>& values, const std::string& what);

}  // namespace ulna::cli
