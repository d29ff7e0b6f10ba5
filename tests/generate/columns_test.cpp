// Compiled code that works on all columns at once gives what the general algorithms give, whatever
// the number of columns against that of lanes, on chains and on trees.

#include "any_robot.hpp"
#include "ulna/generate/compile.hpp"

namespace ulna::test {
namespace {

const std::vector<std::string> functions = {"mass", "forward", "inverse-derivatives",
                                            "forward-derivatives"};

CompileOptions columns() {
  CompileOptions options;
  options.form = CompiledForm::columns;
  options.use_cache = false;
  options.flags[0] = "-O1";  // compiles faster
  return options;
}

void expect_columns(const Model& model, const std::string& name, const CompileOptions& options,
                    int states) {
  const CompiledFunction f = compile(model, name, options);
  if (!f.compiled()) GTEST_SKIP() << f.warning();
  EXPECT_TRUE(f.columns());
  TracedFunction described;
  described.name = name;
  described.inputs = f.inputs();
  described.outputs = f.outputs();
  expect_general(
      model, described,
      [&](const Arrays& in, Arrays& out) { f(in.pointers.data(), out.pointers.data()); }, states);
}

Model chain(int joints) {
  Generator g(static_cast<unsigned>(joints));
  return Model(testing::general_chain(g, joints));
}

class Columns : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(AllAtOnce, Columns, ::testing::ValuesIn(functions), [](const auto& name) {
  std::string out;
  for (const char c : name.param) out += c == '-' ? '_' : c;
  return out;
});

// Packs are of four or eight: just filled, one left, one too many.
TEST_P(Columns, OfChainsAreThoseOfTheGeneralAlgorithms) {
  for (int joints : {4, 7, 8, 9}) expect_columns(chain(joints), GetParam(), columns(), 50);
}

// Rotors, springs, dampers, friction; turns, slides and pairs of them; speeds not in the order of
// the nodes.
TEST_P(Columns, OfTreesAreThoseOfTheGeneralAlgorithms) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Generator g(seed);
    testing::RobotRecipe recipe;
    recipe.bodies = 3 * static_cast<int>(seed);
    recipe.types = {JointType::revolute, JointType::prismatic, JointType::screw,
                    JointType::cylindrical, JointType::universal};
    recipe.branches = recipe.friction = recipe.reversed = true;
    expect_columns(Model(testing::random_robot(g, recipe)), GetParam(), columns(), 50);
  }
}

// Lanes beyond the last column must stay without mass also where all links have the same.
TEST_P(Columns, OfEqualLinksAreThoseOfTheGeneralAlgorithms) {
  Generator g(3);
  Robot robot = testing::general_chain(g, 5);
  for (BodyData& body : robot.bodies) body.inertial = robot.bodies.back().inertial;
  expect_columns(Model(robot), GetParam(), columns(), 50);
}

TEST_P(Columns, CompileWithoutWarningsAndWithoutWideRegisters) {
  CompileOptions options = columns();
  options.flags = {"-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic"};
  expect_columns(chain(6), GetParam(), options, 20);
  Generator g(2);
  testing::RobotRecipe recipe;
  recipe.branches = recipe.friction = true;
  expect_columns(Model(testing::random_robot(g, recipe)), GetParam(), options, 20);
}

TEST(ColumnForm, IsTakenWhereStraightLineCodeWouldBeLong) {
  CompileOptions options;
  options.use_cache = false;
  if (!compile(chain(2), "mass", options).compiled()) GTEST_SKIP() << "no compiler";
#if defined(__x86_64__)
  const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  const bool wide = false;
#endif
  EXPECT_EQ(compile(chain(6), "forward-derivatives", options).columns(), wide);
  EXPECT_FALSE(compile(chain(6), "forward", options).columns());
  EXPECT_FALSE(compile(shipped_model("scara"), "inverse-derivatives", options).columns());
  options.form = CompiledForm::straight_line;
  EXPECT_FALSE(compile(chain(4), "inverse-derivatives", options).columns());
  options.form = CompiledForm::fastest;
  options.flags = {"-O0"};  // registers of two numbers
  EXPECT_FALSE(compile(chain(4), "inverse-derivatives", options).columns());
}

TEST(ColumnForm, IsRefusedWhereThereIsNone) {
  EXPECT_THROW(compile(chain(3), "inverse", columns()), InputError);
  Generator g(1);
  testing::RobotRecipe recipe;
  recipe.types = {JointType::spherical};
  EXPECT_THROW(compile(Model(testing::random_robot(g, recipe)), "mass", columns()), InputError);
}

}  // namespace
}  // namespace ulna::test
