#include "sensors/sensor_bank.hpp"

#include <algorithm>
#include <cmath>

#include "run/times.hpp"

namespace ulna {

SensorBank::SensorBank(const std::vector<Sensor>& sensors)
    : sensors_(sensors), items_(sensors.size()) {
  int first = 0;
  std::size_t input = 0;
  for (std::size_t k = 0; k < sensors_.size(); ++k) {
    items_[k].first = first;
    items_[k].input = input;
    first += sensors_[k].size();
    input += sensors_[k].channels.size();
  }
  readings_.assign(static_cast<std::size_t>(first), 0.0);
}

std::vector<std::string> SensorBank::channels() const {
  std::vector<std::string> all;
  for (const Sensor& sensor : sensors_)
    all.insert(all.end(), sensor.channels.begin(), sensor.channels.end());
  return all;
}

int SensorBank::find(const std::string& name) const {
  for (std::size_t k = 0; k < sensors_.size(); ++k)
    if (sensors_[k].name == name) return static_cast<int>(k);
  return -1;
}

bool SensorBank::due(double t) const {
  for (std::size_t k = 0; k < items_.size(); ++k) {
    const double next = static_cast<double>(items_[k].count) * sensors_[k].period;
    if (next <= t || same_time(next, t)) return true;
  }
  return false;
}

/// Noise and bias first, then what the electronics make of it: range, then resolution.
std::vector<double> SensorBank::sampled(std::size_t k, const double* channels) {
  const Sensor& sensor = sensors_[k];
  Item& item = items_[k];
  std::vector<double> values(static_cast<std::size_t>(sensor.size()));
  if (sensor.convert)
    sensor.convert(channels, values.data());
  else
    std::copy_n(channels, sensor.outputs.size(), values.begin());
  for (std::size_t i = 0; i < sensor.outputs.size(); ++i) {
    const Sensor::Output& out = sensor.outputs[i];
    double& x = values[i];
    x += out.bias;
    if (out.noise > 0)
      x += out.noise * noise_sample(sensor.seed, k, i, static_cast<std::uint64_t>(item.count));
    if (out.range > 0) x = std::clamp(x, -out.range, out.range);
    if (out.resolution > 0) x = out.resolution * std::round(x / out.resolution);
  }
  if (sensor.difference) {
    values.back() = item.count == 0 ? 0 : (values[0] - item.before) / sensor.period;
    item.before = values[0];
  }
  return values;
}

void SensorBank::take(double t, std::span<const double> channels) {
  for (std::size_t k = 0; k < items_.size(); ++k) {
    const double next = static_cast<double>(items_[k].count) * sensors_[k].period;
    if (next > t && !same_time(next, t)) continue;
    std::vector<double> values = sampled(k, channels.data() + items_[k].input);
    // Before its first sample arrives a sensor shows that sample: nothing else is known of it.
    if (items_[k].count == 0)
      std::copy(values.begin(), values.end(), readings_.begin() + items_[k].first);
    items_[k].pending.push_back({next + sensors_[k].delay, std::move(values)});
    ++items_[k].count;
  }
}

void SensorBank::release(double t) {
  for (Item& item : items_)
    while (!item.pending.empty() &&
           (item.pending.front().time <= t || same_time(item.pending.front().time, t))) {
      const std::vector<double>& values = item.pending.front().values;
      std::copy(values.begin(), values.end(), readings_.begin() + item.first);
      item.pending.pop_front();
    }
}

double SensorBank::next_time() const {
  double next = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < items_.size(); ++k) {
    next = std::min(next, static_cast<double>(items_[k].count) * sensors_[k].period);
    if (!items_[k].pending.empty()) next = std::min(next, items_[k].pending.front().time);
  }
  return next;
}

double SensorBank::last_time() const {
  double last = 0;
  for (std::size_t k = 0; k < items_.size(); ++k)
    last = std::max(last, static_cast<double>(items_[k].count - 1) * sensors_[k].period);
  return last;
}

void SensorBank::remember(std::vector<double>& memory) const {
  memory.insert(memory.end(), readings_.begin(), readings_.end());
  for (const Item& item : items_) {
    memory.insert(memory.end(), {static_cast<double>(item.count), item.before,
                                 static_cast<double>(item.pending.size())});
    for (const Pending& p : item.pending) {
      memory.push_back(p.time);
      memory.insert(memory.end(), p.values.begin(), p.values.end());
    }
  }
}

long SensorBank::recall(const Eigen::VectorXd& memory, long at) {
  const auto fits = [&](long n) { return n >= 0 && at + n <= memory.size(); };
  if (!fits(std::ssize(readings_))) return -1;
  for (double& x : readings_) x = memory(at++);
  for (std::size_t k = 0; k < items_.size(); ++k) {
    Item& item = items_[k];
    const long n = 1 + sensors_[k].size();
    if (!fits(3)) return -1;
    item.count = static_cast<long>(memory(at));
    item.before = memory(at + 1);
    const auto pending = static_cast<long>(memory(at + 2));
    at += 3;
    if (pending < 0 || pending > memory.size() || !fits(pending * n)) return -1;
    item.pending.clear();
    for (long i = 0; i < pending; ++i, at += n)
      item.pending.push_back(
          {memory(at), std::vector<double>(memory.data() + at + 1, memory.data() + at + n)});
  }
  return at;
}

}  // namespace ulna
