#pragma once
// What most tests include, compiled once for all of them. Files include what they use all the same.
// (Not ulna/simulation: its Plane is not that of ulna/spatial/homogeneous_geometry.hpp.)

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/near.hpp"
#include "support/random_robot.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/model.hpp"
#include "ulna/numerics/error.hpp"
