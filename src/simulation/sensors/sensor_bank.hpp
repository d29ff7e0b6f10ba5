#pragma once
// The sensors of a run: when they sample, what they read, and when their readings can be seen.

#include <deque>
#include <limits>
#include <span>
#include <vector>

#include "ulna/simulation/parts/sensor.hpp"

namespace ulna {

class SensorBank {
 public:
  explicit SensorBank(const std::vector<Sensor>& sensors);

  bool empty() const { return items_.empty(); }
  /// All channels that the sensors look at, one after the other.
  std::vector<std::string> channels() const;
  /// A sample is due at t.
  bool due(double t) const;
  /// Takes the samples due at t; `channels` are the values of channels() there.
  void take(double t, std::span<const double> channels);
  /// Makes readings visible whose delay is over at t.
  void release(double t);
  /// The next sample or release; infinite without sensors.
  double next_time() const;
  /// The last sample up to now.
  double last_time() const;

  /// All have taken their first sample, at the start of the run: there are readings.
  bool has_readings() const { return !items_.empty() && items_.front().count > 0; }
  /// Outputs of all sensors, one after the other, as they can be seen now.
  const std::vector<double>& readings() const { return readings_; }
  /// Where those of a sensor begin.
  int first(std::size_t sensor) const { return items_[sensor].first; }
  const std::vector<Sensor>& sensors() const { return sensors_; }
  /// Index by name, -1: there is none.
  int find(const std::string& name) const;

  void remember(std::vector<double>& memory) const;
  /// From `memory` at `at`; returns where it ends, or -1 where it does not fit.
  long recall(const Eigen::VectorXd& memory, long at);

 private:
  struct Pending {
    double time;
    std::vector<double> values;
  };
  struct Item {
    int first = 0;          ///< of its outputs
    std::size_t input = 0;  ///< of its channels
    long count = 0;         ///< of samples taken
    double before = 0;      ///< last reading of the first output, for the difference
    std::deque<Pending> pending;
  };
  std::vector<double> sampled(std::size_t k, const double* channels);

  std::vector<Sensor> sensors_;
  std::vector<Item> items_;
  std::vector<double> readings_;
};

}  // namespace ulna
