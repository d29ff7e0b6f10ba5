#include "support/json_data.hpp"

#include <fstream>
#include <stdexcept>

#include "support/places.hpp"

namespace ulna::testing {

Json read_data(const std::string& name) {
  std::ifstream file(data_file(name));
  if (!file) throw std::runtime_error("cannot read " + data_file(name));
  return Json::parse(file);
}

Eigen::VectorXd numbers(const Json& list) {
  Eigen::VectorXd x(list.size());
  for (std::size_t k = 0; k < list.size(); ++k) x(static_cast<int>(k)) = list[k];
  return x;
}

}  // namespace ulna::testing
