#pragma once
// What a user of the library needs, in one include; docs/cpp.md names these headers one by one, in
// the order one learns them. The rest of the installed headers are kernels, templates on the scalar
// that other headers are made of (ulna/<module>/kernels).

#include "ulna/dynamics/centroidal.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/dynamics/platform_dynamics.hpp"
#include "ulna/dynamics/reactions.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/formats/run_directory.hpp"
#include "ulna/generate/compile.hpp"
#include "ulna/generate/source.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/inverse_kinematics.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/model.hpp"
#include "ulna/model/robot.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/report/report.hpp"
#include "ulna/simulation/simulate.hpp"
#include "ulna/structure/structure_modes.hpp"
#include "ulna/study/verify.hpp"
