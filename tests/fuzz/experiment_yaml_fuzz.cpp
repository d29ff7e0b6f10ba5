// Whatever is in an experiment file, reading it gives an experiment, or one of the library's
// errors.

#include <cstdint>
#include <string>

#include "ulna/formats/read_experiment.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Files it could name are none of its business.
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.find("table") != std::string::npos) return 0;
  try {
    ulna::read_experiment_text(text, "experiment.yaml");
  } catch (const ulna::InputError&) {
  } catch (const ulna::ComputationError&) {  // a path out of reach, a limit that cannot be kept
  }
  return 0;
}
