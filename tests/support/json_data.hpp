#pragma once
// Published numbers, as tests/data holds them.

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <string>

namespace ulna::testing {

using Json = nlohmann::json;

/// A file of tests/data.
Json read_data(const std::string& name);
/// A list of numbers.
Eigen::VectorXd numbers(const Json& list);

}  // namespace ulna::testing
