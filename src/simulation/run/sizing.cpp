#include "run/sizing.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/simulation/channels.hpp"

namespace ulna {

Sizing::Sizing(const Experiment& experiment) {
  for (const auto& actuator : experiment.actuators) {
    Item item;
    item.row.name = actuator->name;
    item.row.kind = actuator->kind();
    item.row.unit = effort_unit(*experiment.model, actuator->speed);
    item.row.continuous = actuator->continuous;
    for (const ActuatorReading& reading : actuator->readings())
      item.row.readings.push_back({reading.name, reading.unit, 0});
    item.window = actuator->window;
    items_.push_back(std::move(item));
  }
}

void Sizing::look(double t, const ActuatorBank& actuators) {
  for (std::size_t k = 0; k < items_.size(); ++k) {
    Item& item = items_[k];
    SizingRow& row = item.row;
    const double effort = actuators.effort(k), speed = actuators.speed(k);
    row.peak_effort = std::max(row.peak_effort, std::abs(effort));
    row.peak_speed = std::max(row.peak_speed, std::abs(speed));
    row.peak_power = std::max(row.peak_power, std::abs(effort * speed));
    for (std::size_t i = 0; i < row.readings.size(); ++i)
      row.readings[i].value =
          std::max(row.readings[i].value, std::abs(actuators.reading(k, static_cast<int>(i))));
    if (!(item.window > 0)) continue;
    const double sum = actuators.effort_squared(k);
    item.sums.emplace_back(t, sum);
    // The integral at the beginning of the window, between two records.
    const double begin = t - item.window;
    while (item.sums.size() > 1 && item.sums[1].first <= begin) item.sums.pop_front();
    double before = 0;
    if (begin > 0 && item.sums.front().first <= begin && item.sums.size() > 1) {
      const auto& [t0, s0] = item.sums[0];
      const auto& [t1, s1] = item.sums[1];
      before = s0 + (s1 - s0) * (begin - t0) / (t1 - t0);
    }
    item.largest_mean = std::max(item.largest_mean, (sum - before) / item.window);
  }
}

std::vector<SizingRow> Sizing::rows(double t, const ActuatorBank& actuators) const {
  std::vector<SizingRow> list;
  for (std::size_t k = 0; k < items_.size(); ++k) {
    list.push_back(items_[k].row);
    list.back().rms_effort = t > 0 ? std::sqrt(actuators.effort_squared(k) / t) : 0;
    list.back().window_rms =
        items_[k].window > 0 ? std::sqrt(items_[k].largest_mean) : list.back().rms_effort;
  }
  return list;
}

Eigen::VectorXd Sizing::memory() const {
  std::vector<double> all;
  for (const Item& item : items_) {
    all.insert(all.end(), {item.row.peak_effort, item.row.peak_speed, item.row.peak_power,
                           item.largest_mean, static_cast<double>(item.sums.size())});
    for (const SizingRow::Peak& peak : item.row.readings) all.push_back(peak.value);
    for (const auto& [t, sum] : item.sums) all.insert(all.end(), {t, sum});
  }
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<long>(all.size()));
}

void Sizing::recall(const Eigen::VectorXd& memory) {
  long at = 0;
  for (Item& item : items_) {
    const auto readings = static_cast<long>(item.row.readings.size());
    if (at + 5 + readings > memory.size()) return;
    item.row.peak_effort = memory(at);
    item.row.peak_speed = memory(at + 1);
    item.row.peak_power = memory(at + 2);
    item.largest_mean = memory(at + 3);
    const auto sums = static_cast<long>(memory(at + 4));
    at += 5;
    for (SizingRow::Peak& peak : item.row.readings) peak.value = memory(at++);
    if (sums < 0 || sums > memory.size() || at + 2 * sums > memory.size()) return;
    item.sums.clear();
    for (long i = 0; i < sums; ++i, at += 2) item.sums.emplace_back(memory(at), memory(at + 1));
  }
}

}  // namespace ulna
