#pragma once
// Runs CalculiX (Debian package calculix-ccx) on a deck and reads the frequencies that it prints.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ulna::test {

inline bool have_ccx() { return std::system("command -v ccx >/dev/null 2>&1") == 0; }

/// In Hz, from the table of eigenvalues of the .dat file.
inline std::vector<double> run_ccx(const std::string& deck) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("ulna_ccx_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "arm.inp") << deck;
  const std::string command =
      "cd '" + folder.string() + "' && OMP_NUM_THREADS=1 ccx arm >ccx.log 2>&1";
  const int status = std::system(command.c_str());
  std::vector<double> hertz;
  std::ifstream dat(folder / "arm.dat");
  std::string line;
  bool table = false;
  while (std::getline(dat, line)) {
    if (line.find("E I G E N V A L U E") != std::string::npos) table = true;
    if (line.find("P A R T I C I P A T I O N") != std::string::npos) break;
    std::istringstream words(line);
    int number = 0;
    double eigenvalue = 0, rad = 0, hz = 0;
    if (table && words >> number >> eigenvalue >> rad >> hz) hertz.push_back(hz);
  }
  EXPECT_EQ(status, 0);
  std::filesystem::remove_all(folder);
  return hertz;
}

}  // namespace ulna::test
