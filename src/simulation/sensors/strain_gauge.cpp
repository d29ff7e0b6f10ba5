// Strain by the bending moments of a flexible body. docs/theory/sensors.md, eq. 4.

#include <fmt/format.h>

#include <algorithm>

#include "ulna/model/parts/beam.hpp"
#include "ulna/simulation/parts/sensor.hpp"

namespace ulna {

Sensor strain_gauge(const Model& model, int body, double share, double offset_y, double offset_z,
                    double period) {
  const std::string& name = model.bodies()[static_cast<std::size_t>(body)].name;
  const auto& bodies = model.robot().bodies;
  const auto data =
      std::find_if(bodies.begin(), bodies.end(), [&](const BodyData& b) { return b.name == name; });
  if (data == bodies.end() || data->beams.empty() || !data->modal)
    throw InputError(fmt::format("body '{}' does not bend", name), "a flexible body");
  if (!(share >= 0 && share <= 1))
    throw InputError(fmt::format("the gauge sits at {} of the length", share), "0 to 1");
  const BeamData& beam = data->beams.front();
  const int element = std::min(static_cast<int>(share * beam.elements), beam.elements - 1);
  const BeamProperties section = properties_of(beam, element);
  Sensor sensor;
  sensor.kind = "strain";
  sensor.name = name;
  sensor.period = period;
  for (const char* axis : {"y", "z"})
    sensor.channels.push_back(fmt::format("moment.{}@{}.{}", name, share, axis));
  sensor.outputs = {{"strain", "1"}};
  const double by_y = section.EIy > 0 ? offset_z / section.EIy : 0;
  const double by_z = section.EIz > 0 ? -offset_y / section.EIz : 0;
  sensor.convert = [by_y, by_z](const double* in, double* out) {
    out[0] = by_y * in[0] + by_z * in[1];
  };
  return sensor;
}

}  // namespace ulna
