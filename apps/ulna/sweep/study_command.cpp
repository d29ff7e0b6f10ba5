#include "sweep/study_command.hpp"

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

int run_on_ranks(const StudyWords& words, const std::function<Evaluate(const Study&)>& prepare,
                 const std::function<int(Ranks&, const Study&, int, const Evaluate&)>& lead) {
  Ranks ranks;
  std::optional<Study> study;
  Evaluate evaluate;
  std::optional<InputError> refused;
  int threads = 1;
  try {
    threads = words.threads ? parse_count("--threads", *words.threads, 1) : 0;
    if (!words.output)
      throw InputError(Problem{{}, "-o", "no folder for the results is given", "-o DIR", {}});
    study.emplace(words.file);
    evaluate = prepare(*study);
  } catch (const InputError& problems) {
    if (ranks.count() == 1) throw;
    refused = problems;
  }
  // A file that one machine does not see ends the job on all of them, with one message.
  const int failed = ranks.first_failed(refused.has_value());
  if (failed >= 0) {
    if (failed == ranks.rank()) error(*refused);
    return 2;
  }
  if (threads == 0) threads = ranks.fair_threads();
  try {
    if (ranks.rank() == 0) return lead(ranks, *study, threads, evaluate);
  } catch (const InputError& problems) {
    if (ranks.count() == 1) throw;
    error(problems);
    ranks.dismiss();
    return 2;
  }
  ranks.total_threads(threads);
  const InterruptGuard guard;
  ranks.compute(threads, evaluate, [&] { return guard.interrupted(); });
  return 0;
}

void fill_store(Ranks& ranks, StudyStore& store, int threads, const char* what,
                const Evaluate& evaluate) {
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
