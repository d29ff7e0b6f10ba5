// Whatever is in a MuJoCo model, reading it gives a robot that can be used, or an InputError.

#include "use_robot.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ulna::fuzz::read_and_use(
      [](const std::string& text) { return ulna::read_mjcf_text(text, "robot.xml"); }, data, size);
  return 0;
}
