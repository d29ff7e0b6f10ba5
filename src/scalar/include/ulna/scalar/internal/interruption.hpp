#pragma once
// How a caller ends a long computation early: loops that may take longer than a tenth of a second
// call `interruption_point`, which throws where the caller asks for it.
//
//   ulna::InterruptionScope scope([&] { return stop_was_asked_for(); });
//   try { workspace_slice(...); } catch (const ulna::Interrupted&) { ... }
//
// It concerns the thread of the scope only, and costs a comparison where there is none.

#include <exception>
#include <functional>
#include <utility>

namespace ulna {

class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

class InterruptionScope {
 public:
  /// `asked` is called at every point: it should be cheap.
  explicit InterruptionScope(std::function<bool()> asked)
      : asked_(std::move(asked)), previous_(current()) {
    current() = this;
  }
  ~InterruptionScope() { current() = previous_; }
  InterruptionScope(const InterruptionScope&) = delete;
  InterruptionScope& operator=(const InterruptionScope&) = delete;

  bool asked() const { return asked_(); }
  static InterruptionScope*& current() {
    static thread_local InterruptionScope* scope = nullptr;
    return scope;
  }

 private:
  std::function<bool()> asked_;
  InterruptionScope* previous_;
};

inline void interruption_point() {
  const InterruptionScope* const scope = InterruptionScope::current();
  if (scope && scope->asked()) throw Interrupted();
}

}  // namespace ulna
