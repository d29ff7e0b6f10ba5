// Whatever is in an SDF file, reading it gives a robot that can be used, or an InputError; without
// libsdformat always the latter.

#include "use_robot.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ulna::fuzz::read_and_use(
      [](const std::string& text) { return ulna::read_sdf_text(text, "robot.sdf"); }, data, size);
  return 0;
}
