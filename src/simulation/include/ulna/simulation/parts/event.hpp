#pragma once
// Events of a run: a channel passes a value, a time comes, another event lies so far back. What
// they do: end the run, record, change what drives a joint, start a motion from where the robot is,
// put another controller in place of one (other gains), pick a payload up or release it, call a
// function. docs/experiment-file.md, Events.

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ulna/model/robot.hpp"
#include "ulna/simulation/parts/drive.hpp"

namespace ulna {

class Controller;

struct EventAction {
  enum class Kind {
    stop,    ///< ends the run
    record,  ///< one more record, at the event
    drive,   ///< `joint` is driven by `drive` from now on
    move,  ///< `joint` goes from where it is, or its reference, to `to` in `time`, and rests there
    control,  ///< `controller` takes the place of number `index`
    pick,     ///< `payload` is fixed to its body; it has the speed that it gets there
    release,  ///< the payload `name` is gone
    call      ///< `call` says what else happens
  };
  Kind kind = Kind::stop;
  int joint = -1;
  Drive drive;
  std::vector<double> to;  ///< one per speed
  double time = 0;
  bool relative = false;  ///< `to` counts from where the joint is
  std::size_t index = 0;
  std::shared_ptr<const Controller> controller;
  PayloadData payload;
  bool known = true;  ///< controllers are told of the payload
  std::string name;
  /// t, q, v; gives further actions (no calls).
  std::function<std::vector<EventAction>(double t, const Eigen::VectorXd& q,
                                         const Eigen::VectorXd& v)>
      call;
};

/// Where a channel passes a value (located to 1e-9 s), or a time.
struct Event {
  enum class Direction { rising, falling, either };
  std::string name;
  std::string channel;  ///< such as "q.joint1" (channels.hpp); empty: a time decides
  double value = 0;
  Direction direction = Direction::either;
  bool stops = true;
  SourceMark mark;
  double time = std::numeric_limits<double>::quiet_NaN();  ///< when, without a channel
  /// Only after the event of this name has happened; without channel and time: `delay` after it.
  std::string after = {};
  double delay = 0;
  bool once = false;  ///< does not happen again
  std::vector<EventAction> actions = {};
};

}  // namespace ulna
