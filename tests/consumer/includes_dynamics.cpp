#include <ulna/dynamics/inverse_dynamics.hpp>
