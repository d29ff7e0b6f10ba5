#include "ulna/formats/run_hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "hdf5/hdf5_file.hpp"
#include "run/csv_table.hpp"
#include "text_file.hpp"
#include "ulna/formats/internal/output_file.hpp"
#include "ulna/formats/write_robot.hpp"

namespace ulna {
namespace {

/// "rad" of "q.joint1[rad]"; empty where there is none.
std::string unit_of_title(const std::string& title) {
  const std::string name = title_without_unit(title);
  if (name.size() + 2 > title.size()) return {};
  std::string unit = title.substr(name.size());
  unit.erase(std::remove_if(unit.begin(), unit.end(),
                            [](char c) { return c == '[' || c == ']' || c == ' '; }),
             unit.end());
  return unit;
}

}  // namespace

bool is_hdf5_name(const std::string& file) {
  return file.ends_with(".h5") || file.ends_with(".hdf5");
}

void write_run_hdf5(const StoredRun& run, const std::string& file) {
  std::vector<Hdf5Column> columns;
  std::set<std::string> taken = {"ulna"};
  for (std::size_t k = 0; k < run.columns.size(); ++k) {
    Hdf5Column column;
    column.title = run.columns[k];
    column.name = title_without_unit(column.title);
    column.unit = unit_of_title(column.title);
    std::replace(column.name.begin(), column.name.end(), '/', ':');
    if (column.name.empty() || column.name == ".") column.name += "_";
    while (!taken.insert(column.name).second) column.name += "_";
    const auto values = run.values.col(static_cast<Eigen::Index>(k));
    column.values.assign(values.begin(), values.end());
    columns.push_back(std::move(column));
  }
  std::vector<Hdf5Text> texts = {{"summary", run.summary}, {"robot", write_robot_yaml(run.robot)}};
  const std::string experiment = run.directory + "/experiment.yaml";
  std::error_code error;
  if (std::filesystem::is_regular_file(experiment, error))
    texts.push_back({"experiment", read_text_file(experiment, largest_yaml)});
  require_ordinary(file);
  const std::string beside = new_file_beside(file);
  std::string problem = write_hdf5_columns(beside, columns, "ulna", texts);
  if (problem.empty() && std::rename(beside.c_str(), file.c_str()) != 0)
    problem = "the file cannot be put in its place";
  if (problem.empty()) return;
  std::filesystem::remove(beside, error);
  throw ComputationError(fmt::format("{}: {}", file, problem));
}

}  // namespace ulna
