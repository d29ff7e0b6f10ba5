// Samples of a study file, computed by threads.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "interrupt.hpp"
#include "ulna/formats/study.hpp"

namespace ulna::python {
namespace {

py::array_t<double> sample_table(const std::vector<StudyRow>& rows, std::size_t width,
                                 bool measures) {
  py::array_t<double> out({rows.size(), width});
  auto at = out.mutable_unchecked<2>();
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < width; ++c)
      at(r, c) = (measures ? rows[r].measures : rows[r].parameters)[c];
  return out;
}

void compute_samples(const Study& study, long first, std::vector<StudyRow>& rows, int threads,
                     InterruptWatch& watch) {
  std::atomic<long> next = 0, running = threads;
  std::atomic<bool> stop = false;
  const auto count = static_cast<long>(rows.size());
  const auto work = [&] {
    for (long k = next++; k < count && !stop; k = next++)
      rows[static_cast<std::size_t>(k)] = study.evaluate(first + k, [&] { return stop.load(); });
    --running;
  };
  std::vector<std::thread> crew;
  for (int k = 0; k < threads; ++k) crew.emplace_back(work);
  while (running > 0) {
    if (watch.interrupted_now()) stop = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::thread& one : crew) one.join();
}

/// titles, names, total, parameters, measures, status, reasons
py::tuple study_rows(const std::string& study_file, long first, long end, int threads,
                     bool evaluate) {
  const Study study(study_file);
  if (end < 0) end = study.total();
  if (first < 0 || first > end || end > study.total())
    throw InputError(
        Problem{{}, "samples", "outside of the study", fmt::format("0 to {}", study.total()), {}});
  if (threads <= 0) threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<StudyRow> rows(static_cast<std::size_t>(end - first));
  InterruptWatch watch;
  {
    const py::gil_scoped_release unlocked;
    if (evaluate) {
      compute_samples(study, first, rows, threads, watch);
    } else {
      for (long k = first; k < end; ++k)
        rows[static_cast<std::size_t>(k - first)].parameters = study.plan().values(k);
    }
  }
  watch.rethrow();
  std::vector<std::string> names, status;
  for (const SampleParameter& p : study.plan().parameters) names.push_back(p.name);
  py::dict reasons;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    status.emplace_back(name_of(rows[k].status));
    if (!rows[k].reason.empty()) reasons[py::int_(first + static_cast<long>(k))] = rows[k].reason;
  }
  const std::vector<std::string> measures = study.measure_names();
  return py::make_tuple(
      names, measures, study.total(), sample_table(rows, study.plan().parameters.size(), false),
      evaluate ? sample_table(rows, measures.size(), true) : py::array_t<double>(), status,
      reasons);
}

}  // namespace

void add_study_rows(py::module_& m) {
  m.def("_study_rows", &study_rows, py::arg("study_file"), py::arg("first"), py::arg("end"),
        py::arg("threads"), py::arg("evaluate"));
}

}  // namespace ulna::python
