#include "ulna/elastic/modal_body.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "quadrature.hpp"

namespace ulna {
namespace {

[[noreturn]] void refuse(const BeamData& beam, const std::string& element, const std::string& found,
                         const std::string& expected, const std::string& hint = {}) {
  throw InputError(Problem{beam.mark, element, found, expected, hint});
}

/// The rigid bodies at the end of the axis, as bending in one plane feels them. `across` is the
/// normal of the plane in body axes.
TipBody tip_of(const BeamData& beam, const Vector3<double>& along, const Vector3<double>& across) {
  const BeamProperties p = properties_of(beam);
  const double l = beam.length();
  double mass = 0, moment = 0, second = 0;
  for (const AttachedBody& body : beam.attached) {
    if (body.station < 1) continue;
    const double offset = body.inertial.centre.dot(along);
    mass += body.inertial.mass;
    moment += body.inertial.mass * offset;
    second += across.dot(body.inertial.inertia * across) + body.inertial.mass * offset * offset;
  }
  if (mass == 0) return {0, 0, second / (p.mass * l * l * l)};
  const double offset = moment / mass;
  return {mass / (p.mass * l), offset / l,
          (second - mass * offset * offset) / (p.mass * l * l * l)};
}

/// Columns sampled at the places of a quadrature, times the root of its weights, and their
/// coordinates in an orthonormal basis of what they span.
class Basis {
 public:
  explicit Basis(long samples) : samples_(samples) {}

  /// Coordinates of a column; the basis grows where it holds something new.
  int add(const Eigen::VectorXd& column) {
    Eigen::VectorXd rest = column, coordinates = Eigen::VectorXd::Zero(size());
    for (int pass = 0; pass < 2; ++pass)
      for (int g = 0; g < size(); ++g) {
        const double share = basis_[g].dot(rest);
        coordinates(g) += share;
        rest -= share * basis_[g];
      }
    const double norm = rest.norm();
    if (norm > 1e-12 * column.norm()) {
      basis_.push_back(rest / norm);
      coordinates.conservativeResize(size());
      coordinates(size() - 1) = norm;
    }
    columns_.push_back(coordinates);
    return static_cast<int>(columns_.size()) - 1;
  }
  int size() const { return static_cast<int>(basis_.size()); }
  double coordinate(int column, int g) const {
    return g < columns_[column].size() ? columns_[column](g) : 0;
  }
  long samples() const { return samples_; }

 private:
  long samples_;
  std::vector<Eigen::VectorXd> basis_, columns_;
};

/// Everything the integrals need, sampled once.
class Builder {
 public:
  Builder(const BeamData& beam, const std::string& element)
      : beam_(beam), element_(element), modes_(modes_of(beam)), l_(beam.length()) {
    for (const ModeShape& m : modes_.bending_y.modes) shapes_.push_back({&m, y});
    for (const ModeShape& m : modes_.bending_z.modes) shapes_.push_back({&m, z});
    for (const ModeShape& m : modes_.torsion.modes) shapes_.push_back({&m, twist});
    for (const ModeShape& m : modes_.axial.modes) shapes_.push_back({&m, stretch});
    k_ = static_cast<int>(shapes_.size());
    sample();
  }

  ModalBody build() {
    body_.modes = k_;
    body_.length = l_;
    body_.X_BR = {section_axes(beam_), beam_.from};
    body_.turns_at_root = beam_.flexible->family == ModeFamily::pinned_pinned;
    name_modes();
    masses();
    spins();
    strains();
    damping();
    keep_functions();
    return std::move(body_);
  }

 private:
  enum Kind { y, z, twist, stretch };
  struct Shape {
    const ModeShape* mode;
    Kind kind;
  };

  static bool same_plane(const Shape& a, const Shape& b) {
    return a.kind == b.kind && (a.kind == y || a.kind == z);
  }

  void sample() {
    double largest = 0;
    for (const Shape& s : shapes_) largest = std::max(largest, s.mode->lambda);
    std::vector<double> cuts;
    const int pieces =
        beam_.sections.size() > 1 || beam_.flexible->family == ModeFamily::finite_element
            ? beam_.elements
            : 1;
    for (int c = 0; c <= pieces; ++c) cuts.push_back(l_ * c / pieces);
    points_ = panel_quadrature(cuts, 2 + static_cast<int>(largest) / (3 * pieces));
    const auto n = static_cast<long>(points_.x.size());
    root_rho_.resize(n), root_spin_.resize(n);
    for (Eigen::VectorXd* v : {&EIy_, &EIz_, &GJ_, &EA_}) v->resize(n);
    for (long p = 0; p < n; ++p) {
      const int e =
          std::min(beam_.elements - 1, static_cast<int>(points_.x[p] / l_ * beam_.elements));
      const BeamProperties at = properties_of(beam_, e);
      root_rho_(p) = std::sqrt(points_.w[p] * at.mass);
      root_spin_(p) = std::sqrt(points_.w[p] * at.polar_inertia);
      EIy_(p) = points_.w[p] * at.EIy;
      EIz_(p) = points_.w[p] * at.EIz;
      GJ_(p) = points_.w[p] * at.GJ;
      EA_(p) = points_.w[p] * at.EA;
    }
    values_.resize(n, k_), slopes_.resize(n, k_), curvatures_.resize(n, k_);
    for (int i = 0; i < k_; ++i)
      for (long p = 0; p < n; ++p) {
        const ShapeValue v = shapes_[i].mode->at(points_.x[p]);
        values_(p, i) = v.value, slopes_(p, i) = v.slope, curvatures_(p, i) = v.curvature;
      }
    check_stiffness();
  }

  void check_stiffness() const {
    const auto need = [&](const ModeSet& set, const Eigen::VectorXd& stiffness, const char* what) {
      if (!set.modes.empty() && !(stiffness.minCoeff() > 0))
        refuse(beam_, element_, fmt::format("flexible, but {} is not given", what),
               fmt::format("a positive {}", what));
    };
    need(modes_.bending_y, EIz_, "EIz (bending along y)");
    need(modes_.bending_z, EIy_, "EIy (bending along z)");
    need(modes_.torsion, GJ_, "GJ (torsion)");
    need(modes_.axial, EA_, "EA (stretching)");
    if (!(root_rho_.minCoeff() > 0))
      refuse(beam_, element_, "flexible, but without mass per length", "a positive mass");
  }

  void name_modes() {
    const char letters[] = {'y', 'z', 't', 'x'};
    int counts[4] = {0, 0, 0, 0};
    for (const Shape& s : shapes_)
      body_.names.push_back(fmt::format("{}{}", letters[s.kind], ++counts[s.kind]));
  }

  /// beta_ij(x) = int_0^x phi_i' phi_j' at all places.
  Eigen::VectorXd beta(int i, int j) const {
    const long n = root_rho_.size();
    Eigen::VectorXd out(n);
    double before = 0, panel = 0;
    for (long p = 0; p < n; ++p) {
      const double start = points_.panel_start[p];
      if (p > 0 && start != points_.panel_start[p - 1]) before += panel, panel = 0;
      const ModeShape &a = *shapes_[i].mode, &b = *shapes_[j].mode;
      out(p) = before + integral([&](double x) { return a.at(x).slope * b.at(x).slope; }, start,
                                 points_.x[p]);
      panel += points_.w[p] * slopes_(p, i) * slopes_(p, j);
    }
    return out;
  }

  /// eq. 7, 8: the generalised points.
  void masses() {
    const long n = root_rho_.size();
    Basis basis(n);
    const Eigen::Map<const Eigen::VectorXd> x(points_.x.data(), n);
    const int one = basis.add(root_rho_), along = basis.add(root_rho_.cwiseProduct(x));
    std::vector<int> column(k_, -1);
    std::vector<std::vector<int>> pair(k_, std::vector<int>(k_, -1));
    for (int i = 0; i < k_; ++i)
      if (shapes_[i].kind != twist) column[i] = basis.add(root_rho_.cwiseProduct(values_.col(i)));
    for (int i = 0; i < k_; ++i)
      for (int j = i; j < k_; ++j)
        if (same_plane(shapes_[i], shapes_[j]))
          pair[i][j] = pair[j][i] = basis.add(root_rho_.cwiseProduct(beta(i, j)));

    const int points = body_.points = basis.size();
    body_.linear.assign(3 * points * k_, 0);
    body_.quadratic.assign(points * k_ * k_, 0);
    const int axis[] = {1, 2, -1, 0};
    for (int g = 0; g < points; ++g) {
      body_.share.push_back(basis.coordinate(one, g));
      body_.place.push_back(basis.coordinate(along, g));
      for (int i = 0; i < k_; ++i) {
        if (column[i] >= 0)
          body_.linear[(3 * g + axis[shapes_[i].kind]) * k_ + i] = basis.coordinate(column[i], g);
        for (int j = 0; j < k_; ++j)
          if (pair[i][j] >= 0)
            body_.quadratic[(g * k_ + i) * k_ + j] = -basis.coordinate(pair[i][j], g);
      }
    }
  }

  /// eq. 9: the sections turn about the axis with the body and with the torsion modes.
  void spins() {
    if (!(root_spin_.maxCoeff() > 0)) {
      if (!modes_.torsion.modes.empty())
        refuse(beam_, element_, "torsion modes, but its sections have no polar inertia",
               "a section, or EA beside EIy and EIz", "torsion: 0 leaves twisting out");
      return;
    }
    Basis basis(root_spin_.size());
    const int one = basis.add(root_spin_);
    std::vector<int> column(k_, -1);
    for (int i = 0; i < k_; ++i)
      if (shapes_[i].kind == twist) column[i] = basis.add(root_spin_.cwiseProduct(values_.col(i)));
    body_.spins = basis.size();
    for (int s = 0; s < body_.spins; ++s) {
      body_.spin_share.push_back(basis.coordinate(one, s));
      for (int i = 0; i < k_; ++i)
        body_.spin_linear.push_back(column[i] >= 0 ? basis.coordinate(column[i], s) : 0);
    }
  }

  /// Linear stiffness of one kind of deformation.
  Eigen::MatrixXd linear_stiffness(bool with_bending) const {
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(k_, k_);
    for (int i = 0; i < k_; ++i)
      for (int j = 0; j < k_; ++j) {
        if (shapes_[i].kind != shapes_[j].kind) continue;
        const Kind kind = shapes_[i].kind;
        if (kind == y && with_bending)
          K(i, j) = EIz_.dot(curvatures_.col(i).cwiseProduct(curvatures_.col(j)));
        if (kind == z && with_bending)
          K(i, j) = EIy_.dot(curvatures_.col(i).cwiseProduct(curvatures_.col(j)));
        if (kind == twist) K(i, j) = GJ_.dot(slopes_.col(i).cwiseProduct(slopes_.col(j)));
        if (kind == stretch) K(i, j) = EA_.dot(slopes_.col(i).cwiseProduct(slopes_.col(j)));
      }
    return K;
  }

  /// eq. 10, 11: the bending moments turn with the twisted section: K3 = v'' + phi w'',
  /// K2 = -(w'' - phi v''). Only with both planes and torsion is there anything to couple.
  void strains() {
    const bool coupled = !modes_.torsion.modes.empty() && !modes_.bending_y.modes.empty() &&
                         !modes_.bending_z.modes.empty();
    store(linear_stiffness(!coupled), body_.stiffness);
    if (!coupled) return;
    const long n = root_rho_.size();
    const Eigen::VectorXd root_z = EIz_.cwiseSqrt(), root_y = EIy_.cwiseSqrt();
    Basis basis(2 * n);
    const auto stacked = [&](const Eigen::VectorXd& in_z, const Eigen::VectorXd& in_y) {
      Eigen::VectorXd both(2 * n);
      both << root_z.cwiseProduct(in_z), root_y.cwiseProduct(in_y);
      return both;
    };
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(n);
    std::vector<int> column(k_, -1);
    std::vector<std::vector<int>> pair(k_, std::vector<int>(k_, -1));
    for (int i = 0; i < k_; ++i) {
      if (shapes_[i].kind == y) column[i] = basis.add(stacked(curvatures_.col(i), none));
      if (shapes_[i].kind == z) column[i] = basis.add(stacked(none, curvatures_.col(i)));
    }
    for (int t = 0; t < k_; ++t) {
      if (shapes_[t].kind != twist) continue;
      for (int i = 0; i < k_; ++i) {
        const Eigen::VectorXd product = values_.col(t).cwiseProduct(curvatures_.col(i));
        if (shapes_[i].kind == z) pair[t][i] = pair[i][t] = basis.add(stacked(product, none));
        if (shapes_[i].kind == y) pair[t][i] = pair[i][t] = basis.add(stacked(none, -product));
      }
    }
    body_.strains = basis.size();
    for (int h = 0; h < body_.strains; ++h) {
      for (int i = 0; i < k_; ++i)
        body_.strain_linear.push_back(column[i] >= 0 ? basis.coordinate(column[i], h) : 0);
      for (int i = 0; i < k_; ++i)
        for (int j = 0; j < k_; ++j)
          body_.strain_quadratic.push_back(pair[i][j] >= 0 ? basis.coordinate(pair[i][j], h) : 0);
    }
  }

  /// The mass matrix of the modes of the bare beam with its root held.
  Eigen::MatrixXd modal_mass() const {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(k_, k_);
    const auto add = [&](const std::vector<double>& rows, int count) {
      for (int r = 0; r < count; ++r) {
        const Eigen::Map<const Eigen::VectorXd> row(rows.data() + r * k_, k_);
        M += row * row.transpose();
      }
    };
    add(body_.linear, 3 * body_.points);
    add(body_.spin_linear, body_.spins);
    return M;
  }

  /// eq. 12: a damping ratio for each mode of the bare beam, or Rayleigh's two factors.
  void damping() {
    const Eigen::MatrixXd K = linear_stiffness(true), M = modal_mass();
    const FlexibleData& f = *beam_.flexible;
    if (k_ == 0) return;
    const Eigen::LLT<Eigen::MatrixXd> factor(M);
    const Eigen::VectorXd pivots = factor.matrixLLT().diagonal().cwiseAbs2();
    for (int i = 0; i < k_; ++i)
      if (factor.info() != Eigen::Success || !(pivots(i) > 1e-12 * M(i, i)))
        refuse(beam_, element_, "its modes cannot be normalised by mass: some depend on others",
               "fewer modes", "finite elements carry at most as many modes as elements");
    for (int i = 0; i < k_; ++i) body_.frequencies.push_back(std::sqrt(K(i, i) / M(i, i)));
    if (f.rayleigh) {
      store(f.rayleigh->first * M + f.rayleigh->second * K, body_.damping);
      return;
    }
    if (!f.damping.empty() && f.damping.size() != 1 && static_cast<int>(f.damping.size()) != k_)
      refuse(beam_, element_, fmt::format("{} damping ratios for {} modes", f.damping.size(), k_),
             "one for all, or one each");
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(K, M);
    const Eigen::MatrixXd P = M * eigen.eigenvectors();
    Eigen::MatrixXd D = Eigen::MatrixXd::Zero(k_, k_);
    for (int m = 0; m < k_; ++m) {
      const double ratio = damping_ratio(eigen.eigenvectors().col(m), M);
      D += 2 * ratio * std::sqrt(std::max(0.0, eigen.eigenvalues()(m))) * P.col(m) *
           P.col(m).transpose();
    }
    store(D, body_.damping);
  }

  /// Of the modes that an eigenvector is made of, weighted by their kinetic energy.
  double damping_ratio(const Eigen::VectorXd& vector, const Eigen::MatrixXd& M) const {
    const std::vector<double>& given = beam_.flexible->damping;
    if (given.empty()) return 0;
    if (given.size() == 1) return given[0];
    double sum = 0, all = 0;
    for (int i = 0; i < k_; ++i) {
      const double share = M(i, i) * vector(i) * vector(i);
      sum += share * given[i], all += share;
    }
    return sum / all;
  }

  /// A section of the axis, and the moments in it.
  void keep_functions() {
    struct Keeper {
      BeamData beam;
      BeamModes modes;
      std::vector<std::pair<ModeShape, Kind>> shapes;
    };
    Keeper keeper{beam_, {}, {}};
    for (const Shape& s : shapes_) keeper.shapes.push_back({*s.mode, s.kind});
    const double l = l_;
    std::vector<double> cuts;
    for (std::size_t p = 0; p < points_.panel_start.size(); p += 20)
      cuts.push_back(points_.panel_start[p]);
    body_.station_at = [keeper, cuts, l](double x) {
      const int k = static_cast<int>(keeper.shapes.size());
      ModalStation s;
      s.x = x;
      s.position.assign(3 * k, 0), s.angles.assign(3 * k, 0);
      s.shortening.assign(k * k, 0), s.twist_coupling.assign(k * k, 0);
      const auto upto = [&](const std::function<double(double)>& f) {
        double sum = 0;
        for (std::size_t c = 0; c < cuts.size() && cuts[c] < x; ++c) {
          const double end = c + 1 < cuts.size() ? cuts[c + 1] : l;
          sum += integral(f, cuts[c], std::min(x, end));
        }
        return sum;
      };
      for (int i = 0; i < k; ++i) {
        const auto& [mode, kind] = keeper.shapes[i];
        const ShapeValue v = mode.at(x);
        if (kind == y) s.position[k + i] = v.value, s.angles[2 * k + i] = v.slope;
        if (kind == z) s.position[2 * k + i] = v.value, s.angles[k + i] = -v.slope;
        if (kind == twist) s.angles[i] = v.value;
        if (kind == stretch) s.position[i] = v.value;
        for (int j = 0; j < k; ++j) {
          const auto& [other, other_kind] = keeper.shapes[j];
          if (kind == other_kind && (kind == y || kind == z))
            s.shortening[i * k + j] = -upto(
                [&, &a = mode, &b = other](double u) { return a.at(u).slope * b.at(u).slope; });
          // a = twist - int v'' w': eq. 6.
          if (kind == y && other_kind == z)
            s.twist_coupling[i * k + j] = s.twist_coupling[j * k + i] = -upto(
                [&, &a = mode, &b = other](double u) { return a.at(u).curvature * b.at(u).slope; });
        }
      }
      return s;
    };
    body_.moments = [keeper, l](double x) {
      const int k = static_cast<int>(keeper.shapes.size());
      const int e =
          std::min(keeper.beam.elements - 1, static_cast<int>(x / l * keeper.beam.elements));
      const BeamProperties at = properties_of(keeper.beam, e);
      std::vector<double> m(3 * k, 0);
      for (int i = 0; i < k; ++i) {
        const ShapeValue v = keeper.shapes[i].first.at(x);
        const Kind kind = keeper.shapes[i].second;
        if (kind == twist) m[i] = at.GJ * v.slope;
        if (kind == z) m[k + i] = -at.EIy * v.curvature;
        if (kind == y) m[2 * k + i] = at.EIz * v.curvature;
      }
      return m;
    };
  }

  static void store(const Eigen::MatrixXd& m, std::vector<double>& out) {
    out.assign(m.data(), m.data() + m.size());  // symmetric
  }

  const BeamData& beam_;
  const std::string& element_;
  BeamModes modes_;
  double l_;
  int k_ = 0;
  std::vector<Shape> shapes_;
  Quadrature points_;
  Eigen::VectorXd root_rho_, root_spin_, EIy_, EIz_, GJ_, EA_;
  Eigen::MatrixXd values_, slopes_, curvatures_;
  ModalBody body_;
};

}  // namespace

BeamModes modes_of(const BeamData& beam) {
  const FlexibleData& f = *beam.flexible;
  const double l = beam.length();
  BeamModes out;
  if (f.family == ModeFamily::finite_element) {
    std::vector<double> EIy, EIz, mass;
    for (int e = 0; e < beam.elements; ++e) {
      const BeamProperties p = properties_of(beam, e);
      EIy.push_back(p.EIy), EIz.push_back(p.EIz), mass.push_back(p.mass);
    }
    if (f.bending_y > 0) out.bending_y = craig_bampton_modes(l, EIz, mass, f.bending_y);
    if (f.bending_z > 0) out.bending_z = craig_bampton_modes(l, EIy, mass, f.bending_z);
  } else {
    const Matrix3<double> axes = section_axes(beam);
    const bool tip = f.family == ModeFamily::clamped_tip_body;
    if (f.bending_y > 0)
      out.bending_y = bending_modes(f.family, l, f.bending_y,
                                    tip ? tip_of(beam, axes.col(0), axes.col(2)) : TipBody{});
    if (f.bending_z > 0)
      out.bending_z = bending_modes(f.family, l, f.bending_z,
                                    tip ? tip_of(beam, axes.col(0), axes.col(1)) : TipBody{});
  }
  out.torsion = sine_modes(f.family, l, f.torsion);
  out.axial = sine_modes(f.family, l, f.axial);
  return out;
}

ModalBody modal_body(const BeamData& beam, const std::string& element) {
  if (beam.flexible->family == ModeFamily::finite_element) {
    const int most = std::max({beam.flexible->bending_y, beam.flexible->bending_z});
    if (most > beam.elements)
      refuse(beam, element, fmt::format("{} modes from {} elements", most, beam.elements),
             "at most as many modes as elements", fmt::format("elements: {}", most));
  }
  return Builder(beam, element).build();
}

namespace {

/// The same beam with its axis from end to start.
BeamData turned_round(BeamData beam) {
  beam.reference = Vector3<double>(section_axes(beam).col(1));
  std::swap(beam.from, beam.to);
  std::reverse(beam.sections.begin(), beam.sections.end());
  for (AttachedBody& part : beam.attached) part.station = 1 - part.station;
  return beam;
}

}  // namespace

void make_flexible(Robot& robot) {
  for (BodyData& body : robot.bodies) {
    body.modal.reset();
    int flexible = 0;
    for (const BeamData& beam : body.beams) flexible += beam.flexible && beam.flexible->modes() > 0;
    // One flexible beam among several is refused when the robot is frozen.
    if (flexible == 0 || body.beams.size() > 1) continue;
    const std::string element = "body '" + body.name + "', beam";
    if (!check(body.beams[0], element).empty()) continue;  // said there, too
    auto modal = std::make_shared<ModalBody>(modal_body(body.beams[0], element));
    modal->reversed = [beam = turned_round(body.beams[0]), element] {
      return std::make_shared<const ModalBody>(modal_body(beam, element));
    };
    body.modal = modal;
  }
}

Robot with_rigid_links(Robot robot, const std::vector<std::string>& bodies) {
  for (BodyData& body : robot.bodies)
    if (bodies.empty() || std::find(bodies.begin(), bodies.end(), body.name) != bodies.end())
      for (BeamData& beam : body.beams) beam.flexible.reset();
  make_flexible(robot);
  return robot;
}

namespace {

/// Changes the numbers of modes of every flexible beam. Damping ratios given one by one go on with
/// the last of their kind.
template <class Change>
Robot with_changed_modes(Robot robot, const Change& change) {
  for (BodyData& body : robot.bodies)
    for (BeamData& beam : body.beams) {
      if (!beam.flexible) continue;
      FlexibleData& f = *beam.flexible;
      const int before[] = {f.bending_y, f.bending_z, f.torsion, f.axial};
      if (f.bending_y > 0) f.bending_y = change(f.bending_y);
      if (f.bending_z > 0) f.bending_z = change(f.bending_z);
      if (f.damping.size() <= 1) continue;
      const int after[] = {f.bending_y, f.bending_z, f.torsion, f.axial};
      std::vector<double> ratios;
      std::size_t first = 0;
      for (int kind = 0; kind < 4; ++kind) {
        for (int m = 0; m < after[kind]; ++m)
          ratios.push_back(f.damping.at(first + std::min(m, before[kind] - 1)));
        first += static_cast<std::size_t>(before[kind]);
      }
      f.damping = ratios;
    }
  make_flexible(robot);
  return robot;
}

}  // namespace

Robot with_bending_modes(Robot robot, int modes) {
  return with_changed_modes(std::move(robot), [=](int) { return modes; });
}

Robot with_more_modes(Robot robot, int more) {
  return with_changed_modes(std::move(robot), [=](int before) { return before + more; });
}

}  // namespace ulna
