#include "trace/kane_speeds.hpp"

#include <fmt/format.h>

#include <random>

#include "ulna/kinematics/speed_map.hpp"

namespace ulna::generate {

BodySpeeds named_speeds(const Model& model, const std::string& name) {
  if (name == "joint-rates") return {};
  if (name.rfind("body:", 0) != 0)
    throw InputError(Problem{
        {}, "speeds", fmt::format("'{}' is not available", name), "joint-rates or body:NAME", {}});
  const int body = model.body(name.substr(5));
  std::mt19937_64 generator(1);
  return {body, replaced_rates(model, model.random(generator), body)};
}

}  // namespace ulna::generate
