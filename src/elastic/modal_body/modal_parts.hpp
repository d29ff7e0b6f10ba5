#pragma once
// The parts of a ModalBody, one file each: what of a sampled beam becomes which of its numbers.
// docs/theory/flexible.md, eq. 5-12.

#include "modal_body/beam_samples.hpp"
#include "ulna/model/parts/modal_body.hpp"

namespace ulna {

/// What is known of a beam that bends.
struct BendingBeam {
  const BeamData& beam;
  const std::string& element;  ///< names it in messages
  const ModeTable* table;      ///< null: shapes of a family
  std::vector<double> damping;
  std::optional<std::pair<double, double>> rayleigh;
};

/// eq. 7-9: generalised points, spin of the sections; with a table whose mass matrix says more than
/// its shapes, the rest of that.
void fill_inertia(const BendingBeam& of, const BeamSamples& samples, ModalBody& body);
/// The mass matrix of the modes of the bare beam with its root held.
Eigen::MatrixXd modal_mass(const ModalBody& body);

/// eq. 10, 11.
void fill_stiffness(const BendingBeam& of, const BeamSamples& samples, ModalBody& body);
/// The matrix of the linear part.
Eigen::MatrixXd modal_stiffness(const BendingBeam& of, const BeamSamples& samples);

/// eq. 12, and the frequencies of the modes by themselves.
void fill_damping(const BendingBeam& of, const BeamSamples& samples, ModalBody& body);

/// eq. 5, 6: any section of the axis, and the moments in it.
void fill_sections(const BeamData& beam, const BeamSamples& samples,
                   std::shared_ptr<const ModeTable> table, ModalBody& body);

inline void store_symmetric(const Eigen::MatrixXd& m, std::vector<double>& out) {
  out.assign(m.data(), m.data() + m.size());
}

}  // namespace ulna
