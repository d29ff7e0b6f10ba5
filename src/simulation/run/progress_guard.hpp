#pragma once
// Ends runs that go on without getting anywhere: contact states that change for ever, and steps so
// short that the run would need more of them than it may take.

#include <string>

namespace ulna {

class ProgressGuard {
 public:
  /// `duration` of the run, and the steps that it may take.
  ProgressGuard(double duration, long most_steps) : end_(duration), most_steps_(most_steps) {}

  /// A contact state ended at t. Not empty: they do so for ever; since when, and how often.
  std::string change_at(double t);
  /// After a step: `tried` steps, refused ones included, have led to t. Not empty: at this pace the
  /// run would not end.
  std::string step_to(double t, long tried);

 private:
  std::string rattle_at(double t);
  struct Window {
    long count;    ///< changes
    double share;  ///< of a second, or of a shorter run, within which they count as endless
    double since = 0;
  };
  double end_;
  long most_steps_;
  long changes_ = 0;
  Window windows_[2] = {{1000, 1e-6}, {20'000, 1e-3}};
  double steady_since_ = 0;  ///< when changes began to come evenly
  long steady_ = 0;          ///< windows since then
  double last_change_ = 0, last_took_ = 0;
  long looked_ = 0, looks_ = 0;
  double looked_t_ = 0;
};

}  // namespace ulna
