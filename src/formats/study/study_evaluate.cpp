#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "study/study_results.hpp"
#include "ulna/model/model.hpp"
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

double taken_of(const StudyMeasure& measure, const StudyResults& results) {
  std::vector<const std::vector<double>*> columns;
  for (const std::string& name : measure.formula.variables()) {
    const auto at = results.channels.find(name);
    if (at == results.channels.end()) throw InputError("the runs record no '" + name + "'");
    columns.push_back(&at->second);
  }
  std::vector<double> y(results.t.size()), inputs(columns.size());
  for (std::size_t k = 0; k < y.size(); ++k) {
    for (std::size_t c = 0; c < columns.size(); ++c) inputs[c] = (*columns[c])[k];
    y[k] = measure.formula.value(results.t[k], inputs.data());
  }
  return taken(*measure.take, results.t, y, measure.options);
}

void run_all(SampleTask& task, StudyResults& results) {
  const Study::Parts& parts = task.parts;
  using Kind = StudyRunKind::Kind;
  const std::vector<ParameterValue> edits = parts.edited(task.values);
  if (parts.experiment) {
    task.experiment = parts.experiment->with(edits).experiment;
    task.model = task.experiment->model;
  } else {
    task.model =
        edits.empty() ? parts.nominal : std::make_shared<const Model>(parts.robot->with(edits));
  }
  results.numbers["robot.mass"] = task.model->mass();
  for (const StudyRunKind& run : parts.runs) {
    task.check_time();
    switch (run.kind) {
      case Kind::simulate:
      case Kind::inverse:
        run_experiment_of(task, run, results);
        break;
      case Kind::modes:
        run_modes_of(task, run, results);
        break;
      case Kind::deflection:
        run_deflection_of(task, run, results);
        break;
      case Kind::linearize:
        run_linearize_of(task, run, results);
        break;
      case Kind::equilibrium:
        run_equilibrium_of(task, run, results);
        break;
    }
  }
}

double excess_of(const StudyConstraint& c, const SampleValues& values) {
  const double off = values.evaluate(c.left) - values.evaluate(c.right);
  return c.at_most ? off : -off;
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
  for (const StudyTarget& target : targets) {
    if (target.path.starts_with("q.") || target.path.starts_with("v.")) continue;
    const SampleParameter& p = plan.parameters[static_cast<std::size_t>(target.parameter)];
    const double value = value_of(target, values);
    if (!target.formula && !p.words.empty()) {
      made.push_back({target.path, p.words[static_cast<std::size_t>(
                                       std::ranges::find(p.values, value) - p.values.begin())]});
      continue;
    }
    ParameterValue edit = parameter(target.path, value);
    if (!target.unit.empty()) edit.value += " " + target.unit;
    made.push_back(std::move(edit));
  }
  return made;
}

NamedValues Study::Parts::state(const std::vector<double>& values, char part) const {
  NamedValues named;
  for (const StudyTarget& target : targets)
    if (target.path.size() > 2 && target.path[0] == part && target.path[1] == '.') {
      const double scale = target.unit.empty() ? 1 : constant_formula("1 " + target.unit);
      named.push_back({target.path.substr(2), scale * value_of(target, values)});
    }
  return named;
}

const SamplePlan& Study::plan() const { return parts_->plan; }
const std::string& Study::text() const { return parts_->text; }
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

StudyRow Study::evaluate(long sample, const std::function<bool()>& stop) const {
  return evaluate_at(parts_->plan.values(sample), stop);
}

StudyRow Study::evaluate_at(const std::vector<double>& values,
                            const std::function<bool()>& stop) const {
  StudyRow row;
  row.parameters = values;
  StudyResults results;
  SampleValues all(*parts_, row.parameters, results);
  try {
    SampleTask task{*parts_, row.parameters, stop};
    run_all(task, results);
    for (const StudyMeasure& measure : parts_->measures)
      all.measures.push_back(measure.take ? taken_of(measure, results)
                                          : all.evaluate(measure.formula));
    row.status = SampleStatus::ok;
    for (const StudyConstraint& c : parts_->constraints) {
      if (!(excess_of(c, all) > 0)) continue;
      row.status = SampleStatus::infeasible;
      row.reason += (row.reason.empty() ? "" : "; ") + c.text;
    }
  } catch (const SampleStopped&) {
    row.status = SampleStatus::missing;
  } catch (const std::exception& failure) {
    row.status = SampleStatus::failed;
    row.reason = failure.what();
  }
  row.measures = std::move(all.measures);
  row.measures.resize(parts_->measures.size(), nothing);
  return row;
}

std::vector<double> Study::excess(const StudyRow& row) const {
  const StudyResults none;
  SampleValues all(*parts_, row.parameters, none);
  all.measures = row.measures;
  std::vector<double> found;
  for (const StudyConstraint& c : parts_->constraints) found.push_back(excess_of(c, all));
  return found;
}

ReadExperiment Study::experiment(long sample) const {
  if (!parts_->experiment) throw InputError("the study is of a robot alone: it has no experiment");
  return parts_->experiment->with(parts_->edited(parts_->plan.values(sample)));
}

Robot Study::robot(long sample) const {
  if (parts_->experiment) return experiment(sample).experiment.model->robot();
  return parts_->robot->with(parts_->edited(parts_->plan.values(sample)));
}

}  // namespace ulna
