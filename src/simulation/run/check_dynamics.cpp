#include "run/check_dynamics.hpp"

#include <fmt/format.h>

#include "contact/joint_contacts.hpp"
#include "ulna/dynamics/internal/check_options.hpp"

namespace ulna {
namespace {

class DynamicsChecker {
 public:
  DynamicsChecker(const Experiment& experiment, std::vector<Problem>& problems)
      : e_(experiment), model_(*experiment.model), problems_(problems) {}

  void run() {
    check_choices();
    if (!e_.method.empty()) check_method();
    if (e_.closing == LoopMethod::embedding) check_embedding();
  }

 private:
  void complain(std::string element, std::string message, std::string expectation,
                std::string hint = {}) {
    SourceMark where = element == "elastic" ? SourceMark{} : e_.dynamics_mark;
    if (where.file.empty()) where.file = e_.source;
    problems_.push_back(
        {where, std::move(element), std::move(message), std::move(expectation), std::move(hint)});
  }

  void check_choices() {
    DynamicsOptions options;
    options.method = e_.method;
    options.closing = e_.closing;
    options.level = e_.elastic;
    try {
      check_options(model_, options);
    } catch (const InputError& error) {
      for (const Problem& p : error.problems())
        complain(p.element == "level" ? "elastic" : p.element, p.message, p.expectation, p.hint);
    }
  }

  void check_method() {
    try {
      if (formulation_for(e_.method, model_, Question::forward).whole) check_whole();
    } catch (const InputError& error) {
      for (const Problem& p : error.problems())
        complain("method", p.message, p.expectation, p.hint);
    }
  }

  /// A formulation with the loops in its equations takes what it finds at all drives or at none.
  void check_whole() {
    std::vector<char> driven(static_cast<std::size_t>(model_.speeds()), 0);
    if (!e_.contacts.empty() || !e_.nonholonomic.empty() ||
        JointContacts(model_, driven, e_.stops).any())
      complain("method",
               fmt::format("the equations of '{}' have no place for contacts, rolling, dry "
                           "friction and stops",
                           e_.method),
               "another formulation");
  }

  /// The embedding solves for the independent speeds; speeds that are given or held would be fewer
  /// unknowns than it has.
  void check_embedding() {
    const std::string held = what_is_held();
    if (e_.integrator.method == IntegratorMethod::ida)
      complain("closing", "ida solves for multipliers", "multipliers, or another integrator");
    else if (!held.empty())
      complain("closing", fmt::format("embedding leaves every speed free, but {}", held),
               "multipliers");
  }

  std::string what_is_held() const {
    std::vector<char> driven(static_cast<std::size_t>(model_.speeds()), 0);
    for (std::size_t j = 0; j < std::min(e_.drives.size(), model_.joints().size()); ++j) {
      const DriveKind kind = e_.drives[j].kind;
      if (model_.joints()[j].speeds > 0 && (kind == DriveKind::motion || kind == DriveKind::locked))
        return fmt::format("joint '{}' {}", model_.joints()[j].name,
                           kind == DriveKind::locked ? "is locked" : "follows a motion");
    }
    if (!e_.contacts.empty() || !e_.nonholonomic.empty())
      return "contacts and rolling hold some of them";
    if (JointContacts(model_, driven, e_.stops).any())
      return "dry friction or stops hold some of them at times";
    return {};
  }

  const Experiment& e_;
  const Model& model_;
  std::vector<Problem>& problems_;
};

}  // namespace

void check_dynamics(const Experiment& experiment, std::vector<Problem>& problems) {
  DynamicsChecker(experiment, problems).run();
}

}  // namespace ulna
