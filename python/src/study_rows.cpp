// Samples and searches of a study, computed by threads.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "interrupt.hpp"
#include "states.hpp"
#include "ulna/formats/study_search.hpp"

namespace ulna::python {
namespace {

using Rows = std::vector<StudyRow>;
using EvaluateRow = std::function<StudyRow(long row, const std::function<bool()>& stop)>;

py::array_t<double> row_table(const Rows& rows, std::size_t width, bool measures) {
  py::array_t<double> out({rows.size(), width});
  auto at = out.mutable_unchecked<2>();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::vector<double>& values = measures ? rows[r].measures : rows[r].parameters;
    for (std::size_t c = 0; c < width; ++c) at(r, c) = c < values.size() ? values[c] : NAN;
  }
  return out;
}

/// Without Python's lock. What one row throws ends all, and is thrown again.
void compute_rows(const EvaluateRow& evaluate, Rows& rows, int threads, InterruptWatch& watch) {
  std::atomic<long> next = 0;
  std::atomic<int> running = 0;
  std::atomic<bool> stop = false;
  std::exception_ptr failure;
  std::mutex failing;
  const auto count = static_cast<long>(rows.size());
  const auto work = [&] {
    try {
      for (long k = next++; k < count && !stop; k = next++)
        rows[static_cast<std::size_t>(k)] = evaluate(k, [&] { return stop.load(); });
    } catch (...) {
      const std::lock_guard<std::mutex> one(failing);
      if (!failure) failure = std::current_exception();
      stop = true;
    }
    --running;
  };
  std::vector<std::thread> crew;
  for (int k = 0; k < threads; ++k) {
    ++running;
    try {
      crew.emplace_back(work);
    } catch (const std::system_error&) {  // no more threads: those there are do the work
      --running;
      if (crew.empty()) throw;
      break;
    }
  }
  while (running > 0) {
    if (watch.interrupted_now()) stop = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::thread& one : crew) one.join();
  if (failure) std::rethrow_exception(failure);
}

int thread_count(int threads, long rows) {
  if (threads < 0)
    throw InputError(Problem{{}, "threads", fmt::format("found {}", threads), "0 or more", {}});
  if (threads == 0) threads = python::threads();
  return static_cast<int>(std::clamp(rows, 1L, std::min(1024L, static_cast<long>(threads))));
}

Study study_of(const std::string& study, bool is_text) {
  return is_text ? Study::from_text(study, "study") : Study(study);
}

/// parameters, measures, table of parameters, table of measures, status, reasons
py::tuple told(const Study& study, const Rows& rows, long first) {
  std::vector<std::string> names, status;
  for (const SampleParameter& p : study.plan().parameters) names.push_back(p.name);
  py::dict reasons;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    status.emplace_back(name_of(rows[k].status));
    if (!rows[k].reason.empty()) reasons[py::int_(first + static_cast<long>(k))] = rows[k].reason;
  }
  const std::vector<std::string> measures = study.measure_names();
  return py::make_tuple(names, measures, row_table(rows, names.size(), false),
                        row_table(rows, measures.size(), true), status, reasons);
}

py::tuple study_rows(const std::string& source, bool is_text, long first, long end, int threads,
                     bool evaluate) {
  const Study study = study_of(source, is_text);
  if (end < 0) end = study.total();
  if (first < 0 || first > end || end > study.total())
    throw InputError(
        Problem{{}, "samples", "outside of the study", fmt::format("0 to {}", study.total()), {}});
  constexpr long most_rows = 100'000'000;  // all of them are kept in memory
  if (end - first > most_rows)
    throw InputError(Problem{{},
                             "samples",
                             fmt::format("{} of them", end - first),
                             fmt::format("at most {} at a time", most_rows),
                             "samples=(first, end) takes a part of them"});
  threads = thread_count(threads, end - first);
  Rows rows(static_cast<std::size_t>(end - first));
  InterruptWatch watch;
  {
    const Unlocked unlocked;
    if (evaluate) {
      compute_rows(
          [&](long k, const std::function<bool()>& stop) {
            return study.evaluate(first + k, stop);
          },
          rows, threads, watch);
    } else {
      for (long k = first; k < end && !watch.interrupted(); ++k)
        rows[static_cast<std::size_t>(k - first)].parameters = study.plan().values(k);
    }
  }
  watch.rethrow();
  return told(study, rows, first);
}

StudyGoal goal_of(const Study& study, const py::dict& changes) {
  StudyGoal goal = study.goal() ? *study.goal() : StudyGoal();
  const auto take = [&](const char* key, auto& value) {
    if (changes.contains(key)) value = changes[key].cast<std::decay_t<decltype(value)>>();
  };
  take("measure", goal.measure);
  take("largest", goal.largest);
  take("second", goal.second);
  take("algorithm", goal.algorithm);
  take("evaluations", goal.evaluations);
  take("tolerance", goal.tolerance);
  // As many points of a front as the file would have without saying so.
  if (!goal.second.empty() && (!study.goal() || study.goal()->second.empty())) goal.starts = 11;
  take("starts", goal.starts);
  if (goal.measure.empty())
    throw InputError(Problem{{}, "optimize", "the study has no goal", "least= or largest=", {}});
  return goal;
}

/// run(values) gives the measures, a list, or the reason why there are none, a text.
StudySearches::Evaluate evaluation_by(const Study& study, const py::object& run) {
  return [&study, run](const std::vector<double>& values, const std::function<bool()>&) {
    const py::object found = run(values);
    if (!py::isinstance<py::str>(found))
      return study.judged(values, found.cast<std::vector<double>>());
    StudyRow row;
    row.parameters = values, row.status = SampleStatus::failed;
    row.reason = found.cast<std::string>();
    return row;
  };
}

/// As study_rows, then the number of the best search (-1: none), and whether it is a front.
py::tuple study_searches(const std::string& source, bool is_text, const py::dict& goal, int threads,
                         const py::object& run) {
  const Study study = study_of(source, is_text);
  StudySearches searches(study, goal_of(study, goal),
                         run.is_none() ? StudySearches::Evaluate() : evaluation_by(study, run));
  threads = thread_count(threads, searches.count());
  Rows rows(static_cast<std::size_t>(searches.count()));
  if (run.is_none()) {
    InterruptWatch watch;
    {
      const Unlocked unlocked;
      compute_rows([&](long k, const std::function<bool()>& stop) { return searches.run(k, stop); },
                   rows, threads, watch);
    }
    watch.rethrow();
  } else {  // Python computes: one after the other, with its lock
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = searches.run(static_cast<long>(k));
  }
  return py::make_tuple(told(study, rows, 0), searches.best(rows), searches.front());
}

}  // namespace

void add_study_rows(py::module_& m) {
  m.def("_study_rows", &study_rows, py::arg("study"), py::arg("is_text"), py::arg("first"),
        py::arg("end"), py::arg("threads"), py::arg("evaluate"));
  m.def("_study_searches", &study_searches, py::arg("study"), py::arg("is_text"), py::arg("goal"),
        py::arg("threads"), py::arg("run"));
  m.def(
      "_study_names",
      [](const std::string& source, bool is_text) {
        const Study study = study_of(source, is_text);
        std::vector<std::string> names;
        for (const SampleParameter& p : study.plan().parameters) names.push_back(p.name);
        return py::make_tuple(names, study.measure_names());
      },
      py::arg("study"), py::arg("is_text"));
}

}  // namespace ulna::python
