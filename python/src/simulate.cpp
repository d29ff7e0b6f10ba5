// Running experiments. Records are gathered here; ulna/run.py makes a Run of them.

#include "ulna/simulation/simulate.hpp"

#include <pybind11/stl.h>

#include <variant>

#include "arrays.hpp"
#include "errors.hpp"
#include "experiment_handle.hpp"
#include "interrupt.hpp"
#include "names.hpp"
#include "ulna/formats/fmu.hpp"
#include "ulna/formats/run_directory.hpp"

namespace ulna::python {
namespace {

struct Records {
  std::vector<double> numbers;  ///< rows of t and the channels
  RunSummary summary;
  std::string directory;
};

/// Without Python's lock; Ctrl-C ends the run at the next step.
Records run(const ExperimentHandle& e, const std::optional<std::string>& output, bool resume,
            InterruptWatch& watch) {
  Records records;
  std::stop_source stop;
  RunOptions options;
  options.stop = stop.get_token();
  options.progress = [&](double) {
    if (watch.interrupted()) stop.request_stop();
  };
  options.warn = [](const std::string& text) {
    const py::gil_scoped_acquire locked;
    // At the line that called ulna.simulate. Where warnings are errors the run ends here.
    if (PyErr_WarnEx(PyExc_UserWarning, python_words(text).c_str(), 2) != 0)
      throw py::error_already_set();
  };
  std::optional<RunWriter> writer;
  RunSummary so_far;  // what is known when a function of Python raises in the middle
  so_far.reason = "interrupted";
  if (output) {
    const std::string text = e.text.empty() ? "# made in Python\n" : e.text;
    writer.emplace(*output, e.data, text, resume);
    if (writer->resumed()) options.resume = &*writer->resumed();
    options.checkpoint = [&](const Checkpoint& checkpoint) {
      writer->checkpoint(checkpoint);
      so_far.t = checkpoint.t;
      so_far.records = checkpoint.records;
      so_far.statistics = checkpoint.statistics;
    };
  }
  options.record = [&](double t, std::span<const double> row) {
    records.numbers.push_back(t);
    records.numbers.insert(records.numbers.end(), row.begin(), row.end());
    if (writer) writer->record(t, row);
  };
  try {
    records.summary = simulate(e.data, options);
  } catch (...) {
    if (writer) writer->finish(so_far);  // stays partial, and can be resumed
    throw;
  }
  if (writer) records.directory = writer->finish(records.summary);
  return records;
}

/// (titles, rows, summary as JSON text, directory). Works on a copy: the experiment may be changed
/// while it runs, by its own controller or by another thread.
py::tuple run_experiment(const ExperimentHandle& given, const std::optional<std::string>& output,
                         bool resume) {
  const ExperimentHandle e = given;
  InterruptWatch watch;
  Records records;
  {
    const Unlocked unlocked;
    records = run(e, output, resume, watch);
  }
  watch.rethrow();
  std::vector<std::string> titles = {"t[s]"};
  for (const Channel& channel : channels_of(e.data)) titles.push_back(channel.title());
  const auto columns = static_cast<py::ssize_t>(titles.size());
  const auto rows = static_cast<py::ssize_t>(records.numbers.size()) / columns;
  py::object values = new_array({rows, columns});
  std::copy(records.numbers.begin(), records.numbers.end(), data_of(values));
  return py::make_tuple(titles, values, run_summary_json(e.data, records.summary),
                        records.directory);
}

/// What was made: a dict as the JSON of `ulna fmu`.
py::dict write_fmu_file(const std::variant<std::string, std::shared_ptr<ExperimentHandle>>& given,
                        const std::string& file, int fmi, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs,
                        const std::vector<std::string>& parameters, const std::string& kind) {
  if (given.index() == 1 && !std::get<1>(given))
    throw py::type_error("experiment must be an ulna.Experiment or a path, not None");
  FmuOptions options;
  options.version = fmi;
  options.inputs = inputs, options.outputs = outputs, options.parameters = parameters;
  constexpr const char* kinds[] = {"automatic", "source", "library"};
  options.kind = static_cast<FmuOptions::Kind>(choice(kind, kinds, "kind"));
  std::optional<ExperimentHandle> e;  // a copy: another thread may change it
  if (given.index() == 1) e = *std::get<1>(given);
  const FmuReport made = interruptible([&] {
    return e ? write_fmu(e->data, file, options)
             : write_fmu(std::get<std::string>(given), file, options);
  });
  py::dict out;
  out["kind"] = made.source ? "source" : "library";
  out["why_library"] = made.why_library;
  out["model_exchange"] = made.model_exchange;
  out["inputs"] = made.inputs;
  out["outputs"] = made.outputs;
  out["parameters"] = made.parameters;
  out["states"] = made.states;
  out["indicators"] = made.indicators;
  out["files"] = made.files;
  return out;
}

}  // namespace

void add_simulate(py::module_& m) {
  m.def("_write_fmu", &write_fmu_file, py::arg("experiment"), py::arg("file"), py::arg("fmi"),
        py::arg("inputs"), py::arg("outputs"), py::arg("parameters"), py::arg("kind"));
  m.def("_run", &run_experiment, py::arg("experiment"), py::arg("output"), py::arg("resume"));
}

}  // namespace ulna::python
