// Ulna's generated code, compiled in place (ulna::compile): one function a task, called by its
// address. Forward kinematics of all bodies at once is not generated.

#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#include "contestant.hpp"
#include "ulna/generate/compile.hpp"
#include "ulna_robot.hpp"

namespace ulna::bench {
namespace {

const char* function_of(Task task) {
  switch (task) {
    case Task::tip_jacobian:
      return "jacobian";
    case Task::inverse_dynamics:
      return "inverse";
    case Task::mass_matrix:
      return "mass";
    case Task::forward_dynamics:
      return "forward";
    case Task::inverse_derivatives:
      return "inverse-derivatives";
    case Task::forward_derivatives:
      return "forward-derivatives";
    default:
      return nullptr;
  }
}

// Straight-line code of more joints takes long to compile; all columns at once does not.
constexpr std::size_t most_joints = 24, most_joints_in_columns = 96;

class CompiledContestant final : public Contestant {
 public:
  std::string name() const override { return BENCH_NAME; }
  std::string description() const override {
    std::string out = "generated C, compiled with";
    for (const std::string& flag : CompileOptions::default_flags()) out += " " + flag;
    return out;
  }

  bool supports(Task task) const override {
    if (!function_of(task)) return false;
    const bool straight_line = task == Task::tip_jacobian || task == Task::inverse_dynamics ||
                               task == Task::forward_dynamics;
    return joints_ <= (straight_line ? most_joints : most_joints_in_columns);
  }

  void load(const ChainSpec& spec) override {
    joints_ = spec.links.size();
    model_ = std::make_unique<Model>(robot_of(spec));
    functions_.clear();
  }

  void run(Task task, const double* q, const double* v, const double* u) override {
    Ready& f = ready(task);
    const double* in[] = {q, v, u};
    f.function(in, f.out.data());
  }

  std::vector<double> result(Task task) const override {
    const Ready& f = functions_.at(task);
    std::vector<double> all;
    const std::size_t skipped = task == Task::forward_derivatives ? 1 : 0;  // a itself
    for (std::size_t k = skipped; k < f.results.size(); ++k)
      all.insert(all.end(), f.results[k].begin(), f.results[k].end());
    return all;
  }

 private:
  struct Ready {
    CompiledFunction function;
    std::vector<std::vector<double>> results;
    std::vector<double*> out;
  };

  // Compiled at the first call, which is the one that checks the results.
  Ready& ready(Task task) {
    const auto found = functions_.find(task);
    if (found != functions_.end()) [[likely]]
      return found->second;
    Ready& f = functions_[task];
    CompileOptions options;
    options.angles_at_once = !std::getenv("ULNA_BENCH_SCALAR_SINES");
    f.function = compile(*model_, function_of(task), options);
    if (!f.function.compiled()) throw std::runtime_error(f.function.warning());
    for (const Argument& output : f.function.outputs()) f.results.emplace_back(output.size());
    for (std::vector<double>& array : f.results) f.out.push_back(array.data());
    return f;
  }

  std::size_t joints_ = 0;
  std::unique_ptr<Model> model_;
  std::map<Task, Ready> functions_;
};

}  // namespace
}  // namespace ulna::bench

ulna::bench::Contestant* make_contestant() { return new ulna::bench::CompiledContestant; }
