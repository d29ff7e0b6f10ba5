// Every kind of force element in generated code, on a tree, a loop, a flexible arm and a platform:
// what it computes is what the library does. tests/apps/element_walk_test.cpp compares that with a
// reckoning of its own.

#include "../apps/walked_elements.hpp"
#include "../apps/walked_robots.hpp"
#include "any_robot.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/symbolic/program.hpp"

namespace ulna::test {
namespace {

using Eigen::VectorXd;

/// The robot with one element of every kind, each by the name of its kind.
Model with_all_elements(std::string text) {
  text += "elements:\n";
  for (const element_walk::WalkedElement& e : element_walk::walked_elements) {
    std::string data = e.text;
    for (std::size_t at; (at = data.find("element.e.")) != std::string::npos;)
      data.replace(at, 10, std::string("element.") + e.name + ".");
    text += std::string("  - {name: ") + e.name + ", " + data + "}\n";
  }
  return Model(read_robot_yaml_text(text, "walk").robot);
}

/// q closed, v and a with it, and anything for the others.
class States {
 public:
  explicit States(const Model& model) : model_(model), work_(model), closure_(model) {}

  void fill(const std::vector<Argument>& inputs, Arrays& in) {
    AssemblyOptions options;
    options.tolerance = 1e-13;
    options.start = model_.integrate(model_.neutral(), small());
    const VectorXd q = assembled(model_, options);
    closure_.update(work_, q);
    const VectorXd v = compatible_speeds(closure_, small());
    closure_.update_rates(work_, q, v);
    const VectorXd a = compatible_accelerations(closure_, small());
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const std::string& name = inputs[k].name;
      const VectorXd x = name == "q"   ? q
                         : name == "v" ? v
                         : name == "a" ? a
                                       : testing::random_entries(g_, inputs[k].size(), 20);
      std::copy(x.begin(), x.end(), in.values[k].begin());
    }
  }

 private:
  VectorXd small() { return testing::random_entries(g_, model_.speeds(), 0.3); }

  const Model& model_;
  Workspace work_;
  LoopClosure closure_;
  Generator g_{5};
};

void walk(const std::string& text) {
  const Model model = with_all_elements(text);
  for (const std::string name : {"inverse", "forward"}) {
    const TracedFunction f = trace(model, name);
    const Program program(f.expressions, *f.graph);
    GeneralAlgorithm general(model, name);
    States states(model);
    for (int state = 0; state < 3; ++state) {
      Arrays in(f.inputs), expected(f.outputs);
      states.fill(f.inputs, in);
      std::vector<double> values;
      for (const auto& array : in.values) values.insert(values.end(), array.begin(), array.end());
      EXPECT_EQ(in.values.size(), 4u) << "q, v, a or tau, and the force of the input";
      values.resize(f.graph->input_names().size(), NAN);
      const std::vector<double> found = program.evaluate(values);
      general(in.pointers.data(), expected.pointers.data());
      auto next = found.begin();
      for (std::size_t k = 0; k < f.outputs.size(); ++k) {
        double size = 1;
        for (const double x : expected.values[k]) size = std::max(size, std::abs(x));
        for (const double x : expected.values[k]) {
          // Rows of loops that were kept, and the mass matrix, have conditions of some hundreds.
          EXPECT_NEAR(*next, x, 1e-10 * size) << name << ", " << f.outputs[k].name;
          ++next;
        }
      }
    }
  }
}

TEST(GeneratedElements, OfATree) { walk(element_walk::walked_tree().text); }
TEST(GeneratedElements, OfALoop) { walk(element_walk::walked_loop().text); }
TEST(GeneratedElements, OfAFlexibleArm) { walk(element_walk::walked_flexible().text); }

TEST(GeneratedElements, OfAFlexibleLoopAreRefusedWithItsLinks) {
  try {
    trace(with_all_elements(element_walk::walked_flexible_loop().text), "inverse");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'coupler'"), std::string::npos) << error.what();
  }
}

TEST(GeneratedElements, OfAPlatform) {
  walk(write_robot_yaml(read_robot("stewart-6-6").robot) + element_walk::platform_frames());
}

}  // namespace
}  // namespace ulna::test
