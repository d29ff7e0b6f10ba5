#pragma once
// A phase of a run, whatever its integrator: until the end, or until an event changes what the run
// is about. Run as a whole, or in pieces.

#include <memory>

#include "run/event_actions.hpp"
#include "run/mechanical_system.hpp"

namespace ulna {

class Phase {
 public:
  virtual ~Phase() = default;
  virtual RunSummary run() = 0;

  // ---- in pieces; Runner says what they do ------------------------------------------------------
  virtual void begin_in_pieces() = 0;
  virtual void advance_to(double t) = 0;
  virtual void renew() = 0;
  virtual bool done() const = 0;
  virtual RunSummary finish() = 0;
  virtual const Checkpoint& checkpoint() = 0;
  virtual MechanicalSystem& system() = 0;
  virtual double t() const = 0;
  virtual const double* y() = 0;
};

/// The phase that `link` leads to; it stays valid as long as the options' resumption and the link.
std::unique_ptr<Phase> make_phase(const CheckedExperiment& checked, const RunOptions& options,
                                  PhaseLink& link);

}  // namespace ulna
