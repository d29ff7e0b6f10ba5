#include "commands/study_output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <numeric>

#include "output/output_file.hpp"
#include "output/picture.hpp"
#include "ulna/motion/internal/sample.hpp"

namespace ulna::cli {

bool is_single_file(const std::string& output) {
  return is_picture(output) || output.ends_with(".csv");
}

void make_folder(const std::string& output) {
  std::error_code failure;
  std::filesystem::create_directories(output, failure);
  if (failure)
    throw InputError(Problem{{},
                             "--output",
                             fmt::format("folder '{}' cannot be created", output),
                             "a folder that can be written",
                             {}});
}

std::string study_svg(const StudyTable& study) {
  std::vector<int> channels(study.table.titles.size() - 1);
  std::iota(channels.begin(), channels.end(), 1);
  if (!study.channels.empty()) channels = select_channels(study.table.titles, study.channels);
  return plot_svg(study.table, channels, study.plot);
}

std::vector<std::string> write_study(const std::string& output, const StudyTable& study) {
  if (is_picture(output)) {
    write_picture(output, study_svg(study));
    return {output};
  }
  const std::string csv = csv_text({study.table.titles, study.table.values});
  if (is_single_file(output)) {
    write_file(output, csv);
    return {output};
  }
  make_folder(output);
  const std::string stem = output + "/" + study.name;
  write_file(stem + ".csv", csv);
  write_file(stem + ".svg", study_svg(study));
  return {stem + ".csv", stem + ".svg"};
}

Eigen::VectorXd resampled(const Eigen::VectorXd& t, const Eigen::VectorXd& y,
                          const Eigen::VectorXd& at) {
  Eigen::VectorXd out(at.size());
  long i = 0;
  for (long r = 0; r < at.size(); ++r) {
    while (i + 1 < t.size() && t(i + 1) < at(r)) ++i;
    out(r) = y(i);
    if (i + 1 < t.size() && at(r) > t(i))
      out(r) += (y(i + 1) - y(i)) * (at(r) - t(i)) / (t(i + 1) - t(i));
  }
  return out;
}

}  // namespace ulna::cli
