// Whatever is in a URDF, reading it gives a robot that can be used, or an InputError.

#include "use_robot.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ulna::fuzz::read_and_use(
      [](const std::string& text) { return ulna::read_urdf_text(text, "robot.urdf"); }, data, size);
  return 0;
}
