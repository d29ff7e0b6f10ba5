#include "commands/platform_options.hpp"

#include <fmt/format.h>

#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna::cli {

std::vector<std::string> DriveList::units() const {
  std::vector<std::string> out;
  for (const Dimension d : dimensions)
    out.emplace_back(d == Dimension::length ? "m, N" : "rad, N m");
  return out;
}

std::vector<Entry> DriveList::entries() const {
  std::vector<Entry> out;
  for (int k = 0; k < size(); ++k) out.push_back({names[k], dimensions[k]});
  return out;
}

std::vector<Entry> DriveList::effort_entries() const {
  std::vector<Entry> out = entries();
  for (Entry& entry : out)
    entry.dimension = entry.dimension == Dimension::length ? Dimension::force : Dimension::torque;
  return out;
}

Eigen::VectorXd for_each_drive(const char* option, const std::string& text,
                               const DriveList& drives) {
  std::vector<Entry> entries;
  for (const std::string& name : drives.names) entries.push_back({name, Dimension::number});
  if (text.find(',') != std::string::npos) return parse_vector(option, text, entries);
  return Eigen::VectorXd::Constant(drives.size(), parse_number(option, text));
}

Eigen::VectorXd drive_values(const char* option, const std::string& text,
                             const std::vector<Entry>& entries) {
  if (!is_named(text)) return parse_vector(option, text, entries);
  Eigen::VectorXd values = Eigen::VectorXd::Zero(std::ssize(entries));
  const NamedNumbers named = parse_named(option, text, entries);
  for (std::size_t k = 0; k < named.places.size(); ++k) values(named.places[k]) = named.values[k];
  return values;
}

std::vector<std::string> wrenches_on(const std::string& body,
                                     const std::vector<std::string>& texts) {
  std::vector<std::string> out = texts;
  for (std::string& text : out)
    if (text.find(':') == std::string::npos) text = body + ":" + text;
  return out;
}

Json pose_json(const Pose<double>& pose) {
  return {{"position", to_json(pose.position)},
          {"rotation", to_json(quaternion_from_rotation(pose.rotation))},
          {"rpy", to_json(euler_angles("XYZ", pose.rotation).first)}};
}

DriveCapability drive_capability(const PlatformOptions& options, const DriveList& drives,
                                 const Eigen::VectorXd& speed_limits,
                                 const Eigen::VectorXd& effort_limits, PoseAnswer& answer) {
  DriveCapability out;
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(drives.size());
  const auto limit = [&](const char* option, const std::optional<std::string>& text,
                         const Eigen::VectorXd& own, bool& unit) -> Eigen::VectorXd {
    if (text) return for_each_drive(option, *text, drives);
    unit = !own.allFinite();
    return unit ? ones : own;
  };
  out.speeds = limit("--speed-limit", options.speed_limit, speed_limits, answer.unit_speeds);
  out.efforts = limit("--effort-limit", options.effort_limit, effort_limits, answer.unit_efforts);
  out.errors = Eigen::VectorXd::Zero(drives.size());
  if (options.errors) {
    const std::string& text = *options.errors;
    out.errors = text.find(',') != std::string::npos
                     ? parse_vector("--errors", text, drives.entries())
                     : Eigen::VectorXd::Zero(drives.size());
    if (text.find(',') == std::string::npos)
      for (int k = 0; k < drives.size(); ++k)
        out.errors(k) = parse_number("--errors", text, drives.dimensions[k]);
  }
  return out;
}

namespace platform_options_detail {
namespace {

Json capability_json(const Capability& c) {
  return {{"everywhere", c.everywhere}, {"best", c.best}, {"dimension", c.dimension}};
}

Json quality_json(const PoseAnswer& answer) {
  const PlatformQuality& q = *answer.quality;
  Json out = {{"dexterity", q.dexterity},
              {"speed", capability_json(q.speed)},
              {"turning", capability_json(q.turning)},
              {"force", capability_json(q.force)},
              {"moment", capability_json(q.moment)},
              {"unit_speeds", answer.unit_speeds},
              {"unit_efforts", answer.unit_efforts},
              {"position_error", {{"worst", q.position_worst}, {"rms", q.position_rms}}},
              {"angle_error", {{"worst", q.angle_worst}, {"rms", q.angle_rms}}}};
  if (answer.nearest) {
    Json nearest = {{"found", answer.nearest->found}};
    if (answer.nearest->found) {
      nearest["distance"] = answer.nearest->distance;
      nearest["pose"] = pose_json(answer.nearest->pose);
    }
    out["nearest_singularity"] = nearest;
  }
  return out;
}

void print_json_answer(const PoseAnswer& answer) {
  Json out = json_object();
  out["pose"] = pose_json(answer.pose);
  out["legs"] = answer.drives.names;
  out["drives"] = to_json(answer.q);
  out["rates"] = to_json(answer.rates);
  out["accelerations"] = to_json(answer.accelerations);
  out["efforts"] = to_json(answer.efforts);
  if (answer.given_efforts) out["acceleration"] = to_json(answer.platform.vector());
  out["jacobian"] = matrix_to_json(answer.jacobian);
  out["dof"] = answer.basis.cols();
  out["determinant"] = answer.held.determinant;
  out["condition"] = answer.held.condition;
  out["worst_screw"] = to_json(answer.held.screw.vector());
  if (answer.stiffness) out["stiffness"] = matrix_to_json(*answer.stiffness);
  if (answer.quality) out["quality"] = quality_json(answer);
  if (answer.modes) {
    out["working_modes"] = Json::array();
    for (const auto& values : answer.modes->angles) out["working_modes"].push_back(Json(values));
    out["combinations"] = answer.modes->count;
  }
  print_json(out);
}

void print_quality(const PoseAnswer& answer) {
  const PlatformQuality& q = *answer.quality;
  print(heading("\nquality"));
  const std::string of_speed = answer.unit_speeds ? " per 1 m/s or rad/s of the drives" : "";
  const std::string of_effort = answer.unit_efforts ? " per 1 N or N m of the drives" : "";
  print(fmt::format("  dexterity {}\n", number_text(q.dexterity)));
  const auto line = [](const char* what, const Capability& c, const char* unit,
                       const std::string& per) {
    if (c.dimension == 0) return;
    print(fmt::format("  {} {} {} in every direction, {} in the best{}\n", what,
                      number_text(c.everywhere), unit, number_text(c.best), per));
  };
  line("speed", q.speed, "m/s", of_speed);
  line("turning", q.turning, "rad/s", of_speed);
  line("force", q.force, "N", of_effort);
  line("moment", q.moment, "N m", of_effort);
  if (q.position_worst > 0 || q.angle_worst > 0)
    print(
        fmt::format("  errors of the drives: position {} m at worst, {} rms; angle {} rad at "
                    "worst, {} rms\n",
                    number_text(q.position_worst), number_text(q.position_rms),
                    number_text(q.angle_worst), number_text(q.angle_rms)));
  if (!answer.nearest) return;
  if (answer.nearest->found)
    print(fmt::format("  nearest singular pose {} m away (turns by the platform's radius): {}\n",
                      number_text(answer.nearest->distance),
                      shown_pose_text(answer.nearest->pose)));
  else
    print("  no singular pose was found nearby\n");
}

}  // namespace
}  // namespace platform_options_detail

void print_answer(const PoseAnswer& answer, bool json) {
  using namespace platform_options_detail;
  for (const std::string& text : answer.notes) note(text);
  if (json) return print_json_answer(answer);
  print(Table()
            .words("leg", answer.drives.names)
            .numbers("drive", answer.q)
            .numbers("rate", answer.rates)
            .numbers("acceleration", answer.accelerations)
            .numbers("effort", answer.efforts)
            .words("unit", answer.drives.units())
            .text());
  print(fmt::format("\n  {}\n", shown_pose_text(answer.pose)));
  if (answer.given_efforts)
    print(fmt::format("  these efforts accelerate it by {} (rotation first)\n",
                      numbers_text(answer.platform.vector())));
  print(fmt::format("  condition {}, determinant {}\n", number_text(answer.held.condition),
                    number_text(answer.held.determinant)));
  print(fmt::format("  held worst along the twist {} (rotation first)\n",
                    numbers_text(answer.held.screw.vector())));
  if (answer.stiffness) {
    print(heading("\nstiffness, rotation first (N m/rad, N/rad, N/m)"));
    print(matrix_text(*answer.stiffness));
  }
  if (answer.quality) print_quality(answer);
  if (!answer.modes) return;
  print(heading("\nworking modes: values of each drive that reach this pose"));
  for (std::size_t k = 0; k < answer.modes->angles.size(); ++k) {
    const std::vector<double>& values = answer.modes->angles[k];
    print(fmt::format(
        "  {}  {}\n", answer.drives.names[k],
        numbers_text(Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values)))));
  }
  print(fmt::format("  {} combination{}\n", answer.modes->count,
                    answer.modes->count == 1 ? "" : "s"));
}

}  // namespace ulna::cli
