// Generated C, compiled with every warning an error, on a thousand random states; and the cache.

#include "ulna/generate/compile.hpp"

#include <sys/stat.h>

#include <fstream>

#include "../apps/run_cli.hpp"
#include "any_robot.hpp"

namespace ulna::test {
namespace {

const std::vector<std::string> strict = {"-std=c99", "-O1",     "-Wall",
                                         "-Wextra",  "-Werror", "-pedantic"};

void check_compiled(const Model& model, const std::string& name, int states) {
  CompileOptions options;
  options.flags = strict;
  options.use_cache = false;
  const CompiledFunction f = compile(model, name, options);
  if (!f.compiled()) GTEST_SKIP() << f.warning();
  expect_general(
      model, trace(model, name),
      [&](const Arrays& in, Arrays& out) { f(in.pointers.data(), out.pointers.data()); }, states);
}

class EveryFunction : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryFunction, OfEveryShippedRobotCompilesAndAgrees) {
  for (const std::string& robot : shipped) check_compiled(shipped_model(robot), GetParam(), 1000);
}

INSTANTIATE_TEST_SUITE_P(Compiled, EveryFunction, ::testing::ValuesIn(functions_of_trees()),
                         [](const auto& name) {
                           std::string out;
                           for (const char c : name.param) out += c == '-' ? '_' : c;
                           return out;
                         });

TEST(Compile, FrictionAndQuaternionsCompileToo) {
  check_compiled(random_model(2), "inverse", 100);
  check_compiled(random_model(2), "forward", 100);
}

TEST(Compile, LongFunctionsAreSplitAndStillRight) {
  Generator g(3);
  const Model model(testing::general_chain(g, 12));
  const OperationCount n = trace(model, "forward-derivatives").operations();
  ASSERT_GT(n.multiplications + n.additions, 10000);
  CompileOptions options;
  options.flags = {"-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-pedantic"};
  options.use_cache = false;
  const CompiledFunction f = compile(model, "forward-derivatives", options);
  if (!f.compiled()) GTEST_SKIP() << f.warning();
  expect_general(
      model, trace(model, "forward-derivatives"),
      [&](const Arrays& in, Arrays& out) { f(in.pointers.data(), out.pointers.data()); }, 20);
}

// A batch gives for each state what a call for it alone gives, to rounding: packs have their own
// sines. 4100 states are two threads' worth; 13 and 3 leave packs unfilled.
TEST(Compile, BatchesGiveWhatSingleCallsGive) {
  const Model model = shipped_model("puma560");
  const int n = model.speeds();
  for (int pack : {0, 4, 8})
    for (const char* name : {"inverse", "forward"}) {
      CompileOptions options;
      options.pack = pack;
      options.flags = {"-O1"};
      options.use_cache = false;
      const CompiledFunction f = compile(model, name, options);
      if (!f.compiled()) GTEST_SKIP() << f.warning();
      EXPECT_EQ(f.pack_address() != nullptr, pack > 0);
      for (long states : {3L, 13L, 4100L}) {
        Generator g(5);
        std::vector<Eigen::VectorXd> in;
        for (int k = 0; k < 3; ++k)
          in.push_back(3 * testing::random_entries(g, static_cast<int>(states) * n));
        in[0](1) = 2e5;  // an angle that the reduction of the packs does not take
        Eigen::VectorXd out(states * n), alone(n);
        const double* from[] = {in[0].data(), in[1].data(), in[2].data()};
        double* to[] = {out.data()};
        f.batch(states, from, to, 2);
        for (long i = 0; i < states; ++i) {
          const double* one[] = {from[0] + i * n, from[1] + i * n, from[2] + i * n};
          double* result[] = {alone.data()};
          f(one, result);
          // Accelerations lose digits with the condition of the mass matrix, here some thousands.
          ASSERT_LE((out.segment(i * n, n) - alone).norm(), 1e-11 * alone.norm())
              << name << ", packs of " << pack << ", state " << i << " of " << states;
        }
      }
    }
}

TEST(Compile, SinesByPacksAreAsGoodAsTheLibrarys) {
  Generator g(4);
  const Model model(testing::general_chain(g, 14));  // enough angles for packs
  check_compiled(model, "inverse", 200);
}

TEST(Compile, PacksOfOtherSizesAreRefused) {
  CompileOptions options;
  options.pack = 3;
  EXPECT_THROW(compile(shipped_model("scara"), "inverse", options), InputError);
}

class Cache : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  Model model = shipped_model("scara");
  CompileOptions options = [this] {
    CompileOptions o;
    o.cache = folder.path("cache");
    o.flags = {"-O0"};
    return o;
  }();

  void expect_right(const CompiledFunction& f) {
    expect_general(
        model, trace(model, "inverse"),
        [&](const Arrays& in, Arrays& out) { f(in.pointers.data(), out.pointers.data()); }, 5);
  }
};

TEST_F(Cache, ASecondCallFindsWhatTheFirstBuilt) {
  const CompiledFunction first = compile(model, "inverse", options);
  if (!first.compiled()) GTEST_SKIP() << first.warning();
  EXPECT_FALSE(first.from_cache());
  const CompiledFunction second = compile(model, "inverse", options);
  EXPECT_TRUE(second.from_cache());
  expect_right(second);
  options.flags = {"-O1"};
  EXPECT_FALSE(compile(model, "inverse", options).from_cache());
  // Nothing but libraries and their sums is left behind, in a folder of the user alone.
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(options.cache))
    files += entry.is_regular_file() ? 1 : 1000;
  EXPECT_EQ(files, 4);
  struct stat there {};
  stat(options.cache.c_str(), &there);
  EXPECT_EQ(there.st_mode & 0777, 0700u);
}

// What was asked decides, before anything is traced: any other number of the robot, function or
// option is another entry.
TEST_F(Cache, AnotherRequestIsBuiltAnew) {
  if (!compile(model, "inverse", options).compiled()) GTEST_SKIP() << "no compiler";
  EXPECT_TRUE(compile(shipped_model("scara"), "inverse", options).from_cache());
  EXPECT_FALSE(compile(model, "gravity", options).from_cache());
  Robot heavier = read_robot("scara").robot;
  heavier.bodies.back().inertial.mass *= 1 + 1e-15;
  EXPECT_FALSE(compile(Model(heavier), "inverse", options).from_cache());
  CompileOptions other = options;
  other.pack = 4;
  EXPECT_FALSE(compile(model, "inverse", other).from_cache());
  other = options;
  other.trace.method = "newton-euler";
  EXPECT_FALSE(compile(model, "inverse", other).from_cache());
  const CompiledFunction again = compile(model, "inverse", options);
  EXPECT_TRUE(again.from_cache());
  EXPECT_EQ(again.operations(), trace(model, "inverse").operations());
}

// "ccache gcc" and its like: words, but no shell.
TEST_F(Cache, ACompilerMayBeSeveralWords) {
  if (!compile(model, "inverse", options).compiled()) GTEST_SKIP() << "no compiler";
  options.compiler = "env cc -DULNA_WORD";
  expect_right(compile(model, "inverse", options));
  options.compiler = "env cc; touch " + folder.path("touched");
  EXPECT_THROW(compile(model, "inverse", options), ComputationError);
  EXPECT_FALSE(std::filesystem::exists(folder.path("touched")));
  // A program whose name has a space is one word.
  std::ofstream(folder.path("my cc")) << "#!/bin/sh\nexec cc \"$@\"\n";
  std::filesystem::permissions(folder.path("my cc"), std::filesystem::perms::owner_all);
  options.compiler = folder.path("my cc");
  const CompiledFunction f = compile(model, "inverse", options);
  EXPECT_TRUE(f.compiled()) << f.warning();
  options.compiler = "no-such-compiler cc";
  EXPECT_FALSE(compile(model, "inverse", options).compiled());
}

TEST_F(Cache, AChangedFileIsBuiltAgain) {
  if (!compile(model, "inverse", options).compiled()) GTEST_SKIP() << "no compiler";
  for (const auto& entry : std::filesystem::directory_iterator(options.cache))
    if (entry.path().extension() == ".so")
      std::ofstream(entry.path(), std::ios::binary | std::ios::app) << "changed";
  const CompiledFunction again = compile(model, "inverse", options);
  EXPECT_FALSE(again.from_cache());
  expect_right(again);
  EXPECT_TRUE(compile(model, "inverse", options).from_cache());
}

TEST_F(Cache, AFolderThatOthersMayWriteToIsNotUsed) {
  std::filesystem::create_directory(options.cache);
  chmod(options.cache.c_str(), 0777);
  const CompiledFunction f = compile(model, "inverse", options);
  if (!f.compiled()) GTEST_SKIP() << f.warning();
  expect_right(f);
  EXPECT_TRUE(std::filesystem::is_empty(options.cache));
  EXPECT_FALSE(compile(model, "inverse", options).from_cache());
}

TEST_F(Cache, WithoutACompilerTheGeneralAlgorithmStandsIn) {
  options.compiler = "no-such-compiler";
  const CompiledFunction f = compile(model, "inverse", options);
  EXPECT_FALSE(f.compiled());
  EXPECT_NE(f.warning().find("no-such-compiler"), std::string::npos);
  expect_right(f);
}

TEST_F(Cache, TheFirstErrorOfAFailingCompilerIsShown) {
  if (!compile(model, "inverse", options).compiled()) GTEST_SKIP() << "no compiler";
  options.flags = {"-fno-such-flag-at-all"};
  try {
    compile(model, "inverse", options);
    FAIL();
  } catch (const ComputationError& error) {
    EXPECT_NE(std::string(error.what()).find("no-such-flag"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ulna::test
