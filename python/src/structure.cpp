// Robot: the matrices of the elastic frame, condensation, statics and frequency response.

#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "bindings.hpp"
#include "names.hpp"
#include "structure_arguments.hpp"
#include "ulna/elastic/condense.hpp"
#include "ulna/elastic/internal/modal_superposition.hpp"
#include "ulna/elastic/natural_modes.hpp"
#include "ulna/elastic/response.hpp"
#include "ulna/structure/internal/response_point.hpp"
#include "ulna/structure/load_factors.hpp"
#include "ulna/structure/member_stress.hpp"
#include "ulna/structure/statics.hpp"
#include "ulna/structure/structure_modes.hpp"

namespace ulna::python {
namespace {

constexpr double hertz = 1 / (2 * std::numbers::pi);

std::vector<std::string> names_of(const elastic::SystemMatrices& system,
                                  const std::vector<int>& freedoms) {
  std::vector<std::string> names;
  for (const int k : freedoms) names.push_back(system.name(k));
  return names;
}

/// Zero where there is no damping.
Eigen::MatrixXd damping_of(const elastic::SystemMatrices& system) {
  if (system.C.rows() == 0) return Eigen::MatrixXd::Zero(system.size(), system.size());
  return system.C;
}

py::object matrices(RobotHandle& robot, const py::object& q, const py::object& locked,
                    const py::object& elastic, const std::string& theory, const std::string& mass,
                    bool rotatory, const py::object& freedoms) {
  const StructureOptions options =
      structure_options(robot, locked, elastic, theory, mass, rotatory, freedoms);
  const int nq = robot.model->coordinates();
  py::object owner;
  const States<3> states = posture_and_motion(robot, q, py::none(), py::none(), owner);
  const auto found = stacked(robot, states, 1, [&](Context& c, const auto& x) {
    return frame_at(c, ConstVector(x[0], nq), options).system();
  });
  using System = elastic::SystemMatrices;
  return result_class("StructureMatrices")(
      found.matrices([](const System& s) { return Eigen::MatrixXd(s.M); }),
      found.matrices(damping_of),
      found.matrices([](const System& s) { return Eigen::MatrixXd(s.K); }), found.at[0].names);
}

struct Condensed {
  elastic::Reduction reduction;
  elastic::ReducedSystem system;
  Eigen::VectorXd exact, omega;
  std::vector<std::string> masters;
};

/// How many coordinates: those asked for, or 12 where the frame has as many. Craig-Bampton keeps
/// all of its interface.
int kept_coordinates(std::optional<int> keep, const std::string& method, int freedoms,
                     std::size_t interface) {
  const int least = method == "craig-bampton" ? std::max(1, static_cast<int>(interface)) : 1;
  if (!keep) return std::clamp(12, std::min(least, freedoms), freedoms);
  if (*keep < least || *keep > freedoms)
    throw InputError(Problem{{},
                             "keep",
                             std::to_string(*keep) + " found",
                             std::to_string(least) + " to " + std::to_string(freedoms) +
                                 ", as many as the structure has freedoms",
                             {}});
  return *keep;
}

py::object condense(RobotHandle& robot, const py::object& q, const std::string& method,
                    std::optional<int> keep, int count, const py::object& interface,
                    const py::object& frequency, const py::object& locked,
                    const py::object& elastic, const std::string& theory, const std::string& mass,
                    bool rotatory, const py::object& freedoms) {
  const std::vector<std::string> known = elastic::condensation_methods();
  std::vector<const char*> names;
  for (const std::string& name : known) names.push_back(name.c_str());
  choice(method, names, "method");
  if (count < 1) throw InputError(Problem{{}, "count", "is not positive", "1 or more", {}});
  const StructureOptions options =
      structure_options(robot, locked, elastic, theory, mass, rotatory, freedoms);
  const int frame =
      frame_argument(robot, interface.is_none() ? nullptr : interface.ptr(), "interface");
  const double exact_at =
      frequency.is_none() ? -1 : number_argument(frequency, "frequency") / hertz;
  const int nq = robot.model->coordinates();
  py::object owner;
  const States<3> states = posture_and_motion(robot, q, py::none(), py::none(), owner);
  const auto found = stacked(robot, states, 1, [&](Context& c, const auto& x) {
    const RobotStructure structure = frame_at(c, ConstVector(x[0], nq), options);
    const elastic::SystemMatrices system = structure.system();
    std::vector<int> kept;  // freedoms tied by loops have no place of their own
    if (structure.frame().size() == structure.frame().freedoms())
      kept = structure.frame().nodes()[structure.node_of(frame)].map.freedoms;
    Condensed one;
    one.exact = elastic::natural_modes(system, {.count = count}).omega;
    one.reduction = elastic::condense(system, method,
                                      kept_coordinates(keep, method, system.size(), kept.size()),
                                      kept, exact_at < 0 ? one.exact(0) : exact_at);
    one.system = elastic::reduce(system, one.reduction);
    one.omega =
        elastic::natural_modes(elastic::reduced_system(system, one.reduction), {.count = count})
            .omega;
    one.masters = names_of(system, one.reduction.masters);
    return one;
  });
  return result_class("Condensation")(
      method, found.matrices([](const Condensed& f) { return f.reduction.T; }),
      found.matrices([](const Condensed& f) { return f.system.M; }),
      found.matrices([](const Condensed& f) { return f.system.C; }),
      found.matrices([](const Condensed& f) { return f.system.K; }),
      found.objects(&Condensed::masters), found.at[0].reduction.modal,
      found.vectors(&Condensed::omega), found.vectors(&Condensed::exact));
}

struct Bent {
  Eigen::VectorXd motion;
  Matrix6<double> compliance;
  std::vector<Eigen::MatrixXd> members;  ///< 2 x 6 each
  Eigen::MatrixXd nodes;
  std::vector<std::string> elements, node_names, beams;
  Eigen::MatrixXd stress;  ///< of each beam: station, von Mises, normal, shear
};

void add_stresses(const RobotStructure& structure, const StaticDeflection& found, Bent& out) {
  const std::vector<MemberStress> members = member_stresses(structure, found);
  out.stress.setConstant(std::ssize(members), 4, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < members.size(); ++k) {
    const MemberStress& m = members[k];
    out.beams.push_back(m.beam.empty() ? m.body : m.body + "." + m.beam);
    const auto row = static_cast<Eigen::Index>(k);
    out.stress(row, 0) = m.station;
    if (m.stress)
      out.stress.row(row).tail<3>() << m.stress->von_mises, m.stress->normal, m.stress->shear;
  }
}

Bent bent(const RobotStructure& structure, const ConstVector& q, const StaticLoad& load,
          int frame) {
  Bent out;
  const StaticDeflection found = static_deflection(structure, q, load);
  const elastic::BeamStructure& net = structure.frame();
  out.motion = net.node_motion(structure.node_of(frame), found.freedoms);
  out.compliance = compliance(structure, frame);
  for (const StressResultants& member : found.members) {
    Eigen::MatrixXd ends(2, 6);
    ends << member.start.transpose(), member.end.transpose();
    out.members.push_back(ends);
    out.elements.push_back(member.element);
  }
  out.nodes.resize(static_cast<Eigen::Index>(net.nodes().size()), 6);
  const Eigen::VectorXd all = net.full(found.freedoms);
  for (std::size_t k = 0; k < net.nodes().size(); ++k) {
    out.nodes.row(static_cast<Eigen::Index>(k)) = net.nodes()[k].map.motion(all).transpose();
    out.node_names.push_back(net.nodes()[k].name);
  }
  add_stresses(structure, found, out);
  return out;
}

/// {frame: (fx, fy, fz) or (mx, my, mz, fx, fy, fz)}, world axes: the moment first, as everywhere.
std::vector<std::pair<int, Vector6<double>>> forces_argument(const RobotHandle& robot,
                                                             const py::object& forces) {
  std::vector<std::pair<int, Vector6<double>>> out;
  if (forces.is_none()) return out;
  if (!py::isinstance<py::dict>(forces))
    throw py::type_error(
        "forces must be a dict: {frame: (fx, fy, fz) or (mx, my, mz, fx, fy, fz)}");
  for (const auto& [name, value] : entries_of(forces)) {
    const Eigen::VectorXd given = vector_of(value, "forces");
    if (given.size() != 3 && given.size() != 6)
      throw InputError(Problem{{},
                               "forces",
                               "has entries of " + std::to_string(given.size()) + " numbers",
                               "a force (3,), or moment and force (6,)",
                               {}});
    Vector6<double> six = Vector6<double>::Zero();
    six.head<3>() = given.tail<3>();  // the structure takes the force first
    if (given.size() == 6) six.tail<3>() = given.head<3>();
    out.emplace_back(frame_argument(robot, name.ptr(), "forces"), six);
  }
  return out;
}

py::object statics(RobotHandle& robot, const py::object& q, const py::object& v,
                   const py::object& a, const py::object& frame, bool gravity,
                   const py::object& forces, const py::object& locked, const py::object& elastic,
                   const std::string& theory, const std::string& mass, bool rotatory,
                   const py::object& freedoms) {
  const StructureOptions options =
      structure_options(robot, locked, elastic, theory, mass, rotatory, freedoms);
  const int of = frame_argument(robot, frame.is_none() ? nullptr : frame.ptr(), "frame");
  StaticLoad load;
  load.gravity = gravity;
  load.forces = forces_argument(robot, forces);
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  py::object owner;
  const States<3> states = posture_and_motion(robot, q, v, a, owner);
  const auto found = stacked(robot, states, 1, [&](Context& c, const auto& x) {
    StaticLoad mine = load;
    mine.motion = {ConstVector(x[1], nv), ConstVector(x[2], nv)};
    const ConstVector at(x[0], nq);
    return bent(frame_at(c, at, options), at, mine, of);
  });
  return result_class("StaticDeflection")(
      robot.model->frames()[of].name, found.vectors(&Bent::motion),
      found.matrices(&Bent::compliance), found.planes(&Bent::members), found.at[0].elements,
      found.matrices(&Bent::nodes), found.at[0].node_names, found.at[0].beams,
      found.vectors([](const Bent& b) { return Eigen::VectorXd(b.stress.col(0)); }),
      found.vectors([](const Bent& b) { return Eigen::VectorXd(b.stress.col(1)); }),
      found.vectors([](const Bent& b) { return Eigen::VectorXd(b.stress.col(2)); }),
      found.vectors([](const Bent& b) { return Eigen::VectorXd(b.stress.col(3)); }));
}

/// Fewer factors than asked for leave NaN, so that a batch has one shape.
py::object factors(RobotHandle& robot, const py::object& q, const py::object& v,
                   const py::object& a, int count, bool gravity, const py::object& forces,
                   const py::object& locked, const py::object& elastic, const std::string& theory,
                   const std::string& mass, bool rotatory, const py::object& freedoms) {
  if (count < 1 || count > 100'000)
    throw InputError(Problem{{}, "count", fmt::format("is {}", count), "1 to 100000", {}});
  const StructureOptions options =
      structure_options(robot, locked, elastic, theory, mass, rotatory, freedoms);
  StaticLoad load;
  load.gravity = gravity;
  load.forces = forces_argument(robot, forces);
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  py::object owner;
  const States<3> states = posture_and_motion(robot, q, v, a, owner);
  const auto found = stacked(robot, states, 1, [&](Context& c, const auto& x) {
    StaticLoad mine = load;
    mine.motion = {ConstVector(x[1], nv), ConstVector(x[2], nv)};
    const ConstVector at(x[0], nq);
    const Eigen::VectorXd some = load_factors(frame_at(c, at, options), at, mine, count).factor;
    Eigen::VectorXd all =
        Eigen::VectorXd::Constant(count, std::numeric_limits<double>::quiet_NaN());
    all.head(some.size()) = some;
    return all;
  });
  return found.vectors([](const Eigen::VectorXd& f) { return f; });
}

/// {beam: (3, 3)}, rows x, y, z of the member in the world.
py::dict cosines(RobotHandle& robot, const py::object& q, const std::string& method) {
  const int nq = robot.model->coordinates();
  py::object owner;
  const States<3> states = posture_and_motion(robot, q, py::none(), py::none(), owner);
  const auto found = stacked(robot, states, 1, [&](Context& c, const auto& x) {
    return member_cosines(frame_at(c, ConstVector(x[0], nq), {}), method);
  });
  py::dict out;
  for (std::size_t k = 0; k < found.at[0].size(); ++k)
    out[py::str(found.at[0][k].beam)] = found.matrices(
        [k](const std::vector<MemberCosines>& all) { return Eigen::MatrixXd(all[k].rows); });
  return out;
}

/// Modal damping (default: 0.01 of critical, 0 with rayleigh), and (a, b) of mass and stiffness.
StructureDamping damping_from(const std::optional<double>& ratio, const py::object& rayleigh) {
  StructureDamping added;
  added.ratio = ratio ? *ratio : rayleigh.is_none() ? 0.01 : 0.0;
  if (!(added.ratio >= 0 && added.ratio < 1))
    throw InputError(
        Problem{{}, "damping", fmt::format("{} found", added.ratio), "0 or more and below 1", {}});
  if (rayleigh.is_none()) return added;
  const Eigen::VectorXd ab = vector_of(rayleigh, "rayleigh", 2, ", of mass and of stiffness");
  if (!ab.allFinite() || (ab.array() < 0).any())
    throw InputError(Problem{{},
                             "rayleigh",
                             fmt::format("{}, {} found", ab(0), ab(1)),
                             "two numbers that are not negative",
                             {}});
  added.mass = ab(0), added.stiffness = ab(1);
  return added;
}

/// The modes that answer forces; their own damping is the ratio, the rest is in the matrices.
elastic::ModalSuperposition answering_modes(const RobotStructure& structure,
                                            StructureDamping damping, int count) {
  const double ratio = std::exchange(damping.ratio, 0.0);
  return {damped_system(structure, damping), ratio, count};
}

py::object response(RobotHandle& robot, const std::string& from, const std::string& to,
                    const py::object& frequencies, const py::object& q,
                    const std::optional<double>& damping, const py::object& rayleigh, int count,
                    const py::object& locked, const py::object& elastic, const std::string& theory,
                    const std::string& mass, bool rotatory, const py::object& freedoms) {
  const StructureOptions options =
      structure_options(robot, locked, elastic, theory, mass, rotatory, freedoms);
  const Eigen::VectorXd omega = vector_of(frequencies, "frequencies") / hertz;
  if (!omega.allFinite())
    throw InputError(
        Problem{{}, "frequencies", "holds a number that is not finite", "finite frequencies", {}});
  const StructureDamping added = damping_from(damping, rayleigh);
  if (count < 0) throw InputError(Problem{{}, "count", "is negative", "0 for all modes", {}});
  const int nq = robot.model->coordinates();
  py::object owner;
  const States<3> states = posture_and_motion(robot, q, py::none(), py::none(), owner);
  const auto found = stacked(robot, states, 1, [&](Context& c, const auto& x) {
    const RobotStructure structure = frame_at(c, ConstVector(x[0], nq), options);
    return answering_modes(structure, added, count)
        .frequency_response(response_point(structure, from), response_point(structure, to), omega);
  });
  const py::object real = found.vectors([](const auto& h) { return Eigen::VectorXd(h.real()); });
  const py::object imag = found.vectors([](const auto& h) { return Eigen::VectorXd(h.imag()); });
  return real + py::cast(std::complex<double>(0, 1)) * imag;
}

/// A force in time: straight between the times, and a blow at the first.
struct ForceHistory {
  Eigen::VectorXd force;
  double impulse = 0;
};

ForceHistory history_of(const py::object& load, double amplitude, Eigen::Index count) {
  if (!py::isinstance<py::str>(load))
    return {amplitude * vector_of(load, "load", count, ", one force for each time"), 0};
  constexpr const char* kinds[] = {"step", "impulse"};
  if (choice(load.cast<std::string>(), kinds, "load") == 0)
    return {Eigen::VectorXd::Constant(count, amplitude), 0};
  return {Eigen::VectorXd::Zero(count), amplitude};
}

Eigen::VectorXd rising_times(const py::object& times) {
  const Eigen::VectorXd t = vector_of(times, "times");
  bool rising = t.size() >= 2 && t.allFinite();
  for (Eigen::Index k = 1; rising && k < t.size(); ++k) rising = t(k) > t(k - 1);
  if (!rising)
    throw InputError(
        Problem{{}, "times", "do not increase", "two or more times in ascending order", {}});
  return t;
}

py::object transient(RobotHandle& robot, const std::string& from, const py::object& to,
                     const py::object& times, const py::object& q, const py::object& load,
                     double amplitude, const std::optional<double>& damping,
                     const py::object& rayleigh, int count, const py::object& locked,
                     const py::object& elastic, const std::string& theory, const std::string& mass,
                     bool rotatory, const py::object& freedoms) {
  const StructureOptions options =
      structure_options(robot, locked, elastic, theory, mass, rotatory, freedoms);
  const Eigen::VectorXd t = rising_times(times);
  const ForceHistory history = history_of(load, amplitude, t.size());
  if (!std::isfinite(amplitude))
    throw InputError(
        Problem{{}, "amplitude", fmt::format("{} found", amplitude), "a finite number", {}});
  const StructureDamping added = damping_from(damping, rayleigh);
  if (count < 0) throw InputError(Problem{{}, "count", "is negative", "0 for all modes", {}});
  const std::vector<std::string> places = texts_argument(to, "to");
  const int nq = robot.model->coordinates();
  py::object owner;
  const States<3> states = posture_and_motion(robot, q, py::none(), py::none(), owner);
  const auto found = stacked(robot, states, 1, [&](Context& c, const auto& x) {
    const RobotStructure structure = frame_at(c, ConstVector(x[0], nq), options);
    Eigen::MatrixXd outputs(structure.frame().size(), std::ssize(places));
    for (std::size_t k = 0; k < places.size(); ++k)
      outputs.col(static_cast<Eigen::Index>(k)) = response_point(structure, places[k]);
    return answering_modes(structure, added, count)
        .transient(response_point(structure, from), outputs, t, history.force, history.impulse);
  });
  const bool one = py::isinstance<py::str>(to);
  return one ? found.vectors([](const Eigen::MatrixXd& x) { return Eigen::VectorXd(x.col(0)); })
             : found.matrices([](const Eigen::MatrixXd& x) { return x; });
}

}  // namespace

void add_structure(RobotClass& robot) {
  const py::none none;
  robot
      .def("structure_matrices", &matrices, py::arg("q") = none, py::kw_only(),
           py::arg("locked") = none, py::arg("elastic") = none,
           py::arg("theory") = "euler-bernoulli", py::arg("mass") = "consistent",
           py::arg("rotatory") = false, py::arg("freedoms") = none,
           "M, C and K of the robot as an elastic structure at a posture, and the names of its "
           "freedoms.")
      .def("condense", &condense, py::arg("q") = none, py::kw_only(), py::arg("method") = "guyan",
           py::arg("keep") = none, py::arg("count") = 6, py::arg("interface") = none,
           py::arg("frequency") = none, py::arg("locked") = none, py::arg("elastic") = none,
           py::arg("theory") = "euler-bernoulli", py::arg("mass") = "consistent",
           py::arg("rotatory") = false, py::arg("freedoms") = none,
           "Reduced-order model of the elastic structure: x = T y.\n\nmethod: 'guyan', "
           "'guyan-one-shot', 'irs', 'dynamic' (exact at `frequency` in Hz,\nby default the "
           "first), 'craig-bampton' (keeps the freedoms of the frame `interface`), 'serep'. "
           "keep: the\nsize of the model (default: 12, or all if there are fewer). count: number "
           "of frequencies\nto compare. Joints and freedoms as in modes.")
      .def("static_deflection", &statics, py::arg("q") = none, py::arg("v") = none,
           py::arg("a") = none, py::kw_only(), py::arg("frame") = none, py::arg("gravity") = true,
           py::arg("forces") = none, py::arg("locked") = "all", py::arg("elastic") = none,
           py::arg("theory") = "euler-bernoulli", py::arg("mass") = "consistent",
           py::arg("rotatory") = false, py::arg("freedoms") = none,
           "Static deflection of the elastic structure under gravity, the inertia of a motion and "
           "forces at frames\n{frame: (fx, fy, fz) or (mx, my, mz, fx, fy, fz)}, world axes; the "
           "compliance of a frame, the stress\nresultants of the members, and the largest von "
           "Mises stress of every beam.\nComputationError if a free joint is not held.")
      .def("load_factors", &factors, py::arg("q") = none, py::arg("v") = none, py::arg("a") = none,
           py::kw_only(), py::arg("count") = 1, py::arg("gravity") = true, py::arg("forces") = none,
           py::arg("locked") = "all", py::arg("elastic") = none,
           py::arg("theory") = "euler-bernoulli", py::arg("mass") = "consistent",
           py::arg("rotatory") = false, py::arg("freedoms") = none,
           "Factors by which the load of static_deflection may grow until the elastic structure "
           "buckles,\nsmallest first; nan where there are fewer.")
      .def("direction_cosines", &cosines, py::arg("q") = none, py::kw_only(),
           py::arg("method") = "cross-product",
           "Axes of every beam in the world, {beam: (3, 3)} with rows x, y, z. method: "
           "'cross-product',\n"
           "'euler-angles', 'one-rotation', 'orthogonality', 'angle' or 'plane'.")
      .def("frequency_response", &response, py::arg("from_"), py::arg("to"), py::arg("frequencies"),
           py::arg("q") = none, py::kw_only(), py::arg("damping") = none,
           py::arg("rayleigh") = none, py::arg("count") = 0, py::arg("locked") = none,
           py::arg("elastic") = none, py::arg("theory") = "euler-bernoulli",
           py::arg("mass") = "consistent", py::arg("rotatory") = false, py::arg("freedoms") = none,
           "Motion at `to` per force at `from_` for frequencies in Hz, complex. Both are a frame "
           "with a\n"
           "direction ('tip.z', 'tip.rx') or a free joint. damping and rayleigh as in "
           "transient_response.\ncount: modes used; 0: all.")
      .def("transient_response", &transient, py::arg("from_"), py::arg("to"), py::arg("times"),
           py::arg("q") = none, py::kw_only(), py::arg("load") = "step", py::arg("amplitude") = 1.0,
           py::arg("damping") = none, py::arg("rayleigh") = none, py::arg("count") = 0,
           py::arg("locked") = none, py::arg("elastic") = none,
           py::arg("theory") = "euler-bernoulli", py::arg("mass") = "consistent",
           py::arg("rotatory") = false, py::arg("freedoms") = none,
           "Motion at `to` in time, from rest, under a force or effort at `from_`: shape (times,), "
           "or\n(times, k) for a list of k places, as of frequency_response.\n\nload: 'step', "
           "'impulse', or the force at each time, straight in between; amplitude multiplies\nit. "
           "damping: modal damping ratio, added to the dampers of joints (default: 0.01, or 0 "
           "with rayleigh);\nrayleigh: (a, b) for a times mass plus b times stiffness. count: "
           "number of modes; 0: all.");
}

}  // namespace ulna::python
