// The table of docs/generation.md: operations of inverse dynamics, pass by pass (`make counts`).
// Numbers for the parameters, gravity included, rotors left out; further robot files as arguments.

#include <cstdio>
#include <string>
#include <vector>

#include "ulna/formats/read_robot.hpp"
#include "ulna/generate/shortest_inverse_dynamics.hpp"
#include "ulna/model/other_scalars.hpp"

using namespace ulna;

namespace {

std::string text(const OperationCount& count) {
  return std::to_string(count.multiplications) + " + " + std::to_string(count.additions);
}

void print_row(const std::string& robot, int multiplication, int addition) {
  const Model model(read_robot(robot).robot);
  Graph graph;
  Graph::Scope scope(graph);
  std::vector<Expression> state[3];
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < model.speeds(); ++i)
      state[k].push_back(graph.input(std::string(1, "qva"[k]) + std::to_string(i)));
  const ParameterMaker parameters = [&](Graph&) {
    Parameters<Expression> out = converted<Expression>(model.parameters());
    for (Expression& rotor : out.armature) rotor = 0;
    return out;
  };
  ShortestOptions options{.full_traces = 1000, .random_steps = 500, .factorings = 40};
  if (model.speeds() > 6) options.full_traces = 200, options.random_steps = 0;
  options.multiplication = multiplication;
  options.addition = addition;
  const ShortestForm form = shortest_inverse_dynamics(model.topology(), parameters, graph, state[0],
                                                      state[1], state[2], options);
  std::printf("| %s | %s | %s | %s | %d |\n", model.name().c_str(), text(form.compact).c_str(),
              text(form.planned).c_str(), text(form.factored).c_str(), form.factored.sincos_pairs);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  std::printf("| robot | compact form | planned | factored | sine-cosine pairs |\n");
  std::printf("|---|---|---|---|---|\n");
  // Which of the two operations weighs more decides among forms of nearly the same length.
  print_row("intelledex605", 10, 30);
  print_row("puma560", 30, 10);
  print_row("stanford", 10, 30);
  print_row("scara", 10, 10);
  for (int k = 1; k < count; ++k) print_row(arguments[k], 10, 10);
}
