#include "ulna/kinematics/platform_poses.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "platform/leg_constraints.hpp"
#include "platform/leg_lines.hpp"
#include "platform/path_tracker.hpp"
#include "platform/pose_certificate.hpp"
#include "ulna/numerics/internal/rank.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

constexpr unsigned seed = 20260;  ///< fixed: the same answer every time
constexpr double longest_steps[] = {0.1, 0.02, 0.004};

/// Of two points of unit norm, which stand for the same solution up to a factor.
bool same_solution(const ComplexVector& x, const ComplexVector& y) {
  return (x - (y.adjoint() * x)(0) * y).norm() < 1e-6;
}

int place_in(const std::vector<ComplexVector>& list, const ComplexVector& x) {
  for (std::size_t k = 0; k < list.size(); ++k)
    if (same_solution(list[k], x)) return static_cast<int>(k);
  return -1;
}

/// Bounds on the number of solutions that are known as theorems. Three joints of two legs each, on
/// the platform or on the base: 16.
int bound_of(const Platform& platform, const LineQuadrics& quadrics) {
  if (platform.freedom() == PlatformFreedom::planar) return 6;
  if (platform.freedom() == PlatformFreedom::translation) return 2;
  const auto in_pairs = [&](Vector3<double> ScaledLine::*point) {
    const std::vector<ScaledLine>& lines = quadrics.scaled_lines();
    return std::all_of(lines.begin(), lines.end(), [&](const ScaledLine& one) {
      return std::count_if(lines.begin(), lines.end(), [&](const ScaledLine& other) {
               return (one.*point - other.*point).norm() < 1e-9;
             }) == 2;
    });
  };
  return in_pairs(&ScaledLine::a) || in_pairs(&ScaledLine::b) ? 16 : 40;
}

/// All solutions for one generic set of constants: from some of them, along ways through the
/// constants between two such sets. The pairs (displacement, constants) are a connected manifold,
/// so that such ways lead from each solution to every other one.
class GenericSolutions {
 public:
  GenericSolutions(const LineQuadrics& quadrics, int bound)
      : quadrics_(quadrics), tracker_(quadrics), bound_(bound), generator_(seed) {
    const ComplexVector x = quadrics.random_point(generator_);
    constants = quadrics.constants_at(x);
    solutions_[0] = {x};
    other_ = quadrics.constants_at(quadrics.random_point(generator_));
    constexpr int most_rounds = 40, enough = 4;
    for (int round = 0, idle = 0; round < most_rounds && idle < enough && !full(); ++round) {
      interruption_point();
      const std::size_t before = known();
      search();
      go(turning_point());
      idle = known() > before ? 0 : idle + 1;
    }
  }
  const std::vector<ComplexVector>& solutions() const { return solutions_[0]; }
  ComplexVector constants;

 private:
  std::size_t known() const { return solutions_[0].size() + solutions_[1].size(); }

  /// Newton's method from random points: what few ways lead to is often found so.
  void search() {
    constexpr int starts = 150;
    for (int k = 0; k < starts && !full(); ++k) {
      ComplexVector x = quadrics_.random_point(generator_);
      if (tracker_.search(x, constants) && std::abs(quadrics_.turning_square(x)) > 1e-8 &&
          place_in(solutions_[0], x) < 0)
        solutions_[0].push_back(x);
    }
  }

  bool full() const { return std::ssize(solutions_[0]) >= bound_; }

  /// Where a way turns: far out and in any direction, so that it goes around many branch points.
  ComplexVector turning_point() {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> exponent(-0.5, 1);
    ComplexVector s(quadrics_.lines());
    const double size = std::pow(10, exponent(generator_));
    for (Eigen::Index k = 0; k < s.size(); ++k)
      s(k) = size * Complex(normal(generator_), normal(generator_));
    return s;
  }

  /// Along one way, in both directions.
  void go(const ComplexVector& middle) {
    std::vector<char> met[2];  // solutions whose partner at the other end is known
    for (bool more = true; more && !full();) {
      more = false;
      for (int side = 0; side < 2; ++side) {
        for (std::size_t k = 0; k < solutions_[side].size(); ++k) {
          met[side].resize(solutions_[side].size(), 0);
          if (met[side][k]) continue;
          met[side][k] = 1;
          more = true;
          const int partner = arrive(side, solutions_[side][k], middle, met[1 - side]);
          if (partner >= 0) met[1 - side][static_cast<std::size_t>(partner)] = 1;
        }
      }
    }
  }

  /// The place of the solution at the other end, which must be no other's partner.
  int arrive(int side, const ComplexVector& x, const ComplexVector& middle,
             std::vector<char>& met) {
    for (const double longest : longest_steps) {
      const ComplexVector& from = side == 0 ? constants : other_;
      const ComplexVector& to = side == 0 ? other_ : constants;
      const TrackedPoint half = tracker_.follow(x, from, middle, longest);
      if (!half.arrived) continue;
      TrackedPoint end = tracker_.follow(half.x, middle, to, longest);
      if (!end.arrived || !tracker_.refine(end.x, to, 1e-11, 8)) continue;
      // Far out or nearly without rotation: not a solution that can be told apart.
      if (std::abs(quadrics_.turning_square(end.x)) < 1e-10) continue;
      std::vector<ComplexVector>& list = solutions_[1 - side];
      const int known = place_in(list, end.x);
      if (known < 0) {
        list.push_back(end.x);
        met.resize(list.size(), 0);
        return static_cast<int>(list.size()) - 1;
      }
      met.resize(list.size(), 0);
      if (!met[static_cast<std::size_t>(known)]) return known;
    }
    return -1;
  }

  const LineQuadrics& quadrics_;
  PathTracker tracker_;
  int bound_;
  std::mt19937_64 generator_;
  ComplexVector other_;
  std::vector<ComplexVector> solutions_[2];  ///< at `constants` and at `other_`
};

/// Quadrics, what their constants are made of, and how a pose is judged.
struct PoseProblem {
  LineQuadrics quadrics;
  std::vector<double> lengths;
  int bound;
  Pose<double> home;
  std::function<double(const Pose<double>&)> gap;  ///< largest error of a length, metres
};

/// Every solution at the constants of the drives.
class Poses {
 public:
  explicit Poses(const PoseProblem& problem)
      : problem_(problem),
        quadrics_(problem.quadrics),
        tracker_(quadrics_),
        certifier_(quadrics_, problem.lengths) {}

  PlatformPoses run() {
    result_.bound = problem_.bound;
    const GenericSolutions generic(quadrics_, result_.bound);
    result_.degree = static_cast<int>(std::ssize(generic.solutions()));
    target_ = quadrics_.constants(problem_.lengths);
    follow_all(generic);
    for (const TrackedPoint& end : ends_) take(end);
    result_.complete = result_.complex + certified() == result_.degree;
    const Pose<double>& home = problem_.home;
    std::sort(result_.poses.begin(), result_.poses.end(), [&](const auto& a, const auto& b) {
      return pose_distance(a.pose, home) < pose_distance(b.pose, home);
    });
    return std::move(result_);
  }

 private:
  int certified() const {
    return static_cast<int>(std::count_if(result_.poses.begin(), result_.poses.end(),
                                          [](const ProvenPose& p) { return p.certified; }));
  }

  /// Two ways that end at one regular solution: one of them strayed, and both are gone again with
  /// shorter steps.
  void follow_all(const GenericSolutions& generic) {
    const std::size_t count = generic.solutions().size();
    ends_.resize(count);
    std::vector<char> again(count, 1);
    for (const double longest : longest_steps) {
      for (std::size_t k = 0; k < count; ++k) {
        if (!again[k]) continue;
        interruption_point();
        ends_[k] = tracker_.follow(generic.solutions()[k], generic.constants, target_, longest);
        if (ends_[k].arrived) tracker_.refine(ends_[k].x, target_, 1e-14, 6);
      }
      std::fill(again.begin(), again.end(), 0);
      for (std::size_t k = 0; k < count; ++k)
        for (std::size_t j = 0; j < k; ++j)
          if (ends_[k].arrived && ends_[j].arrived && same_solution(ends_[k].x, ends_[j].x))
            again[k] = again[j] = 1;
      if (std::find(again.begin(), again.end(), 1) == again.end()) return;
    }
  }

  void take(const TrackedPoint& end) {
    ComplexVector x = end.x;
    if (!end.arrived) {
      // Nearly there: a multiple solution, or none at a finite place.
      const bool found = tracker_.refine(x, target_, 1e-6, 60);
      if (std::abs(quadrics_.turning_square(x)) < 1e-6 || (!found && end.left > 1e-3)) {
        ++result_.infinite;
        return;
      }
      ++result_.singular;
      add_real(x, nullptr);
      return;
    }
    if (std::abs(quadrics_.turning_square(x)) < 1e-12) {
      ++result_.infinite;
      return;
    }
    const std::optional<SolutionBox> box = certifier_.certify(x);
    if (!box) {
      ++result_.singular;
      add_real(x, nullptr);
      return;
    }
    for (const SolutionBox& other : boxes_)
      if (!PoseCertifier::distinct(*box, other)) return;  // known already
    boxes_.push_back(*box);
    if (box->real)
      add_real(box->middle, &*box);
    else
      ++result_.complex;
  }

  void add_real(ComplexVector x, const SolutionBox* box) {
    Eigen::Index most = 0;
    x.cwiseAbs().maxCoeff(&most);
    x /= x(most);
    if (!box && x.imag().norm() > 1e-3) return;
    ProvenPose found;
    const Eigen::VectorXd real = x.real();
    found.pose = quadrics_.pose(real);
    found.gap = problem_.gap(found.pose);
    if (!box) {
      if (found.gap > 1e-6 * quadrics_.scale()) return;
      for (const ProvenPose& other : result_.poses)
        if (pose_distance(other.pose, found.pose) < 1e-3) return;
    } else {
      set_bounds(real, box->radius, found);
    }
    result_.poses.push_back(found);
  }

  /// From the box to metres and radians: twice what the derivatives say.
  void set_bounds(const Eigen::VectorXd& x, double radius, ProvenPose& pose) const {
    const double e = x.head(quadrics_.turning()).norm(),
                 g = x.tail(x.size() - quadrics_.turning()).norm(), d = 2 * radius;
    pose.certified = true;
    pose.angle_bound = 2 * (2 * d / e);
    pose.position_bound = 2 * quadrics_.scale() * (2 * d / e + 6 * g * d / (e * e));
  }

  const PoseProblem& problem_;
  const LineQuadrics& quadrics_;
  PathTracker tracker_;
  PoseCertifier certifier_;
  ComplexVector target_;
  std::vector<TrackedPoint> ends_;
  std::vector<SolutionBox> boxes_;
  PlatformPoses result_;
};

/// Of more legs than freedoms: poses of as many as hold the platform, those that suit the others to
/// the digits that redundant drives are given with.
PlatformPoses of_redundant(const Platform& platform, const Eigen::VectorXd& drives) {
  constexpr double close = 1e-6;
  PlatformMotion motion(platform);
  platform.inverse(platform.data().home, motion);
  std::vector<int> chosen = rank_by_qr(platform.jacobian(motion), 1e-6).independent_rows;
  std::sort(chosen.begin(), chosen.end());
  PlatformData held = platform.data();
  held.legs.clear();
  for (const int k : chosen) held.legs.push_back(platform.data().legs[static_cast<std::size_t>(k)]);
  PlatformPoses found = platform_poses(Platform(held), drives(chosen));
  const LegLines lines = leg_lines(platform, drives);
  const double size = *std::max_element(lines.length.begin(), lines.length.end());
  std::erase_if(found.poses, [&](ProvenPose& pose) {
    pose.gap = lines.gap(platform, pose.pose);
    return pose.gap > close * size;
  });
  return found;
}

}  // namespace

PlatformPoses platform_poses(const Platform& platform, const Eigen::VectorXd& drives) {
  const LegLines lines = leg_lines(platform, drives);
  if (platform.legs() > platform.dof()) return of_redundant(platform, drives);
  PoseProblem problem{LineQuadrics(platform, lines.E), lines.length, 0, platform.data().home,
                      [&](const Pose<double>& pose) { return lines.gap(platform, pose); }};
  problem.bound = bound_of(platform, problem.quadrics);
  return Poses(problem).run();
}

std::optional<PlatformPoses> parallel_poses(const ParallelRobot& robot,
                                            const Eigen::VectorXd& drives) {
  const std::optional<std::vector<PointConstraint>> held = leg_constraints(robot, drives);
  if (!held) return {};
  const Pose<double>& home = robot.home().pose;
  PoseProblem problem{LineQuadrics(home.position, *held), {}, 40, home, {}};
  for (const PointConstraint& c : *held)
    problem.lengths.push_back(c.plane ? c.value - c.from.dot(home.position) : c.value);
  // Three points on circles: 16.
  const auto planes =
      std::count_if(held->begin(), held->end(), [](const PointConstraint& c) { return c.plane; });
  if (planes > 0) problem.bound = 16;
  problem.gap = [&](const Pose<double>& pose) {
    double worst = 0;
    for (const PointConstraint& c : *held) {
      const Vector3<double> P = pose * c.platform;
      worst = std::max(worst, std::abs((c.plane ? c.from.dot(P) : (P - c.from).norm()) - c.value));
    }
    return worst;
  };
  return Poses(problem).run();
}

}  // namespace ulna
