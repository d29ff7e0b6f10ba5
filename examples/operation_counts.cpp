// The table of docs/generation.md: operations of inverse dynamics, pass by pass (`make counts`).
// Numbers for the parameters, gravity included, rotors left out; further robot files as arguments.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ulna/formats/read_robot.hpp"
#include "ulna/generate/internal/thorough_search.hpp"
#include "ulna/model/other_scalars.hpp"

using namespace ulna;

namespace {

std::string text(const OperationCount& count) {
  return std::to_string(count.multiplications) + " + " + std::to_string(count.additions);
}

/// One setting for all robots; `at_most` are the counts to be reached, if there are any.
void print_row(const std::string& robot, std::optional<std::pair<int, int>> at_most) {
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
  const ShortestForm quick =
      shortest_inverse_dynamics(model.topology(), parameters, graph, state[0], state[1], state[2]);
  ThoroughOptions options;
  options.seconds = 20;
  options.at_most = at_most;
  const ThoroughResult thorough = thorough_inverse_dynamics(model.topology(), parameters, graph,
                                                            state[0], state[1], state[2], options);
  std::string front;
  for (const OperationCount& count : thorough.front)
    front += (front.empty() ? "" : ", ") + text(count);
  std::printf("| %s | %s | %s | %s | %s | %s | %d | %s |\n", model.name().c_str(),
              text(quick.compact).c_str(), text(quick.planned).c_str(),
              text(quick.factored).c_str(), text(quick.refined).c_str(),
              text(thorough.chosen).c_str(), thorough.chosen.sincos_pairs, front.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  std::printf("| robot | compact | planned | factored | refined | thorough | pairs | front |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  print_row("intelledex605", {{105, 72}});
  print_row("puma560", {{162, 128}});
  print_row("stanford", {{120, 84}});
  print_row("scara", {});
  for (int k = 1; k < count; ++k) print_row(arguments[k], {});
}
