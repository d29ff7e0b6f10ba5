// The tests that are written beside generated code run and pass, where the language is installed.

#include <cstdlib>
#include <filesystem>

#include "../apps/run_cli.hpp"
#include "any_robot.hpp"
#include "ulna/generate/source.hpp"

namespace ulna::test {
namespace {

/// Runs a command in a folder; its exit status.
int run_in(const TemporaryFolder& folder, const std::string& command) {
  const std::string whole = "cd '" + folder.path("") + "' && { " + command + " ; } > log 2>&1";
  return std::system(whole.c_str());
}

bool installed(const std::string& command) {
  return std::system(("command -v " + command + " > /dev/null 2>&1").c_str()) == 0;
}

struct Language {
  const char* name;
  const char* needs;    ///< succeeds where the language is installed
  const char* command;  ///< NAME is the function
};

const Language languages[] = {
    {"c", "cc --version",
     "cc -std=c99 -Wall -Wextra -Werror -pedantic NAME.c NAME_test.c -o t -lm && ./t"},
    {"c++", "c++ --version",
     "c++ -std=c++11 -Wall -Wextra -Werror -pedantic NAME_test.cpp -o t && ./t"},
    {"c-pack4", "cc --version",
     "cc -std=c99 -Wall -Wextra -Werror NAME_pack4.c NAME_pack4_test.c -o t -lm && ./t"},
    {"c-pack8", "cc --version",
     "cc -std=c99 -O1 -Wall -Wextra -Werror -pedantic NAME_pack8.c NAME_pack8_test.c -o t -lm && "
     "./t"},
    {"python", "/usr/bin/python3 -c 'import numpy'", "/usr/bin/python3 NAME_test.py"},
    {"matlab", "octave-cli --version", "octave-cli --no-init-file NAME_test.m"},
    {"rust", "rustc --version", "rustc --edition 2021 -D warnings NAME_test.rs -o t && ./t"},
    {"javascript", "node --version", "node NAME_test.mjs"},
    {"latex", "pdflatex --version", "pdflatex -interaction=nonstopmode -halt-on-error NAME.tex"}};

void check_language(const Language& language, const Model& model, const std::string& name,
                    const TraceOptions& options) {
  const TracedFunction f = trace(model, name, options);
  const TemporaryFolder folder;
  for (const SourceFile& file : generate_source(model, f, language.name, options))
    folder.write(file.name, file.content);
  std::string command = language.command;
  for (std::size_t at = 0; (at = command.find("NAME", at)) != std::string::npos;)
    command.replace(at, 4, f.identifier());
  EXPECT_EQ(run_in(folder, command), 0) << language.name << ", " << name << ":\n"
                                        << content_of(folder.path("log"));
}

class SelfTest : public ::testing::TestWithParam<Language> {};

TEST_P(SelfTest, Passes) {
  const Language& language = GetParam();
  const TemporaryFolder folder;
  if (run_in(folder, language.needs) != 0)
    GTEST_SKIP() << language.name << " is not installed: '" << language.needs << "' fails";
  TraceOptions numeric, symbolic;
  symbolic.symbolic_inertias = symbolic.symbolic_lengths = true;
  const Model puma = shipped_model("puma560"), any = random_model(3);
  check_language(language, puma, "inverse", numeric);
  check_language(language, puma, "inverse", symbolic);
  check_language(language, puma, "forward-kinematics", numeric);
  check_language(language, any, "inverse-derivatives", numeric);  // friction, quaternions
  check_language(language, any, "forward", numeric);
  check_language(language, any, "energy", numeric);
}

/// Names that would end the comment they stand in, and leave a file behind if they were run.
const char* const hostile_names[] = {
    "x\"\"\"\nopen('pwned', 'w')\n\"\"\"",
    "*/ int pwned(void); /*",
    "/* \\",
    "? ?\?/",
    "\xe2\x80\xa8import('fs').then(f => f.writeFileSync('pwned', ''));//",
    "\nsystem('touch pwned');\n%{",
    "\\end{verbatim}\\immediate\\write18{touch pwned}",
    "\r\nstd::fs::write(\"pwned\", \"\");",
    "\xe2\x80\xae\x1b]0;pwned\x07\xff\xc2\x85'"};

TEST_P(SelfTest, HostileNamesStayText) {
  const Language& language = GetParam();
  const TemporaryFolder folder;
  if (run_in(folder, language.needs) != 0) GTEST_SKIP() << language.name << " is not installed";
  const Model model = shipped_model("scara");
  const TracedFunction f = trace(model, "inverse");
  for (const char* name : hostile_names) {
    // Names are checked at the door as well; here escaping must do alone.
    TracedFunction hostile = f;
    hostile.robot = std::string("scara") + name;
    hostile.method += name;
    for (Argument& argument : hostile.inputs) {
      argument.meaning += name;
      for (std::string& entry : argument.entries) entry = name;
    }
    const TemporaryFolder place;
    for (const SourceFile& file : generate_source(model, hostile, language.name, {}))
      place.write(file.name, file.content);
    std::string command = language.command;
    for (std::size_t at = 0; (at = command.find("NAME", at)) != std::string::npos;)
      command.replace(at, 4, hostile.identifier());
    EXPECT_EQ(run_in(place, command), 0) << language.name << ": " << name << "\n"
                                         << content_of(place.path("log"));
    EXPECT_FALSE(std::filesystem::exists(place.path("pwned"))) << language.name << ": " << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Languages, SelfTest, ::testing::ValuesIn(languages), [](const auto& l) {
  std::string name = l.param.name;
  if (name == "c++") return std::string("cpp");
  std::erase(name, '-');
  return name;
});

TEST(Source, AWrongResultFailsTheSelfTest) {
  if (!installed("cc")) GTEST_SKIP() << "there is no C compiler";
  const Model model = shipped_model("scara");
  const TracedFunction f = trace(model, "inverse");
  const TemporaryFolder folder;
  for (SourceFile file : generate_source(model, f, "c")) {
    if (file.name.ends_with("e.c")) {
      const std::size_t at = file.content.find(" + ");
      ASSERT_NE(at, std::string::npos);
      file.content.replace(at, 3, " - ");
    }
    folder.write(file.name, file.content);
  }
  EXPECT_EQ(run_in(folder, "cc scara_inverse.c scara_inverse_test.c -o t -lm"), 0);
  EXPECT_NE(run_in(folder, "./t"), 0);
}

TEST(Source, NamesThatAreKeywordsOrNoNamesAtAllMakeValidCode) {
  if (!installed("cc")) GTEST_SKIP() << "there is no C compiler";
  for (const char* name : {"double", "7 arms */ int x;", "\xc3\xa9toile", "",
                           "a name that is much longer than sixty-three characters, which is where "
                           "MATLAB cuts them off"}) {
    Robot robot = read_robot("scara").robot;
    robot.name = name;
    robot.joints[0].name = "*/ \\";
    const Model model(robot);
    const TracedFunction f = trace(model, "inverse");
    EXPECT_LE(f.identifier().size(), 55u);
    const TemporaryFolder folder;
    for (const SourceFile& file : generate_source(model, f, "c"))
      folder.write(file.name, file.content);
    EXPECT_EQ(run_in(folder, "cc -std=c99 -Wall -Werror *.c -o t -lm && ./t"), 0)
        << name << "\n"
        << content_of(folder.path("log"));
  }
}

TEST(Source, SinesAndCosinesSayOfWhichAngle) {
  const Model model = shipped_model("puma560");
  const std::string code = generate_source(model, trace(model, "inverse"), "c")[1].content;
  EXPECT_NE(code.find("const double s2 = sin(q[1]);"), std::string::npos);
  EXPECT_NE(code.find("const double c2 = cos(q[1]);"), std::string::npos);
}

// However the expressions were rewritten: the velocity of the second link is called by its name.
TEST(Languages, QuantitiesOfMechanicsHaveNames) {
  const Model model = shipped_model("puma560");
  const auto files = generate_source(model, trace(model, "inverse"), "c");
  const std::string& source = files[1].content;
  EXPECT_NE(source.find("const double w3_x = "), std::string::npos) << source;
  EXPECT_NE(source.find("const double c23 = "), std::string::npos);
}

}  // namespace
}  // namespace ulna::test
