// Every kind of force element in every analysis of every kind of robot, by commands. What an
// element exerts, reckoned from the poses and velocities of its ends (walked_elements.hpp), is put
// on the robot without it as an external wrench: both must move alike.

#include <sstream>

#include "walked_elements.hpp"
#include "walked_robots.hpp"

namespace ulna::test::element_walk {
namespace {

std::string numbers(std::initializer_list<Vector3d> vectors) {
  std::ostringstream out;
  out.precision(17);
  for (const Vector3d& v : vectors)
    for (const double x : v) out << (out.tellp() > 0 ? "," : "") << x;
  return out.str();
}

double largest(const Json& list) {
  double out = 0;
  for (const Json& x : list) out = std::max(out, std::abs(x.get<double>()));
  return out;
}

/// One robot with one element, beside the robot without it.
class Walk {
 public:
  Walk(const TemporaryFolder& folder, const WalkedRobot& robot, const WalkedElement& element)
      : folder_(folder), robot_(robot), element_(element) {
    base_ = folder.write("base.yaml", robot.text);
    file_ =
        folder.write("robot.yaml", robot.text + "elements:\n  - {name: e, " + element.text + "}\n");
    if (std::string(element.name) == "input") more_ = {"--actuator-forces", "e=17"};
    const Json frames = run_json(words("fk", base_, {robot.q, robot.v}))["frames"];
    effect_ =
        element.effect({place_of(frames["PA"]), place_of(frames["PB"]), place_of(frames["PC"])});
    wrenches_ = {"--wrench", "PB:" + numbers({effect_.at_B, effect_.moment_B}), "--wrench",
                 "PC:" + numbers({effect_.at_C, Vector3d::Zero()})};
  }

  /// Rounding of the poses that the wrench is made from, times the stiffness.
  void accelerations_and_efforts() const {
    if (!robot_.a.empty()) expect_alike("inverse", "tau", {robot_.q, robot_.v, robot_.a}, 1e-9);
    expect_alike("forward", "a", {robot_.q, robot_.v, robot_.tau}, 1e-8);
  }

  void energy() const {
    const double with = answer("energy", {robot_.q, robot_.v})["potential"],
                 without = run_json(words("energy", base_, {robot_.q, robot_.v}))["potential"];
    EXPECT_NEAR(with - without, effect_.energy, 1e-9 * (std::abs(with) + std::abs(without)));
  }

  /// Where the robot comes to rest, it rests: to 1e-10 of the stiffness of its strips of spring
  /// steel (1e5 N/m), which moves their gram. A platform without forces at its drives does not
  /// rest.
  void equilibrium() const {
    if (robot_.q.empty()) return;
    const Json found = answer("equilibrium", {robot_.q});
    ASSERT_EQ(found["found"], true) << found.dump();
    std::ostringstream q;
    q.precision(17);
    for (const Json& x : found["q"]) q << (q.tellp() > 0 ? "," : "") << x.get<double>();
    const Json a = answer("forward", {{"--q", q.str()}})["a"];
    EXPECT_LT(largest(a), 1e-2);
  }

  /// The first record of a run measures it at the start.
  void channels() const {
    std::string start = "start: {v: " + map_of(robot_.v);
    if (!robot_.q.empty()) start += ", q: " + map_of(robot_.q);
    const std::string experiment =
        folder_.write("walk.yaml", "experiment: 1\nrobot: robot.yaml\nduration: 1 ms\n" + start +
                                       "}\n" + (more_.empty() ? "" : "inputs: {e: 17}\n") +
                                       "record: {channels: [element], interval: 1 ms}\n");
    const std::string run = folder_.path(std::string("run-") + element_.name);
    ASSERT_EQ(run_cli({"simulate", experiment, "-o", run}).status, 0);
    std::istringstream csv(content_of(run + "/run.csv"));
    std::string titles, first;
    std::getline(csv, titles);
    std::getline(csv, first);
    const bool turns = std::string(element_.name) == "torsion";
    const auto value = [&](const std::string& title) {
      std::istringstream names(titles), values(first);
      for (std::string name, x; std::getline(names, name, ',') && std::getline(values, x, ',');)
        if (name.starts_with("element.e." + title)) return std::stod(x);
      ADD_FAILURE() << title << " in " << titles;
      return 0.0;
    };
    const double bound = 1e-8 * (1 + std::abs(effect_.force));
    EXPECT_NEAR(value(turns ? "angle" : "length"), effect_.length, bound);
    EXPECT_NEAR(value("rate"), effect_.rate, bound);
    EXPECT_NEAR(value(turns ? "torque" : "force"), effect_.force, bound);
    EXPECT_NEAR(value("energy"), effect_.energy, 10 * bound);
  }

  /// Those that have facts of their own in other tests: here they answer.
  void others() const {
    for (const char* command : {"linearize", "mass"}) answer(command, {robot_.q});
    const Json verified = answer("verify", {{"--states", "3"}});
    EXPECT_EQ(verified["ok"], true) << verified.dump();
    // A push that nothing holds across has no modes.
    const Outcome modes = run_cli(words("modes", file_, {robot_.q, more_}));
    if (modes.status != 0) {
      EXPECT_NE(modes.err.find("the stiffness is indefinite"), std::string::npos) << modes.err;
      EXPECT_GT(effect_.force, 0);
      EXPECT_NE(element_.text.find("actuator"), std::string::npos);
    }
    const std::string page = folder_.path("page.html");
    ASSERT_EQ(run_cli(words("view", file_, {robot_.q, {"-o", page}})).status, 0);
    EXPECT_NE(content_of(page).find("\"elements\":[{"), std::string::npos);
  }

 private:
  static Words words(const std::string& command, const std::string& robot,
                     const std::vector<Words>& parts) {
    Words out = {command, robot};
    for (const Words& part : parts) out.insert(out.end(), part.begin(), part.end());
    return out;
  }
  Json answer(const std::string& command, std::vector<Words> parts) const {
    parts.push_back(more_);
    return run_json(words(command, file_, parts));
  }
  void expect_alike(const std::string& command, const char* key, std::vector<Words> parts,
                    double tolerance) const {
    const Json with = answer(command, parts)[key];
    parts.push_back(wrenches_);
    const Json without = run_json(words(command, base_, parts))[key];
    ASSERT_EQ(with.size(), without.size());
    for (std::size_t k = 0; k < with.size(); ++k)
      EXPECT_NEAR(double(with[k]), double(without[k]), tolerance * (1 + largest(without)))
          << command << " " << k;
  }
  /// "--v a=1,b=2" as {a: 1, b: 2}, and a list as a list.
  static std::string map_of(const Words& option) {
    std::string text = option[1];
    if (text.find('=') == std::string::npos) return "[" + text + "]";
    for (std::size_t k = 0; (k = text.find_first_of("=,", k)) != std::string::npos; k += 2)
      text.replace(k, 1, text[k] == '=' ? ": " : ", ");
    return "{" + text + "}";
  }

  const TemporaryFolder& folder_;
  WalkedRobot robot_;
  WalkedElement element_;
  std::string base_, file_;
  Words more_, wrenches_;
  Effect effect_;
};

void walk(const TemporaryFolder& folder, const WalkedRobot& robot) {
  for (const WalkedElement& element : walked_elements) {
    SCOPED_TRACE(element.name);
    const Walk one(folder, robot, element);
    one.accelerations_and_efforts();
    one.energy();
    one.equilibrium();
    one.channels();
    one.others();
  }
}

TEST(ElementWalk, OfATree) { walk({}, walked_tree()); }
TEST(ElementWalk, OfALoop) { walk({}, walked_loop()); }
TEST(ElementWalk, OfAFlexibleArm) { walk({}, walked_flexible()); }
TEST(ElementWalk, OfAFlexibleLoop) { walk({}, walked_flexible_loop()); }
TEST(ElementWalk, OfAPlatform) {
  const TemporaryFolder folder;
  walk(folder, walked_platform(folder));
}

}  // namespace
}  // namespace ulna::test::element_walk
