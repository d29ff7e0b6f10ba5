#include "ulna/formats/run_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "run/bounded_json.hpp"
#include "run/csv_table.hpp"
#include "run/folder_content.hpp"
#include "text_file.hpp"
#include "ulna/formats/write_robot.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const FolderContent run_content = {
    "run", {"run.csv", "summary.json", "robot.yaml", "experiment.yaml", "checkpoint.json", "lock"}};

double wall_clock() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

[[noreturn]] void fail(const std::string& path, int reason) {
  throw ComputationError(fmt::format("{}: cannot be written: {}", path, std::strerror(reason)));
}

/// Opens the lock of a run and takes it. InputError with the process that has it.
int take_lock(const std::string& file, const std::string& directory) {
  const int lock = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0) fail(file, errno);
  char text[32] = {};
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (read(lock, text, sizeof text - 1) < 0) text[0] = 0;
    close(lock);
    throw InputError(Problem{{directory},
                             {},
                             fmt::format("process {} is writing a run there", atol(text)),
                             "a folder for one run at a time",
                             "name another folder, or wait for it"});
  }
  const std::string pid = fmt::format("{}\n", getpid());
  if (ftruncate(lock, 0) != 0 || write(lock, pid.data(), pid.size()) < 0) fail(file, errno);
  return lock;
}

/// InputError unless the first `bytes` of a table are there and end with a line: cutting it there
/// would otherwise make it longer, or cut a record in two.
void require_whole_records(const std::string& path, long bytes) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) throw InputError(Problem{{path}, {}, error.message(), "the records so far", {}});
  const auto refuse = [&](std::string found, std::string expected) {
    throw InputError(
        Problem{{path}, {}, std::move(found), std::move(expected), "run it without --resume"});
  };
  if (bytes < 1 || size < static_cast<std::uintmax_t>(bytes))
    refuse(fmt::format("run.csv is shorter than its checkpoint requires: {} bytes", size),
           fmt::format("at least {}", bytes));
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (!file) throw InputError(Problem{{path}, {}, std::strerror(errno), "a file to read", {}});
  const bool ends = std::fseek(file, bytes - 1, SEEK_SET) == 0 && std::fgetc(file) == '\n';
  std::fclose(file);
  if (!ends)
    refuse(
        fmt::format("no record of run.csv ends at byte {}, where its checkpoint was taken", bytes),
        "the file as the run left it");
}

Json numbers(const Eigen::VectorXd& values) {
  Json list = Json::array();
  for (const double x : values) list.push_back(x);
  return list;
}
Eigen::VectorXd vector(const Json& list) {
  Eigen::VectorXd values(static_cast<long>(list.size()));
  for (std::size_t k = 0; k < list.size(); ++k) values(static_cast<long>(k)) = list[k];
  return values;
}

/// What was noted before the checkpoint.
void read_history(const Json& in, Checkpoint& c) {
  for (const Json& event : in.at("events")) c.events.push_back({event.at(0), event.at(1)});
  c.notes = in.at("notes").get<std::vector<std::string>>();
  c.said = in.at("said").get<std::vector<std::string>>();
  c.independent = in.at("independent").get<std::vector<int>>();
  for (const Json& change : in.at("switches"))
    c.switches.push_back({change.at("t"), change.at("independent").get<std::vector<int>>()});
  for (const Json& phase : in.value("phases", Json::array()))
    c.phases.push_back({phase.at("event"), phase.at("t"), vector(phase.at("q")),
                        vector(phase.at("v")), vector(phase.at("q_ref")),
                        vector(phase.at("v_ref"))});
  c.jumps = in.at("jumps").at(0);
  c.first_jump = in.at("jumps").at(1);
}

/// `bytes`: of run.csv, up to the record of the checkpoint.
Json json_of(const Checkpoint& c, const std::string& hash, long bytes) {
  Json out;
  out["ulna"] = 1;
  out["model_hash"] = hash;
  out["t"] = c.t;
  out["records"] = c.records;
  out["bytes"] = bytes;
  out["y"] = numbers(c.y);
  out["controllers"] = numbers(c.controllers);
  out["step"] = c.step.step;
  out["step_error"] = c.step.error;
  out["stiffness"] = c.step.stiffness;
  out["statistics"] = {c.statistics.steps, c.statistics.rejected, c.statistics.evaluations};
  out["energy"] = {c.start_energy, c.largest_kinetic, c.largest_balance, c.largest_constraint};
  out["closure"] = c.largest_closure;
  out["slip"] = c.largest_slip;
  out["largest_energy"] = c.largest_energy;
  out["frames"] = numbers(c.frames);
  out["wall_seconds"] = c.wall_seconds;
  out["events"] = Json::array();
  for (const EventNote& event : c.events) out["events"].push_back({event.name, event.t});
  out["notes"] = c.notes;
  out["said"] = c.said;
  out["independent"] = c.independent;
  out["switches"] = Json::array();
  for (const RunSummary::Switch& change : c.switches)
    out["switches"].push_back({{"t", change.t}, {"independent", change.independent}});
  out["jumps"] = {c.jumps, c.first_jump};
  out["sizing"] = numbers(c.sizing);
  out["phases"] = Json::array();
  for (const PhaseStart& phase : c.phases)
    out["phases"].push_back({{"event", phase.event},
                             {"t", phase.t},
                             {"q", numbers(phase.q)},
                             {"v", numbers(phase.v)},
                             {"q_ref", numbers(phase.q_ref)},
                             {"v_ref", numbers(phase.v_ref)}});
  out["duty"] = numbers(c.duty);
  return out;
}

/// The bytes of run.csv up to the end of this many records; those after the last checkpoint are
/// not among them.
long end_of_records(const std::string& path, long records) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  long bytes = 0;
  for (long k = 0; k <= records && std::getline(file, line); ++k)  // the titles are a line, too
    bytes += std::ssize(line) + 1;
  return bytes;
}

}  // namespace

RunWriter::RunWriter(std::string directory, const Experiment& experiment, std::string text,
                     bool go_on)
    : directory_(std::move(directory)),
      text_(std::move(text)),
      hash_(model_hash(experiment.model->robot())),
      experiment_(experiment) {
  while (directory_.size() > 1 && directory_.back() == '/') directory_.pop_back();
  partial_ = directory_ + ".partial";
  require_only(directory_, run_content);
  require_only(partial_, run_content);
  std::error_code error;
  if (go_on && !fs::exists(path("checkpoint.json"), error))
    throw InputError(Problem{{partial_},
                             {},
                             "there is no run to resume",
                             path("checkpoint.json"),
                             "run it without --resume"});
  fs::create_directories(partial_, error);
  if (error) throw InputError(Problem{{partial_}, {}, error.message(), "a place for the run", {}});
  lock_ = take_lock(path("lock"), directory_);
  try {
    go_on ? resume() : begin();
  } catch (...) {
    release_lock();
    throw;
  }
}

RunWriter::~RunWriter() {
  if (csv_) std::fclose(csv_);
  release_lock();
}

void RunWriter::release_lock() {
  if (lock_ < 0) return;
  std::error_code error;
  fs::remove(path("lock"), error);
  close(lock_);
  lock_ = -1;
}

void RunWriter::begin() {
  std::error_code error;
  for (const std::string& name : run_content.files)
    if (name != "lock") fs::remove(path(name.c_str()), error);
  write_text_file(path("robot.yaml"),
                  write_robot_yaml(with_meshes_seen_from(directory_, experiment_.model->robot())));
  write_text_file(path("experiment.yaml"), text_);
  RunSummary unfinished;
  unfinished.reason = "running, or ended by force";
  write_text_file(path("summary.json"), run_summary_json(experiment_, unfinished));
  csv_ = std::fopen(path("run.csv").c_str(), "wb");
  if (!csv_) fail(path("run.csv"), errno);
  line_ = "t[s]";
  std::set<std::string> seen;
  for (const Channel& channel : channels_of(experiment_)) {
    if (!seen.insert(channel.title()).second)
      throw InputError(Problem{{},
                               "record",
                               fmt::format("channel {} is recorded twice", in_quotes(channel.name)),
                               "channels that differ",
                               {}});
    line_ += "," + csv_title(channel.title());
  }
  line_ += "\n";
  if (std::fwrite(line_.data(), 1, line_.size(), csv_) != line_.size())
    fail(path("run.csv"), errno);
  flush();
}

void RunWriter::record(double t, std::span<const double> row) {
  line_.clear();
  fmt::format_to(std::back_inserter(line_), "{}", t);
  for (const double x : row) fmt::format_to(std::back_inserter(line_), ",{}", x);
  line_ += '\n';
  if (std::fwrite(line_.data(), 1, line_.size(), csv_) != line_.size())
    fail(path("run.csv"), errno);
}

void RunWriter::checkpoint(const Checkpoint& checkpoint) {
  last_ = checkpoint;
  if (wall_clock() - saved_at_ > 0.5) write_checkpoint();
}

void RunWriter::flush() {
  if (std::fflush(csv_) != 0) fail(path("run.csv"), errno);
}

void RunWriter::write_checkpoint() {
  flush();
  write_text_file(path("checkpoint.json"), json_of(*last_, hash_, std::ftell(csv_)).dump());
  saved_at_ = wall_clock();
}

void RunWriter::resume() {
  const std::string file = path("checkpoint.json");
  if (read_text_file(path("experiment.yaml"), largest_yaml) != text_)
    throw InputError(Problem{{path("experiment.yaml")},
                             {},
                             "the run was made from another experiment file",
                             "the same experiment",
                             "run it without --resume"});
  const std::string content = read_text_file(file, 64 * megabyte);
  check_json_depth(content, file);
  const Json in = Json::parse(content, nullptr, false);
  if (!in.is_object())
    throw InputError(Problem{{file},
                             {},
                             "not a checkpoint: no JSON",
                             "the file as the run left it",
                             "run it without --resume"});
  Checkpoint c;
  long bytes = 0;
  try {
    if (in.at("model_hash") != hash_)
      throw InputError(Problem{
          {file}, {}, "the run was made with another robot", hash_, "run it without --resume"});
    c.t = in.at("t");
    c.records = in.at("records");
    bytes = in.at("bytes");
    c.y = vector(in.at("y"));
    c.controllers = vector(in.at("controllers"));
    c.step = {in.at("step"), in.at("step_error")};
    c.step.stiffness = in.value("stiffness", c.step.stiffness);
    const Json &s = in.at("statistics"), &e = in.at("energy");
    c.statistics = {s.at(0), s.at(1), s.at(2)};
    c.start_energy = e.at(0), c.largest_kinetic = e.at(1);
    c.largest_balance = e.at(2), c.largest_constraint = e.at(3);
    c.largest_closure = in.value("closure", 0.0);
    c.largest_slip = in.value("slip", 0.0);
    c.largest_energy = in.value("largest_energy", 0.0);
    if (in.contains("frames")) c.frames = vector(in.at("frames"));
    if (in.contains("sizing")) c.sizing = vector(in.at("sizing"));
    if (in.contains("duty")) c.duty = vector(in.at("duty"));
    c.wall_seconds = in.value("wall_seconds", 0.0);
    read_history(in, c);
  } catch (const Json::exception&) {
    throw InputError(
        Problem{{file},
                {},
                "not a checkpoint: an entry is missing, or no number where one belongs",
                "the file as the run left it",
                "run it without --resume"});
  }
  require_whole_records(path("run.csv"), bytes);
  // What was written after the checkpoint is computed again.
  if (truncate(path("run.csv").c_str(), bytes) != 0) fail(path("run.csv"), errno);
  csv_ = std::fopen(path("run.csv").c_str(), "ab");
  if (!csv_) fail(path("run.csv"), errno);
  std::fseek(csv_, 0, SEEK_END);
  resumed_ = last_ = std::move(c);
}

std::string RunWriter::abandon(const std::string& reason) {
  RunSummary summary;
  summary.reason = reason;
  if (last_) {
    summary.t = last_->t;
    summary.records = last_->records;
    summary.statistics = last_->statistics;
    summary.wall_seconds = last_->wall_seconds;
    summary.energy_balance = last_->largest_balance;
    summary.largest_kinetic = last_->largest_kinetic;
    summary.largest_energy = last_->largest_energy;
    summary.closure = last_->largest_closure;
    summary.events = last_->events;
    summary.notes = last_->notes;
  }
  return finish(summary);
}

std::string RunWriter::finish(const RunSummary& summary) {
  // After a write has failed nobody knows how much of the records is in the file: what the last
  // checkpoint says of it still holds, a new one might count records that are lost.
  const bool lost = std::ferror(csv_) != 0;
  if (!summary.complete && last_ && !lost) {
    flush();
    const long bytes = end_of_records(path("run.csv"), last_->records);
    write_text_file(path("checkpoint.json"), json_of(*last_, hash_, bytes).dump());
  }
  if (!lost) flush();
  if (!lost && fsync(fileno(csv_)) != 0) fail(path("run.csv"), errno);
  std::FILE* const file = csv_;
  csv_ = nullptr;
  if (std::fclose(file) != 0 && !lost) fail(path("run.csv"), errno);
  write_text_file(path("summary.json"), run_summary_json(experiment_, summary));
  if (!summary.complete) return partial_;
  require_only(directory_, run_content);  // others may have used it in the meantime
  put_in_place(partial_, directory_, run_content);
  // Until here a run that is ended by force can be resumed.
  std::error_code error;
  for (const char* name : {"checkpoint.json", "lock"}) fs::remove(directory_ + "/" + name, error);
  close(lock_);
  lock_ = -1;
  return directory_;
}

}  // namespace ulna
