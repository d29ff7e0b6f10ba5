// The one file that uses libsdformat, in a shared library of its own (sdf_part.hpp).

#include <Eigen/Geometry>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <ignition/math/Pose3.hh>
#include <map>
#include <sdf/Box.hh>
#include <sdf/Capsule.hh>
#include <sdf/Collision.hh>
#include <sdf/Console.hh>
#include <sdf/Cylinder.hh>
#include <sdf/Element.hh>
#include <sdf/Frame.hh>
#include <sdf/Geometry.hh>
#include <sdf/Joint.hh>
#include <sdf/JointAxis.hh>
#include <sdf/Link.hh>
#include <sdf/Material.hh>
#include <sdf/Mesh.hh>
#include <sdf/Model.hh>
#include <sdf/ParserConfig.hh>
#include <sdf/Root.hh>
#include <sdf/Sphere.hh>
#include <sdf/Visual.hh>
#include <sdf/World.hh>
#include <sstream>

#include "sdf/sdf_part.hpp"

namespace ulna {
namespace {

// SDF's own number for a joint without a limit.
constexpr double sdf_unlimited = 1e16;

Vector3<double> vector_of(const ignition::math::Vector3d& v) { return {v.X(), v.Y(), v.Z()}; }

Pose<double> pose_of(const ignition::math::Pose3d& X) {
  const ignition::math::Quaterniond& r = X.Rot();
  Pose<double> out;
  out.position = vector_of(X.Pos());
  out.rotation =
      Eigen::Quaterniond(r.W(), r.X(), r.Y(), r.Z()).normalized().toRotationMatrix().array() + 0.0;
  return out;
}

/// Ends the reading; what is wrong is in the list of problems.
struct Unreadable {};

/// Where <include> looks for "model://hand" and for plain names: the file's folder, the one above,
/// and the folders of the variables that Gazebo has.
std::vector<std::string> model_folders(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path beside = fs::absolute(file, error).parent_path();
  std::vector<std::string> folders = {beside.string(), beside.parent_path().string()};
  for (const char* name : {"GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH"})
    if (const char* value = std::getenv(name)) {
      std::istringstream list(value);
      for (std::string folder; std::getline(list, folder, ':');)
        if (!folder.empty()) folders.push_back(folder);
    }
  return folders;
}

sdf::ParserConfig config_for(const std::string& file) {
  sdf::ParserConfig config = sdf::ParserConfig::GlobalConfig();
  const std::vector<std::string> folders = model_folders(file);
  for (const std::string& folder : folders) config.AddURIPath("model://", folder);
  config.SetFindCallback([folders](const std::string& name) -> std::string {
    std::error_code error;
    for (const std::string& folder : folders)
      if (const std::filesystem::path path = std::filesystem::path(folder) / name;
          std::filesystem::exists(path, error))
        return path.string();
    return {};
  });
  return config;
}

class SdfLoader {
 public:
  SdfLoader(const std::string& file, SdfModel& model, std::vector<Problem>& problems)
      : file_(file), model_(model), problems_(problems) {}

  void run(const std::string& text) {
    sdf::Console::Instance()->SetQuiet(true);
    sdf::Root root;
    demand(root.LoadSdfString(text, config_for(file_)));
    if (const sdf::Model* model = root.Model()) {
      model_.name = model->Name();
      add_model(*model, "", false);
    } else if (root.WorldCount() > 0) {
      const sdf::World& world = *root.WorldByIndex(0);
      model_.gravity = vector_of(world.Gravity());
      const bool one = world.ModelCount() == 1;
      model_.name = one ? world.ModelByIndex(0)->Name() : world.Name();
      for (std::uint64_t k = 0; k < world.ModelCount(); ++k) {
        const sdf::Model& each = *world.ModelByIndex(k);
        add_model(each, one ? "" : each.Name() + "::", false);
      }
    }
    if (model_.links.empty())
      problems_.push_back({{file_}, {}, "there is no link", "a <model> with links", {}});
  }

 private:
  void demand(const sdf::Errors& errors) {
    for (const sdf::Error& error : errors) {
      std::string message = error.Message();
      if (message.starts_with("Unable to read SDF string"))  // it repeats the whole file
        message = "this is not SDF that libsdformat can read";
      problems_.push_back({{file_, error.LineNumber().value_or(0)}, {}, message, {}, {}});
    }
    if (!problems_.empty()) throw Unreadable{};
  }

  Pose<double> resolved(const sdf::SemanticPose& pose, const std::string& to = {}) {
    ignition::math::Pose3d X;
    demand(pose.Resolve(X, to));
    return pose_of(X);
  }

  /// Where an element of an included file stands; nothing of the main file, which is read as a
  /// text.
  SourceMark included(const sdf::ElementPtr& element) {
    if (!element || !std::filesystem::path(element->FilePath()).is_absolute()) return {};
    std::vector<std::string>& files = model_.included;
    if (std::find(files.begin(), files.end(), element->FilePath()) == files.end())
      files.push_back(element->FilePath());
    return {element->FilePath(), element->LineNumber().value_or(0)};
  }

  /// A number that this library keeps as a text or not at all: a part of a newer SDF.
  double number(const sdf::ElementPtr& around, const char* tag, double fallback) {
    if (!around->HasElement(tag)) return fallback;
    const sdf::ElementPtr element = around->GetElement(tag);
    std::string text = element->Get<std::string>();
    text.erase(0, text.find_first_not_of(" \t\r\n+"));
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    double value = fallback;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value))
      return value;
    SourceMark where = included(element);
    if (where.line == 0) where = {file_, element->LineNumber().value_or(0)};
    problems_.push_back(
        {where, {}, std::string("<") + tag + "> is '" + text + "'", "a number", {}});
    throw Unreadable{};
  }

  void add_model(const sdf::Model& model, const std::string& prefix, bool around_fixed) {
    const bool fixed = around_fixed || model.Static();  // with all models inside
    const Pose<double> X_WM = prefix_poses_.empty()
                                  ? resolved(model.SemanticPose())
                                  : prefix_poses_.back() * resolved(model.SemanticPose());
    for (std::uint64_t k = 0; k < model.LinkCount(); ++k)
      add_link(*model.LinkByIndex(k), prefix, X_WM, fixed);
    prefix_poses_.push_back(X_WM);
    for (std::uint64_t k = 0; k < model.ModelCount(); ++k) {
      const sdf::Model& nested = *model.ModelByIndex(k);
      add_model(nested, prefix + nested.Name() + "::", fixed);
    }
    prefix_poses_.pop_back();
    for (std::uint64_t k = 0; k < model.JointCount(); ++k)
      add_joint(*model.JointByIndex(k), prefix, X_WM);
    for (std::uint64_t k = 0; k < model.FrameCount(); ++k)
      add_frame(*model.FrameByIndex(k), prefix, X_WM);
  }

  void add_link(const sdf::Link& link, const std::string& prefix, const Pose<double>& X_WM,
                bool fixed) {
    SdfLink out;
    out.name = prefix + link.Name();
    out.X_WL = X_WM * resolved(link.SemanticPose());
    out.fixed = fixed;
    out.bare = link.Element() && !link.Element()->HasElement("inertial");
    out.mark = included(link.Element());
    const ignition::math::Inertiald& I = link.Inertial();
    out.inertial.mass = I.MassMatrix().Mass();
    out.inertial.centre = vector_of(I.Pose().Pos());
    const ignition::math::Matrix3d moments = I.Moi();  // about the centre, in the link's axes
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) out.inertial.inertia(r, c) = (moments(r, c) + moments(c, r)) / 2;
    for (std::uint64_t k = 0; k < link.VisualCount(); ++k) {
      const sdf::Visual& visual = *link.VisualByIndex(k);
      if (std::optional<Geometry> shape =
              shape_of(*visual.Geom(), resolved(visual.SemanticPose()))) {
        if (const sdf::Material* material = visual.Material()) {
          const ignition::math::Color c = material->Diffuse();
          shape->colour = std::array<double, 4>{c.R(), c.G(), c.B(), c.A()};
        }
        out.shapes.push_back(std::move(*shape));
      }
    }
    for (std::uint64_t k = 0; k < link.CollisionCount(); ++k) {
      const sdf::Collision& collision = *link.CollisionByIndex(k);
      if (std::optional<Geometry> shape =
              shape_of(*collision.Geom(), resolved(collision.SemanticPose()))) {
        shape->use = Geometry::Use::collision;
        out.shapes.push_back(std::move(*shape));
      }
    }
    model_.links.push_back(std::move(out));
  }

  static std::optional<Geometry> shape_of(const sdf::Geometry& given, const Pose<double>& X) {
    Geometry shape;
    shape.X_BG = X;
    if (const sdf::Box* box = given.BoxShape()) {
      shape.shape = Geometry::Shape::box;
      shape.size = vector_of(box->Size());
    } else if (const sdf::Sphere* sphere = given.SphereShape()) {
      shape.shape = Geometry::Shape::sphere;
      shape.size.x() = sphere->Radius();
    } else if (const sdf::Cylinder* cylinder = given.CylinderShape()) {
      shape.shape = Geometry::Shape::cylinder;
      shape.size = {cylinder->Radius(), cylinder->Length(), 0};
    } else if (const sdf::Capsule* capsule = given.CapsuleShape()) {
      shape.shape = Geometry::Shape::capsule;
      shape.size = {capsule->Radius(), capsule->Length(), 0};
    } else if (const sdf::Mesh* mesh = given.MeshShape()) {
      shape.shape = Geometry::Shape::mesh;
      shape.mesh = mesh->Uri();
      shape.scale = vector_of(mesh->Scale());
    } else {
      return std::nullopt;
    }
    return shape;
  }

  static std::string type_of(sdf::JointType type) {
    switch (type) {
      case sdf::JointType::BALL:
        return "ball";
      case sdf::JointType::CONTINUOUS:
        return "continuous";
      case sdf::JointType::FIXED:
        return "fixed";
      case sdf::JointType::GEARBOX:
        return "gearbox";
      case sdf::JointType::PRISMATIC:
        return "prismatic";
      case sdf::JointType::REVOLUTE:
        return "revolute";
      case sdf::JointType::REVOLUTE2:
        return "revolute2";
      case sdf::JointType::SCREW:
        return "screw";
      case sdf::JointType::UNIVERSAL:
        return "universal";
      default:
        return "invalid";
    }
  }

  /// A link named in the scope of a model; the world has no scope.
  static std::string scoped(const std::string& prefix, const std::string& name) {
    return name == world_name ? name : prefix + name;
  }

  void add_joint(const sdf::Joint& joint, const std::string& prefix, const Pose<double>& X_WM) {
    SdfJoint out;
    out.own_name = joint.Name();
    out.name = prefix + joint.Name();
    out.type = type_of(joint.Type());
    std::string parent, child;
    demand(joint.ResolveParentLink(parent));
    demand(joint.ResolveChildLink(child));
    out.parent = scoped(prefix, parent);
    out.child = scoped(prefix, child);
    out.X_WJ = X_WM * resolved(joint.SemanticPose(), "__model__");
    out.thread_pitch = joint.ThreadPitch();
    out.mark = included(joint.Element());
    if (joint.Element()) add_newer(joint.Element(), prefix, out);
    for (unsigned k = 0; k < 2; ++k)
      if (const sdf::JointAxis* axis = joint.Axis(k)) add_axis(*axis, out);
    model_.joints.push_back(std::move(out));
  }

  /// What the library keeps in its tree of elements only.
  void add_newer(const sdf::ElementPtr& element, const std::string& prefix, SdfJoint& joint) {
    if (element->HasElement("screw_thread_pitch"))
      joint.screw_thread_pitch = number(element, "screw_thread_pitch", 0);
    joint.gearbox_ratio = number(element, "gearbox_ratio", 1);
    if (element->HasElement("gearbox_reference_body"))
      joint.gearbox_reference =
          scoped(prefix, element->GetElement("gearbox_reference_body")->Get<std::string>());
    for (const char* tag : {"axis", "axis2"}) {
      if (!element->HasElement(tag) || !element->GetElement(tag)->HasElement("mimic")) continue;
      const sdf::ElementPtr given = element->GetElement(tag)->GetElement("mimic");
      joint.mimic = mimic(element, given);
    }
  }

  /// q = multiplier (q_leader - reference) + offset
  Mimic mimic(const sdf::ElementPtr& joint, const sdf::ElementPtr& given) {
    const auto attribute = [&](const char* name) {
      const sdf::ParamPtr value = given->GetAttribute(name);
      return value ? value->GetAsString() : std::string();
    };
    if (attribute("axis") == "axis2") {
      problems_.push_back({included(given),
                           "joint '" + joint->GetAttribute("name")->GetAsString() + "'",
                           "follows the second axis of a joint",
                           "a leader with one axis",
                           {}});
      throw Unreadable{};
    }
    Mimic read;
    read.joint = attribute("joint");
    read.multiplier = number(given, "multiplier", 1);
    read.offset = number(given, "offset", 0) - read.multiplier * number(given, "reference", 0);
    return read;
  }

  void add_axis(const sdf::JointAxis& axis, SdfJoint& joint) {
    ignition::math::Vector3d direction;
    demand(axis.ResolveXyz(direction));
    joint.axes.push_back(vector_of(direction));
    const auto bound = [](double x) {
      return std::abs(x) < sdf_unlimited ? x : std::copysign(DegreeData::unlimited, x);
    };
    DegreeData degree;
    degree.lower = bound(axis.Lower());
    degree.upper = bound(axis.Upper());
    degree.effort_limit = bound(axis.Effort());
    degree.velocity_limit = bound(axis.MaxVelocity());
    degree.damping = axis.Damping();
    degree.friction = axis.Friction();
    degree.stiffness = axis.SpringStiffness();
    degree.rest = axis.SpringReference();
    joint.degrees.push_back(degree);
  }

  void add_frame(const sdf::Frame& frame, const std::string& prefix, const Pose<double>& X_WM) {
    std::string link;
    demand(frame.ResolveAttachedToBody(link));
    model_.frames.push_back(
        {prefix + frame.Name(), link == "__model__" ? world_name : scoped(prefix, link),
         X_WM * resolved(frame.SemanticPose(), "__model__"), included(frame.Element())});
  }

  const std::string& file_;
  SdfModel& model_;
  std::vector<Problem>& problems_;
  std::vector<Pose<double>> prefix_poses_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) void ulna_load_sdf(
    const std::string& text, const std::string& file, SdfModel& model,
    std::vector<Problem>& problems) {
  try {
    SdfLoader(file, model, problems).run(text);
  } catch (const Unreadable&) {
  } catch (const std::exception& error) {
    problems.push_back({{file}, {}, std::string("libsdformat ends with: ") + error.what(), {}, {}});
  }
}
static_assert(std::is_same_v<decltype(ulna_load_sdf), LoadSdf>);

}  // namespace ulna
