#pragma once
// What the vibrations of trees and of mechanisms with loops share: docs/theory/flexible.md, eq. 27.

#include "ulna/dynamics/internal/elastic_modes.hpp"

namespace ulna {

/// Frequencies and shapes from M and K.
void solve_frequencies(ElasticModes& modes);
/// These, and poles with C. Where C has gyroscopic terms, or `damped`, frequencies and shapes are
/// those of the poles instead.
void solve_vibration(ElasticModes& modes, bool damped);

/// A vector of speeds, or zeros where none is given.
Eigen::VectorXd or_zero(const Eigen::VectorXd& x, const Model& model, const char* what);

/// Speeds that do not vibrate: those of locked joints and of rigid links, one entry each.
std::vector<char> still_speeds(const Model& model, const ModesQuery& query, bool all_joints);

/// M, C, K and `motion` of a robot of any kind about a state (eq. 27, 30), by differences. With
/// loops on the speeds that these leave free.
ElasticModes vibration_matrices(const Model& model, const ModesQuery& query);
/// Those with loops.
ElasticModes loop_vibration_matrices(const Model& model, const ModesQuery& query);

}  // namespace ulna
