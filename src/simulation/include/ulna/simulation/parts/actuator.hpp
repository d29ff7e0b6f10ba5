#pragma once
// Actuators: what stands between the effort a controller asks for and the effort a joint feels.
// docs/theory/actuators.md. One actuator drives one speed of a joint. Its states (currents,
// pressures, the rotor behind a gear with play) are integrated together with those of the robot.
//
//   DcMotor motor;                    // resistance, inductance, torque constant, current loop
//   motor.speed = model.joints()[model.joint("elbow")].v;
//   experiment.actuators.push_back(std::make_shared<DcMotor>(motor));
//
// `actuator_kinds` is the table of them: names as in experiment files. One's own actuator is a
// class derived from Actuator; it must not change when it is used.

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ulna/numerics/error.hpp"
#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// What an actuator is told: its command, and how its joint moves.
struct ActuatorInput {
  double command;  ///< the effort of controllers and drives; a voltage or a valve if it says so
  double position, speed;  ///< of the joint
};

/// A quantity of an actuator that can be recorded: actuator.NAME.current[A].
struct ActuatorReading {
  const char* name;
  const char* unit;
};

class ULNA_API Actuator {
 public:
  virtual ~Actuator();

  virtual const char* kind() const = 0;  ///< as in `actuator_kinds`
  virtual int states() const { return 0; }
  /// The states at rest with the joint at this position and speed.
  virtual void start(double position, double speed, double* x) const;
  /// The effort on the joint; fills the rates of the states.
  virtual double effort(const ActuatorInput& input, const double* x, double* dx) const = 0;
  /// What can be recorded besides command and effort, and its values.
  virtual std::span<const ActuatorReading> readings() const { return {}; }
  virtual void read(const ActuatorInput& input, const double* x, double* values) const;
  /// Of its command; `effort` is that of the joint's effort.
  virtual std::string command_unit(const std::string& effort) const { return effort; }
  /// What is wrong with its numbers, one problem each: {what, expectation}.
  virtual std::vector<std::pair<std::string, std::string>> problems() const { return {}; }

  std::string name;  ///< of the joint by default
  int speed = -1;    ///< of the robot that it drives
  /// Thermal load: the root mean square of the effort over any interval of this length, s; 0: over
  /// the whole run.
  double window = 0;
  /// The root mean square that it can bear for ever; infinite when it is not said.
  double continuous = std::numeric_limits<double>::infinity();
  SourceMark mark;
};

/// A gear between motor and joint. With play or stiffness the rotor is a state of its own.
struct ULNA_API Gear {
  double ratio = 1;       ///< motor speed over joint speed
  double efficiency = 1;  ///< of the power that passes, in both directions
  double play = 0;        ///< rad or m at the joint, from one flank to the other
  double stiffness = 0;   ///< at the joint; needed with play
  double damping = 0;     ///< at the joint, while the flanks touch
  double inertia = 0;     ///< of the rotor at the motor, where the gear has play or gives
  /// Speed of the joint over which the loss changes its direction: at rest the gear loses nothing.
  double transition = 1e-3;

  bool elastic() const { return stiffness > 0; }
  int states() const { return elastic() ? 2 : 0; }  ///< angle and speed of the rotor, at the joint
  /// Effort at the joint by a torque of the motor, loss included (docs/theory/actuators.md, eq. 6).
  double transmitted(double motor_torque, double joint_speed) const;
  /// Of an elastic gear: what the flanks exert on the joint (eq. 7).
  double flank(double rotor_angle, double rotor_speed, double position, double speed) const;
  std::vector<std::pair<std::string, std::string>> problems() const;
};

/// Effort within bounds, and within a line from stall effort to no-load speed. No states.
class ULNA_API LimitedEffort final : public Actuator {
 public:
  double stall = std::numeric_limits<double>::infinity();    ///< largest effort at rest
  double no_load = std::numeric_limits<double>::infinity();  ///< speed at which none is left
  double peak = std::numeric_limits<double>::infinity();     ///< largest effort at any speed

  const char* kind() const override { return "limited"; }
  double effort(const ActuatorInput& input, const double* x, double* dx) const override;
  std::vector<std::pair<std::string, std::string>> problems() const override;
};

/// A motor with one winding: L di/dt = V - R i - k w, torque k i, behind a gear. A brushless one is
/// the same in the axes of its rotor, where the voltage also turns the current (eq. 4).
class ULNA_API DcMotor : public Actuator {
 public:
  enum class Command {
    effort,  ///< at the joint: a current loop follows the current that would give it
    voltage  ///< of the winding
  };
  Command command = Command::effort;
  double resistance = 1, inductance = 0, torque_constant = 1;
  double voltage_limit = std::numeric_limits<double>::infinity();
  double current_limit = std::numeric_limits<double>::infinity();
  double bandwidth = 1000;  ///< of the current loop, rad/s; with inductance only
  int pole_pairs = 0;       ///< of a brushless motor; 0: brushed
  Gear gear;

  double stall_torque() const;   ///< of the motor, at the voltage limit
  double no_load_speed() const;  ///< of the motor, rad/s

  const char* kind() const override { return pole_pairs > 0 ? "brushless" : "dc"; }
  int states() const override;
  void start(double position, double speed, double* x) const override;
  double effort(const ActuatorInput& input, const double* x, double* dx) const override;
  std::span<const ActuatorReading> readings() const override;
  void read(const ActuatorInput& input, const double* x, double* values) const override;
  std::string command_unit(const std::string& effort) const override {
    return command == Command::voltage ? "V" : effort;
  }
  std::vector<std::pair<std::string, std::string>> problems() const override;

 private:
  struct Electric {
    double current, rate, voltage;
  };
  Electric electric(const ActuatorInput& input, double motor_speed, const double* x) const;
  double motor_speed(const ActuatorInput& input, const double* x) const;
};

/// A double-acting cylinder at a proportional valve: pressures of both chambers are states, the
/// oil is compressible. On a turning joint areas are volumes per radian (a vane motor).
class ULNA_API HydraulicCylinder final : public Actuator {
 public:
  enum class Command {
    effort,  ///< a loop of its own moves the valve
    valve    ///< opening, -1 to 1
  };
  Command command = Command::effort;
  double area = 1e-3, rod_area = 1e-3;      ///< of the two chambers
  double supply = 1e7, tank = 0;            ///< pressures, Pa
  double bulk_modulus = 1.4e9;              ///< of the oil, Pa
  double volume = 1e-4, rod_volume = 1e-4;  ///< of the chambers with their pipes at position 0
  double flow = 1e-3;                       ///< of the valve fully open, m^3/s, ...
  double flow_pressure = 3.5e6;             ///< ... at this difference of pressures over one edge
  double leakage = 0;                       ///< between the chambers, m^3/s per Pa
  double valve_time = 0;                    ///< first-order lag of the valve, s; 0: none
  double gain = 20;         ///< of the effort loop: valve openings per effort supply x area
  double start_effort = 0;  ///< the pressures begin with this effort

  const char* kind() const override { return "hydraulic"; }
  int states() const override { return valve_time > 0 ? 3 : 2; }
  void start(double position, double speed, double* x) const override;
  double effort(const ActuatorInput& input, const double* x, double* dx) const override;
  std::span<const ActuatorReading> readings() const override;
  void read(const ActuatorInput& input, const double* x, double* values) const override;
  std::string command_unit(const std::string& effort) const override {
    return command == Command::valve ? "1" : effort;
  }
  std::vector<std::pair<std::string, std::string>> problems() const override;
  /// Of the closed cylinder at this position: what the oil resists a displacement with (eq. 12).
  double stiffness(double position) const;

 private:
  double opening(const ActuatorInput& input, const double* x) const;
};

/// The table of actuators: name in experiment files, and one sentence.
struct ActuatorKind {
  const char* name;
  const char* what;
};
ULNA_API std::span<const ActuatorKind> actuator_kinds();

}  // namespace ulna
