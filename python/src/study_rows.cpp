// Samples and searches of a study, computed by threads.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <unordered_map>

#include "interrupt.hpp"
#include "states.hpp"
#include "ulna/formats/study_search.hpp"
#include "ulna/numerics/internal/threads.hpp"

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

/// Without Python's lock. What one row throws ends all, and is thrown again; so does Ctrl-C.
void compute_rows(const EvaluateRow& evaluate, Rows& rows, int threads) {
  std::atomic<long> next = 0;
  const auto count = static_cast<long>(rows.size());
  side_by_side(threads, [&](long) {
    const InterruptionScope* const scope = InterruptionScope::current();
    for (long k = next++; k < count; k = next++) {
      rows[static_cast<std::size_t>(k)] = evaluate(k, [scope] { return scope && scope->asked(); });
      interruption_point();
    }
  });
}

int thread_count(int threads, long rows) {
  if (threads < 0)
    throw InputError(Problem{{}, "threads", fmt::format("found {}", threads), "0 or more", {}});
  if (threads == 0) threads = python::threads();
  return static_cast<int>(std::clamp(rows, 1L, std::min(1024L, static_cast<long>(threads))));
}

/// `own`: measures of a function; null: the study has runs that give them.
Study study_of(const std::string& study, bool is_text,
               const std::vector<std::string>* own = nullptr) {
  return is_text ? Study::from_text(study, "study", {}, own) : Study(study, {}, own);
}

/// The parameters of a sample as a dict: numbers and words.
py::dict named_values(const Study& study, const std::vector<double>& values) {
  py::dict named;
  const auto& parameters = study.plan().parameters;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const std::string* const word = parameters[k].word(values[k]);
    named[py::str(parameters[k].name)] =
        word ? py::object(py::str(*word)) : py::object(py::float_(values[k]));
  }
  return named;
}

/// parameters, words of those that have some, measures, table of parameters, table of measures,
/// status, reasons
py::tuple told(const Study& study, const Rows& rows, long first,
               const std::vector<std::string>& measures) {
  std::vector<std::string> names, status;
  py::dict words;
  for (const SampleParameter& p : study.plan().parameters) {
    names.push_back(p.name);
    if (!p.words.empty()) words[py::str(p.name)] = p.words;
  }
  py::dict reasons;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    status.emplace_back(name_of(rows[k].status));
    if (!rows[k].reason.empty()) reasons[py::int_(first + static_cast<long>(k))] = rows[k].reason;
  }
  return py::make_tuple(names, words, measures, row_table(rows, names.size(), false),
                        row_table(rows, measures.size(), true), status, reasons);
}

/// As many as were asked for, by default all.
void check_range(const Study& study, long first, long& end) {
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
}

py::tuple study_rows(const std::string& source, bool is_text, long first, long end, int threads) {
  const Study study = study_of(source, is_text);
  check_range(study, first, end);
  threads = thread_count(threads, end - first);
  Rows rows(static_cast<std::size_t>(end - first));
  interruptible([&] {
    compute_rows(
        [&](long k, const std::function<bool()>& stop) { return study.evaluate(first + k, stop); },
        rows, threads);
  });
  return told(study, rows, first, study.measure_names());
}

/// What a function gave for each sample: values by the names of its measures, or a reason.
struct FunctionRows {
  std::vector<std::string> names;
  std::vector<std::vector<std::pair<std::size_t, double>>> values;
  std::vector<std::string> reasons;

  void add(const py::object& given) {
    values.emplace_back(), reasons.emplace_back();
    if (py::isinstance<py::str>(given)) {
      reasons.back() = given.cast<std::string>();
      return;
    }
    for (const auto& [key, value] : given.cast<py::dict>()) {
      const auto [at, is_new] = places_.emplace(key.cast<std::string>(), names.size());
      if (is_new) names.push_back(at->first);
      values.back().emplace_back(at->second, value.cast<double>());
    }
  }

 private:
  std::unordered_map<std::string, std::size_t> places_;
};

/// A constraint of what no sample has would find all of them infeasible.
void require_constrained(const Study& study, const FunctionRows& found) {
  if (found.names.empty()) return;  // no sample has anything
  for (const std::string& name : study.constrained_names())
    if (std::ranges::count(found.names, name) == 0)
      throw InputError(Problem{{},
                               "constraints",
                               "run gives no '" + name + "'",
                               fmt::format("{}", fmt::join(found.names, ", ")),
                               nearest_name_hint(name, found.names)});
}

/// run(parameters) gives the measures of a sample, a dict, or why there are none, a text.
py::tuple function_rows(const std::string& source, bool is_text, long first, long end,
                        const py::object& run) {
  const std::vector<std::string> none;
  const Study plan = study_of(source, is_text, &none);
  check_range(plan, first, end);
  FunctionRows found;
  for (long k = first; k < end; ++k) found.add(run(named_values(plan, plan.plan().values(k))));
  const Study study = study_of(source, is_text, &found.names);
  require_constrained(study, found);
  const std::vector<std::string> all = study.measure_names();
  std::vector<std::size_t> places;
  for (const std::string& name : found.names)
    places.push_back(static_cast<std::size_t>(std::ranges::find(all, name) - all.begin()));
  Rows rows(found.values.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::vector<double> values = study.plan().values(first + static_cast<long>(r));
    std::vector<double> own(found.names.size(), NAN), measures(all.size(), NAN);
    for (const auto& [k, value] : found.values[r]) own[k] = measures[places[k]] = value;
    if (found.reasons[r].empty()) {
      rows[r] = study.judged(values, measures);
    } else {
      rows[r].parameters = values, rows[r].reason = found.reasons[r];
      rows[r].status = SampleStatus::failed;
    }
    rows[r].measures = std::move(own);
  }
  return told(study, rows, first, found.names);
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

/// run(parameters) gives measures, a dict, or the reason why there are none, a text.
StudySearches::Evaluate evaluation_by(const Study& study, const StudyGoal& goal,
                                      const py::object& run) {
  return [&study, goal, run, names = study.measure_names()](const std::vector<double>& values,
                                                            const std::function<bool()>&) {
    const py::object found = run(named_values(study, values));
    if (py::isinstance<py::str>(found)) {
      StudyRow row;
      row.parameters = values, row.status = SampleStatus::failed;
      row.reason = found.cast<std::string>();
      return row;
    }
    const py::dict given = found.cast<py::dict>();
    for (const std::string* name : {&goal.measure, &goal.second})
      if (!name->empty() && !given.contains(*name))
        throw InputError("run gave no '" + *name + "', which is to be made least or largest",
                         py::str(py::str(", ").attr("join")(given)).cast<std::string>());
    std::vector<double> measures;
    for (const std::string& name : names)
      measures.push_back(given.contains(name) ? given[py::str(name)].cast<double>() : NAN);
    return study.judged(values, measures);
  };
}

/// As study_rows, then the number of the best search (-1: none), and whether it is a front.
py::tuple study_searches(const std::string& source, bool is_text, const py::dict& goal, int threads,
                         const py::object& run) {
  std::vector<std::string> own;
  for (const char* key : {"measure", "second"})
    if (goal.contains(key)) own.push_back(goal[key].cast<std::string>());
  const Study study = study_of(source, is_text, run.is_none() ? nullptr : &own);
  const StudyGoal wanted = goal_of(study, goal);
  StudySearches searches(
      study, wanted, run.is_none() ? StudySearches::Evaluate() : evaluation_by(study, wanted, run));
  threads = thread_count(threads, searches.count());
  Rows rows(static_cast<std::size_t>(searches.count()));
  if (run.is_none()) {
    interruptible([&] {
      compute_rows([&](long k, const std::function<bool()>& stop) { return searches.run(k, stop); },
                   rows, threads);
    });
  } else {  // Python computes: one after the other, with its lock
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = searches.run(static_cast<long>(k));
  }
  return py::make_tuple(told(study, rows, 0, study.measure_names()), searches.best(rows),
                        searches.front());
}

}  // namespace

void add_study_rows(py::module_& m) {
  m.def("_study_rows", &study_rows, py::arg("study"), py::arg("is_text"), py::arg("first"),
        py::arg("end"), py::arg("threads"));
  m.def("_function_rows", &function_rows, py::arg("study"), py::arg("is_text"), py::arg("first"),
        py::arg("end"), py::arg("run"));
  m.def("_study_searches", &study_searches, py::arg("study"), py::arg("is_text"), py::arg("goal"),
        py::arg("threads"), py::arg("run"));
}

}  // namespace ulna::python
