#include "ulna/elastic/natural_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "modal_body/rounding.hpp"
#include "modes/lanczos.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

double row_sum_norm(const SparseMatrix& A) {
  double largest = 0;  // symmetric: columns are rows
  for (int j = 0; j < A.outerSize(); ++j) {
    double sum = 0;
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) sum += std::abs(it.value());
    largest = std::max(largest, sum);
  }
  return largest;
}

// |x|' |K| |x|: the size whose rounding a computed x' K x cannot be below.
double rounding_size(const SparseMatrix& K, const Eigen::VectorXd& x) {
  double sum = 0;
  for (int j = 0; j < K.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(K, j); it; ++it)
      sum += std::abs(x(it.row()) * it.value() * x(j));
  return sum;
}

// A scale of omega^2 for a first shift, well below the stiff local modes: the lower quarter of
// K_ii / M_ii.
double frequency_scale(const SystemMatrices& system) {
  std::vector<double> ratios;
  const Eigen::VectorXd k = system.K.diagonal(), m = system.M.diagonal();
  for (int i = 0; i < k.size(); ++i)
    if (k(i) > 0 && m(i) > 0) ratios.push_back(k(i) / m(i));
  if (ratios.empty()) return 1;
  const auto quarter = ratios.begin() + static_cast<long>(ratios.size() / 4);
  std::nth_element(ratios.begin(), quarter, ratios.end());
  return *quarter;
}

// All modes from M x = mu (K + s M) x; false when K + s M is not positive definite, by pivots
// relative to their diagonal entries.
bool dense_modes(const Eigen::MatrixXd& M, const Eigen::MatrixXd& K, double shift,
                 Eigen::MatrixXd& shapes, double smallest_pivot = 1e-12) {
  const Eigen::MatrixXd B = K + shift * M;
  const dense::Ldlt factor(B);
  const Eigen::VectorXd D = factor.pivots(), scaled = factor.in_pivot_order(B.diagonal());
  for (int i = 0; i < D.size(); ++i)
    if (!(D(i) > smallest_pivot * scaled(i))) return false;
  const dense::SymmetricEigen found = dense::eigen_symmetric(M, B);
  if (!found.ok) return false;
  const Eigen::VectorXd& mu = found.values;
  const int n = static_cast<int>(mu.size());
  int finite = 0;  // massless freedoms have mu = 0: no mode
  while (finite < n && mu(n - 1 - finite) > 64 * epsilon * mu(n - 1)) ++finite;
  shapes = found.vectors.rightCols(finite).rowwise().reverse();
  return true;
}

class ModeFinder {
 public:
  ModeFinder(const SystemMatrices& system, const EigenOptions& options)
      : system_(system), options_(options) {}

  NaturalModes find() {
    // Beyond the rounding of reduced matrices, as `check` has it: a property of the structure.
    if (const Eigen::VectorXd k = system_.K.diagonal();
        system_.K.rows() == system_.K.cols() && k.size() > 0 && k.allFinite() &&
        k.minCoeff() < -rounding_of_diagonal * k.cwiseAbs().maxCoeff())
      not_positive();
    check(system_);
    const int n = system_.size();
    const bool all = options_.count <= 0 || options_.count >= n;
    const bool dense = options_.method == EigenOptions::Method::dense || all ||
                       (options_.method == EigenOptions::Method::automatic &&
                        (n <= options_.dense_limit || 3 * options_.count > n));
    if (dense)
      find_dense();
    else
      find_sparse(options_.count + 2);
    finish();
    // Whether modes without stiffness are free motions or lost in rounding, the next ones tell.
    for (int wanted = 2 * options_.count + 8; !dense && only_rigid() && wanted < n && wanted <= 500;
         wanted *= 2) {
      modes_ = {};
      find_sparse(wanted);
      finish();
    }
    refuse_lost_modes(!dense);
    if (options_.count > 0) keep(options_.count);
    return std::move(modes_);
  }

 private:
  void find_dense() {
    const Eigen::MatrixXd M = system_.M, K = system_.K;
    if ((definite_ = dense_modes(M, K, 0, modes_.shapes))) return;
    double shift = 1e-3 * frequency_scale(system_);
    // A reduced model in poor coordinates is ill-conditioned throughout: positive must do.
    if (!dense_modes(M, K, shift, modes_.shapes)) {
      if (!dense_modes(M, K, 0, modes_.shapes, 0)) not_positive();
      return;
    }
    // Once more with a shift of the size of the first elastic mode, which loses no digits.
    for (int k = 0; k < modes_.shapes.cols(); ++k) {
      const double w2 = rayleigh(modes_.shapes.col(k));
      if (w2 < 1e-6 * shift) continue;
      if (w2 < 10 * shift) return;
      Eigen::MatrixXd again;
      if (dense_modes(M, K, w2, again)) modes_.shapes = again;
      return;
    }
  }

  bool only_rigid() const { return modes_.rigid_body_modes == modes_.count(); }

  /// A free motion has no stiffness but rounding; where that reaches the first elastic frequency, a
  /// mode that bends cannot be told from a free motion. Below its own rounding a frequency has no
  /// digit left.
  void refuse_lost_modes(bool fine_mesh) {
    const bool mixed =
        modes_.rigid_body_modes > 0 && first_elastic_ > 0 && largest_noise_ > 0.1 * first_elastic_;
    if (!mixed && !(fine_mesh && lost_ > 0)) return;
    if (!fine_mesh) {  // a small model in poor coordinates, such as a reduced one
      modes_.warning +=
          std::string(modes_.warning.empty() ? "" : "; ") +
          "rounding of the stiffness reaches the first frequencies: modes shown as rigid may bend";
      return;
    }
    throw ComputationError(
        fmt::format("the lowest frequencies are lost in rounding: {} modes are not stiffer than "
                    "the rounding error of the {} freedoms, which are too many for such slender "
                    "members; use fewer elements",
                    mixed ? modes_.rigid_body_modes : lost_, system_.size()),
        mixed ? largest_noise_ / first_elastic_ : lost_);
  }

  void find_sparse(int asked) {
    const int wanted = std::min(asked, system_.size() - 1);
    Lanczos lanczos(system_.M, system_.K, 0);
    definite_ = lanczos.positive();
    if (!definite_) lanczos = suitably_shifted(wanted);
    LanczosResult result = lanczos.modes(wanted);
    if (!result.converged)
      throw ComputationError(fmt::format("the Lanczos iteration found only {} of {} modes",
                                         result.shapes.cols(), wanted));
    modes_.shapes = std::move(result.shapes);
    if (!definite_) complete(lanczos);
  }

  // A shift of the size of the highest wanted omega^2 (eq. 41): one that is much larger makes all
  // wanted modes look alike, one that is much smaller leaves K singular. From a size of the local
  // modes, which is safe, downwards by Ritz values of a few vectors.
  Lanczos suitably_shifted(int wanted) {
    const double local = frequency_scale(system_);
    Lanczos now(system_.M, system_.K, 1e-4 * local);
    for (double part = 1e-2; part <= 1 && !now.positive(); part *= 100)
      now = Lanczos(system_.M, system_.K, part * local);
    if (!now.positive()) not_positive();
    const int size = std::min(wanted + 4, system_.size());
    constexpr int most = 40;
    for (int round = 0; round < most; ++round) {
      const double top = ritz_value(now, size, wanted);
      if (!(top > 0) || top > 0.25 * now.shift()) break;
      Lanczos lower(system_.M, system_.K, top);
      if (!lower.positive()) break;
      now = std::move(lower);
    }
    return now;
  }

  // The wanted-th of the Rayleigh-Ritz values of K on vectors drawn twice through the inverse.
  double ritz_value(const Lanczos& lanczos, int size, int wanted) const {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Eigen::MatrixXd X(system_.size(), size);
    for (double& x : X.reshaped()) x = uniform(random);
    for (int round = 0; round < 2; ++round)
      for (int k = 0; k < size; ++k) {
        X.col(k) = lanczos.solve(system_.M * X.col(k));
        X.col(k) /= X.col(k).norm();
      }
    X = dense::Qr(X).thin_Q();
    const Eigen::MatrixXd K = X.transpose() * (system_.K * X), M = X.transpose() * (system_.M * X);
    const dense::SymmetricEigen ritz = dense::eigen_symmetric(K, M);
    return ritz.ok ? ritz.values(std::min(wanted, size) - 1) : 0;
  }

  // Modes of one frequency, such as those of a free body, are seen by one start vector only as
  // rounding lets it: as many as there are is counted (eq. 42), and what is missing looked for
  // beside what was found.
  void complete(const Lanczos& lanczos) {
    constexpr int most = 10;
    for (int round = 0; round < most; ++round) {
      std::vector<double> w2;
      for (int k = 0; k < modes_.shapes.cols(); ++k) {
        auto x = modes_.shapes.col(k);
        x /= std::sqrt(x.dot(system_.M * x));
        w2.push_back(rayleigh(x));
      }
      std::sort(w2.begin(), w2.end());
      // Between the two of the highest modes that are apart.
      std::size_t i = w2.size() - 1;
      while (i > 0 && !(w2[i] > 1.001 * w2[i - 1] && w2[i] > 1e-6 * lanczos.shift())) --i;
      if (i == 0) return;  // all at rest
      const double between = 0.5 * (std::max(w2[i - 1], 0.0) + w2[i]);
      const int missing = modes_below(system_.M, system_.K, between) - static_cast<int>(i);
      if (missing <= 0) return;
      const int room = system_.size() - 1 - static_cast<int>(modes_.shapes.cols());
      const LanczosResult more = lanczos.modes(std::min(missing, room), modes_.shapes);
      if (!more.converged)
        throw ComputationError(fmt::format(
            "{} modes of the same frequency as others are missing from the Lanczos iteration",
            missing));
      Eigen::MatrixXd all(system_.size(), modes_.shapes.cols() + more.shapes.cols());
      all << modes_.shapes, more.shapes;
      modes_.shapes = std::move(all);
    }
  }

  [[noreturn]] void not_positive() const {
    const Eigen::VectorXd k = system_.K.diagonal();
    int i = 0;
    const double lowest = k.minCoeff(&i);
    throw ComputationError(
        fmt::format(
            "the stiffness is indefinite: it has a direction of negative stiffness (as forces "
            "make it that push), or one with neither stiffness nor mass (smallest diagonal "
            "entry {:.6g} at {})",
            lowest, system_.name(i)),
        lowest);
  }

  double rayleigh(const Eigen::VectorXd& x) const {
    return x.dot(system_.K * x) / x.dot(system_.M * x);
  }

  // Frequencies from Rayleigh quotients: twice the digits of the shapes. Then order, signs, checks.
  void finish() {
    const int n = static_cast<int>(modes_.shapes.cols());
    Eigen::VectorXd w2(n), noise(n);
    for (int k = 0; k < n; ++k) {
      auto x = modes_.shapes.col(k);
      x /= std::sqrt(x.dot(system_.M * x));
      Eigen::Index largest = 0;
      x.cwiseAbs().maxCoeff(&largest);
      if (x(largest) < 0) x = -x;
      w2(k) = x.dot(system_.K * x);
      noise(k) = epsilon * rounding_size(system_.K, x);
    }
    std::vector<int> order(n);
    for (int k = 0; k < n; ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return w2(a) < w2(b); });
    const Eigen::MatrixXd shapes = modes_.shapes;
    modes_.omega.resize(n);
    modes_.residual.resize(n);
    const double size = row_sum_norm(system_.K);
    int few_digits = 0;
    largest_noise_ = first_elastic_ = 0;
    lost_ = 0;
    for (int i = 0; i < n; ++i) {
      const int k = order[i];
      // A stiffness that could be factored lets nothing move freely, however few digits are left.
      const bool rigid = !definite_ && w2(k) <= 64 * noise(k);
      if (rigid) {
        ++modes_.rigid_body_modes;
        largest_noise_ = std::max(largest_noise_, 64 * noise(k));
      } else if (first_elastic_ == 0) {
        first_elastic_ = w2(k);
      }
      if (!rigid && w2(k) < 1e4 * noise(k)) ++few_digits;
      if (!rigid && i < options_.count && w2(k) < noise(k)) ++lost_;
      modes_.omega(i) = rigid ? 0 : std::sqrt(std::max(w2(k), 0.0));
      modes_.shapes.col(i) = shapes.col(k);
      const Eigen::VectorXd x = shapes.col(k);
      const Eigen::VectorXd r =
          system_.K * x - (rigid ? 0 : w2(k)) * Eigen::VectorXd(system_.M * x);
      modes_.residual(i) = size > 0 ? r.norm() / (size * x.norm()) : 0;  // no stiffness at all
    }
    if (few_digits > 0)
      modes_.warning = fmt::format(
          "{} frequencies have fewer than four digits: the stiffness is ill-conditioned (slender "
          "members cut into very many elements)",
          few_digits);
  }

  void keep(int count) {
    count = std::min<int>(count, modes_.count());
    modes_.omega.conservativeResize(count);
    modes_.residual.conservativeResize(count);
    modes_.shapes.conservativeResize(Eigen::NoChange, count);
    modes_.rigid_body_modes = std::min(modes_.rigid_body_modes, count);
  }

  const SystemMatrices& system_;
  const EigenOptions& options_;
  NaturalModes modes_;
  bool definite_ = false;     ///< the stiffness was factored without a shift
  double largest_noise_ = 0;  ///< of omega^2 of rigid-body modes
  int lost_ = 0;              ///< modes asked for whose omega^2 is below its rounding
  double first_elastic_ = 0;  ///< omega^2 of the first mode that is none; 0: there is none
};

}  // namespace

NaturalModes natural_modes(const SystemMatrices& system, const EigenOptions& options) {
  return ModeFinder(system, options).find();
}

Eigen::MatrixXd modal_assurance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b,
                                const SparseMatrix& M) {
  const Eigen::MatrixXd Mb = M * b;
  Eigen::MatrixXd mac = (a.transpose() * Mb).cwiseAbs2();
  const Eigen::VectorXd aa = (a.transpose() * (M * a)).diagonal(),
                        bb = (b.transpose() * Mb).diagonal();
  for (int i = 0; i < mac.rows(); ++i)
    for (int j = 0; j < mac.cols(); ++j) mac(i, j) /= aa(i) * bb(j);
  return mac;
}

std::vector<int> follow_modes(const Eigen::MatrixXd& assurance) {
  Eigen::MatrixXd left = assurance;
  std::vector<int> next(assurance.rows(), -1);
  const int pairs = static_cast<int>(std::min(assurance.rows(), assurance.cols()));
  for (int k = 0; k < pairs; ++k) {
    int i = 0, j = 0;
    left.maxCoeff(&i, &j);
    next[i] = j;
    left.row(i).setConstant(-1);
    left.col(j).setConstant(-1);
  }
  return next;
}

}  // namespace ulna::elastic
