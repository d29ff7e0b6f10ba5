#pragma once
// What the checks of a robot description have found so far, and the names that it may refer to. The
// checks of one kind of element each are in check_<kind>.cpp.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ulna/model/robot.hpp"

namespace ulna {

struct Findings {
  explicit Findings(const Robot& robot);

  const Robot& robot;
  std::vector<Problem> problems, warnings;
  bool references_hold = true;  ///< every name that is used exists once
  std::set<std::string> body_names, joint_names;
  std::map<std::string, const JointData*> joints;

  void say(const SourceMark& mark, std::string element, std::string message,
           std::string expectation = {}, std::string hint = {});
  /// Something a name refers to is missing or ambiguous.
  void say_reference(const SourceMark& mark, std::string element, std::string message,
                     std::string expectation, std::string hint = {});
  /// The nearest known name.
  std::string hint(const std::string& name, const std::set<std::string>& known) const;

  void require_body(const SourceMark& mark, const std::string& element, const std::string& body);
  /// The two that a joint or a rod connects.
  void require_bodies(const SourceMark& mark, const std::string& element, const std::string& parent,
                      const std::string& child);
  void require_pose(const SourceMark& mark, const std::string& element, const Pose<double>& X);
};

void check_bodies(Findings& found);  ///< their masses and beams, and what is welded together
void check_payloads(Findings& found);
void check_joints(Findings& found);
void check_constraints(Findings& found);
void check_elements(Findings& found);
void check_postures(Findings& found);

}  // namespace ulna
