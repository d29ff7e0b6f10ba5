#include "sweep/study_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options/command_line.hpp"
#include "options/vector_text.hpp"
#include "output/interrupt.hpp"
#include "output/progress.hpp"
#include "output/terminal.hpp"

namespace ulna::cli {

void add_study_options(CLI::App& command, StudyWords& words, const std::string& study_help,
                       const std::string& output_help, const std::string& resume_help) {
  add_argument(command, "STUDY", words.file, study_help).required();
  add_json_flag(command, words.json);
  add_text(command, "-o,--output", words.output, "DIR", output_help);
  add_flag(command, "--resume", words.resume, resume_help);
  add_text(command, "--threads", words.threads, "N",
           "Threads of each process (default: the number of its processors)");
}

namespace {

/// Says what went wrong, as the program does at its end, and returns its exit status.
int told_status() {
  try {
    throw;
  } catch (const InputError& problems) {
    error(problems);
    return 2;
  } catch (const std::exception& failure) {
    error(failure.what());
    return 1;
  }
}

}  // namespace

int run_on_ranks(const StudyWords& words, const std::function<Evaluate(const Study&)>& prepare,
                 const std::function<int(Ranks&, const Study&, int, const Evaluate&)>& lead) {
  Ranks ranks;
  std::optional<Study> study;
  Evaluate evaluate;
  std::exception_ptr refused;
  int threads = 1;
  try {
    threads = words.threads ? parse_count("--threads", *words.threads, 1) : 0;
    if (!words.output || words.output->empty())
      throw InputError(Problem{{}, "-o", "no folder for the results is given", "-o DIR", {}});
    study.emplace(words.file);
    evaluate = prepare(*study);
  } catch (...) {
    refused = std::current_exception();
  }
  // A file that one machine does not see ends the job on all of them, with one message.
  if (const int failed = ranks.first_failed(refused != nullptr); failed == ranks.rank())
    std::rethrow_exception(refused);
  else if (failed >= 0)
    return 2;
  if (threads == 0) threads = ranks.fair_threads();
  if (ranks.rank() == 0) {
    try {
      return lead(ranks, *study, threads, evaluate);
    } catch (...) {
      // The others wait for work that will never come, unless they have been told to end.
      if (ranks.count() > 1 && !ranks.told_to_end()) ranks.dismiss(told_status());
      throw;
    }
  }
  ranks.total_threads(threads);
  const InterruptGuard guard;
  ranks.compute(threads, evaluate, [&] { return guard.interrupted(); });
  return 0;
}

void fill_store(Ranks& ranks, StudyStore& store, const StudyWords& words, int threads,
                const char* what, const Evaluate& evaluate) {
  if (words.resume && !store.resumed())
    note(fmt::format("there is no interrupted study in {}.partial: the study begins",
                     printable(*words.output)));
  // No more threads than samples.
  threads = static_cast<int>(std::clamp(store.size() - store.done(), 1L, long{threads}));
  StoreSource source(store, ranks.total_threads(threads), ranks.count() - 1);
  const InterruptGuard guard;
  {
    Progress progress(what, store.size(), 1000, 10);
    run_threads(threads, source, evaluate, [&](bool finished) {
      if (guard.interrupted()) source.stop();
      while (ranks.serve(source)) {
      }
      if (finished) ranks.serve_to_the_end(source);
      progress.update(source.finished());
      return ranks.patience();
    });
  }
  if (source.failure()) std::rethrow_exception(source.failure());
}

}  // namespace ulna::cli
