#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "study/robot_numbers.hpp"
#include "study/study_results.hpp"
#include "ulna/model/model.hpp"
#include "ulna/scalar/internal/interruption.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// Values of a formula's variables from what a sample has: parameters, measures, numbers.
class SampleValues {
 public:
  SampleValues(const Study::Parts& parts, const std::vector<double>& values,
               const StudyResults& results)
      : parts_(parts), values_(values), results_(results) {}

  std::vector<double> measures;

  double evaluate(const VariableFormula& formula) const {
    std::vector<double> inputs;
    for (const std::string& name : formula.variables()) inputs.push_back(value(name));
    // What has no value, such as the time of an event that did not come or the stiffness of what
    // does not bend, gives none.
    if (std::ranges::any_of(inputs, [](double x) { return !std::isfinite(x); })) return nothing;
    return formula.value(0, inputs.data());
  }

 private:
  double value(const std::string& name) const {
    for (std::size_t k = 0; k < measures.size(); ++k)
      if (parts_.measures[k].name == name) return measures[k];
    for (std::size_t k = 0; k < values_.size(); ++k)
      if (parts_.plan.parameters[k].name == name) return values_[k];
    if (const auto at = results_.numbers.find(name); at != results_.numbers.end())
      return at->second;
    std::vector<std::string> known;
    for (const auto& one : results_.numbers) known.push_back(one.first);
    throw InputError("the runs give no '" + name + "'", {}, nearest_name_hint(name, known));
  }

  const Study::Parts& parts_;
  const std::vector<double>& values_;
  const StudyResults& results_;
};

const StudyResults::ChannelValues& channel_of(const StudyResults& results,
                                              const std::string& name) {
  const auto at = results.channels.find(name);
  if (at != results.channels.end()) return at->second;
  std::vector<std::string> known;
  for (const auto& one : results.channels) known.push_back(one.first);
  throw InputError("the runs record no '" + name + "'", {}, nearest_name_hint(name, known));
}

double taken_of(const StudyMeasure& measure, const std::vector<double>& parameters,
                const StudyResults& results) {
  const std::vector<std::string>& names = measure.formula.variables();
  std::vector<const StudyResults::ChannelValues*> columns(names.size());
  const StudyResults::ChannelValues* first = nullptr;
  std::vector<double> inputs(names.size());
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (const int p = measure.parameters[c]; p >= 0) {
      inputs[c] = parameters[static_cast<std::size_t>(p)];
      continue;
    }
    columns[c] = &channel_of(results, names[c]);
    if (!first) first = columns[c];
    if (columns[c]->t != first->t)
      throw InputError(
          "'" + names[c] + "' is of another run than the other channels of '" + measure.name + "'",
          "channels of one run in a measure");
  }
  if (!first)
    throw InputError("the formula names no channel", "channels of a run, such as tau.joint1");
  const std::vector<double>& t = *first->t;
  std::vector<double> y(t.size());
  for (std::size_t k = 0; k < y.size(); ++k) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c]) inputs[c] = columns[c]->values[k];
    y[k] = measure.formula.value(t[k], inputs.data());
  }
  return taken(*measure.take, t, y, measure.options);
}

/// The robot and experiment of a sample: changed in memory where they can be, else read again.
void prepare(SampleTask& task) {
  const Study::Parts& parts = task.parts;
  if (!parts.edits) {
    task.model = parts.nominal;
  } else if (parts.numbers) {
    try {
      task.model = parts.numbers->model(parts, task.values);
      task.experiment = parts.numbers->experiment(parts, task.values, task.model);
    } catch (const InputError&) {
      task.model = nullptr;  // reading the file says it in terms of its paths
    }
  }
  if (task.model) return;
  const std::vector<ParameterValue> edits = parts.edited(task.values);
  if (parts.experiment) {
    task.experiment = parts.experiment->with(edits).experiment;
    task.model = task.experiment->model;
  } else {
    task.model = std::make_shared<const Model>(parts.robot->with(edits));
  }
}

void run_all(SampleTask& task, StudyResults& results) {
  using Kind = StudyRunKind::Kind;
  using Run = void (*)(const SampleTask&, const StudyRunKind&, StudyResults&);
  static const std::map<Kind, Run> runs = {
      {Kind::simulate, run_experiment_of},   {Kind::inverse, run_experiment_of},
      {Kind::modes, run_modes_of},           {Kind::deflection, run_deflection_of},
      {Kind::linearize, run_linearize_of},   {Kind::equilibrium, run_equilibrium_of},
      {Kind::kinematics, run_kinematics_of}, {Kind::platform, run_platform_of},
      {Kind::identify, run_identify_of}};
  long calls = 0;
  const InterruptionScope scope(
      [&] { return (++calls & 31) == 0 && ((task.stop && task.stop()) || task.late()); });
  try {
    prepare(task);
    results.numbers["robot.mass"] = task.model->mass();
    for (const StudyRunKind& run : task.parts.runs) {
      task.check_time();
      runs.at(run.kind)(task, run, results);
    }
  } catch (const Interrupted&) {
    task.check_time();  // says which of both it was
    throw;
  }
  task.check_time();
}

/// Times, then each stored channel; all of one run.
std::vector<double> stored_of(const Study::Parts& parts, const StudyResults& results) {
  std::vector<double> series;
  if (parts.stored.empty()) return series;
  const auto t = channel_of(results, parts.stored.front()).t;
  series = *t;
  for (const std::string& name : parts.stored) {
    const StudyResults::ChannelValues& channel = channel_of(results, name);
    if (channel.t != t)
      throw InputError("'" + name + "' is of another run than '" + parts.stored.front() + "'",
                       "stored channels of one run");
    series.insert(series.end(), channel.values.begin(), channel.values.end());
  }
  return series;
}

double excess_of(const StudyConstraint& c, const SampleValues& values) {
  const double off = values.evaluate(c.left) - values.evaluate(c.right);
  return c.at_most ? off : -off;
}

/// Whether the row keeps all constraints; one that is not a number is broken.
void judge(const Study::Parts& parts, const SampleValues& values, StudyRow& row) {
  row.status = SampleStatus::ok;
  for (std::size_t k = 0; k < parts.constraints.size(); ++k) {
    row.excess.push_back(excess_of(parts.constraints[k], values));
    if (row.excess.back() <= 0) continue;
    row.status = SampleStatus::infeasible;
    if (k < 32) row.broken |= 1u << k;
    row.reason += (row.reason.empty() ? "" : "; ") + parts.constraints[k].text;
  }
}

}  // namespace

const char* name_of(SampleStatus status) {
  switch (status) {
    case SampleStatus::missing:
      return "missing";
    case SampleStatus::ok:
      return "ok";
    case SampleStatus::infeasible:
      return "infeasible";
    case SampleStatus::failed:
      return "failed";
  }
  return "";
}

double Study::Parts::value_of(const StudyTarget& target, const std::vector<double>& values) const {
  if (!target.formula) return values[static_cast<std::size_t>(target.parameter)];
  std::vector<double> inputs;
  for (const int k : target.variables) inputs.push_back(values[static_cast<std::size_t>(k)]);
  return target.formula->value(0, inputs.data());
}

std::vector<ParameterValue> Study::Parts::edited(const std::vector<double>& values) const {
  std::vector<ParameterValue> made;
  if (!edits) return made;
  for (const StudyTarget& target : targets)
    if (!target.of_run()) made.push_back(edit(target, values));
  return made;
}

ParameterValue Study::Parts::edit(const StudyTarget& target,
                                  const std::vector<double>& values) const {
  const SampleParameter& p = plan.parameters[static_cast<std::size_t>(target.parameter)];
  const double value = value_of(target, values);
  if (!target.formula && !p.words.empty()) return {target.path, *p.word(value)};
  ParameterValue made = parameter(target.path, value);
  if (!target.unit.empty()) made.value += " " + target.unit;
  return made;
}

NamedValues Study::Parts::named(const std::vector<double>& values,
                                const std::string& prefix) const {
  NamedValues found;
  for (const StudyTarget& target : targets)
    if (target.path.size() > prefix.size() + 1 && target.path.starts_with(prefix + ".")) {
      const double scale = target.unit.empty() ? 1 : constant_formula("1 " + target.unit);
      found.push_back({target.path.substr(prefix.size() + 1), scale * value_of(target, values)});
    }
  return found;
}

const SamplePlan& Study::plan() const { return parts_->plan; }
const std::string& Study::text() const { return parts_->text; }
const std::string& Study::sources() const { return parts_->sources; }
const Robot& Study::nominal_robot() const { return parts_->nominal->robot(); }
const std::vector<std::string>& Study::stored_channels() const { return parts_->stored; }
const std::string& Study::description() const { return parts_->description; }
const StudyGoal* Study::goal() const { return parts_->goal ? &*parts_->goal : nullptr; }
bool Study::has_experiment() const { return parts_->experiment.has_value(); }

std::vector<std::string> Study::parameter_titles() const {
  std::vector<std::string> titles;
  for (std::size_t k = 0; k < parts_->units.size(); ++k)
    titles.push_back(parts_->plan.parameters[k].name +
                     (parts_->units[k].empty() ? "" : "[" + parts_->units[k] + "]"));
  return titles;
}

std::vector<std::string> Study::measure_names() const {
  std::vector<std::string> names;
  for (const StudyMeasure& m : parts_->measures) names.push_back(m.name);
  return names;
}

std::vector<std::string> Study::constraint_texts() const {
  std::vector<std::string> texts;
  for (const StudyConstraint& c : parts_->constraints) texts.push_back(c.text);
  return texts;
}

std::vector<std::string> Study::constrained_names() const {
  std::vector<std::string> names;
  for (const StudyConstraint& c : parts_->constraints)
    for (const VariableFormula* formula : {&c.left, &c.right})
      for (const std::string& name : formula->variables())
        if (std::ranges::count(names, name) == 0 &&
            std::ranges::count(parts_->plan.parameters, name, &SampleParameter::name) == 0)
          names.push_back(name);
  return names;
}

StudyRow Study::evaluate(long sample, const std::function<bool()>& stop) const {
  return evaluated(parts_->plan.values(sample), sample, stop);
}

StudyRow Study::evaluate_at(const std::vector<double>& values,
                            const std::function<bool()>& stop) const {
  return evaluated(values, 0, stop);
}

StudyRow Study::evaluated(const std::vector<double>& values, long sample,
                          const std::function<bool()>& stop) const {
  StudyRow row;
  row.parameters = values;
  StudyResults results;
  SampleValues all(*parts_, row.parameters, results);
  try {
    SampleTask task{*parts_, row.parameters, sample, stop};
    run_all(task, results);
    for (const StudyMeasure& measure : parts_->measures)
      all.measures.push_back(measure.take ? taken_of(measure, values, results)
                                          : all.evaluate(measure.formula));
    judge(*parts_, all, row);
    row.series = stored_of(*parts_, results);
  } catch (const SampleStopped&) {
    row.status = SampleStatus::missing;
  } catch (const std::exception& failure) {
    row.status = SampleStatus::failed;
    row.reason = failure.what();
    row.excess.clear(), row.series.clear();
  }
  row.measures = std::move(all.measures);
  row.measures.resize(parts_->measures.size(), nothing);
  return row;
}

StudyRow Study::judged(const std::vector<double>& values,
                       const std::vector<double>& measures) const {
  StudyRow row;
  row.parameters = values, row.measures = measures;
  const StudyResults none;
  SampleValues all(*parts_, row.parameters, none);
  all.measures = measures;
  judge(*parts_, all, row);
  return row;
}

ReadExperiment Study::experiment(long sample) const {
  if (!parts_->experiment) throw InputError("the study is of a robot alone: it has no experiment");
  ReadExperiment read = parts_->experiment->with(parts_->edited(parts_->plan.values(sample)));
  const auto run = std::ranges::find_if(parts_->runs, &StudyRunKind::of_experiment);
  if (run != parts_->runs.end() && run->kind == StudyRunKind::Kind::inverse)
    read.experiment = inverse_of(read.experiment);
  return read;
}

Robot Study::robot(long sample) const {
  if (parts_->experiment) return experiment(sample).experiment.model->robot();
  return parts_->robot->with(parts_->edited(parts_->plan.values(sample)));
}

}  // namespace ulna
