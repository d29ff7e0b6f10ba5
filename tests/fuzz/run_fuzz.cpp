// Whatever is in the directory of a run, reading it gives a run, or one of the library's errors,
// and a run that is resumed from it never starts. The first byte says which file the rest replaces
// in a sound run.

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "ulna/formats/read_experiment.hpp"
#include "ulna/formats/run_directory.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/simulation/simulate.hpp"

namespace {

namespace fs = std::filesystem;

const std::string experiment_text =
    "experiment: 1\nname: fall\nrobot: pendulum\nduration: 0.2 s\nrecord: {interval: 50 ms}\n";

/// An unfinished run of a pendulum, kept for the life of the process.
fs::path sound_run() {
  const char* place = std::getenv("TMPDIR");
  const fs::path folder =
      fs::path(place ? place : "/tmp") / ("ulna-run-fuzz-" + std::to_string(getpid()));
  fs::create_directories(folder);
  return folder;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  static const fs::path folder = sound_run();
  constexpr const char* files[] = {"summary.json", "run.csv", "experiment.yaml", "robot.yaml"};
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  if (text.find("table") != std::string::npos) return 0;  // files it could name
  write(folder / "experiment.yaml", experiment_text);
  write(folder / "run.csv", "t[s],q.joint1[rad]\n0,0.1\n0.05,0.2\n");
  write(folder / "summary.json", R"({"ulna":1,"kind":"run","complete":true,"records":2})");
  write(folder / files[data[0] % 4], text);
  try {
    ulna::read_run(folder.string());
  } catch (const ulna::InputError&) {
  } catch (const ulna::ComputationError&) {
  }
  return 0;
}
