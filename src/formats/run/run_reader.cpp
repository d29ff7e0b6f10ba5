#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "run/bounded_json.hpp"
#include "run/csv_table.hpp"
#include "text_file.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/formats/run_directory.hpp"

namespace ulna {

namespace fs = std::filesystem;

StoredRun read_run(const std::string& directory) {
  StoredRun run;
  std::error_code error;
  run.directory = directory;
  if (!fs::is_directory(directory, error)) {
    if (!fs::is_directory(directory + ".partial", error))
      throw InputError(Problem{{directory}, {}, "there is no such run", "a run directory", {}});
    run.directory += ".partial";
  }
  const auto in = [&](const char* name) { return run.directory + "/" + name; };
  run.summary = read_text_file(in("summary.json"), 8 * megabyte);
  check_json_depth(run.summary, in("summary.json"));
  const auto summary = nlohmann::json::parse(run.summary, nullptr, false);
  const auto entry = [&](const char* key) {
    const auto found = summary.is_object() ? summary.find(key) : summary.end();
    return found == summary.end() ? nlohmann::json() : *found;
  };
  if (entry("kind") != "run")
    throw InputError(Problem{{in("summary.json")},
                             {},
                             "not the summary of a run",
                             "a map with 'kind': 'run', as ulna simulate -o writes it",
                             {}});
  if (entry("ulna") != 1)
    throw InputError(Problem{{in("summary.json")}, {}, "a run of another format version", "1", {}});
  run.complete = entry("complete") == true;
  run.robot =
      read_robot_yaml_text(read_text_file(in("robot.yaml"), largest_yaml), in("robot.yaml")).robot;

  std::string text = read_text_file(in("run.csv"), 4096 * megabyte);
  // A run that was ended by force may stop in the middle of a line.
  const bool cut = !text.ends_with('\n');
  if (!run.complete) text.resize(text.rfind('\n') + 1);
  const CsvTable table = parse_csv(text, in("run.csv"));
  run.columns = table.titles;
  const std::size_t rows = table.columns[0].size();
  const nlohmann::json records = entry("records");
  if (run.complete && (cut || (records.is_number_integer() && records != rows)))
    throw InputError(
        Problem{{in("run.csv")},
                {},
                fmt::format("{} records{}, but its summary states {}", rows,
                            cut ? " without a line end after the last" : "", records.dump()),
                "the file as the run left it",
                "the file was cut or changed; run the experiment again"});
  run.values.resize(static_cast<long>(rows), static_cast<long>(run.columns.size()));
  for (std::size_t k = 0; k < run.columns.size(); ++k)
    for (std::size_t row = 0; row < rows; ++row)
      run.values(static_cast<long>(row), static_cast<long>(k)) = table.columns[k][row];
  return run;
}

Eigen::VectorXd StoredRun::column(const std::string& name) const {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::string bare = title_without_unit(columns[k]);
    if (is_title_of(columns[k], name)) return values.col(static_cast<long>(k));
    known.push_back(bare);
  }
  throw InputError(fmt::format("the run has no column '{}'", name), {},
                   nearest_name_hint(name, known));
}

}  // namespace ulna
