#include "run/check_units.hpp"

#include <fmt/format.h>

#include "ulna/model/internal/quantity.hpp"

namespace ulna {
namespace {

template <class AnyFormula>
void check_formula(const AnyFormula* formula, const Quantity& expected, const Joint& joint,
                   const Drive& drive, std::vector<Problem>& problems) {
  if (!formula) return;
  try {
    formula->require(expected);
  } catch (const InputError& error) {
    Problem problem = error.problems().front();
    problem.where = drive.mark;
    problem.element = fmt::format("drive of joint '{}', {}", joint.name, problem.element);
    problems.push_back(std::move(problem));
  }
}

}  // namespace

void check_units(const Experiment& experiment, std::vector<Problem>& problems) {
  const Model& model = *experiment.model;
  for (std::size_t j = 0; j < std::min(experiment.drives.size(), model.joints().size()); ++j) {
    const Joint& joint = model.joints()[j];
    const Drive& drive = experiment.drives[j];
    for (int k = 0; k < joint.speeds; ++k) {
      const auto place = static_cast<std::size_t>(k);
      const bool slides = model.speed_dimensions()[joint.v + k] == Dimension::length;
      const Quantity& effort = slides ? quantity::force : quantity::torque;
      const auto of_time = [&](const std::vector<ScalarMotionPtr>& list, const Quantity& expected) {
        if (place < list.size())
          check_formula(dynamic_cast<const Formula*>(list[place].get()), expected, joint, drive,
                        problems);
      };
      of_time(drive.motion, slides ? quantity::length : quantity::angle);
      of_time(drive.effort, effort);
      if (place < drive.effort_formulas.size())
        check_formula(drive.effort_formulas[place].get(), effort, joint, drive, problems);
    }
  }
}

}  // namespace ulna
