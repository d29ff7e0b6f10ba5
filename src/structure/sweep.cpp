#include "ulna/structure/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "ulna/numerics/internal/threads.hpp"

namespace ulna {
namespace {

struct Point {
  Eigen::VectorXd omega;
  Eigen::MatrixXd looks;  ///< displacements of all nodes in body axes, one column for each mode
  std::string warning;
};

Point solve(const StructureVariant& variant, const SweepOptions& options) {
  const RobotStructure structure(*variant.model, variant.q, options.structure);
  elastic::EigenOptions eigen;
  eigen.count = options.count;
  const elastic::NaturalModes modes = elastic::natural_modes(structure.system(), eigen);
  const elastic::BeamStructure& frame = structure.frame();
  const auto nodes = static_cast<int>(frame.nodes().size());
  Point point{modes.omega, Eigen::MatrixXd::Zero(3 * nodes, modes.count()), modes.warning};
  for (int i = 0; i < modes.count(); ++i) {
    const Eigen::VectorXd x = frame.full(modes.shapes.col(i));
    for (int k = 0; k < nodes; ++k)
      point.looks.block<3, 1>(3 * k, i) =
          structure.body_pose(structure.owner_of(k)).rotation.transpose() *
          frame.nodes()[k].map.motion(x).head<3>();
  }
  return point;
}

// |a.b|^2 / (a.a b.b) of each pair of columns.
Eigen::MatrixXd likeness(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  const Eigen::MatrixXd A = a.colwise().normalized(), B = b.colwise().normalized();
  return (A.transpose() * B).cwiseAbs2();
}

std::vector<Point> solve_all(const std::vector<StructureVariant>& variants,
                             const SweepOptions& options) {
  std::vector<Point> points(variants.size());
  std::atomic<std::size_t> next{0}, done{0};
  std::atomic<bool> stopped{false};
  std::exception_ptr failure;
  std::mutex guard;
  const auto work = [&](bool reports) {
    for (std::size_t k; !stopped && (k = next++) < variants.size();) {
      try {
        points[k] = solve(variants[k], options);
      } catch (...) {
        const std::lock_guard lock(guard);
        if (!failure) failure = std::current_exception();
        stopped = true;
      }
      ++done;
      if (!reports) continue;
      if (options.progress) options.progress(double(done) / double(variants.size()));
      if (options.stop && options.stop()) stopped = true;
    }
  };
  const unsigned wanted =
      options.threads > 0 ? unsigned(options.threads) : std::thread::hardware_concurrency();
  side_by_side(std::min<long>(wanted, std::ssize(variants)), [&](long k) { work(k == 0); });
  if (failure) std::rethrow_exception(failure);
  if (stopped) throw ComputationError("the sweep was stopped");
  return points;
}

}  // namespace

SweepResult sweep_modes(const std::vector<StructureVariant>& variants,
                        const SweepOptions& options) {
  if (variants.empty()) throw InputError("a sweep without a point");
  const std::vector<Point> points = solve_all(variants, options);
  const auto n = static_cast<int>(points.size());
  int count = options.count;
  for (const Point& p : points) count = std::min(count, static_cast<int>(p.omega.size()));
  SweepResult result;
  result.omega.resize(n, count);
  result.assurance.setOnes(n, count);
  result.order.resize(n, count);
  for (int i = 0; i < count; ++i) result.order(0, i) = i;
  result.omega.row(0) = points[0].omega.head(count).transpose();
  for (int k = 1; k < n; ++k) {
    const int from = options.previous.empty() ? k - 1 : options.previous[k];
    const Eigen::MatrixXd mac =
        likeness(points[from].looks.leftCols(count), points[k].looks.leftCols(count));
    const std::vector<int> next = elastic::follow_modes(mac);
    for (int i = 0; i < count; ++i) {
      const int before = result.order(from, i), now = options.follow ? next[before] : i;
      result.omega(k, i) = points[k].omega(now);
      result.assurance(k, i) = mac(before, now);
      result.order(k, i) = now;
    }
    if (!points[k].warning.empty()) result.warnings.push_back(points[k].warning);
  }
  return result;
}

namespace {

BodyData& beam_body(Robot& robot, const std::string& name) {
  std::vector<std::string> names;
  for (BodyData& body : robot.bodies) {
    if (body.beams.empty()) continue;
    if (body.name == name) return body;
    names.push_back(body.name);
  }
  throw InputError("no body '" + name + "' with a beam", "the name of an elastic link",
                   nearest_name_hint(name, names));
}

}  // namespace

Robot with_payload_mass(Robot robot, const std::string& payload, double mass) {
  for (PayloadData& load : robot.payloads)
    if (payload.empty() || load.name == payload) {
      load.inertial.mass = mass;
      return robot;
    }
  throw InputError(payload.empty() ? "the robot has no payload" : "no payload '" + payload + "'",
                   "payloads: in the robot file");
}

Robot with_material(Robot robot, const std::string& body, const std::string& material) {
  const std::optional<Material> found = material_named(material);
  if (!found)
    throw InputError("unknown material '" + material + "'", "a material of docs/robot-file.md",
                     nearest_name_hint(material, material_names()));
  for (BeamData& beam : beam_body(robot, body).beams) {
    if (beam.products)
      throw InputError("body '" + body + "' has products EA, EI, ...: no material to change");
    beam.material = found;
  }
  return robot;
}

Robot with_section_ratio(Robot robot, const std::string& body, double ratio) {
  if (!(ratio > 1)) throw InputError("a ratio of outer to inner size that is not above 1");
  for (BeamData& beam : beam_body(robot, body).beams)
    for (Section& s : beam.sections) {
      if (s.shape != Section::Shape::tube && s.shape != Section::Shape::box)
        throw InputError("body '" + body + "' has a section without an inner size",
                         "tubes and boxes");
      const Section before = numbers_of(s);
      const bool polar = s.J && *s.J == *before.Iy + *before.Iz;
      s.inner_height = s.height / ratio;
      s.inner_width = s.width / ratio;
      const Section after = numbers_of(s);
      if (polar) s.J = *after.Iy + *after.Iz;
    }
  return robot;
}

}  // namespace ulna
