#pragma once
// From a measured log to coordinates, speeds and accelerations: the time axis is checked, positions
// are low-pass filtered without phase shift and differentiated by a spline.
// docs/theory/regressor.md, eq. 25-28.
//
//   ulna::MeasuredLog log = ulna::read_log("log.csv", model).log;       // formats/read_log.hpp
//   ulna::Measurement measured = ulna::measured_motion(model, log);
//   ulna::Identification found = ulna::identify(regressor, base, {measured});

#include <optional>
#include <string>
#include <vector>

#include "ulna/study/identification.hpp"

namespace ulna {

/// What was recorded, one column per record. Not every coordinate need be in it.
struct MeasuredLog {
  std::string name;              ///< of the file, for messages
  Eigen::VectorXd t;             ///< s, as recorded
  std::vector<int> coordinates;  ///< of the model: the rows of q
  Eigen::MatrixXd q;
  std::vector<int>
      speeds;  ///< of the model: the rows of v and a; empty when these were not recorded
  Eigen::MatrixXd v, a;
  std::vector<int> efforts;  ///< speeds of the model: the rows of tau
  Eigen::MatrixXd tau;
};

struct MeasurementOptions {
  std::optional<double> cutoff = {};  ///< of the positions, Hz; chosen for each when absent
  bool recorded_rates = false;        ///< v and a are those of the log instead of derivatives of q
  double longest_bridge = 5;          ///< gaps of up to so many intervals are interpolated
};

/// A stretch of the log without gaps, at equal intervals.
struct MeasuredPart {
  Eigen::VectorXd t;    ///< since the first record of the log, s
  Recording recording;  ///< all coordinates and speeds of the model; tau may be empty
};

/// How one coordinate was treated, and what noise is left in it.
struct CoordinateNoise {
  std::string name;
  double cutoff = 0;            ///< Hz; infinite: not filtered
  double position = 0;          ///< standard deviation of the recorded noise
  double acceleration = 0;      ///< standard deviation of what the second derivative makes of it
  double acceleration_rms = 0;  ///< of the motion itself
};

struct Measurement {
  std::vector<MeasuredPart> parts;
  double offset = 0;     ///< time of the first record, removed
  double rate = 0;       ///< records a second
  double jitter = 0;     ///< largest deviation of an interval from the median one, by that
  double bandwidth = 0;  ///< Hz, the largest cut-off: what efforts are filtered with
  std::vector<CoordinateNoise> noise;
  std::vector<std::string> warnings;  ///< full sentences

  ULNA_API Eigen::Index samples() const;
};

/// InputError for a log that is too short, whose times do not ascend, or that lacks what is asked
/// for. Coordinates that the log does not have follow from the loops, or stay at their neutral
/// value.
ULNA_API Measurement measured_motion(const Model& model, const MeasuredLog& log,
                                     const MeasurementOptions& options = {});

/// eq. 29: both sides of eq. 21 are filtered alike and thinned out, so that what is left of the
/// noise is independent from row to row, and the deviations hold. All speeds must have efforts.
ULNA_API Identification identify(TorqueRegressor& regressor, const BaseParameters& base,
                                 const std::vector<Measurement>& logs);

/// The same low-pass filter over each row of x.
ULNA_API Eigen::MatrixXd low_passed(const Eigen::MatrixXd& x, double cutoff, double rate);

/// How well given base parameters explain a measurement: measured efforts, those predicted and
/// their difference, all filtered alike.
struct EffortComparison {
  Eigen::VectorXd t;
  Eigen::MatrixXd measured, predicted;  ///< speeds x samples
  Eigen::VectorXd rms, error;  ///< of each speed: of the measured efforts, of the difference
};
ULNA_API EffortComparison compare_efforts(TorqueRegressor& regressor, const BaseParameters& base,
                                          const VectorRef& estimate, const Measurement& measured);

}  // namespace ulna
