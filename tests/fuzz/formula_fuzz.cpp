// Whatever is written as a formula of time gives numbers at any time, or one of the library's
// errors.

#include <cstdint>
#include <string>

#include "ulna/motion/formula.hpp"
#include "ulna/numerics/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const ulna::Formula formula(text, {{"T", 2.0}, {"a", -0.5}}, 2.0);
    for (const double t : {0.0, 0.3, 1.0, 2.0}) formula.at(t);
  } catch (const ulna::InputError&) {
  } catch (const ulna::ComputationError&) {  // not finite there
  }
  return 0;
}
