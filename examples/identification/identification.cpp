// Identification of the Puma 560 from simulated measurements with noise: which combinations of its
// inertial, rotor and friction parameters can be told, how well, and how well they predict the
// torques of another motion.
//
//   identification [SEED]

#include <charconv>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <ulna/formats/read_robot.hpp>
#include <ulna/study/identification.hpp>

namespace {

/// What a torque sensor would show: the model's efforts and noise of a thousandth or so of the
/// largest.
void measure(const ulna::Model& model, unsigned seed, ulna::Recording& recording) {
  const Eigen::VectorXd noise{{0.1, 0.2, 0.1, 0.02, 0.01, 0.01}};
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  ulna::Workspace work(model);
  recording.tau.resize(model.speeds(), recording.samples());
  for (int s = 0; s < recording.samples(); ++s) {
    recording.tau.col(s) = ulna::inverse_dynamics(model, work, recording.q.col(s),
                                                  recording.v.col(s), recording.a.col(s));
    for (int k = 0; k < model.speeds(); ++k) recording.tau(k, s) += noise(k) * normal(generator);
  }
}

double rms(const Eigen::VectorXd& x) { return x.norm() / std::sqrt(static_cast<double>(x.size())); }

}  // namespace

int main(int argc, char** argv) {
  unsigned seed = 1;
  if (argc > 1) {
    const char* end = argv[1] + std::strlen(argv[1]);
    if (argc > 2 || std::from_chars(argv[1], end, seed).ptr != end) {
      std::cerr << "usage: identification [SEED]\n";
      return 2;
    }
  }
  const ulna::Model model(ulna::read_robot("puma560").robot);
  ulna::TorqueRegressor regressor(model, {.rotors = true, .damping = true, .friction = true});
  const ulna::BaseParameters base = ulna::base_parameters_by_rank(regressor);

  ulna::ExcitationOptions options;
  options.seed = seed;
  ulna::Recording moved = ulna::excitation(regressor, base, options);
  measure(model, seed, moved);
  const ulna::Identification found = ulna::identify(regressor, base, moved);

  const Eigen::VectorXd truth = base.combination * regressor.parameters(),
                        deviation = found.deviations();
  std::cout << base.count() << " base parameters of " << regressor.columns() << ", "
            << moved.samples() << " samples, condition number " << std::setprecision(3)
            << found.condition << "\n\n     truth    estimate   deviation  base parameter\n"
            << std::fixed << std::setprecision(5);
  for (int k = 0; k < base.count(); ++k)
    std::cout << std::setw(10) << truth(k) << "  " << std::setw(10) << found.estimate(k) << "  "
              << std::setw(10) << deviation(k) << "  " << regressor.names()[base.kept[k]]
              << " ...\n";

  options.seed = seed + 1;
  options.candidates = 1;
  ulna::Recording other = ulna::excitation(regressor, base, options);
  measure(model, seed + 1, other);
  const Eigen::MatrixXd error =
      ulna::predicted_efforts(regressor, base, found.estimate, other) - other.tau;
  std::cout << "\nPrediction of another motion, root mean squares in N m\n"
            << "joint     torque     error     noise\n";
  bool good = true;
  for (int k = 0; k < model.speeds(); ++k) {
    std::cout << std::setw(5) << k + 1 << std::setw(11) << rms(other.tau.row(k)) << std::setw(10)
              << rms(error.row(k)) << std::setw(10) << found.noise(k) << "\n";
    good = good && rms(error.row(k)) < 1.3 * found.noise(k);  // noise of both motions
  }
  const Eigen::VectorXd bodies = ulna::nearest_parameters(regressor, base, found.estimate);
  std::cout << "\nBodies nearest to the model's that have this estimate:\n";
  const auto impossible = ulna::impossible_bodies(regressor, bodies);
  for (const std::string& why : impossible) std::cout << "  impossible: " << why << "\n";
  if (impossible.empty()) std::cout << "  all are physically possible\n";
  return good ? 0 : 1;
}
