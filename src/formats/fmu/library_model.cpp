// The model of an FMU by the library: what `library_model.c` of the FMU calls. Its folder holds
// experiment.yaml with all that it names, and model.txt with the variables:
//
//   parameter controllers.0.kp 400
//   input tau.joint1
//   output q.joint1
//
// No exception leaves; `message` says what went wrong.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <sstream>

#include "text_file.hpp"
#include "ulna/formats/parameters.hpp"
#include "ulna/simulation/internal/model_exchange.hpp"
extern "C" {
#include "fmu/c/ulna_fmu.h"
}

namespace ulna {
namespace {

struct LibraryModel {
  std::unique_ptr<ExperimentParameters> file;
  std::vector<std::string> paths, input_names, output_names;
  std::vector<double> defaults;
  Eigen::VectorXd p, u;  ///< of the present run
  ExperimentWithInputs given;
  std::unique_ptr<Stepping> stepping;
  std::unique_ptr<ModelExchange> exchange;
  int states = 0, indicators = 0;
  std::string message;

  void read(const std::string& folder);
  void prepare(const double* parameters, const double* inputs, double duration);
  void start(bool exchanged);
  void set(const double* inputs);
};

void LibraryModel::read(const std::string& folder) {
  const std::string name = folder + "/experiment.yaml";
  file = std::make_unique<ExperimentParameters>(name);
  std::istringstream lines(read_text_file(folder + "/model.txt", largest_yaml));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    const std::string kind = line.substr(0, space), rest = line.substr(space + 1);
    if (kind == "input") input_names.push_back(rest);
    if (kind == "output") output_names.push_back(rest);
    if (kind != "parameter") continue;
    const std::size_t last = rest.rfind(' ');
    paths.push_back(rest.substr(0, last));
    defaults.push_back(std::strtod(rest.c_str() + last + 1, nullptr));
  }
  const Experiment e = file->with({}).experiment;
  if (!ModelExchange::refusal(e).empty()) return;
  const ModelExchange trial(with_inputs(e, input_names), {});
  states = trial.states(), indicators = trial.indicators();
}

void LibraryModel::prepare(const double* parameters, const double* inputs, double duration) {
  std::vector<ParameterValue> values;
  p.resize(static_cast<long>(paths.size()));
  for (std::size_t k = 0; k < paths.size(); ++k) {
    p(static_cast<long>(k)) = parameters[k];
    if (parameters[k] != defaults[k]) values.push_back(parameter(paths[k], parameters[k]));
  }
  Experiment e = file->with(values).experiment;
  e.end = std::max(e.end, duration);
  stepping.reset(), exchange.reset();
  given = with_inputs(e, input_names);
  u = Eigen::VectorXd::Constant(static_cast<long>(input_names.size()), NAN);
  for (std::size_t k = 0; k < given.inputs.size(); ++k) {
    u(static_cast<long>(k)) = inputs[k];
    given.inputs[k].set(inputs[k]);
  }
}

void LibraryModel::start(bool exchanged) {
  if (exchanged)
    exchange = std::make_unique<ModelExchange>(given, output_names);
  else
    stepping = std::make_unique<Stepping>(given, output_names);
}

void LibraryModel::set(const double* inputs) {
  for (long k = 0; k < u.size(); ++k) {
    if (u(k) == inputs[k]) continue;
    u(k) = inputs[k];
    if (stepping)
      stepping->set(static_cast<std::size_t>(k), inputs[k]);
    else
      given.inputs[static_cast<std::size_t>(k)].set(inputs[k]);
  }
}

LibraryModel& of(void* model) { return *static_cast<LibraryModel*>(model); }

template <class Do>
int guarded(void* model, const Do& action) {
  try {
    action(of(model));
    return 0;
  } catch (const std::exception& error) {
    of(model).message = error.what();
  } catch (...) {
    of(model).message = "an unknown failure";
  }
  return -1;
}

void* create(const char* resources, UlnaSizes* sizes, char* message, std::size_t room) {
  auto model = std::make_unique<LibraryModel>();
  if (guarded(model.get(), [&](LibraryModel& m) {
        m.read(resources);
        const auto count = [](const auto& list) { return static_cast<int>(list.size()); };
        *sizes = {count(m.paths), count(m.input_names), count(m.output_names), m.states,
                  m.indicators};
      }) != 0) {
    std::snprintf(message, room, "%s", model->message.c_str());
    return nullptr;
  }
  return model.release();
}
void destroy(void* model) { delete &of(model); }
const char* message_of(void* model) { return of(model).message.c_str(); }

void defaults_of(void* model, double* p, double* u) {
  const LibraryModel& m = of(model);
  std::copy(m.defaults.begin(), m.defaults.end(), p);
  guarded(model, [&](LibraryModel& x) {
    const ExperimentWithInputs given = with_inputs(x.file->with({}).experiment, x.input_names);
    for (std::size_t k = 0; k < given.inputs.size(); ++k) u[k] = given.inputs[k].start;
  });
}

int start_of(void* model, const double* p, const double* u, double duration, int exchange,
             double* x) {
  return guarded(model, [&](LibraryModel& m) {
    m.prepare(p, u, duration);
    m.start(exchange != 0);
    if (exchange != 0) {
      const Eigen::VectorXd y = m.exchange->start();
      std::copy(y.begin(), y.end(), x);
    } else {
      m.stepping->begin();
      const std::span<const double> y = m.stepping->state();
      if (m.states > 0) std::copy(y.begin(), y.end(), x);
    }
  });
}

int rates_of(void* model, double t, const double* x, const double* u, double* dx) {
  return guarded(model, [&](LibraryModel& m) {
    m.set(u);
    m.exchange ? m.exchange->rates(t, x, dx) : m.stepping->rates(dx);
  });
}

int outputs_of(void* model, double t, const double* x, const double* u, double* y) {
  return guarded(model, [&](LibraryModel& m) {
    m.set(u);
    const std::span<const double> values =
        m.exchange ? m.exchange->outputs(t, x) : m.stepping->outputs();
    std::copy(values.begin(), values.end(), y);
  });
}

int indicators_of(void* model, double t, const double* x, const double* u, double* z) {
  return guarded(model, [&](LibraryModel& m) {
    m.set(u);
    if (m.exchange)
      m.exchange->indicate(t, x, z);
    else
      std::fill(z, z + m.indicators, 0.0);
  });
}

int event_of(void* model, double t, double* x, const double* u, int* changed, int* ends,
             double* next) {
  return guarded(model, [&](LibraryModel& m) {
    m.set(u);
    *next = INFINITY;
    if (!m.exchange) return;
    const ModelExchange::Change change = m.exchange->pass_event(t, x);
    *changed = change.states, *ends = change.ends, *next = change.next;
  });
}

int drifted_of(void* model, double t, const double* x, const double* u, int* yes) {
  return guarded(model, [&](LibraryModel& m) {
    m.set(u);
    *yes = m.exchange && m.exchange->drifted(t, x);
  });
}

/// A master may go on beyond the experiment's duration.
void extend(LibraryModel& m, double to) {
  if (to <= m.given.experiment.end * (1 + 1e-12)) return;
  const Checkpoint here = m.stepping->save();
  m.given.experiment.end = 2 * to;
  m.start(false);
  m.stepping->restore(here);
}

int advance_to(void* model, double, double to, const double* u, double* x, double* reached,
               int* ends) {
  return guarded(model, [&](LibraryModel& m) {
    m.set(u);
    extend(m, to);
    m.stepping->advance(std::min(to, m.given.experiment.end));
    *reached = m.stepping->t();
    *ends = m.stepping->ended() && m.stepping->reason() != "end time";
    if (m.stepping->ended() && *ends == 0) {  // the experiment's own end is not the master's
      *reached = to;
    }
    const std::span<const double> y = m.stepping->state();
    if (m.states > 0) std::copy(y.begin(), y.end(), x);
  });
}

/// Numbers one after the other, vectors with their length before them.
class Numbers {
 public:
  void put(double x) { all.push_back(x); }
  void put(const Eigen::VectorXd& x) {
    put(static_cast<double>(x.size()));
    all.insert(all.end(), x.begin(), x.end());
  }
  double take() {
    if (at_ >= all.size()) throw InputError("the state of the FMU is incomplete");
    return all[at_++];
  }
  Eigen::VectorXd take_vector() {
    const double size = take();
    if (!(size >= 0 && size <= static_cast<double>(all.size() - at_)))
      throw InputError("the state of the FMU is incomplete");
    const Eigen::VectorXd x =
        Eigen::Map<const Eigen::VectorXd>(&all[at_] - (size == 0), static_cast<long>(size));
    at_ += static_cast<std::size_t>(size);
    return x;
  }
  std::vector<double> all;

 private:
  std::size_t at_ = 0;
};

Numbers kept(const LibraryModel& m, const Checkpoint& c) {
  Numbers n;
  n.put(m.given.experiment.end), n.put(c.t), n.put(c.y), n.put(c.controllers), n.put(c.step.step),
      n.put(c.step.error);
  for (const double s : c.step.stiffness) n.put(s);
  n.put(c.start_energy), n.put(c.frames), n.put(c.sizing);
  n.put(static_cast<double>(c.independent.size()));
  for (const int k : c.independent) n.put(k);
  const std::vector<Event>& events = m.given.experiment.events;
  n.put(static_cast<double>(c.events.size()));
  for (const EventNote& note : c.events)
    for (std::size_t k = 0; k < events.size(); ++k)
      if (events[k].name == note.name) {
        n.put(static_cast<double>(k)), n.put(note.t);
        break;
      }
  return n;
}

Checkpoint checkpoint_from(LibraryModel& m, Numbers& n) {
  Checkpoint c;
  m.given.experiment.end = n.take();
  c.t = n.take(), c.y = n.take_vector(), c.controllers = n.take_vector();
  c.step.step = n.take(), c.step.error = n.take();
  for (double& s : c.step.stiffness) s = n.take();
  c.start_energy = n.take(), c.frames = n.take_vector(), c.sizing = n.take_vector();
  for (auto left = static_cast<long>(n.take()); left > 0; --left)
    c.independent.push_back(static_cast<int>(n.take()));
  const std::vector<Event>& events = m.given.experiment.events;
  for (auto left = static_cast<long>(n.take()); left > 0; --left) {
    const double k = n.take(), t = n.take();
    if (k >= 0 && k < static_cast<double>(events.size()))
      c.events.push_back({events[static_cast<std::size_t>(k)].name, t});
  }
  return c;
}

long save_to(void* model, double* memory) {
  long count = -1;
  guarded(model, [&](LibraryModel& m) {
    Numbers n;
    if (m.exchange)
      n.put(m.exchange->memory());
    else
      n = kept(m, m.stepping->save());
    count = static_cast<long>(n.all.size());
    if (memory) std::copy(n.all.begin(), n.all.end(), memory);
  });
  return count;
}

int restore_from(void* model, const double* p, const double* u, double, const double*, int exchange,
                 const double* memory, long count) {
  return guarded(model, [&](LibraryModel& m) {
    Numbers n;
    n.all.assign(memory, memory + count);
    m.prepare(p, u, 0);
    if (exchange != 0) {
      m.start(true);
      m.exchange->set_memory(n.take_vector());
      return;
    }
    const Checkpoint c = checkpoint_from(m, n);
    m.start(false);
    m.stepping->restore(c);
  });
}

}  // namespace
}  // namespace ulna

extern "C" ULNA_API const UlnaModel* ulna_fmu_model();

extern "C" const UlnaModel* ulna_fmu_model() {
  using namespace ulna;
  static const UlnaModel model = {create,     destroy,    message_of,    defaults_of, start_of,
                                  rates_of,   outputs_of, indicators_of, event_of,    drifted_of,
                                  advance_to, save_to,    restore_from,  nullptr};
  return &model;
}
