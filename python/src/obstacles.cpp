#include "obstacles.hpp"

#include <set>

#include "arrays.hpp"
#include "names.hpp"

namespace ulna::python {
namespace {

constexpr const char* obstacle_forms =
    "{'sphere': centre, 'radius': r}, {'box': centre, 'sides': lengths} or "
    "{'half_space': point, 'normal': n}";

Obstacle shape_of(const py::dict& item) {
  const auto three = [&](const char* key) -> Vector3<double> {
    if (!item.contains(key))
      throw InputError(
          Problem{{}, "obstacles", std::string("one has no '") + key + "'", obstacle_forms, {}});
    return vector_of(item[key], key, 3, ", x, y and z");
  };
  if (item.contains("sphere")) {
    if (!item.contains("radius"))
      throw InputError(Problem{{}, "obstacles", "a sphere has no 'radius'", obstacle_forms, {}});
    return Obstacle::sphere(three("sphere"), number_argument(item["radius"], "radius"));
  }
  if (item.contains("half_space"))
    return Obstacle::half_space(three("half_space"), three("normal"));
  if (item.contains("box")) {
    Pose<double> centre;
    if (numbers(item["box"], "box").ndim() == 2)
      centre = pose_of(item["box"], "box");
    else
      centre.position = three("box");
    return Obstacle::box(centre, three("sides"));
  }
  throw InputError(Problem{{}, "obstacles", "one has no shape", obstacle_forms, {}});
}

}  // namespace

std::vector<Obstacle> obstacles_of(const RobotHandle& robot, const py::object& list) {
  static const std::set<std::string> known = {"sphere", "radius", "box",       "sides",
                                              "normal", "frames", "clearance", "half_space"};
  std::vector<Obstacle> obstacles;
  if (list.is_none()) return obstacles;
  if (!py::isinstance<py::list>(list) && !py::isinstance<py::tuple>(list))
    throw py::type_error("obstacles must be a list of dicts, not " +
                         std::string(py::str(py::type::of(list).attr("__name__"))));
  for (const py::handle entry : list) {
    if (!py::isinstance<py::dict>(entry))
      throw InputError(Problem{{}, "obstacles", "one is not a dict", obstacle_forms, {}});
    const py::dict item = py::reinterpret_borrow<py::dict>(entry);
    for (const auto& [key, value] : entries_of(item))
      if (!known.count(py::str(key)))
        throw InputError(Problem{
            {}, "obstacles", "one has '" + std::string(py::str(key)) + "'", obstacle_forms, {}});
    Obstacle obstacle = shape_of(item);
    if (item.contains("clearance"))
      obstacle.clearance = number_argument(item["clearance"], "clearance");
    if (item.contains("frames"))
      for (const py::handle name : items_argument(item["frames"], "frames"))
        obstacle.frames.push_back(frame_argument(robot, name.ptr(), "frames"));
    obstacles.push_back(obstacle);
  }
  return obstacles;
}

}  // namespace ulna::python
