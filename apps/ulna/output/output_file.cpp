#include "output/output_file.hpp"

#include "ulna/formats/internal/output_file.hpp"

namespace ulna::cli {

void write_file(const std::string& path, const std::string& content) {
  write_output_file(path, content);
}

}  // namespace ulna::cli
