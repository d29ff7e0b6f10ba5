#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

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
  const auto summary = nlohmann::json::parse(run.summary, nullptr, false);
  if (!summary.is_object() || summary.value("kind", "") != "run")
    throw InputError(Problem{{in("summary.json")}, {}, "not the summary of a run", {}, {}});
  if (summary.value("ulna", 0) != 1)
    throw InputError(Problem{{in("summary.json")}, {}, "a run of another format version", "1", {}});
  run.complete = summary.value("complete", false);
  run.robot =
      read_robot_yaml_text(read_text_file(in("robot.yaml"), largest_yaml), in("robot.yaml")).robot;

  std::string text = read_text_file(in("run.csv"), 4096 * megabyte);
  // A run that was ended by force may stop in the middle of a line.
  if (!run.complete) text.resize(text.rfind('\n') + 1);
  const CsvTable table = parse_csv(text, in("run.csv"));
  run.columns = table.titles;
  const std::size_t rows = table.columns[0].size();
  run.values.resize(static_cast<long>(rows), static_cast<long>(run.columns.size()));
  for (std::size_t k = 0; k < run.columns.size(); ++k)
    for (std::size_t row = 0; row < rows; ++row)
      run.values(static_cast<long>(row), static_cast<long>(k)) = table.columns[k][row];
  return run;
}

Eigen::VectorXd StoredRun::column(const std::string& name) const {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::string bare = columns[k].substr(0, columns[k].find('['));
    if (columns[k] == name || bare == name) return values.col(static_cast<long>(k));
    known.push_back(bare);
  }
  throw InputError(fmt::format("the run has no column '{}'", name), {},
                   nearest_name_hint(name, known));
}

}  // namespace ulna
