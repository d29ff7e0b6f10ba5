// What keeps an experiment from being written as plain C.

#include <fmt/format.h>

#include <algorithm>

#include "fmu/source_code.hpp"

namespace ulna {
namespace {

bool is_given(const ScalarMotionPtr& f) {
  return !f || dynamic_cast<const InputSignal*>(f.get()) ||
         dynamic_cast<const ConstantMotion*>(f.get());
}

std::string of_robot(const Model& model) {
  if (model.modes() > 0) return "the robot has flexible bodies";
  if (model.coordinates() != model.speeds()) return "the robot has spherical or free joints";
  for (const int q : model.coordinate_of_speed())
    if (q < 0) return "the robot has spherical or free joints";
  for (const DegreeTerms& terms : model.degree_terms()) {
    if (terms.friction != 0) return "the robot has Coulomb friction";
    if (terms.backlash != 0) return "the robot has springs with play";
  }
  for (const JointData& joint : model.robot().joints)
    for (const DegreeData& degree : joint.degrees)
      if (degree.friction != 0 || degree.backlash != 0)
        return fmt::format("joint '{}' has Coulomb friction or play", joint.name);
  for (const ElementData& element : model.robot().elements) {
    if (element.input || !element.formula.empty())
      return fmt::format("the force of element '{}' is an input or a formula", element.name);
    if (element.law.backlash != 0) return fmt::format("element '{}' has play", element.name);
  }
  return {};
}

std::string of_drives(const Experiment& e) {
  for (std::size_t j = 0; j < e.drives.size(); ++j) {
    const Drive& drive = e.drives[j];
    const std::string& name = e.model->joints()[j].name;
    if (e.model->joints()[j].speeds == 0) continue;
    if (drive.kind == DriveKind::motion || drive.kind == DriveKind::locked)
      return fmt::format("joint '{}' is led by a motion or locked", name);
    for (const auto& formula : drive.effort_formulas)
      if (formula) return fmt::format("the effort of joint '{}' is a formula of the state", name);
    if (!std::all_of(drive.effort.begin(), drive.effort.end(), is_given))
      return fmt::format("the effort of joint '{}' is a function of time and no input", name);
    if (!std::all_of(drive.motion.begin(), drive.motion.end(), is_given))
      return fmt::format("the reference of joint '{}' is a function of time and no input", name);
  }
  return {};
}

std::string of_controllers(const Experiment& e) {
  for (const auto& controller : e.controllers) {
    const auto* feedback = dynamic_cast<const Feedback*>(controller.get());
    if (!feedback) return fmt::format("the law {} is not written as C", controller->name());
    if (feedback->period > 0) return "a controller is sampled";
    if (feedback->own_model || e.known_model) return "a controller has a model of its own";
    const bool model_based = feedback->law != FeedbackLaw::pd || feedback->gravity;
    if (model_based && !e.model->loops().empty())
      return fmt::format("the law {} of a robot with loops is not written as C",
                         controller->name());
  }
  return {};
}

std::string of_surroundings(const Experiment& e) {
  if (!e.events.empty()) return "the experiment has events or stops that end it";
  if (e.stops.enabled && e.impact_law != ImpactLaw::newton)
    return "impacts follow another law than Newton's";
  if (!e.contacts.empty() || !e.nonholonomic.empty()) return "there are contacts or rolling";
  if (!e.wrenches.empty()) return "wrenches act";
  if (!e.actuators.empty() || !e.sensors.empty()) return "there are models of actuators or sensors";
  if (!e.joint_friction.empty()) return "joints have static friction";
  const IntegratorMethod method = e.integrator.method;
  if (method != IntegratorMethod::automatic && method != IntegratorMethod::dormand_prince)
    return fmt::format("the integrator {} is not written as C", name_of(method));
  return {};
}

std::string of_variables(const FmuVariables& v) {
  const Experiment& e = v.given.experiment;
  for (const FmuVariable& output : v.outputs) {
    const Channel channel = channels_named(e, output.name).front();
    using Kind = Channel::Kind;
    const bool simple = channel.kind == Kind::q || channel.kind == Kind::v ||
                        channel.kind == Kind::a || channel.kind == Kind::tau ||
                        channel.kind == Kind::reference;
    const bool energy =
        channel.kind == Kind::energy && channel.index < 3 && e.model->loops().empty();
    const bool position = channel.kind == Kind::frame && channel.index < 3;
    if (!simple && !energy && !position)
      return fmt::format("the output {} is not written as C", output.name);
  }
  for (const FmuVariable& p : v.parameters) {
    const bool gain =
        p.name.starts_with("controllers.") &&
        (p.name.ends_with(".kp") || p.name.ends_with(".kd") || p.name.ends_with(".ki"));
    const bool load = p.name.starts_with("payloads.") && p.name.ends_with(".mass") && p.start != 0;
    if (!gain && !load) return fmt::format("the parameter {} is not written as C", p.name);
  }
  return {};
}

}  // namespace

std::string why_no_source(const FmuVariables& v) {
  const Experiment& e = v.given.experiment;
  for (const std::string& why :
       {of_robot(*e.model), of_drives(e), of_controllers(e), of_surroundings(e), of_variables(v)})
    if (!why.empty()) return why;
  return {};
}

}  // namespace ulna
